"""The parts of the report about traffic: events and their attempts, latency, transcripts."""

import json
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.model.states import States, Transition
from pix_conformance.model.vocabulary import Api
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import Bundle
from pix_conformance.report.observed_states import COVERED, NEVER, UNDOCUMENTED, observed_states
from pix_conformance.report.traffic import EarlierExchanges, events, latencies
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


@pytest.mark.usefixtures("documented")
def test_a_replay_shows_no_transition(tmp_path: Path) -> None:
    created = {"id": "c1", "status": "pending"}
    bundle = recorded(
        tmp_path,
        at(call(1, "create_charge", "", created, 201), "03.100", 5, "k1"),
        at(call(2, "pay_charge", "/c1/pay", {"status": "paid"}), "03.200", 5),
        at(call(3, "create_charge", "", created, 201), "03.300", 5, "k1"),
        at(call(4, "get_charge", "/c1", {"id": "c1", "status": "paid"}), "03.400", 5),
    )
    (states,) = observed_states(bundle)
    assert {(edge.source, edge.target) for edge in states.edges if edge.seen} == {("", "pending"), ("pending", "paid")}


@pytest.mark.usefixtures("documented")
def test_exchanges_that_overlap_show_no_transition(tmp_path: Path) -> None:
    bundle = recorded(
        tmp_path,
        at(call(1, "create_charge", "", {"id": "c1", "status": "pending"}, 201), "03.100", 5),
        at(call(2, "pay_charge", "/c1/pay", {"status": "paid"}), "03.200", 50),
        at(call(3, "get_charge", "/c1", {"id": "c1", "status": "pending"}), "03.220", 100),
        at(call(4, "get_charge", "/c1", {"id": "c1", "status": "paid"}), "03.400", 5),
    )
    (states,) = observed_states(bundle)
    assert {(edge.source, edge.target) for edge in states.edges if edge.seen} == {("", "pending")}


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
