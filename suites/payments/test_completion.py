"""The simulated completion of a transfer, after its approval."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import pytest

from fixtures import *
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *


@quick
@requirement("PAY-CMP-01")
def test_a_transfer_that_has_left_its_approval_is_completed(transfer_completion: Completion) -> None:
    """POST /api/v1/pix/out/pixkey/{transferId}/complete without a body returns 200 for an approved transfer."""
    expect(transfer_completion.answer, status(200), has("data", "object"))


@requirement("PAY-CMP-01")
@pytest.mark.parametrize("key_type", ["cpf", "cnpj", "email", "phone"])
def test_a_transfer_to_a_key_of_each_type_is_completed(
    transfers_to_each_key_type: dict[str, TransferAttempt], approvals: Approvals, key_type: str
) -> None:
    """The completion of a transfer to a pixKey of each type returns 200, where it was accepted and has not ended."""
    sent = transfers_to_each_key_type[key_type]
    try:
        transfer = approvals.wait_for(Transfer("", sent.body, precondition(sent.answer)))
    except Inconclusive as why:
        raise NotApplicable(str(why)) from None
    expect(approvals.complete(transfer), status(200), has("data", "object"))


@requirement("PAY-CMP-01")
@deferred(62)
def test_a_transfer_that_has_waited_is_completed(late_completion: LateCompletion) -> Iterator[None]:
    """The completion of a transfer returns 200 also when the transfer is 62 s old."""
    yield
    answer, _ = late_completion()
    expect(answer, status(200), has("data", "object"))


@requirement("PAY-CMP-01", "PAY-CMP-10", "PAY-CMP-11", "PAY-CMP-20", "PAY-TRF-50", "PAY-TRF-63")
def test_a_transfer_with_every_optional_field_is_completed_once(
    payments: Payments, transfer_completion: Completion, full_transfer_body: dict[str, Any], approvals: Approvals
) -> None:
    """A transfer with every optional field is found, completed, then shown as completed, and not completed again.

    Its completion has another endToEndId than that of another transfer.
    """
    transfer = create_accepted_transfer(payments, full_transfer_body)
    before = payments.get_transfer(transfer.id)
    expect(before, status(200), of="PAY-TRF-50")
    completion = approvals.complete(transfer)
    expect(completion, status(200), has("data", "object"), of="PAY-CMP-01")
    query = poll_status(payments, lambda: payments.get_transfer(transfer.id), "completed")
    expect(query, field("data.status", "completed"), of="PAY-CMP-10")
    expect(payments.complete_transfer(transfer.id), status(400), of="PAY-CMP-11")
    expect(precondition(before, has("data.id", "string")), field("data.id", transfer.id), of="PAY-TRF-63")
    first = precondition(transfer_completion.answer, has("data.endToEndId")).at("data.endToEndId")
    expect(precondition(completion, has("data.endToEndId")), not_field("data.endToEndId", first), of="PAY-CMP-20")


@requirement("PAY-CMP-08")
def test_the_answer_has_the_id_of_the_transfer(transfer_completion: Completion) -> None:
    """The completion of a transfer returns its id."""
    answer = precondition(transfer_completion.answer, has("data.id", "string"))
    expect(answer, field("data.id", transfer_completion.transfer.created.at("data.id")))


@requirement("PAY-CMP-09")
def test_the_end_to_end_id_has_the_format_of_the_payment_system(transfer_completion: Completion, clock: Clock) -> None:
    """The completion of a transfer returns an endToEndId of E, an ISPB, its UTC minute and eleven characters."""
    answer = precondition(transfer_completion.answer, has("data.endToEndId"))
    expect(answer, is_an_end_to_end_id("data.endToEndId", clock.at(answer.started)))


@quick
@requirement("PAY-CMP-10")
def test_a_completed_transfer_is_completed_when_it_is_queried(answer_to_query_of_completed_transfer: Exchange) -> None:
    """GET of a transfer returns 200 and the status completed, at most 1.5 s after its completion."""
    expect(answer_to_query_of_completed_transfer, status(200), field("data.status", "completed"))


@quick
@requirement("PAY-CMP-11")
def test_a_completed_transfer_is_not_completed_again(
    completed_transfer: CompletedTransfer, second_completion: Exchange
) -> None:
    """The second completion of a transfer returns 400."""
    precondition(completed_transfer.query, field("data.status", "completed"))
    expect(second_completion, status(400))


@deferred(AT_THE_END)
@pytest.mark.parametrize(("ended", "code"), refused_once_ended(Api.PAYMENTS, "complete_transfer"))
def test_a_canceled_transfer_is_not_completed(
    payments: Payments,
    transfer_completion: Completion,
    transfer_beyond_balance: TransferBeyondBalance,
    ended: str,
    code: int,
) -> None:
    """The completion of a transfer that was canceled above the balance, or ended after its completion, returns 400."""
    precondition(transfer_completion.answer)
    number = transfer_that_became(ended, payments, transfer_beyond_balance, transfer_completion)
    expect(payments.complete_transfer(number), status(code))


@quick
@requirement("PAY-CMP-14")
def test_a_transfer_that_does_not_exist_is_not_completed(payments: Payments, transfer_completion: Completion) -> None:
    """The completion of an id that no transfer has, in the form of real ids, returns 404."""
    precondition(transfer_completion.answer)
    expect(payments.complete_transfer(nonexistent_id_like(transfer_completion.id)), status(404))


@requirement("PAY-TRF-72")
def test_a_charge_is_not_completed_as_a_transfer(
    payments: Payments, transfer_completion: Completion, pending_charge: Exchange
) -> None:
    """The completion of a transfer with the id of a charge returns 404."""
    precondition(transfer_completion.answer)
    skip_if_counted(id_of(pending_charge))
    expect(payments.complete_transfer(id_of(pending_charge)), status(404))


@requirement("PAY-CMP-16")
def test_the_code_of_a_refused_completion_is_noted(second_completion: Exchange, observe: Observer) -> None:
    """The document shows no error code for the 400 of the completion; that of a second completion is noted."""
    note_answers(observe, "PAY-CMP-16", {"second completion": second_completion})


@requirement("PAY-CMP-17")
def test_a_body_sent_to_the_completion_route_is_noted(approvals: Approvals, observe: Observer) -> None:
    """The completion has no body in the document; completions with two bodies are sent."""
    bodies = {"an empty object": {}, "a status": {"status": "canceled"}}
    answers = {what: approvals.complete(approvals.approved_transfer(), json=body) for what, body in bodies.items()}
    note_answers(observe, "PAY-CMP-17", answers)


@pytest.fixture(scope="session")
def early_completion(payments: Payments, a_transfer: TransferBody) -> tuple[Exchange, Exchange, Exchange]:
    """Complete a transfer directly after its creation; return its creation, the answer, and the query after that."""
    transfer = create_accepted_transfer(payments, a_transfer())
    answer = payments.complete_transfer(transfer.id)
    return transfer.created, answer, precondition(payments.get_transfer(transfer.id), has("data.status", "string"))


@requirement("PAY-CMP-15")
def test_a_completion_during_the_approval_is_noted(
    early_completion: tuple[Exchange, Exchange, Exchange], observe: Observer
) -> None:
    """A transfer is completed directly after its creation, when it is pending or in manual_analysis."""
    created, answer, query = early_completion
    state = query.at("data.status")
    words = f"made as {created.at('data.status')}, completed at once: {outcome(answer)}; then it is {state}"
    observe("PAY-CMP-15", words, {"status": answer.status, "state": state}, created, answer)


@requirement("PAY-CMP-19")
def test_a_completion_that_is_refused_completes_nothing(
    early_completion: tuple[Exchange, Exchange, Exchange],
) -> None:
    """A completion that is refused because the transfer is in its approval leaves the transfer uncompleted."""
    _, answer, query = early_completion
    if answer.status != 400:
        raise NotApplicable("a transfer is completed at once")
    expect(query, not_field("data.status", "completed"))


@requirement("PAY-CMP-19", "PAY-TRF-50")
@deferred(AT_THE_END)
def test_a_transfer_is_found_and_not_completed_by_itself(
    payments: Payments, transfer_left_alone: Transfer
) -> Iterator[None]:
    """A transfer for which no completion was sent is found at the end of the run, and not completed."""
    created = transfer_left_alone.created
    yield
    query = payments.get_transfer(transfer_left_alone.id)
    expect(query, status(200), has("data", "object"), of="PAY-TRF-50")
    if created.at("data.status") == "completed":
        raise Inconclusive(f"the transfer was completed when it was created ({created.evidence})")
    precondition(query, has("data.status", "string"))
    expect(query, not_field("data.status", "completed"), of="PAY-CMP-19")


@dataclass(frozen=True)
class CompletionsAtOnce:
    """A transfer, the answers to its simultaneous completions, and the balances before it and after them."""

    transfer: Transfer
    before: Exchange
    answers: list[Exchange]
    after: Exchange


AT_ONCE_MS = (0, 0, 0, 10, 20)
"""The ms after which each of several completions of one transfer is sent."""
CompleteAtOnce = Callable[[int], CompletionsAtOnce]


@pytest.fixture(scope="session")
def complete_at_once(payments: Payments, a_transfer: TransferBody, approvals: Approvals) -> CompleteAtOnce:
    """Return a function that completes a transfer of so many cents five times, once in a run for each amount.

    Three completions are sent at once, one 10 ms later, and one 20 ms later, in turn with two tokens.
    """

    @cache
    def complete(cents: int) -> CompletionsAtOnce:
        before = payments.get_balance()
        transfer = approvals.wait_for(create_accepted_transfer(payments, a_transfer(amount=cents)))
        send = partial(payments.complete_transfer, transfer.id, group=f"complete-{cents}")
        answers = send_concurrently(*by_two_tokens(payments, send, len(AT_ONCE_MS)), after_ms=AT_ONCE_MS)
        return CompletionsAtOnce(transfer, before, answers, payments.get_balance())

    return complete


@pytest.fixture(scope="session")
def simultaneous_completions(
    payments: Payments, transfer_completion: Completion, approvals: Approvals, complete_at_once: CompleteAtOnce
) -> tuple[list[Exchange], Exchange]:
    """Complete a transfer several times at once; return the answers, and its query afterwards."""
    precondition(transfer_completion.answer)
    done = complete_at_once(229)
    if not any(answer.ok for answer in done.answers):
        approvals.raise_if_ended_by_itself(done.transfer)
    return done.answers, poll_status(payments, lambda: payments.get_transfer(done.transfer.id), "completed")


@pytest.mark.concurrent
@pytest.mark.parametrize(
    "relation",
    [
        case("PAY-CMP-18", shows_one_was_accepted, id="accepted"),
        case("PAY-CMP-22", shows_one_end_to_end_id, id="endToEndId"),
    ],
)
def test_of_simultaneous_completions_one_is_accepted(
    simultaneous_completions: tuple[list[Exchange], Exchange], relation: Callable[[list[Exchange]], Relation]
) -> None:
    """Of several completions of one transfer at once exactly one returns 2xx, and all that do the same endToEndId."""
    answers, query = simultaneous_completions
    expect(query, relation(answers))


@requirement("PAY-CMP-21")
@pytest.mark.concurrent
@pytest.mark.usefixtures("optional_transfer")
def test_simultaneous_completions_debit_the_balance_once(complete_at_once: CompleteAtOnce) -> None:
    """Five completions of one transfer at the same time lower the free balance once, with its fees or without.

    Other traffic may lower the balance by as much: a second amount has to show it too.
    """
    for cents in (229, 239):
        try:
            done = complete_at_once(cents)
            before = precondition(done.before)
            precondition(next((answer for answer in done.answers if answer.ok), done.answers[0]))
        except Inconclusive as why:
            raise NotApplicable(f"no transfer was completed: {why}") from None
        after = precondition(done.after)
        require_debit(before, after)
        expected = is_debited_once(before, done.transfer.created, cents, requests=6)
        if is_met(expected, after):
            break
    expect(after, expected)


@requirement("PAY-CMP-32")
def test_a_refused_second_completion_gives_no_money_back(
    payments: Payments, completed_between_balances: CompleteBetweenBalances
) -> None:
    """A second completion that returns 400 does not raise the free balance by the amount of the transfer."""

    def complete_again(cents: int) -> Relation:
        done = completed_between_balances(cents)
        require_debit(done.before, done.after)
        before = precondition(payments.get_balance())
        require_refusal(payments.complete_transfer(done.transfer.id), 400)
        return is_not_credited_again(before, cents)

    expect_balance_after(payments, (223, 227), complete_again)


@requirement("PAY-CMP-23")
def test_a_refused_second_completion_takes_no_money(
    payments: Payments, completed_between_balances: CompleteBetweenBalances
) -> None:
    """A second completion that returns 400 does not lower the free balance by the amount of the transfer."""

    def complete_again(cents: int) -> Relation:
        done = completed_between_balances(cents)
        require_debit(done.before, done.after)
        before = precondition(payments.get_balance())
        require_refusal(payments.complete_transfer(done.transfer.id), 400)
        return is_not_debited(before, done.transfer.created, cents)

    expect_balance_after(payments, (223, 227), complete_again)
