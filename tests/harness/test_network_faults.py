"""Requests that the suite cuts, repeats or slows: what the target receives, and what is recorded."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from pix_conformance.harness.outcomes import Inconclusive, NotApplicable
from pix_conformance.model.exchange import Exchange, NetworkFault
from pix_conformance.model.settings import Bounds
from pix_conformance.model.vocabulary import Role
from pix_conformance.recording.curl import curl
from tests.support.clients import business_at

ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"
BODY = {"external_ref": "a", "amount_cents": 23456}
END = b'"amount_cents": 23456}'


@contextmanager
def listening() -> Iterator[tuple[str, list[bytes]]]:
    """Answer the first bytes of each connection; yield the base URL, and what each connection has sent."""
    received: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve(line: socket.socket, place: int) -> None:
            with line, suppress(ConnectionError):
                while chunk := line.recv(65_536):
                    received[place] += chunk
                    if received[place].endswith(END):
                        line.sendall(ANSWER)

        def accept() -> None:
            while True:
                try:
                    line, _ = server.accept()
                except OSError:
                    return
                received.append(b"")
                threading.Thread(target=serve, args=(line, len(received) - 1), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}", received
        server.shutdown(socket.SHUT_RDWR)


def cut(fault: NetworkFault) -> tuple[Exchange, list[bytes]]:
    """Send a creation with a fault; return its exchange, and what came on each connection."""
    with listening() as (url, received), business_at(url) as business:
        exchange = business.create_charge(BODY, key="k", network_fault=fault)
        time.sleep(0.1)
        return exchange, received


BODIES = {NetworkFault.IN_BODY: [0], NetworkFault.SENT_TWICE: [1, 1]}
"""How many whole bodies come on each connection, if that is not one."""


@pytest.mark.parametrize("fault", NetworkFault)
def test_whole_bodies_come_as_often_as_the_fault_says_and_only_a_slow_one_has_a_response(fault: NetworkFault) -> None:
    exchange, received = cut(fault)
    bodies = BODIES.get(fault, [1])
    stored = Exchange.from_dict(exchange.to_dict())
    is_cut = fault is not NetworkFault.SLOW_UPLOAD
    assert (stored.fault, stored.network_fault, stored.is_cut) == (fault, fault, is_cut)
    assert (stored.status, exchange.status) == ((None, None) if is_cut else (200, 200))
    assert [text.count(END) for text in received] == bodies
    assert [text.count(b"POST /v1/business/pix-charges") for text in received] == [max(count, 1) for count in bodies]


def test_the_next_request_is_whole() -> None:
    with listening() as (url, received), business_at(url) as business:
        business.create_charge(BODY, key="k", network_fault=NetworkFault.AFTER_HEADERS)
        assert business.create_charge(BODY, key="k").status == 200
        assert len(received) == 2


def test_a_request_that_could_not_be_sent_decides_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
    with business_at(url) as business, pytest.raises(Inconclusive, match="could not be sent"):
        business.create_charge(BODY, key="k", network_fault=NetworkFault.AFTER_REQUEST)


@pytest.mark.parametrize(("role", "allowed"), [(Role.LIVE_MERCHANT, True), (Role.MERCHANT, False)])
def test_nothing_is_cut_in_production_or_where_the_user_forbids_it(role: Role, allowed: bool) -> None:  # noqa: FBT001  # a value of the table
    with listening() as (url, received), business_at(url, role, bounds=Bounds(network_faults=allowed)) as business:
        with pytest.raises(NotApplicable, match="no request is cut"):
            business.create_charge(BODY, network_fault=NetworkFault.AFTER_REQUEST)
        assert not received


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (NetworkFault.AFTER_REQUEST, "--max-time"),
        (NetworkFault.SLOW_UPLOAD, "cat; } | curl "),
        (NetworkFault.IN_BODY, "-H 'content-length: 44' --max-time"),
    ],
)
def test_the_curl_line_cuts_as_the_suite_did(fault: NetworkFault, words: str) -> None:
    exchange, _ = cut(fault)
    line = curl(exchange, "")
    assert words in line
    assert line.endswith("23456}'") is (fault is NetworkFault.AFTER_REQUEST)
