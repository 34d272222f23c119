"""Stores the proof: every row in reports/proof/, which git ignores, and the figures in docs/proof.json.

docs/proof.json has the figures of each part, the survivors, the collateral failures and the variants that failed.
reports/proof/ has every row (proof.json) and the kill matrix (kill-matrix.json); CI keeps it
as an artefact. What a release ships of it, and git ignores, is in the package: data/kills.json. git has
data/request_estimates.json, which a test holds against a run.
"""

import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.exchange import Created, Exchange
from pix_conformance.model.operations import find
from pix_conformance.model.paths import TEST_TREE, without_settings
from pix_conformance.model.settings import Generation
from pix_conformance.model.vocabulary import Level
from pix_conformance.proof import kill_matrix, proof_page
from pix_conformance.proof.integration_proof import ShopResult
from pix_conformance.proof.shop_mutants import MUTANTS
from pix_conformance.proof.shop_variants import VARIANTS
from pix_conformance.recording.bundle.reader import read
from pix_conformance.report import explain
from pix_conformance.sandbox.mutants.registry import all_mutants
from pix_conformance.session.costs import COSTS, SHARED
from pix_conformance.verdicts.exit_status import NOT_JUDGED

ROOT = TEST_TREE
PAGE = ROOT / "docs" / "proof.md"
FULL = ROOT / "reports" / "proof"
"""The directory of the rows. Rows of an earlier run are merged if they exist."""
NAMES = {"recall": "mutant", "collateral": "mutant", "precision": "variants", "battery": "test"}
"""The keys that name a row of each part."""
FEW = 4
"""The number of variants of a combination that docs/proof.json and the page name; reports/proof/ has all."""
Row = dict[str, Any]


def store(part: str, rows: Iterable[Row], seconds: float, known: int, *, is_partial: bool = False) -> bool:
    """Store the rows of a part and its figures, and write the pages. `known` is the number of rows of a whole run.

    With `is_partial`, the rows replace earlier ones with the same names. Returns False, without storing, if there are
    no earlier rows.
    """
    stored, today = read_rows(), datetime.now(UTC).date().isoformat()
    before: Row = stored[part] if is_partial and part in stored else {"rows": [], "seconds": 0}
    if is_partial and not before["rows"]:
        return False
    by_name = {str(row[NAMES[part]]): row for row in before["rows"] if row.get("mutant") in all_mutants()}
    stamp = {"measured": today, "commit": commit()}
    by_name |= {str(row[NAMES[part]]): {**row, **stamp} for row in rows}
    stored[part] = {"seconds": round(before["seconds"] + seconds), "known": known, "rows": list(by_name.values())}
    write_rows(stored)
    write_figures({**proof_page.figures(), part: summary(part, stored[part])})
    if part == "recall":
        store_kills(stored[part]["rows"], all_mutants())
    return True


def integration_rows() -> dict[tuple[str, int], Row]:
    """Return what earlier runs of shops gave, by shop and seed."""
    rows = read_rows().get("integration", {"rows": []})["rows"]
    return {(row["shop"], row["seed"]): row for row in rows if row["shop"] in {*MUTANTS, *VARIANTS}}


def store_integrations(results: Iterable[ShopResult], seeds: int) -> None:
    """Store the results of runs of shops in place of their earlier ones, and the figures once every shop was run."""
    stamp = {"measured": datetime.now(UTC).date().isoformat(), "commit": commit()}
    rows = integration_rows()
    for result in results:
        facts = {"seconds": round(result.seconds, 1), "problems": list(result.problems)}
        rows[result.name, result.seed] = {"shop": result.name, "seed": result.seed, **facts, **stamp}
    write_rows({**read_rows(), "integration": {"rows": list(rows.values())}})
    if {shop for shop, _ in rows} != {*MUTANTS, *VARIANTS}:
        return
    wrong = {
        f"{name}, seed {seed}": "; ".join(row["problems"]) for (name, seed), row in rows.items() if row["problems"]
    }
    figures = {
        "measured": sorted({row["measured"] for row in rows.values()}),
        "commits": sorted({row["commit"] for row in rows.values()}),
        "seconds": round(sum(row["seconds"] for row in rows.values())),
        "lists": proof_page.lists("integration"),
        "known": seeds * (len(MUTANTS) + len(VARIANTS)),
        "rows": len(rows),
        "right": len(rows) - len(wrong),
        "mutants": _by_runs(rows, MUTANTS),
        "variants": _by_runs(rows, VARIANTS),
        "wrong": wrong,
    }
    write_figures({**proof_page.figures(), "integration": figures})


