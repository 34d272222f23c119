"""What the document leaves open about transfers, keys and completions: asked and noted, never judged."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fixtures.payments.account import LAST, Sent, account
from fixtures.payments.bodies import fresh_key
from fixtures.payments.callback_urls import a_plain_http_address
from fixtures.payments.descriptions import note_answers, outcome
from fixtures.payments.overdraft import decided, overdrawn
from pix_conformance.checks.relations import asked_at, second_transfer_problem
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.deferred import deferred, prepare_early
from pix_conformance.harness.expect import Observer, precondition
from pix_conformance.harness.requirement import requirement

WRONG_DIGITS = {"CPF": "52998224724", "CNPJ": "11222333000180"}
UNUSUAL = {
    "e-mail in capitals": "PIX.ONE@EXAMPLE.COM",
    "UUID in capitals": "123E4567-E12B-42D1-A456-426655440000",
    "UUID without hyphens": "123e4567e12b42d1a456426655440000",
    "blanks around": " 123e4567-e12b-42d1-a456-426655440000 ",
}

WATCHED_S, LOOK_AGAIN_S = 1.0, 0.1


@prepare_early("payments")
def a_remembered_transfer(payments: Payments) -> Sent:
    """A transfer whose key is used again at the end."""
    return account(payments).sent()


def watched(payments: Payments) -> list[tuple[float, Any]]:
    """Return the statuses that a new transfer passes through, with the seconds since its creation."""
    sent = account(payments).sent()
    seen = [(0.0, sent.created.at("data.status"))]
    while seen[-1][0] < WATCHED_S:
        payments.run.waits.pause(LOOK_AGAIN_S)
        query = precondition(payments.get_transfer(sent.id))
        seen.append((round(query.ended - sent.created.ended, 2), query.at("data.status")))
    return [one for place, one in enumerate(seen) if place == 0 or one[1] != seen[place - 1][1]]


@requirement("PAY-TRF-15")
def test_the_currency_in_small_letters_is_noted(payments: Payments, observe: Observer) -> None:
    """Only BRL is accepted; whether brl is BRL is not said."""
    note_answers(observe, "PAY-TRF-15", {"brl": account(payments).send(currency="brl")})


@requirement("PAY-TRF-24")
def test_a_postback_address_without_tls_is_noted(payments: Payments, observe: Observer) -> None:
    """A webhook must be https, a postbackUrl a URI."""
    note_answers(
        observe, "PAY-TRF-24", {"plain http": account(payments).send(postbackUrl=a_plain_http_address(payments))}
    )


@requirement("PAY-TRF-40")
def test_the_first_status_of_a_transfer_is_noted(payments: Payments, observe: Observer) -> None:
    """The sample shows pending."""
    made = account(payments).sent().created
    observe("PAY-TRF-40", f"a new transfer is {made.at('data.status')}", made.at("data.status"), made)


@requirement("PAY-TRF-74")
def test_the_statuses_of_a_transfer_are_noted(payments: Payments, observe: Observer) -> None:
    """From its creation, through its approval."""
    seen = watched(payments)
    words = ", ".join(f"{state} after {seconds:.1f} s" for seconds, state in seen)
    observe("PAY-TRF-74", f"seen: {words}", seen)


@requirement("PAY-KEY-12")
def test_wrong_check_digits_are_noted(payments: Payments, observe: Observer) -> None:
    """Digits only is the one rule."""
    note_answers(
        observe, "PAY-KEY-12", {what: account(payments).send(pixKey=key) for what, key in WRONG_DIGITS.items()}
    )


@requirement("PAY-KEY-13")
def test_unusual_spellings_of_keys_are_noted(payments: Payments, observe: Observer) -> None:
    """A service may normalise them."""
    note_answers(observe, "PAY-KEY-13", {what: account(payments).send(pixKey=key) for what, key in UNUSUAL.items()})


@requirement("PAY-KEY-14")
def test_a_cnpj_with_letters_is_noted(payments: Payments, observe: Observer) -> None:
    """Its check digits are right by today's law."""
    note_answers(observe, "PAY-KEY-14", {"12ABC34501DE35": account(payments).send(pixKey="12ABC34501DE35")})


@requirement("PAY-CMP-15")
def test_a_completion_during_the_approval_is_noted(payments: Payments, observe: Observer) -> None:
    """At once after the creation."""
    sent = account(payments).sent()
    answer = payments.complete_transfer(sent.id)
    state = account(payments).state(sent)
    words = f"made as {sent.created.at('data.status')}, completed at once: {outcome(answer)}; then it is {state}"
    observe("PAY-CMP-15", words, {"status": answer.status, "state": state}, sent.created, answer)


