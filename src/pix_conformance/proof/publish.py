"""Stores the proof: every row in reports/proof/, which git ignores, and the figures in docs/proof.json.

docs/proof.json has the figures of each part, the survivors, the collateral failures and the variants that failed.
reports/proof/ has every row (proof.json), every mutant (mutants.md) and the kill matrix (kill-matrix.json); CI keeps it
as an artefact.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.paths import TEST_TREE
from pix_conformance.model.vocabulary import Level
from pix_conformance.proof import kill_matrix, kills, marked_tests, proof_page
from pix_conformance.sandbox.mutants.registry import all_mutants
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


def store(part: str, rows: Iterable[Row], seconds: float, known: int, *, some: bool = False) -> bool:
    """Store the rows of a part and its figures, and write the pages. `known` is the number of rows of a whole run.

    With `some`, the rows replace earlier ones with the same names. Returns False, without storing, if there are no
    earlier rows.
    """
    stored, today = read_rows(), datetime.now(UTC).date().isoformat()
    before: Row = stored[part] if some and part in stored else {"rows": [], "seconds": 0}
    if some and not before["rows"]:
        return False
    by_name = {str(row[NAMES[part]]): row for row in before["rows"] if _is_known(row)}
    by_name |= {str(row[NAMES[part]]): {**row, "measured": today} for row in rows}
    stored[part] = {"seconds": round(before["seconds"] + seconds), "known": known, "rows": list(by_name.values())}
    write_rows(stored)
    write_part(part, summary(part, stored[part]))
    if part == "recall":
        kills.store(stored[part]["rows"], all_mutants())
    return True


def write_part(part: str, figures: Row) -> None:
    """Write the figures of a part, and the pages."""
    _write_figures({**proof_page.figures(), part: figures})


def read_rows() -> dict[str, Any]:
    """Return every row of earlier runs on this machine, by part."""
    path = FULL / "proof.json"
    stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return stored


def write_rows(stored: Mapping[str, Any]) -> None:
    """Write every row on a separate line, and the kill matrix."""
    FULL.mkdir(parents=True, exist_ok=True)
    parts = []
    for name, part in stored.items():
        rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in part["rows"])
        head = json.dumps({key: value for key, value in part.items() if key != "rows"})
        parts.append(f'{json.dumps(name)}: {head[:-1]}, "rows": [\n{rows}\n]}}')
    (FULL / "proof.json").write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
    if "recall" in stored:
        (FULL / "mutants.md").write_text(proof_page.table_of_mutants(stored["recall"]["rows"]), encoding="utf-8")
    if "collateral" in stored:
        (FULL / "kill-matrix.json").write_text(kill_matrix.compact(_matrix(stored["collateral"]["rows"])), "utf-8")


def _write_figures(stored: Mapping[str, Row]) -> None:
    parts = []
    for name, part in stored.items():
        members = ",\n".join(f" {json.dumps(key)}: {json.dumps(part[key], ensure_ascii=False)}" for key in part)
        parts.append(f"{json.dumps(name)}: {{\n{members}\n}}")
    proof_page.FIGURES.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
    PAGE.write_text(proof_page.page(), encoding="utf-8")


def summary(part: str, measured: Row) -> Row:
    """Return what docs/proof.json keeps of a part: when and on which lists it was measured, figures, failures."""
    rows = measured["rows"]
    dates = sorted({row["measured"] for row in rows})
    head = {"measured": dates[:1] + dates[1:][-1:], "seconds": measured["seconds"], "lists": proof_page.lists(part)}
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
            {test.partition("[")[0] for test in marked_tests.marked("")},
            marked_tests.marked("generated"),
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


def _is_known(row: Row) -> bool:
    """Return whether the mutant of a row still exists. Rows of other parts are never merged."""
    return row.get("mutant") in all_mutants()
