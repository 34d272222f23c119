"""What the deliveries of a run show by themselves, judged when all objects of the run are known."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import attrgetter

from pix_conformance.checks import passive
from pix_conformance.checks.clocks import clock_ahead
from pix_conformance.checks.conclusion import Unknown
from pix_conformance.checks.passive_rules import DeliveryContext
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import api_of, event_of
from pix_conformance.model.exchange import Exchange, Request
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.subject import at, parsed
from pix_conformance.model.vocabulary import Api, Outcome
from pix_conformance.model.why import Why
from pix_conformance.recording.facts import Ended, Facts, Shown
from pix_conformance.recording.objects import ObjectsOfRun, objects_of
from pix_conformance.recording.owners import addresses_given, of_target


@dataclass(frozen=True)
class MessageFinding:
    """What a response or delivery showed of a requirement, and why that is not certain, where it is not."""

    shown: Shown
    """Its operation is `api.operation`, or `api.event` of a delivery."""
    unknown: Unknown | None = None


def deliveries_of_target(facts: Facts) -> list[Delivery]:
    """Return the deliveries that the target sent; others came from somebody who knows the address."""
    return of_target(facts.deliveries, objects_of(facts), addresses_given(facts.exchanges))


def findings_of_deliveries(facts: Facts) -> list[MessageFinding]:
    """Judge each delivery of the target by the rules of every delivery."""
    return list(_Deliveries(facts, objects_of(facts)).findings()) if facts.deliveries else []


class _Deliveries:
    """The deliveries of the target in the order in which they came to any receiver, and what is known of each."""

    def __init__(self, facts: Facts, objects: ObjectsOfRun) -> None:
        self._objects = objects
        own = of_target(facts.deliveries, objects, addresses_given(facts.exchanges))
        self._deliveries = sorted(own, key=attrgetter("received"))
        self._requests = {exchange.id: exchange.request for exchange in facts.exchanges}
        self._ahead = clock_ahead(facts.exchanges)
        self._turns = [turn for fact in facts.concluded for turn in fact.turns]
        signed = (delivery for delivery in self._deliveries if delivery.signature and delivery.signature.shows_secret)
        self._proven = {api_of(delivery) for delivery in signed}
        self._first_arrivals: dict[tuple[Api, str], float] = {}

    def findings(self) -> Iterator[MessageFinding]:
        """Yield what each delivery shows."""
        for delivery in self._deliveries:
            if (api := api_of(delivery)) is not None:
                name = f"{api}.{event_of(delivery, api) or 'an event without a known name'}"
                for finding in passive.judge_delivery(delivery, api, self._context(delivery, api)):
                    requirement, problem = finding.requirement, finding.mismatch
                    problem = problem and self._with_doubt(problem, requirement, api)
                    shown = Shown(requirement=requirement, operation=name, evidence=delivery.evidence, problem=problem)
                    yield MessageFinding(shown, finding.unknown)

    def _with_doubt(self, problem: str, requirement: str, api: Api) -> str:
        """Ask whether the secret is the right one, where no event shows it."""
        if requirement != passive.RULES[api].endpoint_secret or api in self._proven:
            return problem
        endpoint = PROFILES[api].endpoint
        words = f"is {endpoint.variable if endpoint else 'it'} the secret that the target signs with?"
        return f"{problem}; no event shows it: {words}"

    def _context(self, delivery: Delivery, api: Api) -> DeliveryContext:
        event = api, str(at(delivery.json, "id"))
        arrived = first_arrived = None
        if event in self._first_arrivals:  # a later attempt may carry the first's t
            first_arrived = self._first_arrivals[event]
        else:
            arrived = self._first_arrivals[event] = self._by_target(delivery)
        created = self._objects.subject_of(delivery, api)
        sent: Request | None = self._requests.get(created.exchange) if created else None
        return DeliveryContext(
            self._objects.kind_named_in(delivery, api),
            arrived,
            self._ahead,
            first_arrived,
            created.kind if created else None,
            parsed(sent.body) if sent else None,
        )

    def _by_target(self, delivery: Delivery) -> float:
        """Return when a delivery came by the clock of the target; one of a file was timed by its recorder."""
        turned = sum(seconds for begun, seconds in self._turns if begun <= delivery.received)
        return delivery.received if delivery.is_recorded else delivery.received + turned


def said_of_events(facts: Facts, requirement: str, end: Ended) -> tuple[str, Why] | None:
    """Return why a test was undecided that saw no event, if events came late after all; None of any other test."""
    if end.outcome is not Outcome.INCONCLUSIVE or end.why is not Why.NO_RECEIVER:
        return None
    late = said_of_late_events(facts, catalogue()[requirement].api)
    return (late, Why.LATE) if late else None


def said_of_late_events(facts: Facts, api: Api) -> str | None:
    """Say how many events of an API came late, and how late; None if none did."""
    late = {fact.delivery: fact for fact in facts.late if fact.api is api}
    if not late:
        return None
    count = "1 webhook" if len(late) == 1 else f"{len(late):,} webhooks"
    longest = max(fact.seconds for fact in late.values())
    deadline = f"{next(iter(late.values())).deadline:g} s of --event-deadline"
    return f"{count} of the {api} API came late, after the {deadline}: up to {longest:.1f} s"


def said_of_refused_connections(exchanges: Iterable[Exchange]) -> Iterator[str]:
    """Say that the target accepted no connection for a while and then answered again; nothing without that.

    A service that keeps its state in memory has forgotten it then.
    """
    asked = sorted(exchanges, key=attrgetter("started"))
    answered = [exchange for exchange in asked if exchange.response]
    refused = [exchange for exchange in asked if exchange.found_no_connection]
    if not answered or not refused:
        return
    first, later = refused[0], [exchange for exchange in answered if exchange.started > refused[-1].started]
    if answered[0].started < first.started and later:
        at = datetime.fromtimestamp(first.started, UTC)
        yield (
            f"the target accepted no connection at {at:%H:%M:%S} UTC ({first.evidence}), and then answered again: "
            "if it was restarted, what it had forgotten may show as failures"
        )


def notices_of_events(facts: Facts) -> Iterator[str]:
    """Say of each API that events came late, or why none could be seen."""
    for api in Api:
        reasons = [fact for fact in facts.no_events if fact.api is api and fact.outcome is Outcome.INCONCLUSIVE]
        if late := said_of_late_events(facts, api):
            yield f"{late} after the request"
        elif reasons:
            yield reasons[-1].reason
