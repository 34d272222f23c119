"""Signatures of events and times of the target, where its clock is not that of this machine."""

import hmac
import json
from dataclasses import replace
from email.utils import formatdate

import pytest

from pix_conformance.checks.business.charges import CLOCKS_APART_S, created_at_time_of_request
from pix_conformance.checks.clocks import wanted_wait
from pix_conformance.checks.payments.signature_times import SKEW_S, is_signed_between
from pix_conformance.checks.relations import SKEW_S as LONGEST_S
from pix_conformance.checks.relations import is_dated
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.profile import BUSINESS, PAYMENTS
from pix_conformance.model.vocabulary import Api, Outcome, Secret
from pix_conformance.oracles.signature import sign
from pix_conformance.recording.bundle.values import environment
from pix_conformance.recording.facts import Facts
from pix_conformance.recording.recorder import Recorder
from tests.support.conclusions import mismatch
from tests.support.exchanges import exchange
from tests.support.judged_facts import result

SECRET = "whsec_of_the_endpoint"  # noqa: S105  # a made-up one
NOON = 1_767_268_800.0
"""2026-01-01T12:00:00Z, by the clock of this machine."""


def response(ahead: float, body: object = None, api: Api = Api.BUSINESS) -> Exchange:
    """Return an exchange at noon, whose Date header is so many seconds ahead."""
    headers = (("Date", formatdate(NOON + ahead, usegmt=True)),)
    return exchange(body, headers=headers, api=api, operation="get_charge", started=NOON, elapsed_ms=0.0)


EVENT = {"id": "evt_1", "type": "business.pix.created", "data": {"external_ref": "order-1"}}


def event(ahead: float, secret: str = SECRET) -> Delivery:
    """Return an event about the charge of a run that came at noon, signed so many seconds ahead."""
    t, body = str(int(NOON + ahead)), json.dumps(EVENT).encode()
    headers = ((BUSINESS.signature_header, f"t={t},v1={sign(t, body, secret)}"),)
    return Delivery(1, "/business", "POST", NOON, headers, body, 200, api=Api.BUSINESS)


def facts_of(deliveries: list[Delivery], ahead: float) -> Facts:
    """Return the facts of a run that knows the secret of the endpoint, and whose target has such a clock."""
    recorder = Recorder(secrets={Api.BUSINESS: Secret(SECRET)})
    recorder.record_created(response(ahead, {"external_ref": "order-1"}), "charge", "chg_1")
    recorder.facts.add(response(ahead))
    for number, came in enumerate(deliveries, 1):
        recorder.record_delivery(replace(came, id=number))
    recorder.take_deliveries()
    return recorder.facts


def test_a_signature_by_the_clock_of_the_date_headers_is_right() -> None:
    assert result(facts_of([event(ahead=600)], ahead=600), "BUS-SIG-04").outcome is Outcome.PASS


@pytest.mark.parametrize(("t", "dates"), [(600, 0), (600, -600), (3600, 600)])
def test_a_signature_that_the_date_headers_do_not_explain_is_wrong(t: float, dates: float) -> None:
    judged = result(facts_of([event(t)], dates), "BUS-SIG-04")
    assert (judged.outcome, judged.reason) == (Outcome.FAIL, f"business.pix.created: t is {t} s after the arrival")


def test_a_later_attempt_may_carry_the_t_of_the_first_whichever_receiver_is_read_first() -> None:
    """The facts of one worker may have the later attempt, and be read before those of the others."""
    later = replace(event(0), received=NOON + 3600)
    assert result(facts_of([later, event(0)], ahead=0), "BUS-SIG-04").outcome is Outcome.PASS


def test_a_signature_that_is_right_by_this_machine_passes_whatever_the_date_headers_say() -> None:
    assert result(facts_of([event(0)], ahead=600), "BUS-SIG-04").outcome is Outcome.PASS


def payments_event(t: float) -> Delivery:
    """Return a payments event that came at noon, with that t in its signature."""
    header = ((PAYMENTS.signature_header, f"t={t:.0f},v1=00"),)
    return Delivery(1, "/", "POST", NOON, header, b"{}", 200, api=Api.PAYMENTS)


def test_the_other_times_are_compared_with_the_date_of_their_response() -> None:
    ahead = 1_000.0
    payments = response(ahead, {"data": {"createdAt": "2026-01-01T12:16:40Z"}}, Api.PAYMENTS)
    charge = response(ahead, {"created_at": "2026-01-01T12:16:40Z"})
    assert mismatch(is_dated("createdAt", NOON), payments) is None
    assert mismatch(created_at_time_of_request(NOON), charge) is None
    assert mismatch(is_signed_between(NOON - 1, NOON, ahead), payments_event(NOON + ahead)) is None


