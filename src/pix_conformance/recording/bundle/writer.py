"""Writes a bundle: results.json, exchanges.jsonl and deliveries.jsonl. The pages are made from these files."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pix_conformance.model.vocabulary import Judgement, Outcome, Verdict
from pix_conformance.recording.bundle.reader import DELIVERIES, EXCHANGES, bundle_of
from pix_conformance.recording.bundle.values import Bundle, Entry


def write(directory: Path, bundle: Bundle, redact: Callable[[str], str]) -> Bundle:
    """Write the three files, and return the bundle that they hold: `redact` masks secrets in results.json.

    The exchanges and deliveries of the bundle are redacted already.
    """
    _write_lines(directory / EXCHANGES, (one.to_dict() for one in bundle.exchanges))
    _write_lines(directory / DELIVERIES, (one.to_dict() for one in bundle.deliveries))
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
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
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
        },
        "run": asdict(bundle.run),
        "headline": bundle.headline,
        "notices": bundle.notices,
        "environment": bundle.environment,
        "totals": {
            "requests": len(bundle.exchanges),
            "deliveries": len(bundle.deliveries),
            **{level: {one: found[one] for one in Outcome if found[one]} for level, found in bundle.totals.items()},
        },
        "succeeded": bundle.succeeded,
        "journal": [asdict(one) for one in bundle.journal],
        "requirements": [_requirement(one) for one in bundle.entries],
    }


def _requirement(one: Entry) -> dict[str, Any]:
    seen = [{"words": each.words, "data": each.data, "evidence": each.evidence} for each in one.observations]
    return {
        "id": one.id,
        "api": one.document,
        "document": one.document,
        "level": one.level,
        "section": one.section,
        "lines": one.lines,
        "cited": one.cited,
        "statement": one.statement,
        "note": one.note or None,
        "needs": one.needs,
        "unobservable": one.unobservable or None,
        "outcome": one.outcome,
        "reason": one.reason,
        "why": one.why,
        "not_asked": one.not_asked,
        "observation": seen or None,
        "tests": one.tests,
        "asked_by": [asdict(each) for each in one.asked_by],
        "passive": one.passive,
        "seconds": one.seconds,
        "judged_on": one.judged_on,
        "evidence": one.evidence,
        "verdicts": [_verdict(each) for each in one.verdicts],
        "judgements": [judgement_row(each) for each in one.judgements],
    }


def _verdict(one: Verdict) -> dict[str, Any]:
    error = {"place": one.place, "trace": one.trace} if one.place else {}
    return {
        "outcome": one.outcome,
        "reason": one.reason,
        "test": one.test,
        "evidence": one.evidence,
        **error,
        "why": one.why,
    }


def judgement_row(one: Judgement) -> dict[str, Any]:
    """Return a judgement as results.json has it; its requirement stands elsewhere."""
    return {
        "test": one.test,
        "target": one.evidence,
        "matchers": one.matchers,
        "mismatches": one.mismatches,
        "control": one.control,
        "curl": one.curl,
        "smallest_of": one.smallest_of,
        "steps": one.steps,
    }
