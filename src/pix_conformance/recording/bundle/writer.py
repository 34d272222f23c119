"""Writes a bundle: results.json, exchanges.jsonl and deliveries.jsonl. The pages are made from these files."""

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pix_conformance.model.editions import since
from pix_conformance.model.vocabulary import Judgement, Outcome, Verdict
from pix_conformance.recording.bundle.reader import DELIVERIES, EXCHANGES, bundle_of
from pix_conformance.recording.bundle.values import Bundle, Entry


def write(directory: Path, bundle: Bundle, redact: Callable[[str], str]) -> Bundle:
    """Write the three files, and return the bundle that they hold: `redact` masks secrets in results.json.

    The exchanges and deliveries of the bundle are redacted already.
    """
    _write_lines(directory / EXCHANGES, (exchange.to_dict() for exchange in bundle.exchanges))
    _write_lines(directory / DELIVERIES, (delivery.to_dict() for delivery in bundle.deliveries))
    text = write_results(directory, bundle, redact)
    return bundle_of(json.loads(text), bundle.exchanges, bundle.deliveries)


def write_results(directory: Path, bundle: Bundle, redact: Callable[[str], str] = str) -> bytes:
    """Write results.json, and return what it holds."""
    text = redact(_as_json(_results(bundle))).encode("utf-8", "backslashreplace")
    (directory / "results.json").write_bytes(text)
    return text


def _write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
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
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _results(bundle: Bundle) -> dict[str, Any]:
    return {
        "suite": bundle.suite,
        "documents": bundle.documents,
        "target": {
            "name": bundle.target,
            "base_url": bundle.base_url,
            "embedded": bundle.embedded,
            "apis": bundle.apis,
            "api_chosen": bundle.api_chosen,
            "capabilities": bundle.capabilities,
            "described": dict(bundle.described),
        },
        "run": asdict(bundle.run),
        "headline": bundle.headline,
        "notices": bundle.notices,
        "environment": bundle.environment,
        "webhook_times": [asdict(times) for times in bundle.webhook_times],
        "totals": {
            "requests": len(bundle.exchanges),
            "deliveries": len(bundle.deliveries),
            **{
                level: {outcome: counts[outcome] for outcome in Outcome if counts[outcome]}
                for level, counts in bundle.totals.items()
            },
        },
        "succeeded": bundle.succeeded,
        "journal": [asdict(created) for created in bundle.journal],
        "requirements": [_requirement(entry) for entry in bundle.entries],
    }


def _requirement(entry: Entry) -> dict[str, Any]:
    seen = [
        {"words": observation.words, "data": observation.data, "evidence": observation.evidence}
        for observation in entry.observations
    ]
    return {
        "id": entry.id,
        "api": entry.document,
        "document": entry.document,
        "level": entry.level,
        "section": entry.section,
        "lines": entry.lines,
        "cited": entry.cited,
        "statement": entry.statement,
        "since": since(entry.id) or None,
        "note": entry.note or None,
        "needs": entry.needs,
        "unobservable": entry.unobservable or None,
        "outcome": entry.outcome,
        "reason": entry.reason,
        "why": entry.why,
        "not_asked": entry.not_asked,
        "observation": seen or None,
        "tests": entry.tests,
        "asked_by": [asdict(test) for test in entry.asked_by],
        "passive": entry.passive,
        "seconds": entry.seconds,
        "judged_on": entry.judged_on,
        "evidence": entry.evidence,
        "verdicts": [_verdict(verdict) for verdict in entry.verdicts],
        "judgements": [judgement_row(judgement) for judgement in entry.judgements],
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    error = {"place": verdict.source_line, "trace": verdict.trace} if verdict.source_line else {}
    return {
        "outcome": verdict.outcome,
        "reason": verdict.reason,
        "test": verdict.test,
        "evidence": verdict.evidence,
        **error,
        "why": verdict.why,
    }


def judgement_row(judgement: Judgement) -> dict[str, Any]:
    """Return a judgement as results.json has it; its requirement stands elsewhere."""
    return {
        "test": judgement.test,
        "target": judgement.evidence,  # the exchange or delivery, not the service
        "matchers": judgement.matchers,
        "mismatches": judgement.mismatches,
        "control": judgement.control,
        "curl": judgement.curl,
        "smallest_of": judgement.smallest_of,
        "steps": judgement.steps,
    }
