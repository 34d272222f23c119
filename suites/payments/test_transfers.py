"""Creating transfers, and how they end that fail; test_transfer_fields.py asks of each field."""

from typing import Any

import pytest
from hypothesis import example, given

from fixtures import *
from fixtures.optional_fixtures import Possible
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *


@quick
@requirement("PAY-TRF-01")
def test_a_transfer_with_pix_key_and_amount_is_created(
    payments: Payments, first_transfers: list[TransferAttempt]
) -> None:
    """POST /api/v1/pix/out/pixkey with a pixKey, an amount and an idempotency key returns 200.

    Inconclusive if an empty wallet or an unknown PIX key may explain the refusal.
    """
    answer = [attempt.answer for attempt in first_transfers if set(attempt.body) == {"pixKey", "amount"}][-1]
    if why := refusal_explanation(payments, first_transfers, answer):
        raise Inconclusive(f"a plain transfer was answered {answer.status} ({answer.evidence}): {why}")
    expect(answer, status(200), has("data", "object"))


@pytest.mark.generated
@requirement("PAY-TRF-01")
def test_every_valid_transfer_is_created(
    payments: Payments, plain_transfer: Transfer, callback_url: CallbackUrl, generation: Generation
) -> None:
    """POST of each generated combination of valid fields, each of which is accepted alone, returns 200."""
    url = callback_url("generated")
    valid = valid_requests(generation, "create_transfer")

    def send(request: Generated) -> Exchange:
        return send_valid_transfer(payments, request, plain_transfer, url)

    expect_accepted(valid, send, status(200), has("data", "object"))


@quick
@requirement("PAY-TRF-41")
def test_the_amount_is_the_one_that_was_sent(transfer_left_alone: Transfer) -> None:
    """POST of a transfer of 456 cents returns the data.amount 456, with fees and without."""
    expect(precondition(transfer_left_alone.created, has("data.amount", "integer")), field("data.amount", 456))


@pytest.mark.fewer_examples
@requirement("PAY-TRF-41")
@given(cents=strategies.small_amounts())
@example(cents=1)
@example(cents=100)
def test_every_amount_is_the_one_that_was_sent(payments: Payments, a_transfer: TransferBody, cents: int) -> None:
    """POST of a transfer of 1 to 300 cents returns as data.amount the number of cents that was sent."""
    created = precondition(payments.create_transfer(a_transfer(amount=cents), key=fresh_key()))
    expect(precondition(created, has("data.amount", "integer")), field("data.amount", cents))


@requirement("PAY-TRF-42")
def test_the_pix_key_is_the_one_that_was_sent(plain_transfer: Transfer) -> None:
    """POST of a transfer returns the pixKey that was sent, written as it was sent."""
    created = precondition(plain_transfer.created, has("data.pixKey", "string"))
    expect(created, field("data.pixKey", plain_transfer.body["pixKey"]))


@requirement("PAY-TRF-78")
@pytest.mark.parametrize("key_type", ["cpf", "cnpj", "email", "phone", "evp"])
def test_a_transfer_shows_no_other_pix_key(
    transfers_to_each_key_type: dict[str, TransferAttempt], queries_of_each_key_type: dict[str, Exchange], key_type: str
) -> None:
    """POST and GET of a transfer return no other pixKey than the one sent, though newer transfers have others."""
    sent = transfers_to_each_key_type[key_type]
    if not sent.answer.ok:
        raise NotApplicable(f"no transfer to a key of the type {key_type} was accepted")
    for answer in (sent.answer, queries_of_each_key_type[key_type]):
        expect(precondition(answer, has("data.pixKey", "string")), shows_no_other_key(sent.body["pixKey"]))


@requirement("PAY-TRF-78")
@pytest.mark.parametrize("key_type", ["cpf", "cnpj"])
def test_a_pix_key_that_begins_with_zero_keeps_the_zero(
    payments: Payments, a_transfer: TransferBody, key_type: str
) -> None:
    """POST and GET of a transfer to a CPF or CNPJ that begins with 0 return no other pixKey, such as one without 0."""
    key = pix_key.from_0(key_type)
    created = payments.create_transfer(a_transfer(pixKey=key), key=fresh_key())
    if not created.ok:
        raise NotApplicable(f"no transfer to the key {key} was accepted")
    for answer in (created, payments.get_transfer(id_of(created))):
        expect(precondition(answer, has("data.pixKey", "string")), shows_no_other_key(key))


@requirement("PAY-TRF-43", "PAY-TRF-76")
def test_the_net_amount_is_the_amount_minus_the_fees(transfer_left_alone: Transfer) -> None:
    """POST of a transfer returns as netAmount the amount minus the fees, or at least the amount itself."""
    expect(transfer_left_alone.created, has_net_amount_with_or_without_fees(), of="PAY-TRF-76")
    expect(transfer_left_alone.created, has_net_amount_less_fees(), of="PAY-TRF-43")


@requirement("PAY-TRF-82")
@pytest.mark.usefixtures("plain_debit")
def test_a_transfer_refused_for_its_currency_takes_no_money(payments: Payments, a_transfer: TransferBody) -> None:
    """A transfer in USD that is refused with 400 does not lower the free balance by its amount."""

    def send_refused(cents: int) -> Relation:
        before = precondition(payments.get_balance())
        refused = payments.create_transfer(a_transfer(amount=cents, currency="USD"), key=fresh_key())
        return is_not_debited(before, require_refusal(refused, 400), cents)

    expect_balance_after(payments, (199, 211), send_refused)


