"""Asking for a transfer (payments.md, lines 110-125 and 259-263)."""

from __future__ import annotations

from functools import cache

import pytest

from fixtures.ids import nonexistent_id_like
from fixtures.payments.account import LAST, REFUSED, Sent, account
from fixtures.payments.charges import CREATED, id_of, plain_charge
from pix_conformance.checks.matchers import client_error, computed, field, has, not_field, status
from pix_conformance.checks.relations import ROUNDING, changed_fields, clock_differs, moment, timestamp_changed
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.deferred import deferred, prepare_early
from pix_conformance.harness.expect import expect, inconclusive, not_applicable, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.payments_states import APPROVAL


@prepare_early("payments")
def a_transfer_left_alone(payments: Payments) -> Sent:
    """A transfer that nobody completes."""
    return account(payments).sent()


@requirement("PAY-TRF-50")
def test_a_transfer_is_queried_by_its_id(payments: Payments) -> None:
    """The id is the data.id of the creation."""
    expect(payments.get_transfer(account(payments).plain_transfer.id), *CREATED)


@requirement("PAY-TRF-50")
def test_a_new_transfer_is_queried_at_once(payments: Payments) -> None:
    """Whatever its status is by then."""
    expect(payments.get_transfer(account(payments).sent().id), *CREATED)


@requirement("PAY-TRF-50")
@pytest.mark.parametrize("kind", ["cpf", "cnpj", "email", "phone"])
def test_a_transfer_to_a_key_of_each_type_is_queried(payments: Payments, kind: str) -> None:
    """Where a key of that type was accepted."""
    sent = account(payments).to_each_kind[kind]
    if not sent.ok:
        raise not_applicable(f"no transfer to a key of the type {kind} was accepted")
    expect(payments.get_transfer(id_of(sent)), *CREATED)


@requirement("PAY-TRF-63")
def test_the_query_answers_the_transfer_that_was_asked_for(payments: Payments) -> None:
    """A newer transfer is not shown in its place."""
    made = account(payments).plain_transfer.id
    account(payments).sent()
    expect(precondition(payments.get_transfer(made), has("data.id", "string")), field("data.id", made))


@requirement("PAY-TRF-64")
def test_the_query_repeats_the_amount(payments: Payments) -> None:
    """Before and after the completion it is that of the creation."""
    sent = account(payments).sent(amount=234)
    expect(precondition(payments.get_transfer(sent.id), has("data.amount", "integer")), field("data.amount", 234))


@requirement("PAY-TRF-63", "PAY-TRF-64")
def test_the_query_of_a_completed_transfer_repeats_id_and_amount(payments: Payments) -> None:
    """It stays the same transfer, and its amount gross."""
    sent = account(payments).sent(amount=456)
    precondition(account(payments).complete(account(payments).wait_for_approval(sent)))
    query = precondition(payments.get_transfer(sent.id), has("data.id", "string"), has("data.amount", "integer"))
    expect(query, field("data.id", sent.id), of="PAY-TRF-63")
    expect(query, field("data.amount", 456), of="PAY-TRF-64")


@requirement("PAY-TRF-65")
def test_the_query_repeats_net_amount_fees_and_key(payments: Payments) -> None:
    """Nothing of them changes, before its end and after it."""
    sent = account(payments).sent(amount=456)
    first = precondition(payments.get_transfer(sent.id))
    precondition(account(payments).complete(account(payments).wait_for_approval(sent)))
    for query in (first, precondition(payments.get_transfer(sent.id))):
        problem = changed_fields(sent.created, query, "netAmount", "fees", "pixKey")
        expect(query, computed("netAmount, fees and pixKey are those of the creation", problem))


@requirement("PAY-TRF-66")
def test_created_at_is_the_time_of_the_creation(payments: Payments) -> None:
    """Clocks may differ by minutes."""
    sent = account(payments).sent()
    query = precondition(payments.get_transfer(sent.id), has("data.createdAt"))
    problem = clock_differs(moment(query, "createdAt"), sent.created, payments.run.clock)
    expect(query, computed("createdAt is the time of the creation", problem))


@requirement("PAY-TRF-66")
def test_created_at_stays(payments: Payments) -> None:
    """The completion does not touch it."""
    before, after = account(payments).before, precondition(account(payments).completed)
    told = timestamp_changed(before.at("data.createdAt"), after.at("data.createdAt"))
    expect(after, computed("createdAt is that of the earlier query", told))


@requirement("PAY-TRF-67")
def test_updated_at_is_not_before_created_at(payments: Payments) -> None:
    """Neither in a new transfer nor in a completed one."""
    for query in (
        precondition(payments.get_transfer(account(payments).plain_transfer.id)),
        account(payments).completed,
    ):
        early = moment(query, "createdAt") - moment(query, "updatedAt") > ROUNDING
        expect(query, computed("updatedAt is not before createdAt", "updatedAt is before createdAt" if early else None))


