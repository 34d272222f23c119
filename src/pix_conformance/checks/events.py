"""What was awaited at the receiver, and what came: an event that is due, and silence where none is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pix_conformance.checks.matchers import Matcher, computed, has
from pix_conformance.checks.outcomes import Inconclusive, NotApplicable
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import event_of
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import Api

Check = tuple[Exchange | Delivery, Matcher]
"""What `expect` takes: the thing that shows it, and the oracle's sentence."""


@dataclass(frozen=True)
class ExpectedEvent:
    """An event, the exchange that caused it, and the deliveries that brought it."""

    event: str
    place: str
    cause: Exchange
    deliveries: Sequence[Delivery]
    seconds: float

    @property
    def check(self) -> Check:
        """Whether it came at all; the first delivery shows that it did, the cause that it should have."""
        question = f"{self.event} comes to {self.place}"
        if self.deliveries:
            return self.deliveries[0], computed(question, None)
        return self.cause, computed(question, f"no {self.event} came to {self.place} within {self.seconds:g} s")

    @property
    def delivery(self) -> Delivery:
        """The first delivery that says what it is; Inconclusive if none came, which is not the question then."""
        for one in self.deliveries:
            if self.event in {event_of(one, api) for api in Api}:
                return one
        raise Inconclusive(f"not tested: no {self.event} came to {self.place} ({self.cause.evidence})")


@dataclass(frozen=True)
class UnexpectedEvent:
    """Deliveries that must not come of an exchange: how to find the first of them, and what to call it."""

    cause: Exchange
    words: str
    find: Callable[[], Delivery | None]

    @property
    def check(self) -> Check:
        """Whether it stayed away; to be asked when the silence has lasted long enough."""
        found = self.find()
        return found or self.cause, computed(f"{self.words} does not come", f"{self.words} came" if found else None)


def require_field(delivery: Delivery, path: str, kind: str) -> Delivery:
    """Return a delivery that has a field of this kind; Inconclusive if not, which other requirements judge."""
    if (problem := has(path, kind).mismatch(delivery)) is not None:
        raise Inconclusive(f"not tested: {problem} ({delivery.evidence})")
    return delivery


def require_refusal(answer: Exchange, *codes: int) -> Exchange:
    """Return a refusal whose effect may be looked for; Inconclusive if it is none."""
    if answer.status not in codes:
        raise Inconclusive(f"it was not refused: {answer.fault or answer.status} ({answer.evidence})")
    return answer


def skip_if_no_receiver(look: Callable[[], UnexpectedEvent]) -> UnexpectedEvent:
    """Return what to listen for; NotApplicable where nothing is heard, for what other tests see more of."""
    try:
        return look()
    except Inconclusive as why:
        raise NotApplicable(str(why)) from None
