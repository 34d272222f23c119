"""What an integration has credited an order with, after the deliveries of events."""

from collections.abc import Sequence

from pix_conformance.checks.conclusion import Problem
from pix_conformance.checks.relation import relation
from pix_conformance.model.exchange import Exchange


@relation("the order is credited with {expected} cents")
def credited(event: Exchange, expected: int, before: int, after: int, deliveries: Sequence[str]) -> Problem:
    """Compare what an order is credited with after its events, in cents; `before` is what it was before them."""
    if after == expected:
        return None
    words = ", then ".join(deliveries)
    answer = f"answered {event.status or 'nothing'}"
    return f"the order had {before} cents before, and has {after} after {words} ({answer}), and should have {expected}"


@relation("the answer comes within {seconds} seconds")
def answered_within(event: Exchange, seconds: float) -> Problem:
    """Compare how long the endpoint took for its answer."""
    if event.response is not None and event.elapsed_ms < seconds * 1000:
        return None
    return (
        f"the endpoint answered nothing within {seconds:g} s"
        if event.response is None
        else (f"the endpoint answered after {event.elapsed_ms / 1000:.1f} s, not within {seconds:g} s")
    )


@relation("the event is refused with a 4xx")
def refused(event: Exchange) -> Problem:
    """Say that an event was accepted, or not answered."""
    if event.status is not None and 400 <= event.status < 500:  # noqa: PLR2004  # the class 4xx
        return None
    return f"the endpoint answered {event.status or 'nothing'}, not a 4xx"
