"""Passive rules of deliveries: what no mutant sends, bodies that are not events, values of others.

What the rules find wrong in an event of the reference is shown by the mutants of EVT and SIG.
"""

import json
import re
import time
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.checks.passive import judge_delivery
from pix_conformance.checks.passive_rules import DeliveryContext
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.openapi import description
from pix_conformance.model.reception import ReceiverSettings
from pix_conformance.model.vocabulary import Api, Outcome
from pix_conformance.model.why import Why
from pix_conformance.oracles.signature import sign
from pix_conformance.recording.facts import Facts, NoEvents, Shown
from pix_conformance.recording.masking import FOREIGN
from pix_conformance.recording.recorded_deliveries import read_at_the_end
from pix_conformance.recording.recorder import Recorder
from pix_conformance.verdicts.messages import findings_of_deliveries
from tests.support.clients import run_at
from tests.support.exchanges import exchange
from tests.support.judged_facts import reported

SECRET = "whsec_of_the_endpoint"  # noqa: S105  # a made-up one
PLAIN = DeliveryContext(arrived=1_000_000_000.0)


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
    with run_at("http://127.0.0.1:1", {}, receiver=ReceiverSettings(is_wanted=False, deliveries=file)) as run:
        run.sender.recorder.record_delivery(delivery(Api.PAYMENTS, b"{}"))
        run.receiving.numbers = count(8)
        run.finish()
    assert [event.id for event in run.sender.facts.deliveries] == [7, 8]
    assert [shown.evidence for shown in wrong(run.sender.facts, "PAY-EVT-85")] == ["delivery 8"]
    assert {finding.shown.operation for finding in findings_of_deliveries(run.sender.facts)} == {"payments.infraction"}


def wrong(facts: Facts, requirement: str) -> list[Shown]:
    """Return what the deliveries show that is certainly wrong."""
    shown = [finding.shown for finding in findings_of_deliveries(facts) if not finding.unknown]
    return [message for message in shown if message.requirement == requirement and message.problem]


def test_a_file_that_is_gone_at_the_end_is_said_and_what_it_held_before_is_kept(tmp_path: Path) -> None:
    """What a receiver lacked keeps its reason, with what the file lacked."""
    facts, before = Facts(), [delivery(Api.PAYMENTS, b"{}")]
    silence = NoEvents(
        api=Api.BUSINESS, outcome=Outcome.INCONCLUSIVE, reason="no webhook came to x", why=Why.NO_RECEIVER
    )
    facts.add(silence)
    assert read_at_the_end(tmp_path / "gone.jsonl", before, facts, Api, is_alone=False) == before
    assert "gone.jsonl" in facts.notices[0].words
    said = "no webhook came to x; there is no event of the business API in gone.jsonl (--deliveries)"
    assert facts.no_events == [silence, replace(silence, reason=said)]


def test_values_of_objects_that_the_run_did_not_create_are_masked() -> None:
    recorder, body = Recorder(), example(Api.PAYMENTS, "transaction_paid")
    recorder.facts.add(delivery(Api.PAYMENTS, body))
    (event,) = reported(recorder.facts).deliveries
    assert event.masked == "an object this run did not create"
    assert event.json["event"] == "transaction_paid"
    assert re.fullmatch(r"\*\*\* [0-9a-f]{8}", event.json["transaction"]["pix"]["payerInfo"]["document"])
    _make(recorder, body["transaction"]["id"])
    assert [event.json for event in reported(recorder.facts).deliveries] == [body]


def test_equal_values_of_others_are_masked_equally() -> None:
    """A history of such objects can be judged: which events are of one charge stays known."""
    event = delivery(Api.PAYMENTS, example(Api.PAYMENTS, "transaction_paid"))
    facts = Facts(deliveries=[event, replace(event, id=8)])
    transaction, same = (shown.json["transaction"] for shown in reported(facts).deliveries)
    assert transaction == same
    assert transaction["id"] != transaction["pix"]["payerInfo"]["document"]
    assert transaction["id"] != reported(facts).deliveries[0].json["transaction"]["id"]


def _paid(amount: int, *, e2e_id: str, received: float = 2_000.0) -> Delivery:
    """Return the event of a paid business charge without an external_ref."""
    data = {"amount_cents": amount, "e2e_id": e2e_id, "external_ref": None}
    event = {"id": "evt_1", "type": "business.pix.paid", "data": data}
    return replace(delivery(Api.BUSINESS, event), received=received)


def _business(recorder: Recorder, answer: dict[str, Any], started: float) -> Exchange:
    creation = exchange(answer, 201, {}, api=Api.BUSINESS, started=started)
    recorder.record_created(creation, "charge", answer["id"])
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
    recorder.facts.add(event)
    (shown,) = reported(recorder.facts).deliveries
    assert (shown.json == event.json) == ours
    assert (shown.masked == FOREIGN) != ours


@pytest.mark.parametrize(("customer", "is_wrong"), [({}, False), ({"name": "Maria da Silva"}, True)])
def test_a_payer_may_lack_the_name_that_the_charge_lacks(customer: dict[str, str], *, is_wrong: bool) -> None:
    recorder, body = Recorder(), example(Api.PAYMENTS, "transaction_paid")
    body["transaction"]["pix"]["payerInfo"]["name"] = None
    recorder.record(_make(recorder, body["transaction"]["id"], {"customer": customer}))
    recorder.facts.add(delivery(Api.PAYMENTS, body))
    assert bool(wrong(recorder.facts, "PAY-EVT-56")) == is_wrong


def _make(recorder: Recorder, made_id: str, sent: Any = None) -> Exchange:
    """Record the creation of a charge."""
    creation = exchange({}, sent=sent, started=time.time())
    recorder.record_created(creation, "charge", made_id)
    return creation
