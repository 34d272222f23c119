"""The passive rules, applied to a delivery: its payload, and the rules of its API."""

from __future__ import annotations

from collections.abc import Iterator

from pix_conformance.checks.rules import DeliveryContext
from pix_conformance.checks.rules_of_apis import RULES
from pix_conformance.checks.schema import Finding, judge_event
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import COMPLETE, event_of
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.subject import MISSING, at, shown
from pix_conformance.model.vocabulary import Api


def judge(delivery: Delivery, api: Api, context: DeliveryContext) -> Iterator[Finding]:
    """Judge one delivery. Yields nothing if the body is neither an event nor about an object of this run."""
    event, rules = event_of(delivery, api), RULES[api]
    if delivery.fault not in COMPLETE or (event is None and context.kind is None):
        return
    findings = judge_event(api, event, delivery.body) if event else _unnamed(delivery, api, context.kind or "")
    yield from (finding for finding in findings if not rules.exempt(finding, delivery, context))
    for rule in rules.deliveries:
        yield from rule(delivery, context)


def _unnamed(delivery: Delivery, api: Api, kind: str) -> Iterator[Finding]:
    """Judge an event without a documented name by the schema that it should meet; one that may be another is open."""
    profile, (like, own) = PROFILES[api], RULES[api].unnamed[kind]
    said = at(delivery.json, profile.event_name_field)
    if profile.further_events and str(said).startswith(profile.further_events):
        return
    findings = judge_event(api, like, delivery.body)
    if isinstance(delivery.json, dict):
        named = "missing" if said is MISSING else shown(said)
        yield Finding(own, f"$.{profile.event_name_field} is {named}, which is not a documented name")
    yield from (finding for finding in findings if finding.requirement != own)
