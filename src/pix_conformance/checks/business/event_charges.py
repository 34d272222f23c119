"""Whether the charge of an event exists: in this run, or in a list that has to show it (BUS-EVT, BUS-LIST)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from pix_conformance.checks.business.event_history import CANCELED, CREATED, PAID, Found, Histories
from pix_conformance.checks.business.exchange_history import rows_of
from pix_conformance.checks.business.ledger import posting_time
from pix_conformance.model.business_states import STATUSES
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import COMPLETE, event_of
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import at
from pix_conformance.model.undecided import is_refusal
from pix_conformance.model.vocabulary import Api

STATUS_OF = {PAID: "paid", CANCELED: "canceled"}
Rows = list[dict[str, Any]]


@dataclass
class KnownCharges:
    """The refs and amounts of charges that exist: an event has no id of its charge, so that either names it."""

    refs: set[str] = field(default_factory=set)
    amounts: set[float] = field(default_factory=set)

    def add(self, charge: Mapping[str, Any]) -> None:
        """Add what a body or a row of a list states."""
        ref, amount = charge.get("external_ref"), charge.get("amount_cents")
        self.refs |= {ref} if isinstance(ref, str) and ref else set()
        self.amounts |= {amount} if isinstance(amount, int | float) else set()

    def include(self, event: Delivery) -> bool:
        """Whether a charge has the ref or the amount of an event; what an event of a charge without ref has is open."""
        ref, amount = at(event.json, "data.external_ref"), at(event.json, "data.amount_cents")
        return (isinstance(ref, str) and ref in self.refs) or amount in self.amounts


@dataclass(frozen=True)
class ListsOfAccount:
    """What the lists of one account show when the run is over: of all charges (None), and of each status."""

    rows: Mapping[str | None, Rows]

    @property
    def longest(self) -> int:
        """How many charges the longest of them shows."""
        return max(map(len, self.rows.values()))

    def must_show(self, event: Delivery, page: int, late: timedelta) -> bool:
        """Whether the charge of an event would have to be in them; `page` is how many any list shows at least."""
        name, everything = event_of(event, Api.BUSINESS), self.rows[None]
        if len(everything) < page:
            return True
        if name in STATUS_OF:
            return self._shows_all(STATUS_OF[name], page)
        return all(self._shows_all(status, page) for status in STATUSES) or _reaches_back(everything, event, late)

    def _shows_all(self, status: str, page: int) -> bool:
        """Whether a list shows all charges of a status: it has room, and shows one that the list of all does not."""
        shown = {str(row.get("id")) for row in self.rows[None]}
        return len(self.rows[status]) < page and any(str(row.get("id")) not in shown for row in self.rows[status])


def known_charges(exchanges: Iterable[Exchange]) -> KnownCharges:
    """Return the charges of a run, of every account: those that were not refused, and those that were shown."""
    known = KnownCharges()
    for exchange in (exchange for exchange in exchanges if exchange.api == Api.BUSINESS):
        if exchange.operation == "create_charge" and not is_refusal(exchange.status):
            known.add(exchange.request.json_object)
        for row in [exchange.json_object, *(rows_of(exchange) if exchange.operation == "list_charges" else [])]:
            known.add(row)
    return known


def whole_events(deliveries: Iterable[Delivery]) -> list[Delivery]:
    """Return the deliveries that arrived whole and are events with an amount."""
    events = (delivery for delivery in deliveries if delivery.fault in COMPLETE and event_of(delivery, Api.BUSINESS))
    return [event for event in events if isinstance(at(event.json, "data.amount_cents"), int | float)]


def unexplained_events(deliveries: Iterable[Delivery], exchanges: Sequence[Exchange]) -> list[Delivery]:
    """Return the events that are about no charge of the run."""
    events = whole_events(deliveries)
    known, histories = known_charges(exchanges), Histories(exchanges, events)
    return [event for event in events if not known.include(event) and not histories.knows(event)]


def event_without_charge(unexplained: Sequence[Delivery], lists: Sequence[ListsOfAccount], late: timedelta) -> Found:
    """Find an event whose charge no list shows, though each would have to; `late` is how late an event may come."""
    known = KnownCharges()
    for row in (row for account in lists for rows in account.rows.values() for row in rows):
        known.add(row)
    page = max((account.longest for account in lists), default=0)
    for event in unexplained:
        if not known.include(event) and all(account.must_show(event, page, late) for account in lists):
            return event, f"no charge has the external_ref or the amount of this {event_of(event, Api.BUSINESS)}"
    return None


def latest_created_event(exchanges: Sequence[Exchange], deliveries: Sequence[Delivery]) -> timedelta:
    """Return how long after the creation of its charge a created event may come, by those that came."""
    return timedelta(seconds=Histories(exchanges, deliveries).lateness(CREATED))


def _reaches_back(newest: Rows, event: Delivery, late: timedelta) -> bool:
    """Whether a charge that was made so long before its event still belongs to the newest."""
    moment, dates = posting_time(event.json), [time for row in newest if (time := posting_time(row))]
    with suppress(TypeError):  # one names a zone, and the other does not
        return moment is not None and bool(dates) and min(dates) < moment - late
    return False