def _by_runs(rows: Mapping[tuple[str, int], Row], names: Iterable[str]) -> dict[str, list[int]]:
    """Return, by the number of its runs, how many shops there are, and how many have the right result in all."""
    runs = [[row["problems"] for (shop, _), row in rows.items() if shop == name] for name in names]
    counts: dict[str, list[int]] = {}
    for problems in runs:
        count = counts.setdefault(str(len(problems)), [0, 0])
        count[0] += 1
        count[1] += not any(problems)
    return dict(sorted(counts.items(), reverse=True))


def read_rows() -> dict[str, Any]:
    """Return every row of earlier runs on this machine, by part."""
    path = FULL / "proof.json"
    stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return stored


def write_rows(stored: Mapping[str, Any]) -> None:
    """Write every row, and the kill matrix."""
    FULL.mkdir(parents=True, exist_ok=True)
    (FULL / "proof.json").write_text(json.dumps(stored, ensure_ascii=False, indent=1), encoding="utf-8")
    if "collateral" in stored:
        killers = _matrix(stored["collateral"]["rows"]).killers
        rows = {mutant: sorted(tests) for mutant, tests in sorted(killers.items())}
        (FULL / "kill-matrix.json").write_text(json.dumps(rows, ensure_ascii=False, indent=0), "utf-8")


def write_figures(stored: Mapping[str, Row]) -> None:
    """Write docs/proof.json, and the page of it."""
    parts = []
    for name, part in stored.items():
        members = ",\n".join(f" {json.dumps(key)}: {json.dumps(part[key], ensure_ascii=False)}" for key in part)
        parts.append(f"{json.dumps(name)}: {{\n{members}\n}}")
    proof_page.FIGURES.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
    PAGE.write_text(proof_page.page(), encoding="utf-8")


