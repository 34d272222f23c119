"""What every answer shows, whoever asked: described shape, media type, server errors, amounts wherever they stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pix_conformance.checks.matchers import Matcher
from pix_conformance.checks.schema import Finding, judge_answer
from pix_conformance.model.subject import MISSING, Subject, parsed, shown
from pix_conformance.model.vocabulary import Api

REFUSED, BROKEN = 400, 500


def payments_media_type(answer: Subject) -> Iterator[Finding]:
    """PAY-GEN-01: a JSON body is labelled application/json (payments.md, line 15)."""
    if isinstance(parsed(answer.body), dict | list):
        yield Finding("PAY-GEN-01", _media_type(answer, "application/json"))


def business_media_type(answer: Subject) -> Iterator[Finding]:
    """BUS-GEN-02 and BUS-ERR-05: answers with content, and refusals, are labelled as some JSON."""
    if answer.body:
        refused = (answer.status or 0) >= REFUSED
        yield Finding("BUS-ERR-05" if refused else "BUS-GEN-02", _media_type(answer, "json"))


def payments_no_server_error(answer: Subject) -> Iterator[Finding]:
    """PAY-ERR-12: nothing is answered with a 5xx."""
    yield Finding("PAY-ERR-12", server_error(answer))


def business_no_server_error(answer: Subject) -> Iterator[Finding]:
    """BUS-GEN-03: nothing is answered with a 5xx."""
    yield Finding("BUS-GEN-03", server_error(answer))


def business_cents(answer: Subject) -> Iterator[Finding]:
    """BUS-GEN-01: every member whose name ends in _cents is an integer or null (business.md, line 11)."""
    for path, value in _cents(parsed(answer.body), "$"):
        whole = isinstance(value, int | float) and not isinstance(value, bool) and float(value).is_integer()
        problem = None if value is None or whole else f"{path} is {shown(value)}, not an integer of cents"
        yield Finding("BUS-GEN-01", problem)


RULES: dict[Api, tuple[Callable[[Subject], Iterator[Finding]], ...]] = {
    Api.PAYMENTS: (payments_media_type, payments_no_server_error),
    Api.BUSINESS: (business_media_type, business_no_server_error, business_cents),
}


def judge(api: Api, operation: str, answer: Subject) -> Iterator[Finding]:
    """Say of one answer of an operation which requirements it met and which it broke; nothing without a status."""
    if answer.status is None:
        return
    yield from judge_answer(api, operation, answer.status, answer.body)
    for rule in RULES[api]:
        yield from rule(answer)


@dataclass(frozen=True)
class MatchesDescription(Matcher):
    """The answer breaks nothing of a requirement that every answer of the operation shows."""

    word = "described"
    requirement: str
    api: str
    operation: str

    def mismatch(self, subject: Subject) -> str | None:
        """Judge the answer as every answer is judged, and repeat what that says of the requirement."""
        found = judge(Api(self.api), self.operation, subject)
        return next((one.mismatch for one in found if one.requirement == self.requirement and one.mismatch), None)


def server_error(answer: Subject) -> str | None:
    """Say that an answer has a 5xx."""
    return f"status is {answer.status}" if (answer.status or 0) >= BROKEN else None


def _media_type(answer: Subject, wanted: str) -> str | None:
    found = (answer.header("content-type") or "").split(";")[0].strip().lower()
    right = found == wanted or (wanted == "json" and found.endswith("json"))
    return None if right else f"Content-Type is {found or 'missing'}"


def _cents(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if value is MISSING:
        return
    if isinstance(value, dict):
        for name, one in value.items():
            if name.endswith("_cents"):
                yield f"{path}.{name}", one
            else:
                yield from _cents(one, f"{path}.{name}")
    elif isinstance(value, list):
        for index, one in enumerate(value[:500]):
            yield from _cents(one, f"{path}[{index}]")
