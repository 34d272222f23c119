"""A clock that is off shows in the Date headers: then a time of the target proves nothing. Times in signatures."""

import hmac
import json
import re
from email.utils import formatdate

import pytest

from pix_conformance.checks.business.charges import CLOCKS_APART_S, created_at_time_of_request
from pix_conformance.checks.payments.signature_times import SKEW_S, is_signed_between
from pix_conformance.checks.relations import SKEW_S as LONGEST_S
from pix_conformance.checks.relations import is_dated
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange, Request, Response
from pix_conformance.model.profile import BUSINESS, PAYMENTS
from pix_conformance.model.vocabulary import Api, Outcome, Role, Secret
from pix_conformance.oracles.signature import sign
from pix_conformance.recording.bundle.values import environment
from pix_conformance.recording.deliveries_of_run import check_deliveries
from pix_conformance.recording.recorder import Recorder
from tests.support.conclusions import mismatch, unknown

NOON = 1_767_268_800.0
"""2026-01-01T12:00:00Z, by the clock of this machine."""
SECRET = "whsec_of_the_endpoint"  # noqa: S105  # a made-up one


def response(ahead: float, body: object = None, api: Api = Api.BUSINESS) -> Exchange:
    """Return an exchange at noon, whose Date header is so many seconds ahead."""
    headers, raw = (("Date", formatdate(NOON + ahead, usegmt=True)),), json.dumps(body).encode()
    answer = Response(200, headers, raw, len(raw))
    return Exchange(1, api, Role.MERCHANT, "get_charge", None, NOON, 0.0, Request("GET", "/", ()), answer)


def event(ahead: float, secret: str = SECRET) -> Delivery:
    """Return a business event that came at noon, signed so many seconds ahead."""
    t, body = str(int(NOON + ahead)), b'{"id": "evt_1", "type": "business.pix.created", "data": {}}'
    headers = ((BUSINESS.signature_header, f"t={t},v1={sign(t, body, secret)}"),)
    return Delivery(1, "/business", "POST", NOON, headers, body, 200, api=Api.BUSINESS)


def judged(deliveries: list[Delivery], ahead: float) -> Recorder:
    recorder = Recorder(exchanges=[response(ahead)])
    check_deliveries(deliveries, recorder, len(deliveries), {Api.BUSINESS: Secret(SECRET)}, lambda moment: moment)
    return recorder


def test_a_signature_by_the_clock_of_the_date_headers_is_inconclusive() -> None:
    recorder = judged([event(ahead=600)], ahead=600)
    (verdict,) = [verdict for verdict in recorder.verdicts if verdict.requirement == "BUS-SIG-04"]
    assert verdict.outcome is Outcome.INCONCLUSIVE
    words = "t is 600 s after the arrival; the Date headers are 600 s ahead as well: one of the two clocks is wrong"
    assert verdict.reason == words
    assert "BUS-SIG-04" not in recorder.passive.seen


@pytest.mark.parametrize(("t", "dates"), [(600, 0), (600, -600), (3600, 600)])
def test_a_signature_that_the_date_headers_do_not_explain_is_wrong(t: float, dates: float) -> None:
    assert judged([event(t)], dates).passive.seen["BUS-SIG-04"].broken[0][1] == f"t is {t} s after the arrival"


def test_a_signature_that_is_right_by_this_machine_passes_whatever_the_date_headers_say() -> None:
    assert judged([event(0)], ahead=600).passive.seen["BUS-SIG-04"].met


def payments_event(t: float) -> Delivery:
    """Return a payments event that came at noon, with that t in its signature."""
    header = ((PAYMENTS.signature_header, f"t={t:.0f},v1=00"),)
    return Delivery(1, "/", "POST", NOON, header, b"{}", 200, api=Api.PAYMENTS)


def test_the_clock_of_the_date_headers_explains_the_other_times() -> None:
    ahead = 1_000.0
    payments = response(ahead, {"data": {"createdAt": "2026-01-01T12:16:40Z"}}, Api.PAYMENTS)
    charge = response(ahead, {"created_at": "2026-01-01T12:16:40Z"})
    words = "1000 s after the .*; the Date headers are 1000 s ahead as well"
    assert re.search(words, unknown(is_dated("createdAt", NOON), payments).sentence)
    assert re.search(words, unknown(created_at_time_of_request(NOON), charge).sentence)
    assert re.search(words, unknown(is_signed_between(NOON - 1, NOON, ahead), payments_event(NOON + ahead)).sentence)


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
    recorder = judged([event(0, secret) for secret in secrets], ahead=0)
    assert ("is PIX_BUSINESS_WEBHOOK_SECRET the secret" in recorder.passive.seen["BUS-SIG-03"].broken[0][1]) == is_asked


def test_a_mistake_made_with_the_right_secret_does_not_ask_for_it() -> None:
    body = event(0).body
    digest = hmac.new(SECRET.encode(), body, "sha256").hexdigest()
    headers = ((BUSINESS.signature_header, f"t={NOON:.0f},v1={digest}"),)
    recorder = judged([Delivery(1, "/business", "POST", NOON, headers, body, 200, api=Api.BUSINESS)], ahead=0)
    assert "is PIX_BUSINESS_WEBHOOK_SECRET" not in recorder.passive.seen["BUS-SIG-03"].broken[0][1]
