"""Simultaneous payments and cancels of one charge."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import pytest

from fixtures.business import *
from fixtures.optional_fixtures import available
from pix_conformance.testing import *
from pix_conformance.testing.business import *


def pay_and_cancel_simultaneously(business: Business, *, cancel_first: bool, apart_ms: int = 0) -> Race:
    """Send a payment and a cancel of one charge at once, or so many ms apart; the first response is of the payment."""
    charge = create_pending_charge(business, amount_cents=fresh_amount(business))
    number = id_of(charge)
    requests = [partial(send, number, group=number) for send in (business.pay_charge, business.cancel_charge)]
    answers = send_concurrently(*(reversed(requests) if cancel_first else requests), apart_ms=apart_ms)
    responses = [require_decision(answer) for answer in (answers[::-1] if cancel_first else answers)]
    return Race(charge, responses, precondition(poll_until_not_pending(business, charge)))


@dataclass(frozen=True)
class PaidAndCanceled:
    """A simultaneous payment and cancel, and a query after the first one that shows the charge as decided."""

    race: Race
    later: Exchange


@pytest.fixture(scope="session")
def payment_after_races(request: pytest.FixtureRequest, business: Business) -> Shown:
    """A charge that is paid alone after those that were paid and canceled at once: a control."""
    available(request, "paid_five_times", "races")
    return pay_control(business)


@requirement("BUS-STATE-06")
@pytest.mark.concurrent
def test_simultaneous_payments_capture_once(
    business: Business, paid_five_times: PaidFiveTimes, payment_after_races: Shown
) -> None:
    """A charge that receives five payments at once leaves as many postings of each kind as one that is paid once.

    Where later payments have displaced these, the ledgers since then show no more of what says the same.
    """
    cents, paid = paid_five_times.amount, payment_after_races
    is_displaced = postings_of(paid_five_times.ledger_soon, cents) and not postings_of(paid[0], cents)
    finance = paid[0] if is_displaced else ledger_of_equal_payments(business, cents, paid)
    earlier = [it for it in ledgers_since(business, paid_five_times.ledger_before) if it.started < finance.started]
    most = max(contents_of(*paid).values(), default=1)
    expect_every([(finance, captured_once(cents, paid)), (finance, shows_no_more_captures(cents, most, earlier))])


@requirement("BUS-STATE-06")
@pytest.mark.concurrent
def test_simultaneous_payments_credit_once(paid_at_once: PaidAtOnce) -> None:
    """If a payment raises available_cents at once, five simultaneous ones of a charge raise it no more than one."""
    together, alone, last = paid_at_once.five_times, paid_at_once.alone, paid_at_once.last
    expect(together.after, credited_once(paid_at_once.cents, together.before, alone.balances, last.balances))


@requirement("BUS-STATE-09")
@pytest.mark.concurrent
def test_simultaneous_payments_have_one_e2e_id(business: Business, paid_five_times: PaidFiveTimes) -> None:
    """The responses to five simultaneous payments, and two queries after them, show one e2e_id."""
    later = precondition(business.get_charge(id_of(paid_five_times.charge)))
    expect(later, names_one_payment([*paid_five_times.responses, paid_five_times.after]))


RACES = [("cancel", 0), ("pay", 0), ("pay", 10), ("cancel", 10), ("cancel", 40)]
"""What is sent first, and how many milliseconds before the other; a pair at once is in `test_simultaneous` too."""


@dataclass(frozen=True)
class Races:
    """Charges that were paid and canceled at once, and the ledger before them."""

    by_moment: Mapping[tuple[str, int], Race]
    before: Exchange


@pytest.fixture(scope="session")
def races(request: pytest.FixtureRequest, business: Business) -> Races:
    """Send a payment and a cancel of a charge at each of several moments."""
    available(request, "optional_webhook_endpoint")  # so that it receives the events
    before = precondition(business.get_finance())
    by_moment = {
        (first, apart_ms): pay_and_cancel_simultaneously(business, cancel_first=first == "cancel", apart_ms=apart_ms)
        for first, apart_ms in RACES
    }
    return Races(by_moment, before)


@pytest.fixture(scope="session", params=RACES, ids=lambda race: f"{race[0]}-first-{race[1]}-ms")
def paid_and_canceled(request: pytest.FixtureRequest, business: Business, races: Races) -> PaidAndCanceled:
    """A charge for which a payment and a cancel were sent simultaneously, and a later query."""
    race = races.by_moment[request.param]
    return PaidAndCanceled(race, precondition(business.get_charge(id_of(race.charge))))


@requirement("BUS-STATE-07")
@pytest.mark.concurrent
def test_a_payment_and_a_simultaneous_cancel_end_in_one_status(paid_and_canceled: PaidAndCanceled) -> None:
    """A charge that receives a payment and a cancel at once is paid or canceled, and the same in a later query."""
    payment, cancel = paid_and_canceled.race.responses
    expect(paid_and_canceled.later, ends_in_one_status(payment, cancel, earlier=paid_and_canceled.race.after))


@requirement("BUS-STATE-12")
@pytest.mark.concurrent
def test_a_cancel_that_succeeds_is_not_undone_by_a_simultaneous_payment(paid_and_canceled: PaidAndCanceled) -> None:
    """A charge that receives a payment and a cancel at once is canceled if the cancel returned a 2xx."""
    _, cancel = paid_and_canceled.race.responses
    if not cancel.ok:
        raise NotApplicable("the cancel was refused")
    expect(paid_and_canceled.later, field("status", "canceled"))


@requirement("BUS-STATE-03")
@pytest.mark.concurrent
def test_a_payment_that_was_shown_is_not_undone_by_a_simultaneous_cancel(paid_and_canceled: PaidAndCanceled) -> None:
    """A charge that receives a payment and a cancel at once is paid if the response to the payment showed it paid."""
    payment, _ = paid_and_canceled.race.responses
    if not payment.ok or payment.at("status") != "paid":
        raise NotApplicable("the payment was refused, or its response does not show the status")
    expect(paid_and_canceled.later, field("status", "paid"))


@requirement("BUS-STATE-16")
@pytest.mark.concurrent
def test_no_charge_that_is_canceled_in_a_race_is_captured(
    races: Races, payment_after_races: Shown, ledger_with_unpaid_charge: Shown
) -> None:
    """Of charges that receive a pay and a cancel request some milliseconds apart, none that is canceled is captured."""
    canceled = [race.amount for race in races.by_moment.values() if race.after.at("status") == "canceled"]
    if not canceled:
        raise NotApplicable("no charge was canceled")
    for cents in canceled:
        unposted = captures_nothing(cents, races.before, payment_after_races, ledger_with_unpaid_charge)
        expect(payment_after_races[0], unposted)


@deferred(0)
@requirement("BUS-EVT-28")
@pytest.mark.concurrent
def test_a_change_that_loses_a_race_sends_no_event(races: Races, business_events: BusinessEvents) -> Iterator[None]:
    """A charge that receives a pay and a cancel request at once sends only the event of the one that it ends with."""
    yield
    other = {"paid": CANCELED, "canceled": PAID}
    for race in races.by_moment.values():
        if event := other.get(str(race.after.at("status"))):
            unsent = sends_no_event(event, to=business_events.endpoint, about=ReportedCharge(race.charge))
            expect(race.after, unsent)
