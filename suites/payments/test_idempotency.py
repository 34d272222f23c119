"""One key, one transfer (payments.md, lines 254 and 294-302)."""

from __future__ import annotations

import time
from typing import Any

import pytest

from fixtures.bodies import without_field
from fixtures.payments.account import Sent, account
from fixtures.payments.bodies import fresh_key
from fixtures.payments.callback_urls import an_address
from fixtures.payments.charges import as_plain
from fixtures.payments.events import PaymentsEvents
from fixtures.texts import ascii_text
from pix_conformance.checks.events import skip_if_no_receiver
from pix_conformance.checks.matchers import computed, field, has, not_field, status
from pix_conformance.checks.relations import (
    changed_fields,
    ids_equal,
    replay_answer_problem,
    second_transfer_problem,
    shows_other_transfer,
)
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.clock import Clock
from pix_conformance.harness.deferred import deferred, prepare, prepare_early
from pix_conformance.harness.expect import expect, not_applicable, precondition
from pix_conformance.harness.polling import poll_status
from pix_conformance.harness.requirement import requirement
from pix_conformance.harness.run import Run

CHANGES = (
    *("amount", "lower-amount", "pixKey", "description", "end-of-description", "added-description"),
    *("removed-description", "capitals-of-description", "accent-of-description", "postbackUrl"),
)
OTHERS = 7
"""Transfers between a request and its retry."""
RETRIED_S, SOON_S, REMEMBERED_S = 25.0, 4.0, 58.0
"""How many seconds old a request is when a network retries it, as late as that or soon; until when a key is known."""
LONGEST = ascii_text(140)
TEXTS = {
    "end-of-description": (f"{LONGEST[:-1]}a", f"{LONGEST[:-1]}b"),
    "capitals-of-description": ("Prize of May", "PRIZE OF MAY"),
    "accent-of-description": ("Premio de maio", "Pr\u00eamio de maio"),
}
"""Descriptions that are hardly different."""
SHOWN = ("id", "amount", "netAmount", "fees", "pixKey")


@prepare_early("payments_events")
def the_story_of_events(payments_events: PaymentsEvents) -> None:
    """One of its transfers conflicts."""
    payments_events.start()


@prepare("payments")
def keyed(payments: Payments) -> Sent:
    """A transfer whose request is sent again after a while."""
    return account(payments).sent()


def _first(payments: Payments) -> dict[str, Any]:
    return account(payments).body(description="Prize of May")


def _changed(payments: Payments, what: str) -> tuple[dict[str, Any], dict[str, Any]]:
    body = _first(payments)
    more = body["amount"] + 1
    others = {"amount": more, "pixKey": account(payments).made_up_key("evp"), "description": "Prize of June"}
    if what in TEXTS:
        first, second = TEXTS[what]
        return {**body, "description": first}, {**body, "description": second}
    if what == "added-description":
        return account(payments).body(), body
    if what == "removed-description":
        return body, without_field(body, "description")
    if what == "lower-amount":
        return {**body, "amount": more}, body
    return body, {**body, what: others.get(what) or an_address(payments, "conflict")}


@requirement("PAY-IDEM-01")
def test_the_same_request_again_creates_no_second_transfer(payments: Payments) -> None:
    """The original transfer, or 409: both readings are right."""
    sent = account(payments).sent()
    again = payments.create_transfer(sent.body, key=sent.key)
    expect(again, computed("the answer is the first transfer or 409", second_transfer_problem(sent.created, again)))


@requirement("PAY-IDEM-19")
def test_the_same_request_again_is_answered_with_its_transfer_or_409(payments: Payments) -> None:
    """A replay of a transfer that was accepted is accepted too or refused with 409, at once and once more."""
    sent = account(payments).sent()
    for _ in range(2):
        again = payments.create_transfer(sent.body, key=sent.key)
        expect(again, computed("the answer is a success or 409", replay_answer_problem(again)))


@requirement("PAY-TRF-41")
def test_a_replay_that_is_accepted_has_the_amount_of_its_transfer(payments: Payments) -> None:
    """Whether it shows the status of then or of now."""
    sent = account(payments).sent(amount=345)
    again = payments.create_transfer(sent.body, key=sent.key)
    if not again.ok:
        raise not_applicable("the same request again is refused")
    expect(precondition(again, has("data.amount", "integer")), field("data.amount", 345))


@requirement("PAY-IDEM-01")
def test_the_same_request_a_third_time_creates_none_either(payments: Payments) -> None:
    """A retry may be retried."""
    sent = account(payments).sent()
    payments.create_transfer(sent.body, key=sent.key)
    third = payments.create_transfer(sent.body, key=sent.key)
    expect(third, computed("the answer is the first transfer or 409", second_transfer_problem(sent.created, third)))


@requirement("PAY-IDEM-01")
def test_the_same_request_again_with_a_new_token_creates_no_second_transfer(payments: Payments) -> None:
    """A token lives for a minute: a retry may need another one."""
    sent = account(payments).sent()
    token = precondition(payments.authenticate(), has("token")).at("token")
    again = payments.create_transfer(sent.body, key=sent.key, authorization=payments.bearer(token))
    expect(again, computed("the answer is the first transfer or 409", second_transfer_problem(sent.created, again)))


@requirement("PAY-IDEM-01")
def test_the_same_request_again_after_others_creates_no_second_transfer(payments: Payments) -> None:
    """A retry is not always the next request."""
    sent = account(payments).sent()
    for _ in range(OTHERS):
        account(payments).sent()
    if time.time() - sent.created.ended > REMEMBERED_S:
        raise not_applicable("the retry would come too late")
    again = payments.create_transfer(sent.body, key=sent.key)
    expect(again, computed("the answer is the first transfer or 409", second_transfer_problem(sent.created, again)))


