"""Requests that are cut while others come: a stranger has its own answer, late effects stay away, text stays whole."""

from collections.abc import Iterator

import pytest

from fixtures.late_effects import wait_for_late_effects
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

pytestmark = pytest.mark.network_faults
MOST_COMPARED = 60
"""How many registrations are compared at most."""


@requirement("PAY-AUTH-21", "PAY-AUTH-01")
def test_a_login_whose_response_is_lost_hinders_no_other(payments: Payments) -> None:
    """After a POST /api/auth that was cut, the earlier token is accepted, and the next login returns a token."""
    token = payments.bearer(current_token(payments))
    precondition(read_account(payments, authorization=token))
    payments.authenticate(network_fault=NetworkFault.AFTER_REQUEST)
    balance, login = read_account(payments, authorization=token), payments.authenticate()
    expect(balance, accepts_the_token(), of="PAY-AUTH-21")
    expect(login, status(200), has("token"), of="PAY-AUTH-01")


@requirement("PAY-ISO-09")
def test_a_login_after_a_cut_one_of_another_account_is_its_own(
    payments: Payments, other_payments: Payments, pay_between_balances: PayBetweenBalances
) -> None:
    """The token that an account gets after the login of another one was cut shows its own balance."""
    pay_between_balances(CREDITED)  # so that the two balances differ
    theirs, own = precondition(payments.get_balance()), precondition(other_payments.get_balance())
    payments.authenticate(network_fault=NetworkFault.AFTER_REQUEST)
    token = other_payments.bearer(new_token(other_payments))
    balance = precondition(other_payments.get_balance(authorization=token))
    expect(balance, is_not_the_balance_of(own, theirs))


@pytest.mark.parametrize(
    ("operation", "fixture"),
    [
        case("PAY-CHG-71", "get_charge", "cut_charge", id="charge"),
        case("PAY-TRF-63", "get_transfer", "lost_transfer", id="transfer"),
    ],
)
def test_a_query_after_a_cut_one_shows_its_own_object(
    request: pytest.FixtureRequest, payments: Payments, operation: str, fixture: str
) -> None:
    """The query of a charge or transfer after that of another one was cut shows the id in its own path."""
    created: CutCharge | LostTransfer = request.getfixturevalue(fixture)
    query, number = getattr(payments, operation), id_of(precondition(created.stranger))
    query(id_of(created.created), network_fault=NetworkFault.AFTER_REQUEST)
    expect(precondition(query(number)), field("data.id", number))


@requirement("PAY-CHG-41", "PAY-CHG-70")
def test_a_charge_that_is_created_after_a_cut_creation_is_its_own(cut_charge: CutCharge) -> None:
    """The charge that is created after a creation was cut is found, and another one than that of the repetition."""
    expect(cut_charge.query, status(200), of="PAY-CHG-70")
    expect(cut_charge.again, has_another_id_than(cut_charge.stranger), of="PAY-CHG-41")


@deferred(0)
@requirement("PAY-EVT-01", "PAY-EVT-48")
def test_a_charge_that_is_created_after_a_cut_creation_has_its_own_event(
    payments: Payments, webhook_all_events: Webhook, cut_charge: CutCharge
) -> Iterator[None]:
    """The charge that is created after a creation was cut sends transaction_created with its own amount."""
    yield
    cents = cut_charge.stranger.request.json_object["amountInCents"]
    source = source_of(payments, "transaction", cut_charge.stranger, cents)
    expect(source.created, sends("transaction_created", to=webhook_all_events, about=source), of="PAY-EVT-01")
    event = await_event("transaction_created", to=webhook_all_events, about=source, cause=source.created)
    require_field(event, "transaction.amount", "integer")
    expect(event, field("transaction.amount", cents), of="PAY-EVT-48")


@deferred(0)
@requirement("PAY-EVT-18")
def test_a_charge_whose_body_is_cut_is_not_created_of_its_beginning(
    webhook_all_events: Webhook, cut_charge: CutCharge
) -> None:
    """POST of a charge whose body breaks off within the amount sends no event of the amount that came."""
    if cut_charge.never_created is None:
        raise NotApplicable("the target cannot reach the receiver")
    precondition(cut_charge.again)
    expect(cut_charge.in_body, sends_no_event(to=webhook_all_events, about=cut_charge.never_created))


@requirement("PAY-TRF-41", "PAY-IDEM-09")
def test_a_transfer_that_is_created_after_a_cut_creation_is_its_own(lost_transfer: LostTransfer) -> None:
    """The transfer that is created after a creation was cut has its own amount, and another id than the repetition."""
    stranger = precondition(lost_transfer.stranger, has("data.amount", "integer"))
    expect(stranger, field("data.amount", stranger.request.json_object["amount"]), of="PAY-TRF-41")
    expect(lost_transfer.created, has_another_id_than(stranger), of="PAY-IDEM-09")