def commit(checkout: Path = ROOT) -> str:
    """Return the commit of a checkout, with `-dirty` where it was changed since; empty outside of a checkout."""
    words = ["git", "describe", "--always", "--dirty", "--exclude=*", "--abbrev=40"]
    return subprocess.run(words, cwd=checkout, capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603  # fixed words


def summary(part: str, measured: Row) -> Row:
    """Return what docs/proof.json keeps of a part: when and on which lists it was measured, figures, failures."""
    rows = measured["rows"]
    dates = sorted({row["measured"] for row in rows})
    head = {
        "measured": dates[:1] + dates[1:][-1:],
        "commits": sorted({row.get("commit", "") for row in rows}),
        "seconds": measured["seconds"],
        "lists": proof_page.lists(part),
    }
    parts = {"recall": _recall, "collateral": _collateral, "precision": _precision, "battery": _battery}
    return {**head, "known": measured["known"], "rows": len(rows), **parts[part](rows)}


def _recall(rows: list[Row]) -> Row:
    classes: dict[str, list[int]] = {}
    for row in sorted(rows, key=lambda row: str(row["group"])):
        counts = classes.setdefault(row["group"], [0, 0])
        counts[0] += 1
        counts[1] += row["killed"]
    survivors = {row["mutant"]: row["outcomes"] for row in rows if not row["killed"]}
    return {"right": len(rows) - len(survivors), "classes": classes, "survivors": survivors}


def _collateral(rows: list[Row]) -> Row:
    exact = [row for row in rows if row["killed"] and not row["collateral_failures"]]
    musts = {
        name for mutant in all_mutants().values() for name in mutant.breaks if catalogue()[name].level is Level.MUST
    }
    alone = {name for row in exact for name in row["outcomes"]}
    return {
        "right": len(exact),
        "musts": len(musts),
        "musts_never_alone": sorted(musts - alone),
        "matrix": kill_matrix.summary(
            _matrix(rows),
            {test.partition("[")[0] for test in marked("")},
            marked("generated"),
            {row["mutant"]: row["group"] for row in rows},
        ),
        "collateral_failures": {
            row["mutant"]: row["collateral_failures"] for row in rows if row["collateral_failures"]
        },
    }


def _matrix(rows: list[Row]) -> kill_matrix.KillMatrix:
    sizes = {mutant.id: mutant.size for mutant in all_mutants().values()}
    return kill_matrix.of_rows([row for row in rows if row["killed"]], sizes)


def _precision(rows: list[Row]) -> Row:
    failed = [
        {"variants": row["variants"][:FEW], "more": len(row["variants"][FEW:]), "failed": list(row["failed"])}
        for row in rows
        if row["failed"]
    ]
    inconclusive = sum(row["exit"] == NOT_JUDGED for row in rows)
    return {"right": len(rows) - len(failed), "inconclusive": inconclusive, "failed": failed}


def _battery(rows: list[Row]) -> Row:
    return {"right": sum(row["passed"] for row in rows), "tests": {row["test"]: row["passed"] for row in rows}}


def marked(name: str, folder: str = "suites") -> frozenset[str]:
    """Collect a folder in a process of their own; return the node ids of the test cases with this marker, or of all.

    Raises CalledProcessError if it cannot be collected.
    """
    words = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", name, folder]
    result = subprocess.run(words, cwd=TEST_TREE, env=without_settings(), capture_output=True, text=True, check=True)  # noqa: S603  # our own suite, by our own interpreter
    return frozenset(line for line in result.stdout.splitlines() if "::" in line)


def store_kills(rows: Iterable[Mapping[str, Any]], known: Iterable[str]) -> None:
    """Enter rows of recall beside those of the other known mutants; a survivor has no test."""
    every = set(known)
    killers = {name: tests for name, tests in explain.kills().items() if name in every}
    killers |= {row["mutant"]: tuple(row["killers"]) if row["killed"] else () for row in rows if row["mutant"] in every}
    explain.KILLS.write_text(json.dumps(killers, ensure_ascii=False, indent=0), encoding="utf-8")
    explain.kills.cache_clear()


def store_estimates(directory: Path, senders: Mapping[int, str]) -> int:
    """Write the table from the bundle of a whole run against the reference; returns how many functions it knows.

    `senders` has the fixture that sent an exchange, by its id, where one did (`proof.fixture_requests`).
    """
    bundle = read(directory)
    tests = {test for entry in bundle.entries for test in entry.tests}
    rows = estimates(bundle.exchanges, bundle.journal, tests, senders)
    head = json.dumps({"measured": bundle.run.started[:10], "examples": Generation.examples}).removesuffix("}")
    names = set(senders.values())
    parts = {
        "fixtures": {name: row for name, row in rows.items() if name in names},
        "tests": {name: row for name, row in rows.items() if name not in names},
    }
    for part, of_part in parts.items():
        lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(of_part.items()))
        head += f', "{part}": {{\n{lines}\n}}'
    COSTS.write_text(f"{head}}}\n", encoding="utf-8")
    return len(parts["tests"])


def estimates(
    exchanges: Iterable[Exchange], journal: Iterable[Created], tests: Iterable[str], senders: Mapping[int, str]
) -> dict[str, dict[str, int]]:
    """Add up what each test function and each fixture of `senders`, by id of an exchange, sends.

    A row has cases, requests, those that may wait for other workers, objects by kind, and cents.
    """
    rows: defaultdict[str, Counter[str]] = defaultdict(Counter)
    cases: defaultdict[str, set[str]] = defaultdict(set)
    made_by = {}
    for test in tests:  # those that send nothing themselves too
        rows[_function(test)]["requests"] += 0
        cases[_function(test)].add(test)
    for exchange in exchanges:
        name = senders.get(exchange.id) or _function(exchange.test)
        rows[name]["requests"] += 1
        if operation := find(exchange.api, exchange.operation):
            rows[name]["moving_money"] += operation.moves_money
            rows[name]["showing_balance"] += operation.shows_balance
        cases[name].add("" if exchange.id in senders else exchange.test or "")
        made_by[exchange.id] = exchange
    for created in journal:
        exchange = made_by[created.exchange]
        row = rows[senders.get(exchange.id) or _function(exchange.test)]
        row[f"{created.kind}s"] += 1
        row["cents"] += _cents(exchange.request.body)
    return {name: {"cases": 1 if name == SHARED else len(cases[name]), **+row} for name, row in rows.items()}


def _function(test: str | None) -> str:
    return test.partition("[")[0] if test and "::" in test else SHARED


def _cents(body: bytes) -> int:
    sent = json.loads(body or b"{}")
    amount = next((sent[name] for name in ("amountInCents", "amount_cents", "amount") if name in sent), 0)
    return int(amount)