@requirement("PAY-TRF-68")
def test_a_completed_transfer_has_a_final_moment(payments: Payments) -> None:
    """The processedAt of a completed transfer is not null."""
    expect(precondition(account(payments).completed, field("data.status", "completed")), has("data.processedAt"))


@requirement("PAY-TRF-75")
def test_a_transfer_in_its_approval_has_no_final_moment(payments: Payments) -> None:
    """Asked at once, before the approval is over."""
    query = precondition(payments.get_transfer(account(payments).sent().id), has("data.status", "string"))
    if query.at("data.status") not in APPROVAL:
        raise not_applicable(f"the transfer had left its approval at once ({query.evidence})")
    moment = query.at("data.processedAt")
    early = f"data.processedAt is {moment!r}" if moment and isinstance(moment, str) else None
    expect(query, computed("there is no final moment yet", early))


@requirement("PAY-TRF-69")
def test_a_completed_transfer_has_its_end_to_end_id(payments: Payments) -> None:
    """The one that the completion answered."""
    answered = precondition(account(payments).completion, has("data.endToEndId")).at("data.endToEndId")
    expect(precondition(account(payments).completed), field("data.endToEndId", answered))


@requirement("PAY-TRF-70")
def test_an_unknown_transfer_is_not_found(payments: Payments) -> None:
    """The id has the form of a real one."""
    _ = account(payments).queried
    expect(payments.get_transfer(nonexistent_id_like(account(payments).plain_transfer.id)), status(404))


@cache
def unlike(payments: Payments) -> Exchange:
    """Ask for a transfer by an id of another form, once in a run; Inconclusive where real ones are not found."""
    _ = account(payments).queried
    return payments.get_transfer("no-transfer-of-ours")


@requirement("PAY-TRF-71")
def test_an_id_of_another_form_is_not_found(payments: Payments) -> None:
    """No transfer has such an id."""
    expect(unlike(payments), status(404))


@requirement("PAY-TRF-77")
def test_an_id_of_another_form_is_refused(payments: Payments) -> None:
    """With 404, or for its form."""
    expect(unlike(payments), client_error())


@requirement("PAY-TRF-72")
def test_a_charge_is_no_transfer(payments: Payments) -> None:
    """The query of transfers does not find it."""
    _ = account(payments).queried
    expect(payments.get_transfer(id_of(plain_charge(payments))), status(404))


@requirement("PAY-TRF-73")
def test_a_completed_transfer_stays_completed_after_a_second_completion(payments: Payments) -> None:
    """Whatever that was answered."""
    precondition(account(payments).completed, field("data.status", "completed"))
    _ = account(payments).second_completion
    expect(
        precondition(payments.get_transfer(account(payments).transfer.id), has("data.status", "string")),
        field("data.status", "completed"),
    )


@deferred(LAST)
@requirement("PAY-TRF-73")
def test_a_completed_transfer_is_still_completed_at_the_end(payments: Payments) -> None:
    """Last of all."""
    precondition(account(payments).completed, field("data.status", "completed"))
    expect(
        precondition(payments.get_transfer(account(payments).transfer.id), has("data.status", "string")),
        field("data.status", "completed"),
    )


@deferred(LAST)
@requirement("PAY-TRF-50")
def test_an_old_transfer_is_still_queried(payments: Payments) -> None:
    """Last of all; whatever became of it, it was created."""
    expect(payments.get_transfer(a_transfer_left_alone.value().id), *CREATED)


@deferred(LAST)
@requirement("PAY-CMP-19")
def test_a_transfer_is_not_completed_by_itself(payments: Payments) -> None:
    """Last of all, the transfer sent first is still not completed."""
    sent = a_transfer_left_alone.value()
    if sent.created.at("data.status") == "completed":
        raise inconclusive(f"the transfer was completed when it was created ({sent.created.evidence})")
    expect(
        precondition(payments.get_transfer(sent.id), has("data.status", "string")),
        not_field("data.status", "completed"),
    )


@requirement("PAY-CMP-19")
def test_a_completion_that_is_refused_completes_nothing(payments: Payments) -> None:
    """Asked for at once, while the transfer may be in its approval."""
    sent = account(payments).sent()
    answer = payments.complete_transfer(sent.id)
    if answer.status != REFUSED:
        raise not_applicable("a transfer is completed at once")
    query = precondition(payments.get_transfer(sent.id), has("data.status", "string"))
    expect(query, not_field("data.status", "completed"))
