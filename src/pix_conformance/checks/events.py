"""What was awaited at the receiver, and what came: an event that is due, and silence where none is."""

from collections.abc import Sequence

from pix_conformance.checks.conclusion import Problem
from pix_conformance.checks.readings import unreadable
from pix_conformance.checks.relation import relation
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import name_in
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import at


@relation("sends {event} to {place}")
def event_received(cause: Exchange, event: str, place: str, deliveries: Sequence[Delivery], seconds: float) -> Problem:
    """Expect a delivery after the request was sent, of those that were found within that many seconds.

    Unknown if none of them can be read: which event it is cannot be told.
    """
    came = [delivery for delivery in deliveries if delivery.received >= cause.started]
    if came and all(delivery.unreadable for delivery in came):
        return unreadable(came[0])
    return None if came else f"no {event} came to {place} within {seconds:g} s"


@relation("sends no event to {place}")
def no_event_received(_cause: Exchange, place: str, deliveries: Sequence[Delivery]) -> str | None:
    """Expect no delivery, of those that were found once every event of the run would have come."""
    if not deliveries:
        return None
    name = name_in(deliveries[0].json)
    return f"{f'a {name}' if name else 'an event without a name'} came to {place} ({deliveries[0].evidence})"


@relation("sends no second {event}")
def no_second_event_received(_cause: Exchange, event: str, deliveries: Sequence[Delivery]) -> str | None:
    """Expect all deliveries of one event at one address to have one id: an event may be sent again, as it is."""
    other = next((delivery for delivery in deliveries if at(delivery.json, "id") != at(deliveries[0].json, "id")), None)
    return f"a second {event} came, with another id ({other.evidence})" if other else None