@requirement("PAY-IDEM-01")
@deferred(RETRIED_S)
def test_the_same_request_again_after_a_while_creates_no_second_transfer(payments: Payments, clock: Clock) -> None:
    """A network may need seconds to fail."""
    sent = keyed.after_age(RETRIED_S)
    if time.time() - sent.created.ended > REMEMBERED_S:
        sent = account(payments).sent()
        clock.wait_until_aged(clock.now(), RETRIED_S if clock.turnable else SOON_S)
    again = payments.create_transfer(sent.body, key=sent.key)
    expect(again, computed("the answer is the first transfer or 409", second_transfer_problem(sent.created, again)))


@requirement("PAY-IDEM-02")
@pytest.mark.parametrize("what", CHANGES)
def test_a_key_reused_with_another_body_conflicts(payments: Payments, what: str) -> None:
    """One field differs; the other body is accepted with a key of its own."""
    body, other = _changed(payments, what)
    precondition(payments.create_transfer(other, key=fresh_key()))
    key = fresh_key()
    precondition(payments.create_transfer(body, key=key))
    expect(payments.create_transfer(other, key=key), status(409))


@requirement("PAY-IDEM-02", "PAY-IDEM-04", "PAY-IDEM-18")
def test_a_conflict_creates_no_transfer_and_disturbs_none(payments: Payments) -> None:
    """The answer shows no other transfer, the first is as it was, and its key still stands for it."""
    sent = account(payments).sent()
    before = precondition(payments.get_transfer(sent.id))
    conflict = payments.create_transfer({**sent.body, "amount": sent.body["amount"] + 2}, key=sent.key)
    expect(
        conflict,
        computed("the answer shows no other transfer", shows_other_transfer(sent.created, conflict)),
        of="PAY-IDEM-04",
    )
    after = precondition(payments.get_transfer(sent.id))
    expect(after, computed("the first transfer is as it was", changed_fields(before, after, *SHOWN)), of="PAY-IDEM-18")
    again = payments.create_transfer({**sent.body, "amount": sent.body["amount"] + 2}, key=sent.key)
    expect(again, status(409), of="PAY-IDEM-02")


@requirement("PAY-IDEM-01")
def test_after_a_conflict_the_key_still_stands_for_the_first_transfer(payments: Payments) -> None:
    """The body of the conflict has not taken its place."""
    sent = account(payments).sent()
    payments.create_transfer({**sent.body, "amount": sent.body["amount"] + 3}, key=sent.key)
    again = payments.create_transfer(sent.body, key=sent.key)
    expect(again, computed("the answer is the first transfer or 409", second_transfer_problem(sent.created, again)))


@deferred(0)
@requirement("PAY-IDEM-04")
def test_a_conflict_sends_no_event(run: Run) -> None:
    """A transfer behind the refusal would tell its postback address that it exists."""
    subject, silence = skip_if_no_receiver(
        lambda: run.scenario("payments_events").completed_scenario.after_quiet_period("conflicting_transfer")
    ).check
    expect(subject, silence)


@deferred(0)
@requirement("PAY-IDEM-01")
def test_a_replay_sends_no_event_of_another_transfer(run: Run) -> None:
    """Whatever it is answered, a second transfer behind it would tell its postback address that it exists."""
    subject, silence = skip_if_no_receiver(
        lambda: run.scenario("payments_events").completed_scenario.after_quiet_period("replayed_transfer")
    ).check
    expect(subject, silence)


@requirement("PAY-IDEM-07")
def test_two_calls_without_a_key_never_yield_one_transfer(payments: Payments) -> None:
    """Whether they are accepted at all is another question."""
    body = account(payments).body()
    first, second = payments.create_transfer(body), payments.create_transfer(body)
    expect(second, computed("the two calls made no one transfer", ids_equal(first, second)))


@requirement("PAY-IDEM-09")
def test_the_same_body_with_another_key_makes_another_transfer(payments: Payments) -> None:
    """What is paid twice on purpose is paid twice."""
    sent = account(payments).sent()
    answer = payments.create_transfer(sent.body, key=fresh_key())
    expect(
        answer, *as_plain(sent.created), not_field("data.id", precondition(sent.created, has("data.id")).at("data.id"))
    )


@requirement("PAY-IDEM-09")
@pytest.mark.parametrize("place", [0, -1], ids=["first", "last"])
def test_a_key_that_differs_in_one_digit_is_another_key(payments: Payments, place: int) -> None:
    """The whole key counts: a part of a UUID is not unique."""
    sent = account(payments).sent()
    digits = list(sent.key)
    digits[place] = "1" if digits[place] == "0" else "0"
    answer = payments.create_transfer(sent.body, key="".join(digits))
    expect(
        answer, *as_plain(sent.created), not_field("data.id", precondition(sent.created, has("data.id")).at("data.id"))
    )


@requirement("PAY-IDEM-11")
def test_a_replay_after_the_completion_creates_no_second_transfer(payments: Payments) -> None:
    """The transfer has another status by now, but the request is the same."""
    sent, again = account(payments).repetition
    expect(again, computed("the answer is the first transfer or 409", second_transfer_problem(sent.created, again)))


@requirement("PAY-TRF-73")
def test_a_replay_after_the_completion_leaves_the_transfer_completed(payments: Payments) -> None:
    """It is irreversible, and not run through its states again; another one is shown completed."""
    precondition(account(payments).completed, field("data.status", "completed"))
    sent, _ = account(payments).repetition
    query = poll_status(payments, lambda: payments.get_transfer(sent.id), "completed")
    expect(precondition(query, has("data.status", "string")), field("data.status", "completed"))
