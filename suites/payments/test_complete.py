"""The simulated completion of a transfer, after its approval (payments.md, lines 198-204 and 265-271)."""

from __future__ import annotations

import pytest

from fixtures.builders.ids import unknown_like
from fixtures.clients.payments import Payments
from fixtures.expect import expect, given, not_applicable
from fixtures.outcomes import Inconclusive
from fixtures.requirement import requirement
from fixtures.stories.payments import KINDS, Sent, account
from fixtures.stories.payments_charges import counted, id_of, plain_charge
from fixtures.stories.payments_observing import note_answers
from specs.formats import e2e
from specs.judge.matchers import field, has, not_field, said, status


@requirement("PAY-CMP-01")
def test_a_transfer_that_left_its_approval_is_completed(payments: Payments) -> None:
    """The route is called without a body."""
    expect(account(payments).completion, status(200), has("data", "object"))


@requirement("PAY-CMP-01")
@pytest.mark.parametrize("kind", KINDS)
def test_a_transfer_to_each_kind_of_key_is_completed(payments: Payments, kind: str) -> None:
    """Where it was accepted and did not end by itself."""
    ours, made = account(payments), account(payments).to_each_kind[kind]
    try:
        ready = ours.awaited(Sent("", {}, given(made)))
    except Inconclusive as why:
        raise not_applicable(str(why)) from None
    expect(ours.completing(ready), status(200), has("data", "object"))


@requirement("PAY-CMP-08")
def test_the_answer_has_the_id_of_the_transfer(payments: Payments) -> None:
    """It names what was completed."""
    answer = given(account(payments).completion, has("data.id", "string"))
    expect(answer, field("data.id", account(payments).transfer.created.at("data.id")))


@requirement("PAY-CMP-09")
def test_the_end_to_end_id_has_the_form_of_the_payment_system(payments: Payments) -> None:
    """E, institution, minute, sequence."""
    completion = given(account(payments).completion, has("data.endToEndId"))
    wrong = e2e.mismatches(completion.at("data.endToEndId"))
    expect(completion, said("data.endToEndId is an end-to-end id", "; ".join(wrong) or None))


@requirement("PAY-CMP-10")
def test_a_completed_transfer_is_completed_when_it_is_queried(payments: Payments) -> None:
    """The transition is recorded, not only answered; the callback's word paid is not the query's."""
    given(account(payments).completion)
    query = payments.get_transfer(account(payments).transfer.id)
    expect(account(payments).completed if query.ok else query, status(200), field("data.status", "completed"))


@requirement("PAY-CMP-11")
def test_a_completed_transfer_is_not_completed_again(payments: Payments) -> None:
    """It is completed already."""
    given(account(payments).completed, field("data.status", "completed"))
    expect(account(payments).second_completion, status(400))


@requirement("PAY-CMP-14")
def test_a_transfer_that_does_not_exist_is_not_completed(payments: Payments) -> None:
    """The id has the form of a real one, and real ones are completed here."""
    given(account(payments).completion)
    expect(payments.complete_transfer(unknown_like(account(payments).transfer.id)), status(404))


@requirement("PAY-TRF-72")
def test_a_charge_is_not_completed_as_a_transfer(payments: Payments) -> None:
    """The completion does not find it either; nothing is completed that may be a transfer counted alike."""
    given(account(payments).completion)
    number = id_of(plain_charge(payments))
    if counted(number):
        raise not_applicable("charges and transfers may each have a count of their own")
    expect(payments.complete_transfer(number), status(404))


@requirement("PAY-CMP-16")
def test_the_code_of_a_refused_completion_is_noted(payments: Payments) -> None:
    """The document shows none for the 400 of this route."""
    note_answers("PAY-CMP-16", {"second completion": account(payments).second_completion})


@requirement("PAY-CMP-17")
def test_a_body_sent_to_the_completion_route_is_noted(payments: Payments) -> None:
    """The route is said to have none."""
    bodies = {"an empty object": {}, "a status": {"status": "canceled"}}
    ours = account(payments)
    note_answers("PAY-CMP-17", {what: ours.completing(ours.approved(), json=body) for what, body in bodies.items()})


@requirement("PAY-CMP-20")
def test_two_completions_have_different_end_to_end_ids(payments: Payments) -> None:
    """Each transfer is one of its own."""
    first = given(account(payments).completion, has("data.endToEndId"))
    second = given(account(payments).completing(account(payments).approved()), has("data.endToEndId"))
    expect(second, not_field("data.endToEndId", first.at("data.endToEndId")))
