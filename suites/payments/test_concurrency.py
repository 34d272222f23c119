"""Several requests at one moment, and what they say together afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest

from fixtures.payments.account import SHOTS, account
from fixtures.payments.bodies import a_charge, fresh_key
from fixtures.payments.routes import a_new_charge
from fixtures.payments.webhooks import a_hook, listed_in_time, plain_hook
from pix_conformance.checks.matchers import computed, field, has
from pix_conformance.checks.relations import (
    accepted_count_problem,
    ids,
    one_transfer,
    second_transfer_problem,
    several_end_to_end_ids,
    status_regressed,
)
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.concurrency import repeat_concurrently, run_concurrently
from pix_conformance.harness.expect import expect, not_applicable, precondition
from pix_conformance.harness.polling import poll_status
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import MISSING

ROUNDS = (1, 2)
HOOKS = 3
"""Webhooks that are made at once: an account may be allowed a few only."""


@cache
def paid_at_once(payments: Payments, number: int) -> tuple[Sequence[Exchange], Exchange]:
    """Pay a new charge several times at once, where a single payment is accepted; return the answers and its query."""
    precondition(account(payments).payment)
    made = a_new_charge(payments)
    answers = repeat_concurrently(SHOTS, lambda: payments.pay_charge(made, group=f"pay-{number}"))
    return answers, poll_status(payments, lambda: payments.get_charge(made), "paid")


@cache
def completed_at_once(payments: Payments, number: int) -> tuple[Sequence[Exchange], Exchange]:
    """Complete a transfer several times at once, where a single completion is accepted; return answers and query."""
    precondition(account(payments).completion)
    sent = account(payments).approved()
    answers = repeat_concurrently(SHOTS, lambda: payments.complete_transfer(sent.id, group=f"complete-{number}"))
    if not any(one.ok for one in answers):
        account(payments).raise_if_ended_by_itself(sent)
    return answers, poll_status(payments, lambda: payments.get_transfer(sent.id), "completed")


@requirement("PAY-PAYS-18")
@pytest.mark.parametrize("number", ROUNDS)
def test_of_several_payments_at_once_one_is_accepted(payments: Payments, number: int) -> None:
    """The others find the charge paid; a single payment is accepted."""
    answers, query = paid_at_once(payments, number)
    expect(query, computed("exactly one payment was accepted", accepted_count_problem(answers)))


@requirement("PAY-PAYS-21")
@pytest.mark.parametrize("number", ROUNDS)
def test_several_payments_at_once_are_one_payment(payments: Payments, number: int) -> None:
    """All pays of one charge at the same time that are accepted answer the same endToEndId."""
    answers, query = paid_at_once(payments, number)
    expect(query, computed("one payment was made", several_end_to_end_ids(answers)))


@requirement("PAY-PAYS-11")
def test_queries_during_a_payment_never_go_back(payments: Payments) -> None:
    """Once it is known to be paid, no later query shows it pending."""
    made = a_new_charge(payments)
    queries = [lambda: payments.get_charge(made, group="pay-and-query")] * SHOTS
    payment, *seen = run_concurrently(lambda: payments.pay_charge(made, group="pay-and-query"), *queries)
    precondition(payment)
    seen += [poll_status(payments, lambda: payments.get_charge(made), "paid"), payments.get_charge(made)]
    expect(seen[-2], field("data.status", "paid"))
    expect(seen[-1], computed("no later query shows another status", status_regressed(seen, "paid", seen[-2].ended)))


@requirement("PAY-CMP-18")
@pytest.mark.parametrize("number", ROUNDS)
def test_of_several_completions_at_once_one_is_accepted(payments: Payments, number: int) -> None:
    """The others find the transfer completed; a single completion is accepted."""
    answers, query = completed_at_once(payments, number)
    expect(query, computed("exactly one completion was accepted", accepted_count_problem(answers)))


@requirement("PAY-CMP-22")
@pytest.mark.parametrize("number", ROUNDS)
def test_several_completions_at_once_are_one_completion(payments: Payments, number: int) -> None:
    """All completions of one transfer at the same time that are accepted answer the same endToEndId."""
    answers, query = completed_at_once(payments, number)
    expect(query, computed("one completion was made", several_end_to_end_ids(answers)))


@requirement("PAY-CMP-10")
def test_queries_during_a_completion_never_go_back(payments: Payments) -> None:
    """Once it is known to be completed, no later query shows another status."""
    made = account(payments).approved().id
    queries = [lambda: payments.get_transfer(made, group="complete-and-query")] * SHOTS
    completion, *seen = run_concurrently(lambda: payments.complete_transfer(made, group="complete-and-query"), *queries)
    precondition(completion)
    seen += [poll_status(payments, lambda: payments.get_transfer(made), "completed"), payments.get_transfer(made)]
    expect(seen[-2], field("data.status", "completed"))
    expect(
        seen[-1], computed("no later query shows another status", status_regressed(seen, "completed", seen[-2].ended))
    )


@requirement("PAY-IDEM-10")
def test_equal_requests_with_one_key_at_once_create_one_transfer(payments: Payments) -> None:
    """Whichever came first."""
    answers = account(payments).race
    made = next((one for one in answers if one.ok), answers[0])
    expect(made, computed("one key made one transfer", one_transfer(answers)))


@requirement("PAY-IDEM-10")
def test_after_equal_requests_at_once_the_key_stands_for_their_one_transfer(payments: Payments) -> None:
    """The same request once more makes no other."""
    body, key = account(payments).body(), fresh_key()
    answers = repeat_concurrently(SHOTS, lambda: payments.create_transfer(body, key=key, group="once"))
    made = next((one for one in answers if one.ok), answers[0])
    expect(made, computed("one key made one transfer", one_transfer(answers)))
    again = payments.create_transfer(body, key=key)
    expect(again, computed("the key stands for that transfer", second_transfer_problem(made, again)))


@requirement("PAY-IDEM-04")
def test_different_requests_with_one_key_at_once_create_one_transfer(payments: Payments) -> None:
    """Whichever came first, the others conflict with it; equal ones create one transfer."""
    if len(ids(account(payments).race)) > 1:
        raise not_applicable("a key stands for several transfers even where the requests are equal")
    key, plain = fresh_key(), account(payments).body()
    bodies = [{**plain, "amount": plain["amount"] + more} for more in range(SHOTS)]
    answers = run_concurrently(
        *[lambda one=one: payments.create_transfer(one, key=key, group="conflict") for one in bodies]
    )
    made = next((one for one in answers if one.ok), answers[0])
    expect(made, computed("one key made one transfer", one_transfer(answers)))


@requirement("PAY-TRF-45")
def test_transfers_at_once_have_different_ids(payments: Payments) -> None:
    """Each has a key of its own."""
    bodies = [account(payments).body() for _ in range(SHOTS)]
    keys = [fresh_key() for _ in bodies]
    pairs = zip(bodies, keys, strict=True)
    answers = run_concurrently(*[lambda one=one, key=key: payments.create_transfer(one, key=key) for one, key in pairs])
    accepted = [precondition(one) for one in answers if one.ok]
    words = f"{len(accepted)} transfers have {len(ids(accepted))} ids" if len(ids(accepted)) < len(accepted) else None
    expect(answers[0], computed("the ids are distinct", words))


@requirement("PAY-CHG-41")
def test_charges_at_once_have_different_ids(payments: Payments) -> None:
    """Equal bodies make as many charges."""
    answers = [
        precondition(one, has("data.id"))
        for one in repeat_concurrently(SHOTS, lambda: payments.create_charge(a_charge()))
    ]
    words = f"{len(answers)} charges have {len(ids(answers))} ids" if len(ids(answers)) < len(answers) else None
    expect(answers[0], computed("the ids are distinct", words))


@requirement("PAY-WH-32", "PAY-WH-52")
def test_webhooks_made_at_once_are_all_there(payments: Payments) -> None:
    """Each has an id of its own, and none takes the place of another."""
    plain_hook(payments)
    bodies = [a_hook(payments) for _ in range(HOOKS)]
    answers = run_concurrently(*[lambda one=one: payments.create_webhook(one) for one in bodies])
    made = [one for one in answers if one.ok and one.at("data.id") is not MISSING]
    listing = listed_in_time(payments, *made)
    for one in ids(made):
        payments.delete_webhook(one)
    if len(made) < 2:  # an account may be allowed one webhook only
        raise not_applicable("no two webhooks were accepted at once")
    words = f"{len(made)} webhooks have {len(ids(made))} ids" if len(ids(made)) < len(made) else None
    expect(made[0], computed("the ids are distinct", words), of="PAY-WH-32")
    lost = sum(not listing.holds(one) for one in made) if listing.complete else 0
    words = f"{lost} of {len(made)} webhooks are not in the list" if lost else None
    expect(listing.first, computed("all are in the list", words), of="PAY-WH-52")
