"""Requests whose response is lost on its way: sent again, as a client does, they have their effect once."""

from collections.abc import Iterator

import pytest

from fixtures import *
from fixtures.late_effects import wait_for_late_effects
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

pytestmark = pytest.mark.network_faults
CUT_AMOUNT = 1_234
"""A body that is cut three bytes before its end ends in 12, which is an amount too."""


@deferred(0)
@requirement("PAY-IDEM-01")
def test_a_transfer_that_is_sent_twice_is_created_once(
    optional_receiver: PaymentsReceiver, payments: Payments, a_transfer: TransferBody
) -> Iterator[None]:
    """POST of a transfer on two connections, and again with its key, sends no event of a second transfer."""
    postback = optional_receiver.postback("sent-twice")
    body, key = a_transfer(postbackUrl=postback.url), fresh_key()
    payments.create_transfer(body, key=key, network_fault=NetworkFault.SENT_TWICE)
    again = require_replay(payments.create_transfer(body, key=key))
    yield
    optional_receiver.require_events()
    expect(again, sends_no_event(to=postback, about=SecondTransfer(postback)))


@requirement("PAY-IDEM-16")
def test_a_transfer_whose_creation_is_cut_takes_money_once(cut_transfer: CutTransfer) -> None:
    """POST of a transfer that is cut and sent again with its key lowers the free balance once."""
    once = is_debited_once(cut_transfer.before, cut_transfer.again, cut_transfer.cents)
    expect(cut_transfer.after, once)


@deferred(0)
@requirement("PAY-IDEM-01")
def test_a_transfer_whose_creation_is_cut_is_created_once(
    optional_receiver: PaymentsReceiver, cut_transfer: CutTransfer
) -> Iterator[None]:
    """POST of a transfer that is cut and sent again with its key sends no event of a second transfer."""
    yield
    if cut_transfer.postback is None:
        raise NotApplicable("the target cannot reach the receiver")
    optional_receiver.require_events()
    postback = cut_transfer.postback
    expect(cut_transfer.again, sends_no_event(to=postback, about=SecondTransfer(postback)))


@deferred(0)
@requirement("PAY-IDEM-01", "PAY-EVT-68")
def test_a_transfer_whose_body_is_cut_is_not_created_of_its_beginning(
    optional_receiver: PaymentsReceiver, payments: Payments, a_transfer: TransferBody
) -> Iterator[None]:
    """POST of a transfer whose body breaks off within the amount creates nothing: only the whole one has events."""
    postback = optional_receiver.postback("cut-body")
    key = fresh_key()
    body = without_field(a_transfer(postbackUrl=postback.url), "amount") | {"amount": CUT_AMOUNT}  # as the last field
    payments.create_transfer(body, key=key, network_fault=NetworkFault.IN_BODY)
    again = require_replay(payments.create_transfer(body, key=key))
    yield
    optional_receiver.require_events()
    expect(again, sends_no_event(to=postback, about=SecondTransfer(postback)), of="PAY-IDEM-01")
    expect(again, sends_no_event(to=postback, about=TransferOfAnotherAmount(CUT_AMOUNT)), of="PAY-EVT-68")


@requirement("PAY-PAYS-11", "PAY-BAL-13")
def test_a_charge_whose_payment_is_cut_is_paid_once(cut_payment: CutChange) -> None:
    """A charge whose payment is cut and sent again is paid, and raises the free balance once."""
    charge = cut_payment.source
    expect(cut_payment.query, field("data.status", "paid"), of="PAY-PAYS-11")
    once = is_credited_once(cut_payment.before, charge.created, charge.amount)
    expect(cut_payment.after, once, of="PAY-BAL-13")


@requirement("PAY-BAL-13")
def test_a_payment_whose_request_is_cut_is_credited(
    cut_payment: CutChange, pay_between_balances: PayBetweenBalances
) -> None:
    """If another payment moves the free balance at once, one that is cut and sent again does so too."""
    require_exact_credit(pay_between_balances(CREDITED), CREDITED)
    precondition(cut_payment.query, field("data.status", "paid"))
    expect(cut_payment.after, is_moved_since(cut_payment.before))


@requirement("PAY-BAL-14")
def test_a_transfer_whose_creation_is_cut_is_debited(
    payments: Payments, cut_transfer: CutTransfer, plain_debit: TransferBetweenBalances
) -> None:
    """If another transfer moves the free balance at once, one that is cut and sent again does so too."""
    if not cut_transfer.again.ok or not wallet_delta(plain_debit.before, plain_debit.after):
        raise NotApplicable("the repetition is refused, or a transfer does not move the free balance at once")
    query = precondition(payments.get_transfer(id_of(cut_transfer.again)), has("data.status", "string"))
    if query.at("data.status") in FAILED:
        raise NotApplicable(f"the transfer failed by itself ({query.evidence})")
    expect(cut_transfer.after, is_moved_since(cut_transfer.before))


