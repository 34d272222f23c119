"""`sends`, `sends_no_event`: what a request causes at the receiver, as matchers of its exchange; the quiet period.

expect(payment, sends("transaction_paid", to=webhook, about=charge))
expect(refusal, sends_no_event(to=webhook, about=charge))

Each waits when `expect` judges it, and is recorded as a relation to the deliveries that were found.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, runtime_checkable

from pix_conformance.checks.events import event_received, no_event_received, no_second_event_received
from pix_conformance.checks.matchers import Matcher
from pix_conformance.checks.readings import unreadable
from pix_conformance.harness.outcomes import Inconclusive, outcome_of
from pix_conformance.harness.webhook_channel import WebhookChannel
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import event_of, has_no_event_name
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.why import Why
from pix_conformance.recording.facts import Expected


class Address(Protocol):
    """Where events are received: a webhook, some webhooks, a postbackUrl, the endpoint of the business API.

    See `fixtures/payments/event_sources.py` and `fixtures/business/events.py`.
    """

    @property
    def channel(self) -> WebhookChannel:
        """Whether deliveries come at all, and how long to wait for them."""

    @property
    def in_words(self) -> str:
        """What the address is, in words, such as `the postbackUrl`."""

    def took(self, delivery: Delivery) -> bool:
        """Whether a delivery came to it."""

    def deliveries(self) -> list[Delivery]:
        """Return what came to it so far."""


class Source(Protocol):
    """What an event is about: a charge or a transfer.

    See `fixtures/payments/event_sources.py` and `checks/business/events.py`.
    """

    def may_be_subject_of(self, delivery: Delivery) -> bool:
        """Whether a delivery names it, or is an event that names no charge or transfer at all."""

    def is_named_in(self, delivery: Delivery) -> bool:
        """Whether a delivery names it."""


class Awaited(Protocol):
    """A matcher that has to wait for deliveries first."""

    def after(self, cause: Exchange) -> Matcher:
        """Wait for what the request may cause, and return the relation between it and the deliveries found."""


@runtime_checkable
class AwaitedToTheEnd(Awaited, Protocol):
    """A matcher of events that may come after their deadline: if they do until the run ends, they came."""

    def at_the_end(self, cause: Exchange) -> Matcher:
        """Return the relation between the request and what has come until now."""


@dataclass(frozen=True)
class Sends:
    """See `sends`."""

    event: str
    to: Address
    about: Source
    shown_by: Exchange | None = None

    def after(self, cause: Exchange) -> Matcher:
        """Wait until the event came, or until its deadline."""
        deliveries = self.awaited(cause)
        deliveries = deliveries or _unreadable(self.to, cause)
        return event_received(self.event, self.to.in_words, deliveries, self.to.channel.timing.deadline)

    def awaited(self, cause: Exchange, longest: float = math.inf) -> tuple[Delivery, ...]:
        """Return the deliveries of the event; none if it does not come within `longest` seconds, or its deadline."""
        self.to.channel.expect_event_after(cause)
        self.to.channel.require_reachable()
        wanted, since = _wanted(self.event, self.to, self.about, cause), (self.shown_by or cause).started
        return tuple(self.to.channel.wait_for(wanted, since, longest=longest, came=self.to.deliveries))

    def at_the_end(self, cause: Exchange) -> Matcher:
        """Return the relation between the request and what has come until now, also after the deadline."""
        wanted = _wanted(self.event, self.to, self.about, cause)
        deliveries = tuple(filter(wanted, self.to.deliveries()))
        if not deliveries:
            deliveries = _unreadable(self.to, cause)
        else:
            self.to.channel.note_late(deliveries[0], deliveries[0].received - (self.shown_by or cause).started)
        return event_received(self.event, self.to.in_words, deliveries, self.to.channel.timing.deadline)


@dataclass(frozen=True)
class LateExpectation:
    """An expectation of events that had not come, and what asks it again of all that have come by then.

    `ask` returns the matchers, with the events, and what they find wrong.
    """

    expected: Expected
    ask: Callable[[], tuple[Sequence[Matcher], tuple[str, ...]]]


@dataclass(frozen=True)
class AfterSilence:
    """See `sends_no_event` and `sends_no_second`: `relation` takes the deliveries of these events, if any are named."""

    relation: Callable[[Sequence[Delivery]], Matcher]
    events: tuple[str, ...]
    to: Address
    about: Source

    def after(self, cause: Exchange) -> Matcher:
        """Wait for the end of the quiet period, which all tests of one API share."""
        channel = self.to.channel
        channel.expect_none_after(cause)
        wait_quiet_period(channel)
        came = self.to.deliveries()
        if self.events:
            came = [delivery for delivery in came if event_of(delivery, channel.api) in self.events]
        return self.relation(tuple(filter(self.about.is_named_in, came)) or _unreadable(self.to, cause))


def _unreadable(to: Address, cause: Exchange) -> tuple[Delivery, ...]:
    """Return the deliveries after a request whose bodies cannot be read: each may be any event."""
    came = (delivery for delivery in to.deliveries() if delivery.received >= cause.started)
    return tuple(delivery for delivery in came if delivery.unreadable)


def sends(event: str, *, to: Address, about: Source, shown_by: Exchange | None = None) -> Sends:
    """Expect a request to send an event about a charge or transfer to an address, within the deadline of events.

    Where no request causes it, that counts from the query that shows the change, `shown_by`.
    """
    return Sends(event, to, about, shown_by)


def sends_no_event(*events: str, to: Address, about: Source) -> AfterSilence:
    """Expect that no event that names a charge or transfer has come to an address when the quiet period is over.

    Of these names, if any are given.
    """
    return AfterSilence(partial(no_event_received, to.in_words), events, to, about)


def sends_no_second(event: str, *, to: Address, about: Source) -> AfterSilence:
    """Expect that one address received no second event of a name, with an id of its own, when the quiet period is over.

    The same event, with the same id, may be sent again.
    """
    return AfterSilence(partial(no_second_event_received, event), (event,), to, about)


def await_deliveries(
    event: str, *, to: Address, about: Source, cause: Exchange, longest: float = math.inf
) -> tuple[Delivery, ...]:
    """Wait for an event that a request causes, and return its deliveries; none if it does not come in time.

    That is the deadline of events, or `longest` seconds if they are fewer. A delivery without an event name counts as
    the event: its name is another requirement.
    """
    return sends(event, to=to, about=about).awaited(cause, longest)


def _wanted(event: str, to: Address, about: Source, cause: Exchange) -> Callable[[Delivery], bool]:
    """Return whether a delivery came to the address after the request, with this event or no name, of its object."""

    def wanted(delivery: Delivery) -> bool:
        if delivery.received < cause.started:  # most deliveries of a run
            return False
        name = event_of(delivery, to.channel.api)
        named = name == event or (name is None and has_no_event_name(delivery, to.channel.api))
        return named and to.took(delivery) and about.may_be_subject_of(delivery)

    return wanted


def await_event(event: str, *, to: Address, about: Source, cause: Exchange) -> Delivery:
    """Return the first delivery of an event; Inconclusive if none came, which is another requirement."""
    deliveries = await_deliveries(event, to=to, about=about, cause=cause)
    for delivery in deliveries:
        if event_of(delivery, to.channel.api) == event:
            return delivery
    for delivery in deliveries:
        if delivery.unreadable:
            raise outcome_of(unreadable(delivery))
    raise Inconclusive(f"not tested: no {event} came to {to.in_words} ({cause.evidence})")


def wait_quiet_period(channel: WebhookChannel) -> None:
    """Wait until every event that must not be sent would have arrived.

    Raises Inconclusive if the absence of an event proves nothing in this run.
    """
    channel.require_reachable()
    if channel.no_delivery_seen:
        raise Inconclusive(channel.silence(), Why.NO_RECEIVER)
    if channel.receiver and channel.receiver.log.losses:
        raise Inconclusive(f"the receiver lost deliveries: {'; '.join(channel.receiver.log.losses)}", Why.NOT_SHOWN)
    timing = channel.timing
    silence = max(0.0, timing.quiet_since + timing.quiet_seconds - time.time())
    channel.waits.announce(f"events of the {channel.api} API that must not be sent", silence)
    channel.waits.pause(silence)
