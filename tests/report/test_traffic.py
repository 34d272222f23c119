"""The parts of the report about traffic: events and their attempts, latency, transcripts."""

import json
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import Bundle
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
