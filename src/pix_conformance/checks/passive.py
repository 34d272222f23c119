"""Passive rules of responses: schema, media type, server errors, and amounts in any field."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pix_conformance.checks.matchers import Matcher
from pix_conformance.checks.schema import Finding, judge_answer, judge_body
from pix_conformance.model import openapi
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import MISSING, Subject, shown
from pix_conformance.model.undecided import is_of_gateway, is_of_proxy
from pix_conformance.model.vocabulary import Api, Observation

REFUSED, BROKEN = 400, 500
INVALID_BODY_CODE = "PAY-ERR-04"
"""The requirement on the code of a refused invalid body. A body of the described shape may be
refused for another reason, such as an empty wallet or an unknown company; the document states no code for that."""


def payments_media_type(answer: Subject) -> Iterator[Finding]:
    """PAY-GEN-01: the Content-Type of a JSON body is application/json."""
    if isinstance(answer.parsed_body, dict | list):
        yield Finding("PAY-GEN-01", _media_type(answer, "application/json"))


def business_media_type(answer: Subject) -> Iterator[Finding]:
    """BUS-GEN-02 and BUS-ERR-05: the Content-Type of a body is JSON."""
    if answer.body:
        refused = (answer.status or 0) >= REFUSED
        yield Finding("BUS-ERR-05" if refused else "BUS-GEN-02", _media_type(answer, "json"))


def payments_no_server_error(answer: Subject) -> Iterator[Finding]:
    """PAY-ERR-12: no response is a 5xx."""
    yield Finding("PAY-ERR-12", server_error(answer))


def business_no_server_error(answer: Subject) -> Iterator[Finding]:
    """BUS-GEN-03: no response is a 5xx."""
    yield Finding("BUS-GEN-03", server_error(answer))


def business_cents(answer: Subject) -> Iterator[Finding]:
    """BUS-GEN-01: every field whose name ends in _cents is an integer or null."""
    for path, value in _cents(answer.parsed_body, "$"):
        whole = isinstance(value, int | float) and not isinstance(value, bool) and float(value).is_integer()
        problem = None if value is None or whole else f"{path} is {shown(value)}, not an integer of cents"
        yield Finding("BUS-GEN-01", problem)


RULES: dict[Api, tuple[Callable[[Subject], Iterator[Finding]], ...]] = {
    Api.PAYMENTS: (payments_media_type, payments_no_server_error),
    Api.BUSINESS: (business_media_type, business_no_server_error, business_cents),
}


def judge(api: Api, operation: str, answer: Subject) -> Iterator[Finding]:
    """Yield the requirements that one response meets or violates; nothing without a status, or of a proxy."""
    if answer.status is None or (isinstance(answer, Exchange) and (is_of_gateway(answer) or is_of_proxy(answer))):
        return
    for found in judge_answer(api, operation, answer.status, answer.parsed_body):
        unmet_code = found.requirement == INVALID_BODY_CODE and found.mismatch is not None
        if not (unmet_code and _sent_as_described(api, operation, answer)):
            yield found
    for rule in RULES[api]:
        yield from rule(answer)


def _sent_as_described(api: Api, operation: str, answer: Subject) -> bool:
    """Whether the request had a body that breaks no rule of the description; False for a delivery."""
    if not isinstance(answer, Exchange):
        return False
    body = openapi.operations(api)[operation].get("requestBody")
    if body is None:
        return False
    schema = body["content"]["application/json"]["schema"]
    return not any(one.mismatch for one in judge_body(schema, answer.request.body))


def undocumented_fields(exchange: Exchange) -> list[str]:
    """List the fields of a successful answer that its description does not name, as `operation: path`."""
    if not exchange.ok or exchange.operation is None or exchange.status is None:
        return []
    paths = openapi.undocumented(exchange.api, exchange.operation, exchange.status, exchange.json)
    return [f"{exchange.operation}: {path}" for path in paths]


def undocumented_fields_observed(found: Mapping[str, str]) -> Observation:
    """PAY-GEN-10: observe the undocumented fields of all answers; `found` maps `operation: path` to the evidence."""
    words = f"fields beyond the documented: {', '.join(sorted(found))}" if found else "no field beyond the documented"
    return Observation("PAY-GEN-10", words, sorted(found), tuple(found.values()))


@dataclass(frozen=True)
class MatchesDescription(Matcher):
    """The response does not violate one requirement of the passive rules."""

    word = "described"
    requirement: str
    api: str
    operation: str

    def mismatch(self, subject: Subject) -> str | None:
        """Return the problem that the passive rules find for the requirement."""
        found = judge(Api(self.api), self.operation, subject)
        return next((one.mismatch for one in found if one.requirement == self.requirement and one.mismatch), None)


def server_error(answer: Subject) -> str | None:
    """Return a problem if the status is a 5xx."""
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
