"""The passive rules, applied to a response: its schema, and the rules of its API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pix_conformance.checks.matchers import Matcher
from pix_conformance.checks.rules_of_apis import RULES
from pix_conformance.checks.schema import Finding, judge_answer, judge_body
from pix_conformance.model import openapi
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import Subject
from pix_conformance.model.undecided import is_of_gateway, is_of_proxy
from pix_conformance.model.vocabulary import Api, Judgement, Observation


def judge(api: Api, operation: str, answer: Subject) -> Iterator[Finding]:
    """Yield the requirements that one response meets or violates; nothing without a status, or of a proxy."""
    if answer.status is None or (isinstance(answer, Exchange) and (is_of_gateway(answer) or is_of_proxy(answer))):
        return
    rules = RULES[api]
    for finding in judge_answer(api, operation, answer.status, answer.parsed_body):
        unmet_code = finding.requirement == rules.invalid_body_code and finding.mismatch is not None
        if not (unmet_code and _sent_as_described(api, operation, answer)):
            yield finding
    for rule in rules.responses:
        yield from rule(answer)


def _sent_as_described(api: Api, operation: str, answer: Subject) -> bool:
    """Whether the request had a body that breaks no rule of the description; False for a delivery."""
    if not isinstance(answer, Exchange):
        return False
    body = openapi.operations(api)[operation].get("requestBody")
    if body is None:
        return False
    schema = body["content"]["application/json"]["schema"]
    return not any(finding.mismatch for finding in judge_body(schema, answer.request.body))


def undocumented_fields(exchange: Exchange) -> list[str]:
    """List the fields of a successful answer that its description does not name, as `operation: path`."""
    if not exchange.ok or exchange.operation is None or exchange.status is None:
        return []
    paths = openapi.undocumented(exchange.api, exchange.operation, exchange.status, exchange.json)
    return [f"{exchange.operation}: {path}" for path in paths]


def undocumented_fields_observed(point: str, fields: Mapping[str, str]) -> Observation:
    """Observe the undocumented fields of all answers at an open point; `fields` maps `operation: path` to evidence."""
    words = f"fields beyond the documented: {', '.join(sorted(fields))}" if fields else "no field beyond the documented"
    return Observation(point, words, sorted(fields), tuple(fields.values()))


@dataclass(frozen=True)
class MatchesDescription(Matcher):
    """The response does not violate one requirement of the passive rules."""

    word = "described"
    requirement: str
    api: str
    operation: str

    def mismatch(self, subject: Subject) -> str | None:
        """Return the problem that the passive rules find for the requirement."""
        findings = judge(Api(self.api), self.operation, subject)
        return next(
            (finding.mismatch for finding in findings if finding.requirement == self.requirement and finding.mismatch),
            None,
        )


def broken_description(requirement: str, operation: str, problem: str, evidence: str) -> Judgement:
    """Return the judgement that a response of an operation, as `api.operation`, breaks a requirement."""
    api, _, name = operation.partition(".")
    matcher = MatchesDescription(requirement, api, name).to_dict()
    return Judgement(requirement, None, evidence, (matcher,), (f"{name}: {problem}",))