@requirement("PAY-IDEM-05")
def test_the_answer_to_a_repetition_is_noted(payments: Payments, observe: Observer) -> None:
    """The original answer, or 409."""
    sent = account(payments).sent()
    again = payments.create_transfer(sent.body, key=sent.key)
    same = "the same body" if again.body == sent.created.body else "another body"
    observe("PAY-IDEM-05", f"{outcome(again)}, {same}", {"status": again.status, "same": same}, sent.created, again)


@requirement("PAY-IDEM-06")
def test_a_transfer_without_a_key_is_noted(payments: Payments, observe: Observer) -> None:
    """Required, and said to create a transfer."""
    body = account(payments).body()
    note_answers(observe, "PAY-IDEM-06", {"no header": payments.create_transfer(body)})


@requirement("PAY-IDEM-08")
@pytest.mark.parametrize("kind", ["words", "long"])
def test_a_key_that_is_no_uuid_is_noted(payments: Payments, kind: str, observe: Observer) -> None:
    """Called a unique UUID."""
    key = f"{fresh_key()}-{'x' * 300 if kind == 'long' else 'of-pix-conformance'}"
    answer = payments.create_transfer(account(payments).body(), key=key)
    note_answers(observe, "PAY-IDEM-08", {f"{len(key)} characters, no UUID": answer})


@requirement("PAY-IDEM-12")
def test_other_texts_of_one_body_are_noted(payments: Payments, observe: Observer) -> None:
    """Each repeats a transfer of its own."""
    texts = {"keys in another order": _reversed, "with blanks": _spread, "currency written out": _complete}
    answers = {}
    for what, write in texts.items():
        sent = account(payments).sent(description="Prize of May")
        answers[what] = payments.create_transfer(..., content=write(sent.body).encode(), key=sent.key)
    note_answers(observe, "PAY-IDEM-12", answers)


def _reversed(body: dict[str, Any]) -> str:
    return json.dumps(dict(reversed(body.items())))


def _spread(body: dict[str, Any]) -> str:
    return json.dumps(body, indent=4)


def _complete(body: dict[str, Any]) -> str:
    return json.dumps({**body, "currency": "BRL"})


@requirement("PAY-IDEM-13")
def test_whether_a_refused_request_uses_up_its_key_is_noted(payments: Payments, observe: Observer) -> None:
    """A valid request follows with the same key."""
    body, key = account(payments).body(), fresh_key()
    refused = payments.create_transfer({**body, "amount": 0}, key=key)
    answer = payments.create_transfer(body, key=key)
    note_answers(observe, "PAY-IDEM-13", {"amount 0": refused, "then a valid one": answer})


@requirement("PAY-IDEM-14")
def test_the_key_of_another_account_is_noted(payments: Payments, other_payments: Payments, observe: Observer) -> None:
    """The other account sends the same body."""
    sent, plain = account(payments).sent(), account(other_payments).plain_transfer
    answer = other_payments.create_transfer({**plain.body, **sent.body}, key=sent.key)
    note_answers(observe, "PAY-IDEM-14", {"key of another account": answer})


@deferred(LAST)
@requirement("PAY-IDEM-15")
def test_how_long_a_key_is_remembered_is_noted(payments: Payments, observe: Observer) -> None:
    """The first request of the run again, last of all."""
    sent = a_remembered_transfer.value()
    age = payments.run.clock.now() - asked_at(sent.created, payments.run.clock)
    again = payments.create_transfer(sent.body, key=sent.key)
    known = "remembered" if second_transfer_problem(sent.created, again) is None else "not remembered"
    observe("PAY-IDEM-15", f"after {age:.0f} s the key is {known}: {outcome(again)}", known, sent.created, again)


@deferred(LAST)
@requirement("PAY-TRF-10")
def test_a_transfer_beyond_the_balance_is_noted(payments: Payments, observe: Observer) -> None:
    """Ten units more than there are; last of all, since it may empty the wallet."""
    made, query = overdrawn(payments), decided(payments)
    answer, state = made.created, query.at("data.status") or None
    words = f"{made.amount} cents: {outcome(answer)}" + (f", then it is {state}" if answer.ok else "")
    observe("PAY-TRF-10", words, {"status": answer.status, "state": state}, answer)


@deferred(LAST)
@requirement("PAY-TRF-27")
def test_a_very_large_amount_is_noted(payments: Payments, observe: Observer) -> None:
    """Not to be told from one beyond the balance."""
    amounts = (2**31, 2**53, 10**20)
    note_answers(observe, "PAY-TRF-27", {str(amount): account(payments).send(amount=amount) for amount in amounts})
