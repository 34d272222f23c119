"""Waivers: known failures that do not count, and the entry of one for a failed requirement."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date
from pathlib import Path
from typing import Any

from pix_conformance.checks.comparable_text import VOLATILE
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.vocabulary import Level, Outcome, UsageError
from pix_conformance.recording.bundle.values import Bundle, BundleError, Entry


@dataclass(frozen=True)
class Waiver:
    """One known failure, or several. `signature`, if given, is text that stands in the reason of each (any of them)."""

    requirement: str
    reason: str
    ticket: str
    expires: date
    signature: str | list[str] = ""

    def covers(self, outcome: Outcome, problem: str) -> bool:
        """Whether a problem is a failure that is known."""
        known = [self.signature] if isinstance(self.signature, str) else self.signature
        return outcome is not Outcome.INCONCLUSIVE and any(signature in problem for signature in known)

    def said(self, _reason: str) -> str:
        """Return the reason of the verdict that is waived."""
        return f"waived ({self.ticket}): {self.reason}"


def read(path: Path | None, today: date) -> dict[str, Waiver]:
    """Read a waiver file (TOML, `[[waiver]]` tables); UsageError on an unknown, expired or unreadable entry."""
    if path is None:
        return {}
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as reason:
        raise UsageError(f"the waiver file {path.name} cannot be read: {reason}") from None
    rows = tables.pop("waiver", [])
    if tables or not isinstance(rows, list):
        raise UsageError(f"the waiver file {path.name} may hold nothing but [[waiver]] entries")
    try:
        waivers = [_waiver(row) for row in rows]
    except ValueError as reason:
        raise UsageError(f"the waiver file {path.name}: {reason}") from None
    by_requirement: dict[str, Waiver] = {}
    for waiver in waivers:
        if waiver.requirement not in catalogue():
            raise UsageError(f"the waiver file names {waiver.requirement}, which no document states")
        if catalogue()[waiver.requirement].level is Level.OPEN:
            raise UsageError(
                f"the waiver file names {waiver.requirement}, an open point: it is recorded, it cannot fail"
            )
        if waiver.requirement in by_requirement:
            raise UsageError(f"the waiver file names {waiver.requirement} twice: give one entry several signatures")
        if waiver.expires < today:
            raise UsageError(f"the waiver of {waiver.requirement} expired on {waiver.expires} ({waiver.ticket})")
        by_requirement[waiver.requirement] = waiver
    return by_requirement


def gate(outcomes: Mapping[str, Outcome], excuses: Mapping[str, object]) -> list[str]:
    """List the waivers without their failure; none where the question could not be asked.

    `outcomes` are those of all requirements by id.
    """
    failing = {Outcome.FAIL, Outcome.WARN}
    waivers = [name for name, excuse in excuses.items() if isinstance(excuse, Waiver)]
    judged = {name: outcomes[name] for name in waivers if outcomes[name] in {*failing, Outcome.PASS, Outcome.OBSERVED}}
    return [
        *(f"the waiver of {name} is no longer needed" for name, outcome in judged.items() if outcome not in failing),
        *(f"{name} fails in another way than its waiver says" for name in judged if outcomes[name] in failing),
    ]


def _waiver(row: Any) -> Waiver:
    """Read one entry; ValueError says in words what is wrong with it."""
    known = {field.name for field in fields(Waiver)}
    if not isinstance(row, dict):
        raise ValueError("an entry is not a [[waiver]] table")  # noqa: TRY004  # one error for all that is wrong
    name = row.get("requirement", "without a requirement")
    if missing := [name for name in ("requirement", "reason", "ticket", "expires") if name not in row]:
        raise ValueError(f"the entry {name} has no {', no '.join(missing)}")
    if unknown := sorted(row.keys() - known):
        raise ValueError(f"the entry {name} has unknown keys: {', '.join(unknown)}")
    waiver = Waiver(**row)
    if type(waiver.expires) is not date:
        raise ValueError(f"expires of {name} is {waiver.expires!r}, not a date such as 2027-01-31 (without quotes)")
    if not all(isinstance(text, str) and text for text in (waiver.requirement, waiver.reason, waiver.ticket)):
        raise ValueError(f"requirement, reason and ticket of {name} are text, none of them empty")
    signatures = waiver.signature if isinstance(waiver.signature, list) else [waiver.signature]
    if not all(isinstance(text, str) for text in signatures):
        raise ValueError(f"signature of {name} is text or a list of texts")
    return waiver


SHORTEST = 8
"""Characters of a reason that tell one failure from another."""


def entry(bundle: Bundle, known: Waiver, today: date) -> str:
    """Write the entry for what failed of a requirement in this run. BundleError if nothing did, or it has expired."""
    if known.expires < today:
        raise BundleError(f"--expires {known.expires} is in the past: give the last day on which the failure is known")
    if not known.reason.strip() or not known.ticket.strip():
        raise BundleError("--reason and --ticket must not be empty")
    failure = next((candidate for candidate in bundle.entries if candidate.id == known.requirement), None)
    if failure is None or failure.outcome not in {Outcome.FAIL, Outcome.WARN}:
        raise BundleError(
            f"{known.requirement} did not fail in this run: {failure.outcome if failure else 'it is not known to it'}"
        )
    signatures = _signatures(failure)
    lines = [
        "[[waiver]]",
        f"requirement = {json.dumps(known.requirement)}",
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
    names = [row.get("requirement") for row in after["waiver"] if isinstance(row, dict)]
    if names.count(names[-1]) > 1:
        raise BundleError(f"{path} has an entry for {names[-1]}: add the signature there, or remove it first")
    path.write_text(joined, "utf-8")


def _signatures(failure: Entry) -> list[str]:
    """Take of each failure the longest part that stays from run to run; all of one kind share theirs."""
    reasons = ["; ".join(judgement.mismatches) for judgement in failure.missed] or [failure.reason]
    parts = (max(VOLATILE.split(reason), key=len).strip() for reason in reasons)
    signatures = dict.fromkeys(part for part in parts if len(part) >= SHORTEST)
    if not signatures:
        raise BundleError(f"the failure of {failure.id} has no words that stay: {failure.reason}")
    return list(signatures)
