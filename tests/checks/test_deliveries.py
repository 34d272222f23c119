"""Passive rules of deliveries: what no mutant sends, bodies that are not events, values of others, clocks that are off.

What the rules find wrong in an event of the reference is shown by the mutants of EVT and SIG.
"""

import hmac
import json
import time
from dataclasses import replace
from email.utils import formatdate
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.checks.business.charges import CLOCKS_APART_S, created_at_time_of_request
from pix_conformance.checks.clocks import wanted_wait
from pix_conformance.checks.passive import judge_delivery
from pix_conformance.checks.passive_rules import DeliveryContext
from pix_conformance.checks.payments.signature_times import SKEW_S, is_signed_between
from pix_conformance.checks.relations import SKEW_S as LONGEST_S
from pix_conformance.checks.relations import is_dated
from pix_conformance.model.delivery import Delivery, read_deliveries
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.openapi import description
from pix_conformance.model.profile import BUSINESS, PAYMENTS
from pix_conformance.model.vocabulary import Api, Outcome, Secret, Verdict
from pix_conformance.model.why import Why
from pix_conformance.oracles.signature import sign
from pix_conformance.recording.bundle.values import environment
from pix_conformance.recording.deliveries_of_run import check_deliveries, gather, read_at_the_end, without_secrets
from pix_conformance.recording.recorder import Recorder
from tests.support.conclusions import mismatch
from tests.support.exchanges import exchange

SECRET = "whsec_of_the_endpoint"  # noqa: S105  # a made-up one
PLAIN = DeliveryContext(secret=Secret(SECRET), arrived=1_000_000_000.0)


def example(api: Api, event: str) -> dict[str, Any]:
    media = description(api)["webhooks"][event]["post"]["requestBody"]["content"]["application/json"]
    copied: dict[str, Any] = json.loads(json.dumps(media["example"]))
    return copied


def delivery(api: Api, body: Any, **headers: str) -> Delivery:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = {"Content-Type": "application/json", "User-Agent": "Service"}
    if api is Api.BUSINESS:
        sent["X-Service-Signature"] = f"t=1000000000,v1={sign('1000000000', raw, SECRET)}"
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    return Delivery(7, "/hook", "POST", 1_000_000_000.0, tuple(sent.items()), raw, 200, api=api)


def broken(event: Delivery, context: DeliveryContext = PLAIN) -> dict[str, str]:
    findings = judge_delivery(event, Api(event.api or ""), context)
    return {finding.requirement: finding.mismatch for finding in findings if finding.mismatch}


@pytest.mark.parametrize(
    ("field", "blamed"),
    [
        ("id", "PAY-EVT-80"),
        ("scope", "PAY-EVT-83"),
        ("infraction.id", "PAY-EVT-84"),
        ("infraction.status", "PAY-EVT-86"),
        ("infraction.pix.endToEndId", "PAY-EVT-87"),
    ],
)
def test_a_null_field_of_an_infraction_event_does_not_count_as_present(field: str, blamed: str) -> None:
    event = example(Api.PAYMENTS, "infraction")
    *names, last = field.split(".")
    holder = event
    for name in names:
        holder = holder[name]
    holder[last] = None
    assert list(broken(delivery(Api.PAYMENTS, event))) == [blamed]


def test_upper_case_parameters_and_layout_are_free() -> None:
    body = json.dumps(example(Api.PAYMENTS, "transaction_paid"), indent=4).encode()
    more = {"Content_Type": "Application/JSON; charset=utf-8", "Service_Signature": f"t=1, v1={'A' * 64},v0=b"}
    assert broken(delivery(Api.PAYMENTS, body, **more)) == {}


RIGHT = delivery(Api.PAYMENTS, example(Api.PAYMENTS, "transaction_paid"))
CUT = replace(RIGHT, fault="cut in the body")


@pytest.mark.parametrize(
    "event", [CUT, *(replace(RIGHT, body=text) for text in (b"", b"{}", b'{"test": 1}', b"hello"))]
)
def test_a_body_that_is_not_an_event_or_was_cut_is_not_judged(event: Delivery) -> None:
    assert list(judge_delivery(event, Api.PAYMENTS, PLAIN)) == []


