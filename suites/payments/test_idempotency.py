"""Idempotency keys of transfers: one key, one transfer."""

from functools import partial
from typing import Any

import pytest
from hypothesis import given

from fixtures import *
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

DESCRIPTION = "Prize of May"
ALMOST_LONGEST = ascii_text(limit(Api.PAYMENTS, "create_transfer", "description", "maxLength") - 1)
"""One character less than a description may have."""
PLAIN_CHANGES: tuple[dict[str, Any], ...] = (
    {"description": DESCRIPTION}, {"pixKey": made_up_pix_key("evp")}, {"amount": 101}, {"amount": 103},
)  # fmt: skip
"""Each makes another body of a transfer of 102 cents without a description."""


@pytest.fixture(scope="session")
def described_transfer(payments: Payments, a_transfer: TransferBody) -> Transfer:
    """A transfer with a description."""
    return create_accepted_transfer(payments, a_transfer(description=DESCRIPTION))


def expect_conflict(payments: Payments, first: Transfer, other: dict[str, Any]) -> None:
    """Send another body with the key of a transfer, and expect 409; NotApplicable where it is invalid under any key."""
    answer = payments.create_transfer(other, key=first.key)
    expect(unless_body_is_invalid(payments.create_transfer, answer), is_409_for_another_body(first.body, other))


@requirement("PAY-IDEM-02")
@pytest.mark.parametrize(
    "description",
    [
        pytest.param(DESCRIPTION.upper(), id="capitals"),
        pytest.param(DESCRIPTION.replace("a", "\u00e1"), id="accent"),
        pytest.param(LEFT_OUT, id="left-out"),
    ],
)
def test_a_key_reused_with_another_body_conflicts(
    payments: Payments, described_transfer: Transfer, description: Any
) -> None:
    """POST of a transfer with a used key and a body whose description differs a little, or is left out, returns 409.

    A body that is refused as invalid is accepted with an idempotency key of its own.
    """
    expect_conflict(payments, described_transfer, with_field(described_transfer.body, "description", description))


@requirement("PAY-IDEM-02")
def test_a_key_reused_with_another_end_of_the_longest_description_conflicts(
    payments: Payments, a_transfer: TransferBody
) -> None:
    """POST of a transfer with a used key returns 409 if only the last character of the longest description differs."""
    first = create_accepted_transfer(payments, a_transfer(description=f"{ALMOST_LONGEST}a"))
    expect_conflict(payments, first, {**first.body, "description": f"{ALMOST_LONGEST}b"})


@requirement("PAY-IDEM-02")
def test_a_key_reused_with_a_digit_moved_from_one_field_to_the_next_conflicts(
    payments: Payments, a_transfer: TransferBody
) -> None:
    """POST with a used key returns 409 for 1012 cents and "3 x", after 101 cents and "23 x": the same text in all."""
    first = create_accepted_transfer(payments, a_transfer(amount=101, description="23 x"))
    expect_conflict(payments, first, {**first.body, "amount": 1012, "description": "3 x"})


@requirement("PAY-IDEM-02")
def test_a_key_reused_with_another_postback_url_conflicts(
    payments: Payments, described_transfer: Transfer, callback_url: CallbackUrl
) -> None:
    """POST of a transfer with a used idempotency key and another postbackUrl returns 409."""
    first, other = described_transfer, {**described_transfer.body, "postbackUrl": callback_url("conflict")}
    answer = skip_if_host_unknown(payments.create_transfer(other, key=first.key), other["postbackUrl"])
    expect(unless_body_is_invalid(payments.create_transfer, answer), is_409_for_another_body(first.body, other))


@pytest.mark.fewer_examples
@requirement("PAY-IDEM-02")
@given(text=strategies.descriptions().filter(DESCRIPTION.__ne__))
def test_a_key_reused_with_any_other_description_conflicts(
    payments: Payments, described_transfer: Transfer, text: str
) -> None:
    """POST of a transfer with a used key returns 409 if its generated description is another one."""
    expect_conflict(payments, described_transfer, {**described_transfer.body, "description": text})