@requirement("PAY-TRF-40")
def test_the_first_status_of_a_transfer_is_noted(plain_transfer: Transfer, observe: Observer) -> None:
    """POST of a transfer returns a data.status; the sample of the document shows pending."""
    state = plain_transfer.created.at("data.status")
    observe("PAY-TRF-40", f"a new transfer is {state}", state, plain_transfer.created)


@requirement("PAY-TRF-74")
def test_the_statuses_of_a_transfer_are_noted(payments: Payments, a_transfer: TransferBody, observe: Observer) -> None:
    """GET of a new transfer is repeated for a second, and the statuses that it passes through are noted."""
    created = create_accepted_transfer(payments, a_transfer()).created
    seen: list[tuple[float, Any]] = [(0.0, created.at("data.status"))]
    seconds = 0.0
    while seconds < 1.0:
        payments.sender.waits.pause(0.25)
        query = precondition(payments.get_transfer(id_of(created)))
        seconds = query.ended - created.ended
        if query.at("data.status") != seen[-1][1]:
            seen.append((round(seconds, 2), query.at("data.status")))
    words = ", ".join(f"{state} after {after:.1f} s" for after, state in seen)
    observe("PAY-TRF-74", f"seen: {words}", seen)


@deferred(AT_THE_END)
@requirement("PAY-TRF-10")
def test_a_transfer_beyond_the_balance_is_noted(
    transfer_beyond_balance: TransferBeyondBalance, observe: Observer
) -> None:
    """A transfer of ten units more than the free balance is sent when the other tests are done: it may empty it."""
    answer, cents = transfer_beyond_balance.created, transfer_beyond_balance.cents
    state = transfer_beyond_balance.query.at("data.status") or None
    words = f"{cents} cents: {outcome(answer)}" + (f", then it is {state}" if answer.ok else "")
    observe("PAY-TRF-10", words, {"status": answer.status, "state": state}, answer)


@pytest.fixture(scope="session")
def very_large_transfers(payments: Payments, a_transfer: TransferBody) -> dict[str, Exchange]:
    """Send transfers of very many cents; return the answers by their amounts."""
    return {
        str(cents): payments.create_transfer(a_transfer(amount=cents), key=fresh_key())
        for cents in (2**31, 2**53, 10**20)
    }


@deferred(AT_THE_END)
@requirement("PAY-TRF-27")
def test_a_very_large_amount_is_noted(very_large_transfers: dict[str, Exchange], observe: Observer) -> None:
    """Transfers of very many cents are sent; a refusal may mean the amount or the balance."""
    note_answers(observe, "PAY-TRF-27", very_large_transfers)


@deferred(AT_THE_END)
@requirement("PAY-BAL-15")
@pytest.mark.usefixtures("very_large_transfers")
def test_no_transfer_is_accepted_far_below_zero(payments: Payments, a_transfer: TransferBody) -> None:
    """After transfers of very many cents, one is refused or fails if pix.balance is 10,000,000.00 below zero."""
    balance = precondition(payments.get_balance(), has("data.pix.balance", "string"))
    later: list[Exchange] = []
    if is_far_below_zero(balance):
        created = payments.create_transfer(a_transfer(), key=fresh_key())
        later.append(query_once_decided(payments, created) if created.ok else created)
    expect(balance, lends_no_more(later))


@deferred(AT_THE_END)
@requirement("PAY-TRF-93")
@pytest.mark.parametrize("number", BEYOND_A_DOUBLE.values(), ids=BEYOND_A_DOUBLE)
def test_an_amount_beyond_a_double_causes_no_server_error(
    payments: Payments, a_transfer: TransferBody, number: str
) -> None:
    """POST of a transfer of 1e400 cents, and of one with 40 digits, is accepted or refused, but not with a 5xx."""
    content = with_number(a_transfer(), "amount", number)
    expect(payments.create_transfer(..., content=content, key=fresh_key()), is_no_server_error())


@pytest.fixture(scope="session")
def failed_transfer(transfer_beyond_balance: TransferBeyondBalance) -> TransferBeyondBalance:
    """Return the transfer above the balance; NotApplicable unless it was accepted, and failed."""
    transfer = transfer_beyond_balance
    if not transfer.created.ok or transfer.query.at("data.status") not in FAILED:
        raise NotApplicable("no transfer of this run failed")
    return transfer


@deferred(AT_THE_END)
@requirement("PAY-TRF-89")
def test_the_status_and_events_of_a_failed_transfer_are_noted(
    failed_transfer: TransferBeyondBalance,
    possible_receiver: Possible[PaymentsReceiver],
    run: Run,
    observe: Observer,
) -> None:
    """The status of a transfer above the balance that failed, and the events about it, are noted."""
    channel = run.receiving.channels[Api.PAYMENTS]
    if values(possible_receiver):
        wait_quiet_period(channel)
    came = [event for event in events_of_run(channel) if at(event.json, "transfer.id") == failed_transfer.id]
    names = sorted({str(event_of(delivery, Api.PAYMENTS)) for delivery in came})
    status = failed_transfer.query.at("data.status")
    words = f"the transfer is {status}; events: {', '.join(names) or 'none was seen'}"
    observe("PAY-TRF-89", words, {"status": status, "events": names}, failed_transfer.query, *came[:2])


@deferred(AT_THE_END)
@requirement("PAY-TRF-90")
def test_the_balance_after_a_failed_transfer_is_noted(
    failed_transfer: TransferBeyondBalance, payments: Payments, observe: Observer
) -> None:
    """The free balance after a transfer of ten units more than it has failed is noted."""
    free = wallet_cents(precondition(payments.get_balance()))
    words = f"after a transfer of {failed_transfer.cents} cents failed, {free} cents are free"
    observe("PAY-TRF-90", words, free, failed_transfer.created, failed_transfer.query)
