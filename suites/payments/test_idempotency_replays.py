"""A transfer whose request is sent again with its idempotency key."""

import json
from collections.abc import Callable, Iterator

import pytest

from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

SentEarlier = Callable[[int], Transfer]
"""Returns one of seven transfers that were created one after the other, by its place."""
CENTS = range(342, 349)
"""The amounts of these transfers."""


@pytest.fixture(scope="session")
def sent_earlier(payments: Payments, a_transfer: TransferBody, clock: Clock) -> SentEarlier:
    """Create seven transfers, of 342 to 348 cents; return a function that returns one of them, to be sent again.

    Where its key may be forgotten meanwhile, other ones are created in its place and in those behind it.
    """
    transfers: list[Transfer] = []

    def create_from(place: int) -> None:
        transfers[place:] = [create_accepted_transfer(payments, a_transfer(amount=cents)) for cents in CENTS[place:]]

    def transfer(place: int) -> Transfer:
        if not is_remembered(transfers[place].created, clock):
            create_from(place)
        return transfers[place]

    create_from(0)
    return transfer


OTHERS = 17


def transfers_since(payments: Payments, first: Exchange) -> int:
    """Count the transfers that were created with the same credentials after this one."""
    later = (exchange for exchange in payments.sender.facts.exchanges if exchange.id > first.id and exchange.ok)
    return sum(exchange.operation == "create_transfer" and exchange.role == payments.role for exchange in later)


Replayed = tuple[Transfer, Exchange, Exchange]


@pytest.fixture(scope="session")
def replayed(payments: Payments, sent_earlier: SentEarlier) -> Replayed:
    """A transfer of 345 cents, and the responses when its request was sent again twice with its idempotency key."""
    first = sent_earlier(3)
    again, third = (payments.create_transfer(first.body, key=first.key) for _ in range(2))
    return first, again, third


@quick
@requirement("PAY-IDEM-01", "PAY-IDEM-19")
def test_no_replay_creates_a_second_transfer(replayed: Replayed) -> None:
    """POST of a transfer sent again with the same body and key returns the first transfer, or 409, both times."""
    first, *replays = replayed
    for again in replays:
        expect(again, answers_as_replay(), of="PAY-IDEM-19")
        expect(again, creates_no_second_transfer(first.created), of="PAY-IDEM-01")


@requirement("PAY-IDEM-01")
def test_a_replay_with_another_token_creates_no_second_transfer(payments: Payments, sent_earlier: SentEarlier) -> None:
    """POST of a transfer sent again with the same body and key, but a newer token, creates no second transfer."""
    first = sent_earlier(0)
    token = precondition(payments.authenticate(), has("token")).at("token")
    again = payments.create_transfer(first.body, key=first.key, authorization=payments.bearer(token))
    expect(again, creates_no_second_transfer(first.created))


@requirement("PAY-IDEM-01")
@deferred(0)
def test_a_replay_after_other_transfers_creates_no_second_transfer(
    payments: Payments, a_transfer: TransferBody, clock: Clock
) -> Iterator[None]:
    """POST of a transfer sent again after 17 other transfers, with the same body and key, creates no second one.

    The transfers of other tests count; where the key may be forgotten meanwhile, another transfer is sent again.
    """
    first = create_accepted_transfer(payments, a_transfer())
    yield
    if not is_remembered(first.created, clock):
        first = create_accepted_transfer(payments, a_transfer())
    for cents in range(341, 341 + OTHERS - transfers_since(payments, first.created)):
        create_accepted_transfer(payments, a_transfer(amount=cents))
    again = payments.create_transfer(first.body, key=first.key)
    expect(again, creates_no_second_transfer(first.created))


@requirement("PAY-IDEM-01")
@deferred(25)
def test_a_replay_after_25_seconds_creates_no_second_transfer(
    payments: Payments, a_transfer: TransferBody, clock: Clock
) -> Iterator[None]:
    """POST of a transfer sent again 25 s later with the same body and key, as after a timeout, creates no second one.

    Where the run takes so long that the key may be forgotten, another transfer is sent again after 4 s.
    """
    first = create_accepted_transfer(payments, a_transfer())
    yield
    if not is_remembered(first.created, clock):
        first = create_accepted_transfer(payments, a_transfer())
        clock.wait_until_aged(clock.now(), 25 if clock.turnable else 4)
    again = payments.create_transfer(first.body, key=first.key)
    expect(again, creates_no_second_transfer(first.created))


@requirement("PAY-IDEM-01")
def test_a_replay_after_a_conflict_creates_no_second_transfer(payments: Payments, sent_earlier: SentEarlier) -> None:
    """After a 409 for another body, POST with the first body and its key still returns the first transfer, or 409."""
    first = sent_earlier(1)
    payments.create_transfer({**first.body, "amount": 104}, key=first.key)
    again = payments.create_transfer(first.body, key=first.key)
    expect(again, creates_no_second_transfer(first.created))


