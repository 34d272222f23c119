"""Whether the charge of an event exists: in this run, or in a list that has to show it (BUS-EVT, BUS-LIST)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from statistics import median_low
from typing import Any

from pix_conformance.checks.business.charges import STATUSES
from pix_conformance.checks.business.event_history import CANCELED, CREATED, PAID, Histories
from pix_conformance.checks.business.exchange_history import rows_of
from pix_conformance.checks.business.postings import posting_time
from pix_conformance.checks.history import Judged
from pix_conformance.checks.relation import relation
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import COMPLETE, event_of
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import at
from pix_conformance.model.undecided import is_refusal
from pix_conformance.model.vocabulary import Api

STATUS_OF = {PAID: "paid", CANCELED: "canceled"}
Rows = list[dict[str, Any]]


class KnownCharges:
    """The exchanges that show charges, of every account: an event has no id of its charge, but its ref and amount."""

    def __init__(self, exchanges: Iterable[Exchange]) -> None:
        """Read the creations that were not refused, and what responses show."""
        self._by_ref: dict[str, Exchange] = {}
        self._by_amount: dict[float, Exchange] = {}
        for exchange in (exchange for exchange in exchanges if exchange.api == Api.BUSINESS):
            if exchange.operation == "create_charge" and not is_refusal(exchange.status):
                self._add(exchange.request.json_object, exchange)
            for row in [exchange.json_object, *(rows_of(exchange) if exchange.operation == "list_charges" else [])]:
                self._add(row, exchange)

    def _add(self, charge: Mapping[str, Any], exchange: Exchange) -> None:
        ref, amount = charge.get("external_ref"), charge.get("amount_cents")
        if isinstance(ref, str) and ref:
            self._by_ref.setdefault(ref, exchange)
        if isinstance(amount, int | float):
            self._by_amount.setdefault(amount, exchange)

    def exchange_about(self, event: Delivery) -> Exchange | None:
        """Return what shows a charge with the ref or the amount of an event; None if nothing does.

        What an event of a charge without ref has as its ref is open.
        """
        ref, amount = at(event.json, "data.external_ref"), at(event.json, "data.amount_cents")
        return (self._by_ref.get(ref) if isinstance(ref, str) else None) or self._by_amount.get(amount)


@relation("a charge in {exchanges} has the external_ref or the amount of the event")
def is_about_a_charge_in(event: Delivery, exchanges: Sequence[Exchange]) -> str | None:
    """Expect a request or a response with the charge of an event."""
    if KnownCharges(exchanges).exchange_about(event):
        return None
    return f"no charge has the external_ref or the amount of this {event_of(event, Api.BUSINESS)}"


@dataclass(frozen=True)
class ListsOfAccount:
    """The lists of one account when the run is over: of all charges (None), and of each status."""

    lists: Mapping[str | None, Exchange]
    rows: Mapping[str | None, Rows]
    """The charges that each of them shows."""

    @property
    def longest(self) -> int:
        """How many charges the longest of them shows."""
        return max(map(len, self.rows.values()))

    def must_show(self, event: Delivery, least: int, late: timedelta) -> bool:
        """Whether the charge of an event would have to be in them; `least` is how many any list can show at least."""
        name, everything = event_of(event, Api.BUSINESS), self.rows[None]
        if len(everything) < least:
            return True
        if name in STATUS_OF:
            return self._shows_all(STATUS_OF[name], least)
        return all(self._shows_all(status, least) for status in STATUSES) or _reaches_back(everything, event, late)

    def _shows_all(self, status: str, least: int) -> bool:
        """Whether a list shows all charges of a status: it has room, and shows one that the list of all does not."""
        shown = {str(row.get("id")) for row in self.rows[None]}
        return len(self.rows[status]) < least and any(str(row.get("id")) not in shown for row in self.rows[status])


def whole_events(deliveries: Iterable[Delivery]) -> list[Delivery]:
    """Return the deliveries that arrived whole and are events with an amount."""
    events = (delivery for delivery in deliveries if delivery.fault in COMPLETE and event_of(delivery, Api.BUSINESS))
    return [event for event in events if isinstance(at(event.json, "data.amount_cents"), int | float)]


def events_in(events: Iterable[Delivery], exchanges: Iterable[Exchange]) -> Judged:
    """Yield the events that are about a charge in the requests and responses of the run."""
    known = KnownCharges(exchanges)
    for event in events:
        if exchange := known.exchange_about(event):
            yield event, is_about_a_charge_in([exchange])


def unexplained_events(events: Sequence[Delivery], exchanges: Sequence[Exchange]) -> list[Delivery]:
    """Return the events that are about no charge of the run, made or refused."""
    known, histories = KnownCharges(exchanges), Histories(exchanges, events)
    return [event for event in events if not known.exchange_about(event) and not histories.knows(event)]


def events_in_lists(events: Iterable[Delivery], accounts: Sequence[ListsOfAccount], late: timedelta) -> Judged:
    """Yield the events whose charge a list shows, or each would have to; `late` is how late an event may come."""
    listings = [listing for account in accounts for listing in account.lists.values()]
    known, least = KnownCharges(listings), max((account.longest for account in accounts), default=0)
    for event in events:
        if known.exchange_about(event) or all(account.must_show(event, least, late) for account in accounts):
            yield event, is_about_a_charge_in(listings)


def latest_created_event(exchanges: Sequence[Exchange], deliveries: Sequence[Delivery]) -> timedelta:
    """Return how long after the creation of its charge a created event may come and be dated, by those that came."""
    came = timedelta(seconds=Histories(exchanges, deliveries).lateness(CREATED))
    return came + max(timedelta(), median_low([timedelta(), *_dated_later(exchanges, deliveries)]))


def _dated_later(exchanges: Sequence[Exchange], deliveries: Sequence[Delivery]) -> Iterator[timedelta]:
    """Yield how much later than its charge each created event is dated: events may have a clock of their own."""
    created = {
        ref: posting_time(exchange.json_object)
        for exchange in exchanges
        if exchange.operation == "create_charge"
        and exchange.ok
        and isinstance(ref := exchange.request.json_object.get("external_ref"), str)
    }
    for event in deliveries:
        ref = at(event.json, "data.external_ref")
        if event_of(event, Api.BUSINESS) == CREATED and isinstance(ref, str):
            begun, dated = created.get(ref), posting_time(event.json)
            with suppress(TypeError):  # one names a zone, and the other does not
                if begun and dated:
                    yield dated - begun


def _reaches_back(newest: Rows, event: Delivery, late: timedelta) -> bool:
    """Whether a charge that was made so long before its event still belongs to the newest."""
    moment, dates = posting_time(event.json), [time for row in newest if (time := posting_time(row))]
    with suppress(TypeError):  # one names a zone, and the other does not
        return moment is not None and bool(dates) and min(dates) < moment - late
    return False
