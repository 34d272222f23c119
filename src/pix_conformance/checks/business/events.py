"""Which charge an event is about, and what its payload must agree with (BUS-EVT)."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property

from pix_conformance.checks.business.charges import CLOCK_TOLERANCE, is_within_lifetime
from pix_conformance.checks.business.event_history import UNIQUE_REF
from pix_conformance.checks.conclusion import Problem, Unknown
from pix_conformance.checks.history import body_sent
from pix_conformance.checks.relation import relation
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import event_of, mentions
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.openapi import beyond, event_schema
from pix_conformance.model.subject import MISSING, at, shown
from pix_conformance.model.vocabulary import Api
from pix_conformance.model.why import Why
from pix_conformance.oracles.timestamp import read_moment

TEN_MINUTES = timedelta(minutes=10)
"""More than clocks differ, and less than time zones do."""


@dataclass(frozen=True)
class ReportedCharge:
    """A charge, by its creation or by the refusal of that.

    An event has no id of its charge: it names it by external_ref, or else by an amount that no other charge has.
    """

    created: Exchange
    has_own_amount: bool = True

    @cached_property
    def id(self) -> str:
        """The id that the creation returned."""
        return str(self.created.at("id"))

    @cached_property
    def external_ref(self) -> str:
        """The external_ref that was sent; empty if none was."""
        return str(body_sent(self.created).get("external_ref", ""))

    @cached_property
    def amount(self) -> int:
        """The amount_cents that was sent."""
        return int(body_sent(self.created)["amount_cents"])

    def is_named_in(self, event: Delivery) -> bool:
        """Whether a delivery names the charge: by its external_ref, as sent or as returned, by its id or its amount."""
        ref, own = at(event.json, "data.external_ref"), UNIQUE_REF.match(self.external_ref)
        if own and mentions(event, own.group()):
            return True
        if ref and ref in (self.created.at("external_ref"), self.id):
            return True
        of_other = isinstance(ref, str) and UNIQUE_REF.match(ref)
        return self.has_own_amount and not of_other and at(event.json, "data.amount_cents") == self.amount

    def may_be_subject_of(self, event: Delivery) -> bool:
        """Whether a delivery names the charge, or is an event that names no charge at all."""
        stated = [at(event.json, f"data.{name}") for name in ("external_ref", "amount_cents")]
        states_nothing = event_of(event, Api.BUSINESS) is not None and all(value is MISSING for value in stated)
        return states_nothing or self.is_named_in(event)


@relation("created_at lies between the creation of the charge ({creation}) and the delivery")
def dated_within_lifetime_of(event: Delivery, creation: Exchange) -> Problem:
    """Expect the time of an event to lie in the life that its charge had when the event was received."""
    return _dated_within(event, creation, CLOCK_TOLERANCE)


@relation("created_at is at most ten minutes outside the time from the creation ({creation}) to the delivery")
def dated_within_ten_minutes_of(event: Delivery, creation: Exchange) -> Problem:
    """Expect no time zone to be mistaken."""
    return _dated_within(event, creation, TEN_MINUTES)


def _dated_within(event: Delivery, creation: Exchange, tolerance: timedelta) -> Problem:
    """Compare the moment of an event, whose form BUS-EVT-21 judges; Unknown where it is none, or names no zone."""
    stated = read_moment(at(event.json, "created_at"))
    if stated is None or stated.tzinfo is None:
        return Unknown(Why.NOT_SHOWN, "created_at is no timestamp with a time zone")
    right = is_within_lifetime(creation, stated, event.received, tolerance=tolerance)
    return None if right else f"created_at is {stated.isoformat()}, that of the charge is {_created_at(creation)}"


def describe_field(value: object) -> str:
    """Put the value of an optional field into words."""
    if value is MISSING:
        return "missing"
    return shown(value) if value is None or isinstance(value, str) else "of another type"


def undocumented_fields(deliveries: Iterable[Delivery]) -> list[str]:
    """Return the fields that events have beyond those that the document names (BUS-EVT-22)."""
    events = ((event_of(delivery, Api.BUSINESS), delivery.json) for delivery in deliveries)
    return sorted({name for event, body in events if event for name in beyond(event_schema(Api.BUSINESS, event), body)})


def _created_at(creation: Exchange) -> str:
    return str(creation.at("created_at"))
