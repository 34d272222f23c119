"""What a run cannot ask because the service does not have a route yet: derived from all exchanges of the run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pix_conformance.checks.built_routes import IsBuilt, UnbuiltRoute, route_of
from pix_conformance.checks.schema import shown_by_event
from pix_conformance.checks.shown_requirements import shown_by
from pix_conformance.model import openapi
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.operations import Effect, Operation, by_name, find, in_order_of_need, of, required_by
from pix_conformance.model.profile import PROFILES, RECEIVERS
from pix_conformance.model.vocabulary import Capability, Judgement, Outcome, Requirement, Verdict
from pix_conformance.model.why import Why
from pix_conformance.recording.facts import Ended

REASONS_OF_OTHER_CAUSE = frozenset({
    Why.NOT_SELECTED, Why.LEFT_OUT, Why.NOT_SET, Why.CAPABILITY, Why.INTERRUPTED, Why.UNUSABLE, Why.NO_ANSWER,
    Why.RATE_LIMITED, Why.GATEWAY,
})  # fmt: skip
"""Reasons for which a test asked nothing that have another cause."""

OF_EACH_ROUTE = frozenset({"business.charges.route_exists", "payments.refusals.accepts_a_valid_request"})
"""The relations that say something of each route: without one of them the others decide nothing."""


@dataclass
class NotBuilt:
    """The routes that a service does not have, and what was to be asked of them."""

    routes: Mapping[str, UnbuiltRoute]
    """By `api.operation`, those first that others need."""
    evidence: dict[str, UnbuiltRoute]
    """By the number of each request that was sent to one of them."""
    of_test: dict[str, UnbuiltRoute]
    """By each test that sent a request to one of them: the first of them."""
    of_reason: dict[str, UnbuiltRoute]
    """By the reason with which tests ended without a verdict: others that share what they made end with it too."""

    def lacks_route(self, requirement: Requirement, judgement: Judgement) -> bool:
        """Return whether a judgement is on a request to such a route, or by a test that sent one.

        What a test sent for others, since they share it, says nothing of a requirement of an operation that needs no
        such route; nor does a query of a requirement that holds on every route, which is then asked of another one.
        """
        route = self.of_test.get(judgement.test or "")
        row = find(requirement.api, requirement.operation)
        is_needed = route is not None and (route.operation in required_by(row) if row else not route.operation.reads)
        return is_needed or not self.evidence.keys().isdisjoint(_messages(judgement))

    def verdict_without_route(self, requirement: Requirement, judgement: Judgement) -> Verdict:
        """Return the verdict that takes the place of a judgement which is void."""
        routes = (self.evidence.get(message) for message in _messages(judgement))
        route = self.of_test.get(judgement.test or "") or next(filter(None, routes))
        if any(row.get("name") in OF_EACH_ROUTE for row in judgement.matchers):
            return Verdict(requirement.id, Outcome.INCONCLUSIVE, said_of(route), judgement.test, why=Why.NOT_BUILT)
        return verdict_without(route, requirement, judgement.test)

    def route_missing_for(self, end: Ended, requirement: Requirement) -> UnbuiltRoute | None:
        """Return the route for lack of which a test did not ask a requirement, by what it sent or by its reason."""
        if end.why in REASONS_OF_OTHER_CAUSE or end.outcome in {Outcome.FAIL, Outcome.WARN}:
            return None
        reason = self.of_reason.get(end.reason) if end.outcome is Outcome.INCONCLUSIVE else None
        is_by_operation = end.outcome is Outcome.INCONCLUSIVE and end.why is Why.PRECONDITION
        return self.of_test.get(end.test) or (self.needed_by(requirement) if is_by_operation else None) or reason

    def sent_to_missing_route(self, evidence: Iterable[str]) -> bool:
        """Return whether some of these messages are requests to a route that is not built."""
        return any(message in self.evidence for message in evidence)

    @property
    def unasked(self) -> Mapping[str, str]:
        """Say by operation, as `api.operation`, for lack of which route it cannot be asked."""
        rows = [(f"{row.api}.{row.name}", self.first_of(row)) for row in in_order_of_need()] if self.routes else []
        return {name: said_of(route) for name, route in rows if route}

    def stated_by(self, requirement: Requirement) -> UnbuiltRoute | None:
        """Return the route whose success a requirement states."""
        route = self.of_operation(requirement)
        return route if route and route.operation.success == requirement.id else None

    def of_operation(self, requirement: Requirement) -> UnbuiltRoute | None:
        """Return the route that a requirement is about."""
        return self.routes.get(f"{requirement.api}.{requirement.operation}")

    def needed_by(self, requirement: Requirement) -> UnbuiltRoute | None:
        """Return the first route without which nothing can show a requirement."""
        first = [self.first_of(row) for row in _operations(requirement)]
        further = (self.first_of(row) for row in _for_capabilities(requirement))
        return first[0] if first and all(first) else next(filter(None, further), None)

    def first_of(self, row: Operation) -> UnbuiltRoute | None:
        """Return the first route without which an operation cannot be asked."""
        needed = (self.routes.get(f"{other.api}.{other.name}") for other in required_by(row))
        return next(filter(None, needed), None)

    def failure(self, route: UnbuiltRoute) -> Judgement:
        """Judge the request that shows that a route is not built, for the requirement that states its success."""
        exchange, matcher = route.shown_by, IsBuilt(route.operation.route, route.answers)
        return Judgement(route.operation.success, exchange.test, exchange.evidence, (matcher.to_dict(),), (str(route),))


def not_built(routes: Sequence[UnbuiltRoute], exchanges: Iterable[Exchange], ended: Iterable[Ended]) -> NotBuilt:
    """Sort the requests and the tests of a run by the routes that they need."""
    names = {route.name: route for route in routes}
    order = {route.name: place for place, route in enumerate(routes)}
    absent = NotBuilt(names, {}, {}, {})
    for exchange in exchanges if routes else ():
        if route := route_of(exchange, names):
            absent.evidence[exchange.evidence] = route
            known = absent.of_test.get(str(exchange.test), route)
            absent.of_test[str(exchange.test)] = min(route, known, key=lambda candidate: order[candidate.name])
    for end in ended if routes else ():
        for name in end.requirements:
            if end.outcome is Outcome.INCONCLUSIVE and (route := absent.route_missing_for(end, catalogue()[name])):
                absent.of_reason.setdefault(end.reason, route)
    return absent


def verdict_without(route: UnbuiltRoute, requirement: Requirement, test: str | None) -> Verdict:
    """Return the verdict of a test that cannot ask without a route.

    It leaves a requirement of an operation that does not need the route, or of every route, to the other tests.
    """
    row = find(requirement.api, requirement.operation)
    is_needed = row is not None and route.operation in required_by(row)
    outcome = Outcome.INCONCLUSIVE if is_needed else Outcome.NOT_APPLICABLE
    return Verdict(requirement.id, outcome, said_of(route), test, why=Why.NOT_BUILT)


def said_of(route: UnbuiltRoute) -> str:
    """Say that something was not asked."""
    return f"not asked: {route.operation.route} is not built"


def _messages(judgement: Judgement) -> list[str]:
    """Return the message of a judgement, and those that it is compared with."""
    arguments = (value for row in judgement.matchers for value in dict(row.get("arguments") or {}).values())
    return [judgement.evidence, *(str(value["evidence"]) for value in arguments if _is_message(value))]


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and "evidence" in value


def _operations(requirement: Requirement) -> list[Operation]:
    """Return the operations that show a requirement; empty if any may."""
    api = requirement.api
    if row := find(api, requirement.operation):
        return [row]
    shown = shown_by(api).get(requirement.id, frozenset())
    events = {event for event in openapi.description(api)["webhooks"] if requirement.id in shown_by_event(api, event)}
    return [row for name, row in by_name(api).items() if name in shown or row.event in events]


def _for_capabilities(requirement: Requirement) -> Iterator[Operation]:
    """Yield the operations by which a run gets what a requirement needs: money, and a place for events."""
    api = requirement.api
    if requirement.needs & RECEIVERS:
        yield from (row for row in of(api, Effect.CREATES) if row.kind == PROFILES[api].removes)
    if Capability.FUNDS in requirement.needs:
        yield from (row for row in of(api, Effect.CHANGES) if row.moves_money)
