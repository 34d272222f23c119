"""What the responses of the whole run say of charges and transfers, by the requests of all tests."""

from collections.abc import Callable, Iterable

import pytest

from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

pytestmark = pytest.mark.whole_run
Judge = Callable[[Records], Iterable[tuple[Exchange, Matcher]]]
"""Yields responses of the run, each with what it has to be."""


@deferred(AT_THE_END)
@pytest.mark.parametrize(
    "judge",
    [
        case("PAY-CHG-71", lambda records: records.ids("get_charge"), id="queried-charge"),
        case("PAY-PAYS-08", lambda records: records.ids("pay_charge"), id="paid-charge"),
        case("PAY-TRF-63", lambda records: records.ids("get_transfer"), id="queried-transfer"),
        case("PAY-CMP-08", lambda records: records.ids("complete_transfer"), id="completed-transfer"),
        case("PAY-CHG-77", lambda records: records.changed_fields("pix.emv"), id="code"),
        case("PAY-CHG-72", lambda records: records.changed_fields("pix.emv", "pix.qrCode", "fees"), id="image-fees"),
        case("PAY-TRF-41", lambda records: records.amounts("create_transfer"), id="amount-of-a-new-transfer"),
        case("PAY-TRF-64", lambda records: records.amounts("get_transfer"), id="amount-of-a-queried-transfer"),
        case("PAY-TRF-76", lambda records: records.net_amounts("create_transfer"), id="net-amount-of-a-new-transfer"),
        case("PAY-TRF-76", lambda records: records.net_amounts("get_transfer"), id="net-amount-of-a-queried-transfer"),
        case("PAY-TRF-80", lambda records: records.moments("processedAt", "completed"), id="processedAt"),
        case("PAY-TRF-87", lambda records: records.moments("createdAt"), id="createdAt"),
        case("PAY-TRF-69", lambda records: records.end_to_end_ids(), id="endToEndId"),
    ],
)
def test_every_response_shows_what_was_sent_and_created(payments_records: Records, judge: Judge) -> None:
    """Each response has the id in its path, what was sent, and the code, amounts, times and endToEndId shown before."""
    expect_every(judge(payments_records))


@deferred(AT_THE_END)
@pytest.mark.parametrize(
    "judge",
    [
        case("PAY-CHG-41", lambda records: records.repeated_ids(), id="id"),
        case("PAY-CHG-81", lambda records: records.repeated_codes(), id="code"),
        case("PAY-CHG-79", lambda records: records.foreign_images(), id="code-in-the-image"),
        case("PAY-CHG-43", lambda records: records.images(), id="image"),
        case("PAY-CHG-52", lambda records: records.codes(), id="crc"),
        case("PAY-PAYS-10", lambda records: records.repeated_end_to_end_ids("pay_charge"), id="payment"),
        case("PAY-CMP-20", lambda records: records.repeated_end_to_end_ids("complete_transfer"), id="completion"),
    ],
)
def test_every_new_charge_has_an_id_and_a_valid_code_of_its_own(payments_records: Records, judge: Judge) -> None:
    """Each new charge has its own id, pix.emv with a CRC and image, each payment and completion its own endToEndId."""
    expect_every(judge(payments_records))


@deferred(AT_THE_END)
@pytest.mark.parametrize(
    "judge",
    [
        case("PAY-CHG-40", lambda records: records.first_statuses(), id="new-charge-is-pending"),
        case("PAY-PAYS-19", lambda records: records.unpaid(), id="charge-without-a-payment-is-not-paid"),
        case("PAY-PAYS-11", lambda records: records.statuses("get_charge", "paid", "refunded"), id="paid-charge"),
        case("PAY-TRF-73", lambda records: records.statuses("get_transfer", "completed"), id="completed-transfer"),
    ],
)
def test_every_response_shows_a_status_that_is_due(payments_records: Records, judge: Judge) -> None:
    """A new charge is pending, none is paid without a payment, and what is paid or completed stays so, 5 s later.

    Whether the service refunds a charge by itself is open (PAY-CHG-76).
    """
    expect_every(judge(payments_records))


@quick
@deferred(AT_THE_END)
@requirement("PAY-TRF-91")
def test_when_a_transfer_has_an_end_to_end_id_is_noted(
    completed_transfer: CompletedTransfer, payments_records: Records, observe: Observer
) -> None:
    """The statuses in which the queries of the run showed an endToEndId, and those without one, are noted."""
    precondition(completed_transfer.answer)
    shown = {name: sorted(statuses) for name, statuses in payments_records.statuses_by_end_to_end_id().items()}
    words = "; ".join(f"{name} endToEndId: {', '.join(statuses) or 'never'}" for name, statuses in shown.items())
    observe("PAY-TRF-91", words, shown)


@deferred(AT_THE_END)
@requirement("PAY-GEN-19")
def test_every_route_responds(payments: Payments) -> None:
    """Each route responds to one of its requests at least, if others did within 10 s of three or more of them."""
    expect_every(unanswered_routes(payments.sender.whole_run.exchanges, Api.PAYMENTS))


@quick
@deferred(AT_THE_END)
@requirement("PAY-GEN-21")
def test_the_service_still_responds_at_the_end(payments: Payments) -> None:
    """GET /api/v1/balance is answered at the end of the run, after all that was sent in it."""
    # A target that has stopped fails here by `session.stopped_target`.
    expect(precondition(read_account(payments)), is_not_the_last_response([]))


@deferred(AT_THE_END)
@requirement("PAY-AUTH-09")
def test_a_token_is_accepted_for_many_requests(payments: Payments) -> None:
    """No request of the run was refused for its token while that token was the newest one and less than 50 s old."""
    expect_every(uses_of_valid_tokens(payments.sender.whole_run.exchanges))


@deferred(AT_THE_END)
@requirement("PAY-GEN-20")
def test_no_route_drops_a_request(payments: Payments) -> None:
    """No request loses its connection without a response twice in a row, while another responds within 10 s of it."""
    expect_every(dropped_requests(payments.sender.whole_run.exchanges, Api.PAYMENTS))


@deferred(AT_THE_END)
@requirement("PAY-TRF-73")
def test_transfers_that_were_completed_soon_are_still_completed(payments: Payments, payments_records: Records) -> None:
    """GET of the three transfers that were completed soonest after their creation returns completed at the end."""
    soonest = payments_records.completed_soonest()
    if not soonest:
        raise NotApplicable("no transfer was completed in this run")
    for transfer in soonest[:3]:
        query = precondition(payments.get_transfer(transfer), has("data.status", "string"))
        expect(query, field("data.status", "completed"))
