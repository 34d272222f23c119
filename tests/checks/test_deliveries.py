"""Passive rules of deliveries: what no mutant sends, bodies that are not events, and values of others.

What the rules find wrong in an event of the reference is shown by the mutants of EVT and SIG.
"""

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.checks.passive import judge_delivery
from pix_conformance.checks.passive_rules import DeliveryContext
from pix_conformance.model.delivery import Delivery, read_deliveries
from pix_conformance.model.exchange import Exchange, Request, Response
from pix_conformance.model.openapi import description
from pix_conformance.model.vocabulary import Api, Outcome, Role, Secret, Verdict
from pix_conformance.model.why import Why
from pix_conformance.oracles.signature import sign
from pix_conformance.recording.deliveries_of_run import check_deliveries, gather, read_at_the_end, without_secrets
from pix_conformance.recording.recorder import Recorder

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
    """A null field does not meet the requirement that the field exists."""
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
    "event", [CUT, *(replace(RIGHT, body=body) for body in (b"", b"{}", b'{"test": 1}', b"hello"))]
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
    deliveries = gather([delivery(Api.PAYMENTS, b"{}")], read_deliveries(file))
    check_deliveries(deliveries, recorder, 1, {}, lambda moment: moment)
    assert [event.id for event in deliveries] == [7, 8]
    assert recorder.passive.seen["PAY-EVT-85"].broken[0][2].evidence == "delivery 8"
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
    return replace(
        delivery(Api.BUSINESS, {"id": "evt_1", "type": "business.pix.paid", "data": data}), received=received
    )


def _business(recorder: Recorder, answer: dict[str, Any], started: float) -> Exchange:
    body = json.dumps(answer).encode()
    sent = Request("POST", "", (), b"{}")
    exchange = Exchange(
        1, Api.BUSINESS, Role.MERCHANT, "create_charge", None, started, 1, sent, Response(201, (), body, len(body))
    )
    recorder.journal_created(exchange, "charge", answer["id"])
    return exchange


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
    assert bool(recorder.passive.seen["PAY-EVT-56"].broken) == wrong


def _make(recorder: Recorder, made_id: str, sent: Any = None) -> Exchange:
    """Record the creation of a charge."""
    answer, request = Response(200, (), b"{}", 2), Request("POST", "", (), json.dumps(sent).encode())
    exchange = Exchange(1, Api.PAYMENTS, Role.MERCHANT, "create_charge", None, time.time(), 1, request, answer)
    recorder.journal_created(exchange, "charge", made_id)
    return exchange