@requirement("PAY-IDEM-01", "PAY-IDEM-02")
def test_a_transfer_with_every_optional_field_is_created_once(
    payments: Payments, full_transfer_body: dict[str, Any]
) -> None:
    """POST of a transfer with every optional field creates no second one with its key, and conflicts if changed."""
    key, other = fresh_key(), {**full_transfer_body, "amount": full_transfer_body["amount"] + 1}
    first = precondition(payments.create_transfer(full_transfer_body, key=key))
    again, changed = payments.create_transfer(full_transfer_body, key=key), payments.create_transfer(other, key=key)
    expect(again, creates_no_second_transfer(first), of="PAY-IDEM-01")
    expect(changed, is_409_for_another_body(full_transfer_body, other), of="PAY-IDEM-02")


@requirement("PAY-IDEM-02", "PAY-IDEM-04", "PAY-IDEM-18")
def test_a_conflict_creates_no_transfer_and_changes_none(payments: Payments, a_transfer: TransferBody) -> None:
    """A 409 for a used key shows no new transfer, GET of the first is unchanged, and the key conflicts once more.

    The bodies are those of the first but for the amount, the pixKey, or a description that the first does not have.
    """
    first = create_accepted_transfer(payments, a_transfer(amount=102))
    before = precondition(payments.get_transfer(first.id))
    bodies = [{**first.body, **change} for change in PLAIN_CHANGES]
    refused = [payments.create_transfer(body, key=first.key) for body in bodies]
    after = payments.get_transfer(first.id)
    again = payments.create_transfer(bodies[-1], key=first.key)
    for answer in refused:
        expect(answer, shows_no_other_transfer(first.created), of="PAY-IDEM-04")
    expect(again, is_409_for_another_body(first.body, bodies[-1]), of="PAY-IDEM-02")
    unchanged = unchanged_since(before, "id", "amount", "netAmount", "fees", "pixKey")
    expect(precondition(after), unchanged, of="PAY-IDEM-18")
    for body, answer in reversed([*zip(bodies, refused, strict=True)]):
        valid = unless_body_is_invalid(payments.create_transfer, answer)
        expect(valid, is_409_for_another_body(first.body, body), of="PAY-IDEM-02")


@requirement("PAY-IDEM-06", "PAY-IDEM-07")
def test_two_requests_without_a_key_never_create_one_transfer(
    payments: Payments, a_transfer: TransferBody, observe: Observer
) -> None:
    """Two equal POSTs of a transfer without an idempotency key, if accepted, return different ids.

    The header is required, and the document says that a request without it creates a transfer: the answer is noted.
    """
    body = a_transfer()
    first, second = payments.create_transfer(body), payments.create_transfer(body)
    note_answers(observe, "PAY-IDEM-06", {"no header": first})
    expect(second, is_not_the_transfer_of(first), of="PAY-IDEM-07")


@requirement("PAY-IDEM-08")
@pytest.mark.parametrize("end", ["-of-pix-conformance", f"-{'x' * 300}"], ids=["words", "long"])
def test_a_key_that_is_not_a_uuid_is_noted(
    payments: Payments, a_transfer: TransferBody, end: str, observe: Observer
) -> None:
    """The document calls the idempotency key a unique UUID; a UUID with more characters at its end is sent."""
    key = fresh_key() + end
    answer = payments.create_transfer(a_transfer(), key=key)
    note_answers(observe, "PAY-IDEM-08", {f"{len(key)} characters, no UUID": answer})


@quick
@requirement("PAY-IDEM-09")
def test_another_key_creates_another_transfer(payments: Payments, plain_transfer: Transfer) -> None:
    """POST of a transfer with the same body and another idempotency key is accepted with another id."""
    first = plain_transfer
    first_id = precondition(first.created, has("data.id")).at("data.id")
    other = payments.create_transfer(first.body, key=fresh_key())
    expect(other, *accepted_like(first.created), not_field("data.id", first_id))


@requirement("PAY-IDEM-09", "PAY-TRF-45")
@pytest.mark.parametrize("place", [0, -1], ids=["first-digit", "last-digit"])
def test_a_key_that_differs_in_one_digit_creates_another_transfer(
    payments: Payments, plain_transfer: Transfer, place: int
) -> None:
    """POST of a transfer with the same body and a key that differs in one digit is accepted with another id."""
    first = plain_transfer
    first_id = precondition(first.created, has("data.id")).at("data.id")
    digits = list(first.key)
    digits[place] = "1" if digits[place] == "0" else "0"
    other = payments.create_transfer(first.body, key="".join(digits))
    expect(other, *accepted_like(first.created), not_field("data.id", first_id), of="PAY-IDEM-09")
    expect(precondition(other), has_another_id_than(first.created), of="PAY-TRF-45")


