"""Writes the bundle: results.json, exchanges.jsonl and deliveries.jsonl. Pages are made from it by reports."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

from pix_conformance.checks.matchers import Computed
from pix_conformance.model.catalogue import load
from pix_conformance.model.printable import clip
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Capability, Level
from pix_conformance.results.deliveries_of_run import stored
from pix_conformance.results.dependency_chain import Failure, Recording
from pix_conformance.results.failure_blocks import Recorded, by_evidence
from pix_conformance.results.missing_settings import unlocks
from pix_conformance.results.reproduction import reproduction
from pix_conformance.results.run_record import RunRecord
from pix_conformance.results.verdicts import RequirementResult

Asking = Mapping[str, Iterable[Mapping[str, Any]]]
"""The collected tests of each requirement, as `pix_conformance.harness.tests_of_requirement` lists them."""


REPRODUCED = 20
"""Failures of one requirement whose earlier requests are written out."""


class TurnedClock(Protocol):
    """The target's clock."""

    @property
    def turns(self) -> list[tuple[float, float]]:
        """Each turn: when it began, and by how many seconds."""


class FinishedRun(Protocol):
    """What a bundle keeps of a run."""

    target: Target
    ledger: RunRecord
    id: str
    started: float
    access: list[str]

    @property
    def clock(self) -> TurnedClock:
        """The target's clock."""

    def capabilities(self) -> frozenset[Capability]:
        """What the target offers."""


@dataclass(frozen=True)
class Ending:
    """How the run ended."""

    exit: int
    partial: bool
    headline: str
    seconds: float
    command: str
    """How it was started."""
    gate: list[str]
    """Why the run failed though no requirement did."""


def write(
    directory: Path, run: FinishedRun, rows: list[RequirementResult], ending: Ending, asked_by: Asking
) -> Recorded:
    """Write the three files of the bundle, and return what they hold; `asked_by` names each requirement's tests."""
    deliveries = [stored(one, run.ledger, embedded=run.target.embedded).to_dict() for one in run.ledger.deliveries]
    exchanges = [one.to_dict() for one in run.ledger.exchanges]
    _lines(directory / "exchanges.jsonl", exchanges)
    _lines(directory / "deliveries.jsonl", deliveries)
    results = _results(run, rows, ending, len(deliveries))
    results["requirements"] = [_requirement(row, run, asked_by) for row in rows]
    _reproduce(Recording(results, {one["id"]: one for one in exchanges}))
    text = write_results(directory, results, run.ledger.redact)
    return Recorded(json.loads(text), by_evidence(exchanges, deliveries))


def write_results(directory: Path, results: dict[str, Any], redact: Callable[[str], str] = str) -> bytes:
    """Write results.json, and return what it holds."""
    text = redact(_as_json(results)).encode("utf-8", "backslashreplace")
    (directory / "results.json").write_bytes(text)
    return text


def _reproduce(recorded: Recording) -> None:
    """Give each failure the requests that show it again; beyond the first few of a requirement, the last request."""
    for row in recorded.results["requirements"]:
        failed = [one for one in row["judgements"] if one["mismatches"] and one["curl"]]
        for one in failed[:REPRODUCED]:
            number = Failure(one["target"], ()).number
            if number in recorded.exchanges:
                of_several = any(matcher["matcher"] == Computed.word for matcher in one["matchers"])
                one["curl"] = reproduction(recorded, number, of_several=of_several) or one["curl"]


def _lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with path.open("wb") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False, default=str).encode("utf-8", "backslashreplace") + b"\n")


def _as_json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=False, default=str)


def _finite(value: Any) -> Any:
    """Write numbers that JSON does not have, such as what 1e999 is read as, in words."""
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _results(run: FinishedRun, rows: list[RequirementResult], ending: Ending, deliveries: int) -> dict[str, Any]:
    target, ledger = run.target, run.ledger
    totals = {level: Counter(row.outcome for row in rows if row.requirement.level is level) for level in Level}
    return {
        "suite": version("pix-conformance"),
        "documents": load().documents,
        "target": {
            "name": target.name,
            "base_url": target.base_url,
            "embedded": target.embedded,
            "apis": list(target.apis),
            "api_chosen": target.api_chosen,
            "capabilities": sorted(run.capabilities()),
        },
        "run": {
            "id": run.id,
            "seed": target.seed,
            "started": datetime.fromtimestamp(run.started, UTC).isoformat(timespec="seconds"),
            "seconds": round(ending.seconds, 1),
            "turns": run.clock.turns,
            "partial": ending.partial,
            "level": target.level,
            "exit": ending.exit,
            "command": ending.command,
            "gate": ending.gate,
            "access": run.access,
            "unlocks": unlocks(target),
        },
        "headline": ending.headline,
        "notices": ledger.notices,
        "totals": {
            "requests": len(ledger.exchanges),
            "deliveries": deliveries,
            **{k: dict(v) for k, v in totals.items()},
        },
        "succeeded": sorted(name for name, count in ledger.succeeded.items() if count),
        "journal": [
            asdict(replace(one, id=clip(one.id, 200), label=clip(one.label, 200))) for one in ledger.journal.values()
        ],
    }


def _requirement(row: RequirementResult, run: FinishedRun, asked_by: Asking) -> dict[str, Any]:
    one = row.requirement
    return {
        "id": one.id,
        "api": one.api,
        "document": one.api,
        "level": one.level,
        "section": one.section,
        "lines": [list(pair) for pair in one.lines],
        "cited": run.target.documents.cited(one),
        "statement": one.statement,
        "note": one.note,
        "needs": sorted(one.needs),
        "unobservable": one.unobservable,
        "outcome": row.outcome,
        "reason": row.reason,
        "not_asked": list(row.not_asked),
        "observation": [{"words": o.words, "data": o.data, "evidence": list(o.evidence)} for o in row.observations]
        or None,
        "tests": list(row.tests),
        "asked_by": list(asked_by.get(one.id, ())),
        "passive": one.passive,
        "seconds": round(run.ledger.seconds.get(one.id, 0.0), 3),
        "judged_on": run.ledger.passive.judged_on(one.id),
        "evidence": list(row.evidence),
        "verdicts": [
            {"outcome": v.outcome, "reason": v.reason, "test": v.test, "evidence": list(v.evidence)}
            for v in row.explanation
        ],
        "judgements": [
            {
                "test": j.test,
                "target": j.evidence,
                "matchers": list(j.matchers),
                "mismatches": list(j.mismatches),
                "control": j.control,
                "curl": j.curl,
                "smallest_of": j.smallest_of,
            }
            for j in row.judgements
        ],
    }