@requirement("PAY-CMP-10", "PAY-BAL-14")
def test_a_transfer_whose_completion_is_cut_is_completed_once(cut_completion: CutChange) -> None:
    """A transfer whose completion is cut and sent again is completed, and lowers the free balance once."""
    transfer = cut_completion.source
    expect(cut_completion.query, field("data.status", "completed"), of="PAY-CMP-10")
    once = is_debited_once(cut_completion.before, transfer.created, transfer.amount, requests=3)
    expect(cut_completion.after, once, of="PAY-BAL-14")


@deferred(0)
@pytest.mark.parametrize(
    ("change", "state", "event"),
    [
        case(("PAY-EVT-13", "PAY-EVT-34"), "cut_payment", "paid", "transaction_paid", id="payment"),
        case(("PAY-EVT-15", "PAY-EVT-34"), "cut_completion", "completed", "transfer_completed", id="completion"),
    ],
)
def test_a_change_whose_request_is_cut_sends_its_event(
    request: pytest.FixtureRequest, optional_receiver: PaymentsReceiver, change: str, state: str, event: str
) -> Iterator[None]:
    """A payment or a completion that is cut and sent again sends its event to the postbackUrl, once."""
    done: CutChange = request.getfixturevalue(change)
    yield
    optional_receiver.require_events()
    precondition(done.query, field("data.status", state))
    due = "PAY-EVT-13" if state == "paid" else "PAY-EVT-15"
    expect(done.cut, sends(event, to=done.source.postback, about=done.source), of=due)
    expect(done.cut, sends_no_second(event, to=done.source.postback, about=done.source), of="PAY-EVT-34")


@deferred(0)
@requirement("PAY-EVT-19")
@pytest.mark.parametrize(
    ("change", "event"),
    [("cut_payment", "transaction_paid"), ("cut_completion", "transfer_completed")],
    ids=["payment", "completion"],
)
def test_the_event_of_a_cut_change_is_not_sent_again(
    request: pytest.FixtureRequest, payments: Payments, change: str, event: str
) -> Iterator[None]:
    """The event of a payment or a completion that is cut comes once to a postbackUrl that answers 200."""
    done: CutChange = request.getfixturevalue(change)
    yield
    wait_for_late_effects(payments.sender.waits, done.cut)
    first = await_event(event, to=done.source.postback, about=done.source, cause=done.cut)
    wait_quiet_period(done.source.postback.channel)
    expect(first, is_not_sent_again(events_at_postback(done.source, event)))


@deferred(0)
@requirement("PAY-EVT-73")
def test_the_event_of_a_cut_completion_has_the_end_to_end_id_of_the_transfer(
    cut_completion: CutChange,
) -> Iterator[None]:
    """Each transfer_completed of a completion that is cut and sent again has the endToEndId that a query shows."""
    yield
    source, query = cut_completion.source, precondition(cut_completion.query)
    if not isinstance(query.at("data.endToEndId"), str):
        raise NotApplicable(f"the query shows no endToEndId ({query.evidence})")
    await_event("transfer_completed", to=source.postback, about=source, cause=cut_completion.cut)
    for event in events_at_postback(source, "transfer_completed"):
        require_field(event, "transfer.pix.endToEndId", "string")
        expect(event, field("transfer.pix.endToEndId", query.at("data.endToEndId")))


@deferred(AT_THE_END)
@requirement("PAY-WH-53")
def test_a_webhook_whose_registration_is_cut_is_listed_as_it_was_sent(
    payments: Payments, cut_registration: CutRegistration
) -> Iterator[None]:
    """A webhook whose registration is cut is in the list once, with the events that were sent, or not at all."""
    yield
    last = cut_registration if cut_registration.rows else list_webhooks_of(payments, cut_registration.body)
    if not last.rows:
        raise NotApplicable("the registration that was cut had no effect")
    expect(last.listing.first, lists_as_sent(last.body["url"], last.body["events"], last.listing.pages))


@deferred(AT_THE_END)
@requirement("PAY-WH-62", "PAY-WH-72")
def test_a_webhook_whose_removal_is_cut_is_removed(payments: Payments, cut_removal: CutRemoval) -> Iterator[None]:
    """A webhook whose DELETE is cut and sent again is missing from the list, then and at the end of the run."""
    yield
    wait_for_late_effects(payments.sender.waits, cut_removal.cut)
    last = list_all_pages(payments)
    expect(cut_removal.listing.first, lists_no_url([cut_removal.url], cut_removal.listing.pages), of="PAY-WH-62")
    expect(last.first, lists_no_url([cut_removal.url], last.pages), of="PAY-WH-72")


@deferred(0)
@requirement("PAY-WH-63")
def test_a_webhook_whose_removal_is_cut_receives_no_event(cut_removal: CutRemoval) -> Iterator[None]:
    """A webhook whose DELETE is cut and sent again receives no event of a charge created afterwards."""
    yield
    if cut_removal.address is None:
        raise NotApplicable("the target cannot reach the receiver")
    after = cut_removal.after
    expect(after.created, sends_no_event(to=cut_removal.address, about=after))