@deferred(AT_THE_END)
@requirement("PAY-TRF-50")
def test_a_transfer_whose_creation_is_cut_is_found_by_the_id_of_the_repetition(
    payments: Payments, lost_transfer: LostTransfer
) -> Iterator[None]:
    """A transfer whose creation is cut and sent again with its key is found by its id, then and at the end."""
    created = lost_transfer.created
    yield
    wait_for_late_effects(payments.sender.waits, lost_transfer.cut)
    expect(lost_transfer.query, status(200))
    expect(payments.get_transfer(id_of(created)), status(200))


@deferred(0)
@requirement("PAY-EVT-03", "PAY-EVT-68")
def test_a_transfer_whose_creation_is_cut_sends_its_event(
    payments: Payments, webhook_all_events: Webhook, lost_transfer: LostTransfer
) -> Iterator[None]:
    """A transfer whose creation is cut and sent again with its key sends transfer_created with its amount."""
    yield
    cents = lost_transfer.body["amount"]
    source = source_of(payments, "transfer", lost_transfer.created, cents)
    expect(lost_transfer.cut, sends("transfer_created", to=webhook_all_events, about=source), of="PAY-EVT-03")
    event = await_event("transfer_created", to=webhook_all_events, about=source, cause=lost_transfer.cut)
    require_field(event, "transfer.amount", "integer")
    expect(event, field("transfer.amount", cents), of="PAY-EVT-68")


@deferred(AT_THE_END)
@pytest.mark.parametrize(
    ("change", "query", "wanted"),
    [
        case("PAY-PAYS-11", "cut_payment", "get_charge", "paid", id="payment"),
        case("PAY-TRF-73", "cut_completion", "get_transfer", "completed", id="completion"),
    ],
)
def test_a_change_whose_request_is_cut_is_not_undone(
    request: pytest.FixtureRequest, payments: Payments, change: str, query: str, wanted: str
) -> Iterator[None]:
    """Once a query shows that a cut payment or completion had its effect, each later one does, also at the end."""
    done: CutChange = request.getfixturevalue(change)
    yield
    wait_for_late_effects(payments.sender.waits, done.cut)
    precondition(done.query, field("data.status", wanted))
    last = precondition(getattr(payments, query)(done.source.id), has("data.status", "string"))
    expect(last, status_is_kept(wanted, [done.between, done.query, last], done.query.ended))


@requirement("PAY-WH-28")
def test_a_webhook_that_is_registered_after_a_cut_registration_is_its_own(lost_registration: LostRegistration) -> None:
    """The record of a webhook that is registered after a registration was cut does not have the url of that."""
    stranger = precondition(lost_registration.stranger, has("data.url"))
    expect(stranger, not_field("data.url", lost_registration.body["url"]))


@requirement("PAY-WH-77")
@pytest.mark.usefixtures("plain_webhook")
def test_the_id_of_a_removed_webhook_is_not_given_to_another(
    payments: Payments, lost_registration: LostRegistration
) -> None:
    """All webhooks that the account has registered in this run have different ids, those that were removed too."""
    precondition(lost_registration.stranger)
    asked = [it for it in payments.sender.facts.exchanges if it.operation == "create_webhook"]
    registered = [it for it in asked if it.ok and it.role == payments.role and it.at("data.id") is not MISSING]
    expect(registered[-1], has_an_id_of_its_own(registered[-MOST_COMPARED:]))


@requirement("PAY-WH-53")
def test_a_webhook_whose_body_comes_in_pieces_is_listed_as_it_was_sent(uploads: Uploads) -> None:
    """A webhook whose body came in pieces, beside others, is in the list at most once, with the events of that body."""
    registration = uploads.registration
    body = registration.body
    expect(registration.listing.first, lists_as_sent(body["url"], body["events"], registration.listing.pages))


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        case("PAY-CHG-01", "charge", 200, id="charge"),
        case("PAY-TRF-01", "transfer", 200, id="transfer"),
        case("PAY-WH-01", "webhook", 201, id="webhook"),
    ],
)
def test_what_comes_in_pieces_is_created_as_if_it_were_whole(uploads: Uploads, name: str, wanted: int) -> None:
    """POST of a charge, a transfer and a webhook whose bodies come in pieces at the same time create them."""
    expect(getattr(uploads, name), status(wanted))


@deferred(0)
@requirement("PAY-EVT-68", "PAY-IDEM-01")
def test_a_transfer_whose_body_comes_in_pieces_is_created_whole(uploads: Uploads) -> None:
    """A transfer whose body comes in pieces, beside others, has events of its amount only, and is created once."""
    to = uploads.transfer_postback
    again = uploads.repeated_transfer
    expect(again, sends_no_event(to=to, about=TransferOfAnotherAmount(UPLOADED)), of="PAY-EVT-68")
    expect(again, sends_no_event(to=to, about=SecondTransfer(to)), of="PAY-IDEM-01")


@requirement("PAY-EVT-35")
def test_a_name_whose_characters_come_in_pieces_stays_whole(
    uploads: Uploads, payer_of_uploaded_charge: Delivery
) -> None:
    """The transaction_paid of a charge has the customer's name whole, though a piece of the body ended within it."""
    expect(payer_of_uploaded_charge, goes_on_like(uploads.name))
