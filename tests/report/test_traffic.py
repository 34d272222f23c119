"""The parts of the report about traffic: events and their attempts, latency, transcripts."""

import json
import os
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.model.states import States, Transition
from pix_conformance.model.vocabulary import Api
from pix_conformance.oracles import signature
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import Bundle
from pix_conformance.report.cards import cards_of
from pix_conformance.report.observed_states import COVERED, NEVER, UNDOCUMENTED, observed_states
from pix_conformance.report.pages import render_index
from pix_conformance.report.traffic import EarlierExchanges, events, latencies, signed
from tests.support import bundles

CHARGE = "http://127.0.0.1:1/v1/business/pix-charges"


def call(n: int, operation: str, path: str, answer: Any, status: int = 200) -> dict[str, Any]:
    """Return one business exchange."""
    method = "GET" if operation.startswith("get") else "POST"
    request: dict[str, Any] = {"method": method, "url": CHARGE + path, "headers": [], "body": None}
    response = {"status": status, "headers": [], "body": json.dumps(answer), "bytes": 1, "truncated": False}
    story = {"id": n, "api": "business", "operation": operation, "test": "story", "elapsed_ms": float(n)}
    return story | {"request": request, "response": response}


def recorded(directory: Path, *rows: dict[str, Any]) -> Bundle:
    """Return a bundle with only these exchanges."""
    bundles.write(directory, exchanges=0)
    (directory / "exchanges.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return read(directory)


@pytest.fixture
def documented(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the documented transitions by a small table of the business API."""
    rows = (
        Transition(None, "create_charge", "valid", "pending", None, "BUS-STATE-01"),
        Transition("pending", "pay_charge", "before expiry", "paid", None, "BUS-PAY-01"),
        Transition("pending", "get_charge", "after expiry", "expired", None, "BUS-EXP-01"),
        Transition("pending", "pay_charge", "after expiry", "expired", None, "BUS-EXP-02"),
    )
    tables = {Api.BUSINESS: {"charge": States((), rows, {})}, Api.PAYMENTS: {}}
    monkeypatch.setattr("pix_conformance.report.observed_states.states_of", tables.get)


@pytest.mark.usefixtures("documented")
def test_transitions_are_covered_never_reached_or_undocumented(tmp_path: Path) -> None:
    bundle = recorded(
        tmp_path,
        call(1, "create_charge", "", {"id": "c1", "status": "pending"}, 201),
        call(2, "pay_charge", "/c1/pay", {}),
        call(3, "get_charge", "/c1", {"id": "c1", "status": "paid"}),
        call(4, "get_charge", "/c1?x=1", {"id": "c1", "status": "refunded"}),
        call(5, "cancel_charge", "/c1/cancel", {"status": "canceled"}, 409),
    )
    (states,) = observed_states(bundle)
    assert {(edge.source, edge.target): (edge.kind, edge.trigger, edge.seen) for edge in states.edges} == {
        ("", "pending"): (COVERED, "create_charge", [1]),
        ("pending", "paid"): (COVERED, "pay_charge", [3]),
        ("pending", "expired"): (NEVER, "get_charge or pay_charge", []),
        ("paid", "refunded"): (UNDOCUMENTED, "no request of this run; seen by get_charge", [4]),
    }


def at(row: dict[str, Any], started: str, elapsed: float, key: str = "") -> dict[str, Any]:
    """Set when an exchange was sent, its duration in ms, and its idempotency key."""
    row["request"]["headers"] = [["Idempotency-Key", key]] if key else []
    return row | {"started": f"2026-11-21T01:02:{started}Z", "elapsed_ms": elapsed}


PENDING, PAID = ({"id": "c1", "status": status} for status in ("pending", "paid"))
REPLAY = at(call(3, "create_charge", "", PENDING, 201), "03.300", 5, "k1")
OVERLAPPING = at(call(3, "get_charge", "/c1", PENDING), "03.220", 100)


@pytest.mark.usefixtures("documented")
@pytest.mark.parametrize(
    ("elapsed", "third", "seen"),
    [(5, REPLAY, {("", "pending"), ("pending", "paid")}), (50, OVERLAPPING, {("", "pending")})],
)
def test_neither_a_replay_nor_what_overlaps_shows_a_transition(
    tmp_path: Path, elapsed: float, third: dict[str, Any], seen: set[tuple[str, str]]
) -> None:
    creation = at(call(1, "create_charge", "", PENDING, 201), "03.100", 5, "k1")
    payment = at(call(2, "pay_charge", "/c1/pay", {"status": "paid"}), "03.200", elapsed)
    query = at(call(4, "get_charge", "/c1", PAID), "03.400", 5)
    (states,) = observed_states(recorded(tmp_path, creation, payment, third, query))
    assert {(edge.source, edge.target) for edge in states.edges if edge.seen} == seen


def test_attempts_at_one_event_stand_on_one_line(tmp_path: Path) -> None:
    first, second, *_ = events(read(bundles.write(tmp_path)))
    assert [attempt.said for attempt in first.attempts] == ["200"]
    assert [(attempt.delivery, attempt.at, attempt.taken) for attempt in second.attempts] == [
        (2, 1.0, False),
        (3, 2.0, True),
    ]


def test_events_with_masked_ids_are_not_taken_for_one_event(tmp_path: Path) -> None:
    bundles.write(tmp_path)
    masked = [bundles.delivery(n) | {"path": "/hook", "body": '{"id": "***", "event": "***"}'} for n in (1, 2)]
    (tmp_path / "deliveries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in masked))
    assert [len(event.attempts) for event in events(read(tmp_path))] == [1, 1]


def test_latency_is_measured_per_operation(tmp_path: Path) -> None:
    rows = [call(n, "get_charge", f"/c{n}", {}) for n in range(1, 101)]
    (row,) = latencies(recorded(tmp_path, *rows, call(101, "get_charge", "/x", {}) | {"response": None}).exchanges)
    assert (row.count, row.median, row.longest) == (100, 50.5, 100.0)
    assert row.p95 == pytest.approx(95.05)


def test_a_transcript_shows_two_exchanges_of_the_same_test_before(tmp_path: Path) -> None:
    rows = [call(n, "get_charge", "/c", {}) | {"test": "odd" if n % 2 else "even"} for n in range(1, 9)]
    around = EarlierExchanges(recorded(tmp_path, *rows))
    assert around("exchange 7") == ["exchange 3", "exchange 5", "exchange 7"]
    assert around("exchange 1") == ["exchange 1"]
    assert around("delivery 4") == ["delivery 4"]
    assert around("exchange 7", ["as in exchange 2, not exchange 7, nor exchange 99"]) == [
        *("exchange 2", "exchange 3", "exchange 5", "exchange 7")
    ]


SECRET = "whsec_of the test"  # noqa: S105  # of this test alone
BODIES = {
    "plain": '{"id": "evt_1", "data": {"amount_cents": 100}}',
    "a quote, an escape, a percent sign": """{"it's": "\\u00e9 %s $HOME `id` \\\\"}""",
    "a control character and lines": '{\r\n\t"id": "\x07"\n}\n',
}


def delivered(directory: Path, body: str, **more: Any) -> Bundle:
    """Return a bundle of one delivery whose `v1` signs the body alone."""
    bundles.write(directory)
    wrong = signature.sign("", body.encode(), SECRET)
    row = bundles.delivery(1) | {"headers": [["X-Service-Signature", f"t=1795397816,v1={wrong}"]], "body": body}
    (directory / "deliveries.jsonl").write_text(json.dumps(row | more) + "\n")
    return read(directory)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="the line needs openssl")
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_the_command_computes_the_right_signature(tmp_path: Path, body: str) -> None:
    result = signed(delivered(tmp_path, body), "delivery 1")
    assert result is not None
    assert result.variable == "PIX_BUSINESS_WEBHOOK_SECRET"
    assert SECRET not in result.command
    words, given = ["/bin/sh", "-c", result.command], os.environ | {result.variable: SECRET}
    done = subprocess.run(words, env=given, capture_output=True, text=True, check=True)  # noqa: S603  # the line is for a shell
    assert done.stdout.split()[-1] == signature.sign("1795397816", body.encode(), SECRET)


@pytest.mark.parametrize(
    ("masked", "reason"),
    [
        ({"masked": "an object this run did not create"}, "an object this run did not create"),
        ({"headers": [["Service-Signature", "t=1,v1=ab"]]}, "names the right v1"),  # the secret of a webhook is masked
    ],
)
def test_what_is_masked_has_a_reason_instead_of_a_command(tmp_path: Path, masked: dict[str, Any], reason: str) -> None:
    result = signed(delivered(tmp_path, "{}", **masked), "delivery 1")
    assert result is not None
    assert result.command == ""
    assert reason in result.hindrance


def test_an_exchange_and_an_unsigned_delivery_have_no_signature(tmp_path: Path) -> None:
    bundle = delivered(tmp_path, "{}", headers=[])
    assert signed(bundle, "delivery 1") is None
    assert signed(bundle, "exchange 1") is None


def test_the_card_shows_header_signed_text_and_command(tmp_path: Path) -> None:
    delivered(tmp_path, BODIES["plain"])
    failed = {"test": "", "target": "delivery 1", "matchers": [], "mismatches": ["no v1 fits"], "curl": ""}
    rows = [bundles.requirement(4, id="BUS-SIG-03", judgements=[failed], tests=[])]
    (tmp_path / "results.json").write_text(json.dumps(bundles.results() | {"requirements": rows}))
    page = unescape(render_index(read(tmp_path), cards_of(read(tmp_path))))
    assert "X-Service-Signature: t=1795397816,v1=" in page
    assert f"1795397816.{BODIES['plain']}" in page
    assert 'openssl dgst -sha256 -hmac "$PIX_BUSINESS_WEBHOOK_SECRET"' in page
    assert "--only BUS-SIG-03" in page
