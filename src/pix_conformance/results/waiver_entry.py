"""`pix-report waive`: writes the entry of a known failure into a waiver file."""

import json
import tomllib
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from pix_conformance.checks.comparable_text import VOLATILE
from pix_conformance.model.vocabulary import Outcome
from pix_conformance.results.bundle.values import Bundle, BundleError, Entry

SHORTEST = 8
"""Characters of a reason that tell one failure from another."""


@dataclass(frozen=True, slots=True)
class Known:
    """Why a failure is borne, which ticket says so, and until when."""

    reason: str
    ticket: str
    expires: date


def entry(bundle: Bundle, name: str, known: Known, today: date) -> str:
    """Write the entry for what failed of a requirement in this run. BundleError if nothing did, or it has expired."""
    if known.expires < today:
        raise BundleError(f"--expires {known.expires} is in the past: give the last day on which the failure is known")
    if not known.reason.strip() or not known.ticket.strip():
        raise BundleError("--reason and --ticket must not be empty")
    found = next((one for one in bundle.entries if one.id == name), None)
    if found is None or found.outcome not in {Outcome.FAIL, Outcome.WARN}:
        raise BundleError(f"{name} did not fail in this run: {found.outcome if found else 'it is not known to it'}")
    signatures = _signatures(found)
    lines = [
        "[[waiver]]",
        f"requirement = {json.dumps(name)}",
        f"reason = {json.dumps(known.reason, ensure_ascii=False)}",
        f"ticket = {json.dumps(known.ticket, ensure_ascii=False)}",
        f"expires = {known.expires.isoformat()}",
        f"signature = {json.dumps(signatures, ensure_ascii=False)}",
    ]
    return "\n".join(lines) + "\n"


def add(path: Path, text: str) -> None:
    """Append an entry to a waiver file, which it may begin. BundleError if the requirement stands there already."""
    try:
        before = path.read_text("utf-8") if path.exists() else ""
        after = tomllib.loads(joined := f"{before.rstrip()}\n\n{text}".lstrip())
    except ValueError as problem:
        raise BundleError(f"{path} is not a waiver file: {problem}") from problem
    names = [one.get("requirement") for one in after["waiver"] if isinstance(one, dict)]
    if names.count(names[-1]) > 1:
        raise BundleError(f"{path} has an entry for {names[-1]}: add the signature there, or remove it first")
    path.write_text(joined, "utf-8")


def _signatures(found: Entry) -> list[str]:
    """Take of each failure the longest part that stays from run to run; all of one kind share theirs."""
    reasons = ["; ".join(one.mismatches) for one in found.missed] or [found.reason]
    parts = (max(VOLATILE.split(reason), key=len).strip() for reason in reasons)
    kept = dict.fromkeys(part for part in parts if len(part) >= SHORTEST)
    if not kept:
        raise BundleError(f"the failure of {found.id} has no words that stay: {found.reason}")
    return list(kept)
