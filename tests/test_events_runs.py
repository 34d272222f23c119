"""Events of whole runs: another process as target, behind a forwarder; no way to the receiver; recorded deliveries."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.reference.process import Running, start
from tests.running import Finished, run_suite

SECRET = "secret-of-the-business-endpoint"  # noqa: S105  # a made-up one
EVENTS = ("suites/payments/test_events.py", "suites/payments/test_signatures.py", "suites/business/test_events.py")
NEEDING = ("PAY-EVT", "PAY-SIG", "BUS-EVT", "BUS-SIG")


def a_free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


@pytest.fixture
def tunnel() -> Iterator[tuple[int, int]]:
    """Ports of a plain TCP forwarder and of what stands behind it."""
    behind = a_free_port()
    with socket.create_server(("127.0.0.1", 0)) as front:
        threading.Thread(target=_accept, args=(front, behind), daemon=True).start()
        yield int(front.getsockname()[1]), behind


def _accept(front: socket.socket, behind: int) -> None:
    with contextlib.suppress(OSError):
        while True:
            near, _ = front.accept()
            try:
                far = socket.create_connection(("127.0.0.1", behind), 2)
            except OSError:
                near.close()
                continue
            threading.Thread(target=_bridge, args=(near, far), daemon=True).start()


def _bridge(near: socket.socket, far: socket.socket) -> None:
    with near, far:
        back = threading.Thread(target=_copy, args=(far, near), daemon=True)
        back.start()
        _copy(near, far)
        back.join()


def _copy(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    for one in (source, sink):
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)


def against(running: Running, directory: Path, *words: str) -> Finished:
    client, key = running.credentials["payments"]["merchant"], running.credentials["business"]["merchant"]
    given = {"PIX_CLIENT_ID": client[0], "PIX_CLIENT_SECRET": client[1], "PIX_API_KEY": key}
    more = {"PIX_BASE_URL": running.base_url, "PIX_BUSINESS_WEBHOOK_SECRET": SECRET}
    return run_suite(directory, *EVENTS, *words, **given, **more)


def test_another_process_is_heard_through_a_forwarder(tmp_path: Path, tunnel: tuple[int, int]) -> None:
    front, behind = tunnel
    url = f"https://127.0.0.1:{front}"
    words = ("--receiver-listen", f"127.0.0.1:{behind}", "--receiver-url", url)
    with start(business_webhook=f"{url}/business", business_webhook_secret=SECRET) as running:
        done = against(running, tmp_path / "out", *words)
    assert done.with_outcome("fail") == []
    assert {done.outcome(one) for one in ("PAY-EVT-02", "PAY-SIG-03", "BUS-EVT-02", "BUS-SIG-03")} == {"pass"}
    assert done.outcome("PAY-ISO-08") == "not applicable"
    assert SECRET not in (tmp_path / "out" / "deliveries.jsonl").read_text()


def test_without_a_way_to_the_receiver_nothing_passes_and_one_line_says_why(tmp_path: Path) -> None:
    closed = f"https://127.0.0.1:{a_free_port()}"
    done = run_suite(tmp_path / "out", *EVENTS, "--receiver-url", closed, "--event-deadline", "1")
    assert done.exit == 6
    assert len([one for one in done.results["notices"] if "does not lead here" in one]) == 2
    about = [one for one in done.results["requirements"] if one["id"].startswith(NEEDING)]
    assert not [one["id"] for one in about if one["outcome"] in {"pass", "fail", "error"}]
    reasons = {one["reason"] for one in about if one["outcome"] == "inconclusive" and "no test" not in one["reason"]}
    assert len(reasons) == 2


def test_a_recorded_delivery_fails_with_itself_as_evidence(tmp_path: Path) -> None:
    body = {"id": "x", "type": "business.pix.paid", "created_at": "2026-01-02T03:04:05Z", "data": {"amount_cents": 1}}
    record = {"received": 1e9, "headers": {"Content-Type": "application/json"}, "body": json.dumps(body)}
    file = tmp_path / "recorded.jsonl"
    file.write_text(json.dumps(record))
    words = ("suites/business/test_events.py", "--deliveries", str(file), "--only", "BUS-EVT-10,BUS-EVT-02")
    done = run_suite(tmp_path / "out", *words)
    assert done.exit == 1
    last = json.loads((tmp_path / "out" / "deliveries.jsonl").read_text().splitlines()[-1])
    row = next(one for one in done.results["requirements"] if one["id"] == "BUS-EVT-10")
    assert row["evidence"] == [f"delivery {last['id']}"]


def test_a_file_of_deliveries_that_cannot_be_read_is_a_usage_error(tmp_path: Path) -> None:
    file = tmp_path / "recorded.jsonl"
    file.write_text("{}\n")
    done = run_suite(tmp_path / "out", "suites", "--deliveries", str(file))
    assert done.exit == 4
    assert "recorded.jsonl: line 1" in done.output


@pytest.mark.parametrize("requirement", ["BUS-SIG-01", "BUS-SIG-02", "BUS-SIG-03", "BUS-SIG-04", "BUS-SIG-05"])
def test_a_requirement_on_signatures_can_be_asked_by_itself(tmp_path: Path, requirement: str) -> None:
    done = run_suite(tmp_path / "out", "--only", requirement)
    assert done.outcome(requirement) == "pass"
    assert done.exit == 0
