"""The simulated completion of a transfer, after its approval (payments.md, lines 198-204 and 265-271)."""

from __future__ import annotations

from functools import cache

import pytest

from fixtures.ids import nonexistent_id_like
from fixtures.payments.account import KINDS, LAST, Sent, account
from fixtures.payments.charges import id_of, looks_sequential, plain_charge
from fixtures.payments.descriptions import note_answers
from fixtures.payments.overdraft import turned_down
from pix_conformance.checks.matchers import computed, field, has, not_field, status
from pix_conformance.checks.outcomes import Inconclusive
from pix_conformance.checks.relations import clock_differs, moment
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.deferred import deferred, prepare
from pix_conformance.harness.expect import Observer, expect, not_applicable, precondition
from pix_conformance.harness.polling import poll_status
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.payments_states import CANCELED
from pix_conformance.oracles import end_to_end_id

LATE_S, ROUNDED_S = 62.0, 3.0
"""Age of a transfer that is completed late; what moments may be rounded by."""


@prepare("payments")
def a_transfer_to_be_completed_late(payments: Payments) -> Sent:
    """A transfer that is completed when it is a minute old."""
    return account(payments).sent()


@cache
def completed_late(payments: Payments) -> tuple[Exchange, Exchange]:
    """Complete it; return the answer, and its query."""
    sent = a_transfer_to_be_completed_late.after_age(LATE_S)
    precondition(account(payments).completion)
    answer = account(payments).complete(account(payments).wait_for_approval(sent))
    return answer, poll_status(payments, lambda: payments.get_transfer(sent.id), "completed")


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
        ready = ours.wait_for_approval(Sent("", {}, precondition(made)))
    except Inconclusive as why:
        raise not_applicable(str(why)) from None
    expect(ours.complete(ready), status(200), has("data", "object"))


@requirement("PAY-CMP-08")
def test_the_answer_has_the_id_of_the_transfer(payments: Payments) -> None:
    """It names what was completed."""
    answer = precondition(account(payments).completion, has("data.id", "string"))
    expect(answer, field("data.id", account(payments).transfer.created.at("data.id")))


@requirement("PAY-CMP-09")
def test_the_end_to_end_id_has_the_form_of_the_payment_system(payments: Payments) -> None:
    """E, institution, minute, sequence."""
    completion = precondition(account(payments).completion, has("data.endToEndId"))
    wrong = end_to_end_id.mismatches(completion.at("data.endToEndId"))
    expect(completion, computed("data.endToEndId is an end-to-end id", "; ".join(wrong) or None))


@requirement("PAY-CMP-10")
def test_a_completed_transfer_is_completed_when_it_is_queried(payments: Payments) -> None:
    """The transition is recorded, not only answered; the callback's word paid is not the query's."""
    precondition(account(payments).completion)
    query = payments.get_transfer(account(payments).transfer.id)
    expect(account(payments).completed if query.ok else query, status(200), field("data.status", "completed"))


@requirement("PAY-CMP-11")
def test_a_completed_transfer_is_not_completed_again(payments: Payments) -> None:
    """It is completed already."""
    precondition(account(payments).completed, field("data.status", "completed"))
    expect(account(payments).second_completion, status(400))


@deferred(LAST)
@requirement("PAY-CMP-12")
def test_a_canceled_transfer_is_not_completed(payments: Payments) -> None:
    """A transfer beyond the balance that was accepted, and canceled afterwards, cannot be completed."""
    precondition(account(payments).completion)
    canceled = turned_down(payments, CANCELED)
    expect(payments.complete_transfer(canceled.id), status(400))


@requirement("PAY-CMP-14")
def test_a_transfer_that_does_not_exist_is_not_completed(payments: Payments) -> None:
    """The id has the form of a real one, and real ones are completed here."""
    precondition(account(payments).completion)
    expect(payments.complete_transfer(nonexistent_id_like(account(payments).transfer.id)), status(404))


@requirement("PAY-TRF-72")
def test_a_charge_is_not_completed_as_a_transfer(payments: Payments) -> None:
    """The completion does not find it either; nothing is completed that may be a transfer counted alike."""
    precondition(account(payments).completion)
    number = id_of(plain_charge(payments))
    if looks_sequential(number):
        raise not_applicable("charges and transfers may each have a count of their own")
    expect(payments.complete_transfer(number), status(404))


@requirement("PAY-CMP-16")
def test_the_code_of_a_refused_completion_is_noted(payments: Payments, observe: Observer) -> None:
    """The document shows none for the 400 of this route."""
    note_answers(observe, "PAY-CMP-16", {"second completion": account(payments).second_completion})


@requirement("PAY-CMP-17")
def test_a_body_sent_to_the_completion_route_is_noted(payments: Payments, observe: Observer) -> None:
    """The route is said to have none."""
    bodies = {"an empty object": {}, "a status": {"status": "canceled"}}
    ours = account(payments)
    note_answers(
        observe, "PAY-CMP-17", {what: ours.complete(ours.approved(), json=body) for what, body in bodies.items()}
    )


@requirement("PAY-CMP-20")
def test_two_completions_have_different_end_to_end_ids(payments: Payments) -> None:
    """Each transfer is one of its own."""
    first = precondition(account(payments).completion, has("data.endToEndId"))
    second = precondition(account(payments).complete(account(payments).approved()), has("data.endToEndId"))
    expect(second, not_field("data.endToEndId", first.at("data.endToEndId")))


@deferred(LATE_S)
@requirement("PAY-CMP-01")
def test_a_transfer_that_has_waited_is_completed(payments: Payments) -> None:
    """For a minute, as others are at once."""
    expect(completed_late(payments)[0], status(200), has("data", "object"))


def dated(query: Exchange, name: str) -> Exchange:
    """Return the query of a transfer that shows such a timestamp; NotApplicable where that is null."""
    if query.at(f"data.{name}") is None:
        raise not_applicable(f"{name} is null ({query.evidence})")
    return query


@deferred(LATE_S)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param("updatedAt", marks=requirement("PAY-TRF-81")),
        pytest.param("processedAt", marks=requirement("PAY-TRF-79")),
    ],
)
def test_a_completion_is_dated_when_it_happens(payments: Payments, name: str) -> None:
    """A minute after the creation, by the clock of the service."""
    query = precondition(completed_late(payments)[1], field("data.status", "completed"), has("data.createdAt"))
    dated(query, name)
    seconds = (moment(query, name) - moment(query, "createdAt")).total_seconds()
    early = f"{name} is {seconds:.0f} s after createdAt, the completion was {LATE_S:.0f} s after it"
    expect(query, computed(f"{name} is not before the completion", early if seconds < LATE_S - ROUNDED_S else None))


@requirement("PAY-TRF-79")
def test_the_final_moment_is_that_of_the_completion(payments: Payments) -> None:
    """The processedAt of a completed transfer is the time of its completion; clocks may differ by minutes."""
    query = dated(precondition(account(payments).completed, field("data.status", "completed")), "processedAt")
    problem = clock_differs(moment(query, "processedAt"), account(payments).completion, payments.run.clock)
    expect(query, computed("processedAt is the time of the completion", problem))