@deferred(0)
@requirement("PAY-IDEM-01")
def test_a_replay_sends_no_event_of_another_transfer(
    optional_receiver: PaymentsReceiver, payments: Payments, a_transfer: TransferBody
) -> Iterator[None]:
    """POST of a transfer sent again with the same body and key sends no event of a second transfer."""
    postback = optional_receiver.postback("replay")
    first = create_accepted_transfer(payments, a_transfer(postbackUrl=postback.url))
    again = payments.create_transfer(first.body, key=first.key)
    yield
    optional_receiver.require_events()
    expect(again, sends_no_event(to=postback, about=AnotherTransfer(first.created)))


@requirement("PAY-TRF-41")
def test_a_replay_that_is_accepted_shows_the_amount_of_its_transfer(replayed: Replayed) -> None:
    """POST of a transfer of 345 cents sent again returns the data.amount 345, where it is accepted."""
    _, again, _ = replayed
    if not again.ok:
        raise NotApplicable("the same request again is refused")
    expect(precondition(again, has("data.amount", "integer")), field("data.amount", 345))


@requirement("PAY-IDEM-05")
def test_the_answer_to_a_replay_is_noted(replayed: Replayed, observe: Observer) -> None:
    """The document has two readings of a replay: the first answer again, or 409."""
    first, again, _ = replayed
    same = "the same body" if again.body == first.created.body else "another body"
    observe("PAY-IDEM-05", f"{outcome(again)}, {same}", {"status": again.status, "same": same}, first.created, again)


@pytest.fixture(scope="session")
def replay_after_completion(
    payments: Payments, sent_earlier: SentEarlier, approvals: Approvals
) -> tuple[Transfer, Exchange]:
    """Complete a transfer and send its request again directly: keys may be forgotten in time; return both."""
    first = sent_earlier(6)
    precondition(approvals.complete(first))
    return first, payments.create_transfer(first.body, key=first.key)


@requirement("PAY-IDEM-11")
def test_a_replay_after_the_completion_creates_no_second_transfer(
    replay_after_completion: tuple[Transfer, Exchange],
) -> None:
    """POST of a completed transfer sent again with the same body and key returns the first transfer, or 409."""
    first, again = replay_after_completion
    expect(again, creates_no_second_transfer(first.created))


@requirement("PAY-TRF-73")
def test_a_replay_after_the_completion_leaves_the_transfer_completed(
    payments: Payments, completed_transfer: CompletedTransfer, replay_after_completion: tuple[Transfer, Exchange]
) -> None:
    """GET of a completed transfer returns the status completed also after its POST was sent again."""
    precondition(completed_transfer.query, field("data.status", "completed"))
    first, _ = replay_after_completion
    query = poll_status(payments, lambda: payments.get_transfer(first.id), "completed")
    expect(precondition(query, has("data.status", "string")), field("data.status", "completed"))


@quick
@requirement("PAY-IDEM-16")
@pytest.mark.usefixtures("plain_debit")
def test_a_replay_takes_no_money(payments: Payments, sent_earlier: SentEarlier) -> None:
    """POST of a transfer sent again after another one, with its body and key, does not lower the free balance."""

    def send_again(cents: int) -> Relation:
        first = sent_earlier(CENTS.index(cents))
        before = precondition(payments.get_balance())
        payments.create_transfer(first.body, key=first.key)
        return is_not_debited(before, first.created, cents)

    expect_balance_after(payments, (346, 347), send_again)


@requirement("PAY-IDEM-12")
def test_other_texts_of_the_same_body_are_noted(
    payments: Payments, sent_earlier: SentEarlier, observe: Observer
) -> None:
    """A transfer is sent again with its fields in another order, with more blanks, or with the default currency."""
    first = sent_earlier(2)
    texts = {
        "fields in another order": json.dumps(dict(reversed(first.body.items()))),
        "with blanks": json.dumps(first.body, indent=4),
        "with the default currency": json.dumps({**first.body, "currency": "BRL"}),
    }
    answers = {
        what: payments.create_transfer(..., content=text.encode(), key=first.key) for what, text in texts.items()
    }
    note_answers(observe, "PAY-IDEM-12", answers)


@requirement("PAY-IDEM-15")
@deferred(AT_THE_END)
def test_how_long_a_key_is_remembered_is_noted(
    payments: Payments, transfer_left_alone: Transfer, clock: Clock, observe: Observer
) -> Iterator[None]:
    """A transfer that was created when the run began is sent again, with its key, at the end of the run."""
    first = transfer_left_alone
    yield
    age = clock.now() - clock.at(first.created.started)
    again = payments.create_transfer(first.body, key=first.key)
    known = "remembered" if is_met(creates_no_second_transfer(first.created), again) else "not remembered"
    observe("PAY-IDEM-15", f"after {age:.0f} s the key is {known}: {outcome(again)}", known, first.created, again)