@pytest.mark.parametrize(
    ("retry_after", "date", "ahead", "wait"),
    [
        ("7", NOON, 0, 7),
        (NOON + 302, NOON + 300, 0, 2),
        (NOON - 298, NOON - 300, 0, 2),
        (NOON + 302, None, 300, 2),
        (NOON + 5, None, 0, 5),
        ("soon", NOON, 0, None),
        ("\u0667", NOON, 0, None),
        ("Mon, 01 Jan 99999999999 00:00:00 GMT", NOON, 0, None),
        (None, NOON, 0, None),
    ],
)
def test_retry_after_is_read_by_the_clock_of_the_target(
    retry_after: str | float | None, date: float | None, ahead: float, wait: float | None
) -> None:
    """The Date of the same response shows that clock, and without one the Date headers of the others."""
    until = formatdate(retry_after, usegmt=True) if isinstance(retry_after, float) else retry_after
    named = {"Retry-After": until, "Date": None if date is None else formatdate(date, usegmt=True)}
    headers = tuple((name, value) for name, value in named.items() if value is not None)
    answer = exchange(None, headers=headers, status=429, started=NOON, elapsed_ms=0.0)
    assert wanted_wait(answer, ahead) == wait


def test_a_wrong_time_of_a_target_whose_date_headers_are_right_is_wrong() -> None:
    late = {"data": {"createdAt": "2026-01-01T15:00:00Z"}, "created_at": "2026-01-01T15:00:00Z"}
    words = "data.createdAt is 10800 s after the request"
    assert mismatch(is_dated("createdAt", NOON), response(LONGEST_S / 2, late)) == words
    assert mismatch(created_at_time_of_request(NOON), response(CLOCKS_APART_S / 2, late))


@pytest.mark.parametrize(
    ("seconds", "turned", "is_right"),
    [
        *((0, 0, True), (SKEW_S, 0, True), (-SKEW_S, 0, True), (SKEW_S + 4, 0, False), (-SKEW_S - 1, 0, False)),
        *((3600, 3600, True), (3600 + SKEW_S + 4, 3600, False)),
    ],
)
def test_t_is_the_time_of_the_event_within_five_minutes(seconds: float, turned: float, *, is_right: bool) -> None:
    """It may be in milliseconds, and from before the clock was advanced."""
    matcher = is_signed_between(NOON - turned - 3, NOON)
    for unit in (1, 1000):
        assert (mismatch(matcher, payments_event((NOON - seconds) * unit)) is None) == is_right


def test_the_report_says_that_a_clock_is_off() -> None:
    words = "the Date headers of the target are 3600 s behind, by this machine's clock: one of the two clocks is wrong"
    assert environment([response(-3600) for _ in range(3)]) == (words,)
    assert environment([response(5)]) == ()


@pytest.mark.parametrize(("secrets", "is_asked"), [(["a", "b"], True), ([SECRET, "b"], False)])
def test_signatures_that_are_all_wrong_ask_for_the_secret(secrets: list[str], *, is_asked: bool) -> None:
    judged = result(facts_of([event(0, secret) for secret in secrets], ahead=0), "BUS-SIG-03")
    assert judged.outcome is Outcome.FAIL
    assert ("is PIX_BUSINESS_WEBHOOK_SECRET the secret" in judged.reason) == is_asked


def test_a_signature_of_another_sender_decides_nothing() -> None:
    """It names nothing of the run, and is not signed with the secret, as the other event is."""
    stray = replace(event(0, "b"), body=b'{"id": "evt_2", "type": "business.pix.created", "data": {}}')
    assert result(facts_of([event(0), stray], ahead=0), "BUS-SIG-03").outcome is Outcome.PASS


def test_a_mistake_made_with_the_right_secret_does_not_ask_for_it() -> None:
    body = event(0).body
    digest = hmac.new(SECRET.encode(), body, "sha256").hexdigest()
    headers = ((BUSINESS.signature_header, f"t={NOON:.0f},v1={digest}"),)
    judged = result(facts_of([replace(event(0), headers=headers)], ahead=0), "BUS-SIG-03")
    assert judged.outcome is Outcome.FAIL
    assert "is PIX_BUSINESS_WEBHOOK_SECRET" not in judged.reason