@pytest.fixture(scope="session")
def simultaneous_replays(payments: Payments, a_transfer: TransferBody) -> list[Exchange]:
    """Send a transfer with one key three times at once, 5 ms and 10 ms later, and once more at last; return answers.

    The simultaneous requests have one of two tokens in turn.
    """
    send = partial(payments.create_transfer, a_transfer(), key=fresh_key())
    requests = by_two_tokens(payments, partial(send, group="one-key"), 5)
    return [*send_concurrently(*requests, after_ms=(0, 0, 0, 5, 10)), send()]


@requirement("PAY-IDEM-10")
@pytest.mark.concurrent
def test_simultaneous_replays_create_one_transfer(simultaneous_replays: list[Exchange]) -> None:
    """Five equal POSTs of a transfer with one key, at once and 5 ms apart, and a sixth after them create one transfer.

    They return one id, as far as they are accepted.
    """
    *at_once, later = simultaneous_replays
    first = next((replay for replay in at_once if replay.ok), at_once[0])
    expect(first, is_the_one_transfer_of(at_once))
    expect(later, creates_no_second_transfer(first))


@requirement("PAY-IDEM-20", "PAY-TRF-41")
@pytest.mark.concurrent
def test_simultaneous_conflicts_create_one_transfer(
    payments: Payments, a_transfer: TransferBody, simultaneous_replays: list[Exchange]
) -> None:
    """Three POSTs of transfers with different amounts and one key at the same time create one transfer.

    Each that is accepted shows its own amount. All three are sent once more, one after the other: the history of the
    key has to explain it.
    """
    if len(created_ids(simultaneous_replays)) > 1:
        raise NotApplicable("one key creates several transfers even where the requests are equal")
    body, key = a_transfer(), fresh_key()
    bodies = [{**body, "amount": amount} for amount in (101, 102, 103)]
    answers = send_concurrently(
        *[partial(payments.create_transfer, body, key=key, group="conflict") for body in bodies]
    )
    for sent_again in bodies:
        payments.create_transfer(sent_again, key=key)
    first = next((answer for answer in answers if answer.ok), answers[0])
    expect(first, is_the_one_transfer_of(answers), of="PAY-IDEM-20")
    for sent, answer in zip(bodies, answers, strict=True):
        if answer.ok:
            expect(answer, field("data.amount", sent["amount"]), of="PAY-TRF-41")


@requirement("PAY-IDEM-17")
@pytest.mark.usefixtures("plain_debit")
def test_a_conflict_takes_no_money(payments: Payments, a_transfer: TransferBody) -> None:
    """A transfer of another amount that is refused with 409 for its key does not lower the free balance."""

    def send_conflict(cents: int) -> Relation:
        first = create_accepted_transfer(payments, a_transfer(amount=173))
        before = precondition(payments.get_balance())
        require_refusal(payments.create_transfer({**first.body, "amount": cents}, key=first.key), 409)
        return is_not_debited(before, first.created, cents)

    expect_balance_after(payments, (179, 193), send_conflict)


@requirement("PAY-IDEM-13")
def test_whether_a_refused_request_uses_up_its_key_is_noted(
    payments: Payments, a_transfer: TransferBody, observe: Observer
) -> None:
    """A transfer of 0 cents is refused, and a valid one is sent with the same idempotency key."""
    body, key = a_transfer(), fresh_key()
    refused = payments.create_transfer({**body, "amount": 0}, key=key)
    answer = payments.create_transfer(body, key=key)
    note_answers(observe, "PAY-IDEM-13", {"amount 0": refused, "then a valid one": answer})


@requirement("PAY-IDEM-14")
@pytest.mark.usefixtures("other_plain_transfer")
def test_the_key_of_another_account_is_noted(sent_by_two_accounts: SentByTwoAccounts, observe: Observer) -> None:
    """The other account sends the same body with the idempotency key of a transfer of the first account."""
    note_answers(observe, "PAY-IDEM-14", {"key of another account": sent_by_two_accounts.answer})
