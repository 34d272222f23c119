"""The passive rules, applied to a response or a delivery: its schema, and the rules of its API."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from pix_conformance.checks.business import passive_rules as business
from pix_conformance.checks.matchers import Matcher
from pix_conformance.checks.passive_rules import DeliveryContext, Rules
from pix_conformance.checks.payments import passive_rules as payments
from pix_conformance.checks.schema import Finding, is_sent_as_described, judge_answer, judge_event
from pix_conformance.model import openapi
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import COMPLETE, event_names, event_of, event_of_creation
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.subject import MISSING, Subject, at, guessed, shown
from pix_conformance.model.undecided import is_of_another_server
from pix_conformance.model.vocabulary import Api, Judgement, Observation

RULES: Mapping[Api, Rules] = {Api.PAYMENTS: payments.RULES, Api.BUSINESS: business.RULES}


def judge(api: Api, operation: str, answer: Subject) -> Iterator[Finding]:
    """Yield the requirements that one response meets or violates; nothing without a status, or of a proxy."""
    if answer.status is None or (isinstance(answer, Exchange) and is_of_another_server(answer)):
        return
    rules = RULES[api]
    for finding in judge_answer(api, operation, answer.status, answer):
        unmet_code = finding.requirement == rules.invalid_body_code and finding.mismatch is not None
        if not (unmet_code and is_sent_as_described(api, operation, answer)):
            yield finding
    for rule in rules.responses:
        yield from rule(answer)


def judge_delivery(delivery: Delivery, api: Api, context: DeliveryContext) -> Iterator[Finding]:
    """Judge one delivery. Yields nothing if the body is neither an event nor about an object of this run."""
    event, rules = event_of(delivery, api), RULES[api]
    if delivery.unreadable and delivery.fault in COMPLETE:
        yield from _unreadable(delivery, api)
        return
    if delivery.fault not in COMPLETE or (event is None and context.kind is None):
        if delivery.fault in COMPLETE and delivery.signature and delivery.signature.problem is None:
            yield from _without_object(delivery, api)
        return
    findings = judge_event(api, event, delivery.body) if event else _unnamed(delivery, api, context.kind or "")
    yield from (finding for finding in findings if not rules.exempt(finding, delivery, context))
    for rule in rules.deliveries:
        yield from rule(delivery, context)


def _without_object(delivery: Delivery, api: Api) -> Iterator[Finding]:
    """Judge a webhook of the target whose body is no JSON object, and so no event at all."""
    if not isinstance(delivery.json, dict):
        first = judge_event(api, event_of_creation(api, "charge"), delivery.body)[:1]
        yield from first if delivery.body else (replace(finding, mismatch="the body is empty") for finding in first)


def _unreadable(delivery: Delivery, api: Api) -> Iterator[Finding]:
    """Judge the form of an event whose body cannot be read, by the name that a lenient client finds in it."""
    name = at(guessed(delivery.body), PROFILES[api].event_name_field)
    if isinstance(name, str) and name in event_names(api):
        yield from judge_event(api, name, delivery.body)


def _unnamed(delivery: Delivery, api: Api, kind: str) -> Iterator[Finding]:
    """Judge an event without a documented name by the schema of a creation; one that may be another is open."""
    profile, like = PROFILES[api], event_of_creation(api, kind)
    own = openapi.event_schema(api, like)["properties"][profile.event_name_field]["x-requirement"]
    said = at(delivery.json, profile.event_name_field)
    if profile.further_events and str(said).startswith(profile.further_events):
        return
    findings = judge_event(api, like, delivery.body)
    if isinstance(delivery.json, dict):
        named = "missing" if said is MISSING else shown(said)
        yield Finding(own, f"$.{profile.event_name_field} is {named}, which is not a documented name")
    yield from (finding for finding in findings if finding.requirement != own)


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