def test_an_event_without_a_name_about_our_charge_breaks_only_the_name() -> None:
    body = example(Api.PAYMENTS, "transaction_created")
    del body["event"]
    assert list(broken(delivery(Api.PAYMENTS, body), replace(PLAIN, kind="charge"))) == ["PAY-EVT-42"]
    form = delivery(Api.PAYMENTS, b"id=1")
    assert list(broken(form, replace(PLAIN, kind="charge"))) == ["PAY-EVT-31"]


def test_an_event_of_a_further_transition_is_open() -> None:
    body = example(Api.BUSINESS, "business.pix.created") | {"type": "business.pix.expired"}
    assert broken(delivery(Api.BUSINESS, body), replace(PLAIN, kind="charge")) == {}


def test_recorded_deliveries_are_judged_too(tmp_path: Path) -> None:
    file = tmp_path / "recorded.jsonl"
    body = example(Api.PAYMENTS, "infraction") | {"scope": 1}
    body["infraction"]["amount"] = "10.50"
    record = {"received": 1e9, "headers": {"Content-Type": "application/json", "User-Agent": "Service"}}
    file.write_text(json.dumps(record | {"body": json.dumps(body)}) + "\n")
    recorder = Recorder()
    deliveries = gather([delivery(Api.PAYMENTS, b"{}")], read_deliveries(file), count(8))
    check_deliveries(deliveries, recorder, 1, {}, lambda moment: moment)
    assert [event.id for event in deliveries] == [7, 8]
    assert recorder.passive_judge.seen["PAY-EVT-85"].broken[0][2].evidence == "delivery 8"
    assert recorder.succeeded["payments.infraction"]


def test_a_file_that_is_gone_at_the_end_is_said_and_what_it_held_before_is_kept(tmp_path: Path) -> None:
    """What a receiver lacked keeps its reason, with what the file lacked."""
    recorder = Recorder(deliveries=[delivery(Api.PAYMENTS, b"{}")])
    silence = Verdict("", Outcome.INCONCLUSIVE, "no webhook came to x", why=Why.NO_RECEIVER)
    recorder.events_unavailable[Api.BUSINESS] = silence
    read_at_the_end(tmp_path / "gone.jsonl", recorder, Api, is_alone=False)
    assert len(recorder.deliveries) == 1
    assert "gone.jsonl" in recorder.notices[0]
    said = "no webhook came to x; there is no event of the business API in gone.jsonl (--deliveries)"
    assert recorder.events_unavailable == {Api.BUSINESS: replace(silence, reason=said)}


def test_values_of_objects_that_the_run_did_not_create_are_masked() -> None:
    recorder, body = Recorder(), example(Api.PAYMENTS, "transaction_paid")
    event = delivery(Api.PAYMENTS, body)
    masked = json.loads(without_secrets(event, recorder, embedded=False).text)
    assert masked["event"] == "transaction_paid"
    assert masked["transaction"]["pix"]["payerInfo"]["document"] == "*** masked: an object this run did not create"
    _make(recorder, body["transaction"]["id"])
    assert json.loads(without_secrets(event, recorder, embedded=False).text) == body


def _paid(amount: int, *, e2e_id: str, received: float = 2_000.0) -> Delivery:
    """Return the event of a paid business charge without an external_ref."""
    data = {"amount_cents": amount, "e2e_id": e2e_id, "external_ref": None}
    event = {"id": "evt_1", "type": "business.pix.paid", "data": data}
    return replace(delivery(Api.BUSINESS, event), received=received)


def _business(recorder: Recorder, answer: dict[str, Any], started: float) -> Exchange:
    creation = exchange(answer, 201, {}, api=Api.BUSINESS, started=started)
    recorder.journal_created(creation, "charge", answer["id"])
    return creation


