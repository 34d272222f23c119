"""Runs the suites against mutants of the reference's source, and publishes how many failed a requirement.

Of a mutant that failed none, `source_mutants.toml` says by its id what it is: `breaks a sentence`,
`allowed by silence` or `equivalent`, with the reason. It was classified by hand, once.
"""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pix_conformance.model.catalogue import load
from pix_conformance.proof.proof_page import lists
from pix_conformance.proof.publish import FULL, write_part
from pix_conformance.proof.runner import RED, TOO_LONG, Job, Result, run_all
from pix_conformance.results.exit_status import NOT_JUDGED

if TYPE_CHECKING:  # it needs mutmut, which is not among the locked packages
    from pix_conformance.proof.source_mutants import SourceMutant

CLASSES = Path(__file__).with_name("source_mutants.toml")
ROWS = FULL / "source.jsonl"
"""One line for each mutant that was run; a later run does not run it again."""
BREAKS, ALLOWED, EQUIVALENT = "breaks a sentence", "allowed by silence", "equivalent"
LONGEST_S = 400
WORKERS = 3
FEW_JUDGED = 0.5
"""The part of the requirements that is not judged where a server does not serve at all."""
Row = dict[str, Any]


def run(mutants: Iterable[SourceMutant]) -> Iterator[Row]:
    """Run the suites against each mutant that was not run before, until a must fails; yield and keep its row."""
    known = {row["mutant"] for row in rows()}
    some = {one.id: one for one in mutants if one.id not in known}
    jobs = [Job(one.id, (), source=(one.module, one.text), seconds=LONGEST_S) for one in some.values()]
    ROWS.parent.mkdir(parents=True, exist_ok=True)
    with ROWS.open("a", encoding="utf-8") as file:
        for result in run_all(jobs, workers=WORKERS):
            one = some[result.name]
            row = {"mutant": one.id, "line": one.line, "before": one.before, "after": one.after, **_end(result)}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            file.flush()
            yield row


def rows() -> list[Row]:
    """Return the rows of all runs on this machine."""
    return [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()] if ROWS.exists() else []


def _end(result: Result) -> Row:
    """Return how a run ended: `killed`, `survived`, or `not viable` for a server that does not start or answer."""
    count = Counter(result.outcomes.values())
    seconds = round(result.seconds)
    wrong = sorted(name for name, outcome in result.outcomes.items() if outcome == RED.get(load()[name].level))
    if wrong:
        return {"end": "killed", "seen": wrong[:3], "seconds": seconds}
    silent = result.exit == NOT_JUDGED and count["inconclusive"] > FEW_JUDGED * len(result.outcomes)
    if result.exit == TOO_LONG or silent:
        return {"end": "not viable", "seen": [], "seconds": seconds}
    return {"end": "survived", "seen": [], "seconds": seconds}


def classes() -> dict[str, dict[str, str]]:
    """Return the class and the reason of each mutant that was classified."""
    found: dict[str, dict[str, str]] = tomllib.loads(CLASSES.read_text(encoding="utf-8"))
    return found


def publish(places: int) -> Row:
    """Write the figures of all rows to docs/proof.json and docs/proof.md; `places` is what they are a sample of."""
    viable = [row for row in rows() if row["end"] != "not viable"]
    known, survivors = classes(), {}
    for row in viable:
        if row["end"] == "survived":
            kind = known.get(row["mutant"], {"class": "not classified", "reason": ""})
            change = f"line {row['line']}: {row['before'].strip()} -> {row['after'].strip()}"
            survivors[row["mutant"]] = {**kind, "change": change}
    count = Counter(one["class"] for one in survivors.values())
    killed = len(viable) - len(survivors)
    part = {
        "measured": [datetime.now(UTC).date().isoformat()],
        "seconds": sum(row["seconds"] for row in viable),
        "lists": lists("source"),
        "known": len(viable) - count[EQUIVALENT] - count[ALLOWED],
        "rows": len(viable) - count[EQUIVALENT] - count[ALLOWED],
        "right": killed,
        "viable": len(viable),
        "places": places,
        "classes": dict(sorted(count.items())),
        "survivors": dict(sorted(survivors.items())),
    }
    write_part("source", part)
    return part