@pytest.mark.parametrize(
    ("event", "ours"),
    [
        (_paid(1050, e2e_id="E9", received=2_000), True),
        (_paid(1051, e2e_id="E9", received=2_000), False),
        (_paid(1050, e2e_id="E9", received=900), False),
        (_paid(7, e2e_id="E1", received=2_000), True),
    ],
)
def test_a_charge_without_external_ref_is_known_by_its_e2e_id_or_its_amount(event: Delivery, *, ours: bool) -> None:
    recorder = Recorder()
    recorder.record(_business(recorder, {"id": "chg_1", "amount_cents": 1050, "e2e_id": "E1"}, started=1_000.0))
    text = without_secrets(event, recorder, embedded=False).text
    assert (json.loads(text) == event.json) == ours
    assert ("masked: an object this run did not create" in text) != ours


@pytest.mark.parametrize(("customer", "wrong"), [({}, False), ({"name": "Maria da Silva"}, True)])
def test_a_payer_may_lack_the_name_that_the_charge_lacks(customer: dict[str, str], *, wrong: bool) -> None:
    recorder, body = Recorder(), example(Api.PAYMENTS, "transaction_paid")
    body["transaction"]["pix"]["payerInfo"]["name"] = None
    recorder.record(_make(recorder, body["transaction"]["id"], {"customer": customer}))
    check_deliveries([delivery(Api.PAYMENTS, body)], recorder, 1, {}, lambda moment: moment)
    assert bool(recorder.passive_judge.seen["PAY-EVT-56"].broken) == wrong


def _make(recorder: Recorder, made_id: str, sent: Any = None) -> Exchange:
    """Record the creation of a charge."""
    creation = exchange({}, sent=sent, started=time.time())
    recorder.journal_created(creation, "charge", made_id)
    return creation


NOON = 1_767_268_800.0
"""2026-01-01T12:00:00Z, by the clock of this machine."""


def response(ahead: float, body: object = None, api: Api = Api.BUSINESS) -> Exchange:
    """Return an exchange at noon, whose Date header is so many seconds ahead."""
    headers = (("Date", formatdate(NOON + ahead, usegmt=True)),)
    return exchange(body, headers=headers, api=api, operation="get_charge", started=NOON, elapsed_ms=0.0)


def event(ahead: float, secret: str = SECRET) -> Delivery:
    """Return a business event that came at noon, signed so many seconds ahead."""
    t, body = str(int(NOON + ahead)), b'{"id": "evt_1", "type": "business.pix.created", "data": {}}'
    headers = ((BUSINESS.signature_header, f"t={t},v1={sign(t, body, secret)}"),)
    return Delivery(1, "/business", "POST", NOON, headers, body, 200, api=Api.BUSINESS)


def judged(deliveries: list[Delivery], ahead: float) -> Recorder:
    recorder = Recorder(exchanges=[response(ahead)])
    check_deliveries(deliveries, recorder, len(deliveries), {Api.BUSINESS: Secret(SECRET)}, lambda moment: moment)
    return recorder


def test_a_signature_by_the_clock_of_the_date_headers_is_right() -> None:
    assert judged([event(ahead=600)], ahead=600).passive_judge.seen["BUS-SIG-04"].met


@pytest.mark.parametrize(("t", "dates"), [(600, 0), (600, -600), (3600, 600)])
def test_a_signature_that_the_date_headers_do_not_explain_is_wrong(t: float, dates: float) -> None:
    assert judged([event(t)], dates).passive_judge.seen["BUS-SIG-04"].broken[0][1] == f"t is {t} s after the arrival"


def test_a_signature_that_is_right_by_this_machine_passes_whatever_the_date_headers_say() -> None:
    assert judged([event(0)], ahead=600).passive_judge.seen["BUS-SIG-04"].met


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
    recorder = judged([event(0, secret) for secret in secrets], ahead=0)
    assert (
        "is PIX_BUSINESS_WEBHOOK_SECRET the secret" in recorder.passive_judge.seen["BUS-SIG-03"].broken[0][1]
    ) == is_asked


def test_a_mistake_made_with_the_right_secret_does_not_ask_for_it() -> None:
    body = event(0).body
    digest = hmac.new(SECRET.encode(), body, "sha256").hexdigest()
    headers = ((BUSINESS.signature_header, f"t={NOON:.0f},v1={digest}"),)
    recorder = judged([replace(event(0), headers=headers)], ahead=0)
    assert "is PIX_BUSINESS_WEBHOOK_SECRET" not in recorder.passive_judge.seen["BUS-SIG-03"].broken[0][1]
