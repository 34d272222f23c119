"""Requests that the suite cuts, repeats or slows: what the target receives, and what is recorded."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

import pytest

from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.outcomes import Inconclusive, NotApplicable
from pix_conformance.harness.run import begin
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.network_fault import NetworkFault
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import Credential, Target
from pix_conformance.model.vocabulary import Api, Role, Secret
from pix_conformance.recording.curl import curl
from pix_conformance.recording.recorder import Recorder

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


@contextmanager
def client(url: str, role: Role = Role.MERCHANT, *, network_faults: bool = True) -> Iterator[Business]:
    """Yield a client of the business API at an address."""
    credentials = {Api.BUSINESS: {role: Credential(Secret("ak_test_x"))}}
    target = Target(name="x", base_url=url, embedded=False, credentials=credentials, apis=(Api.BUSINESS,))
    settings = Settings(target=target, receiver=False, network_faults=network_faults)
    business: Business = begin(settings, Recorder(), (), Waits()).client(Api.BUSINESS, role)
    with closing(business.line):
        yield business


def cut(fault: NetworkFault) -> tuple[Exchange, list[bytes]]:
    """Send a creation with a fault; return its exchange, and what came on each connection."""
    with listening() as (url, received), client(url) as business:
        exchange = business.create_charge(BODY, key="k", network_fault=fault)
        time.sleep(0.1)
        return exchange, received


@pytest.mark.parametrize("fault", NetworkFault)
def test_a_request_with_a_fault_has_no_response_and_is_recorded_as_what_it_was(fault: NetworkFault) -> None:
    exchange, _ = cut(fault)
    stored = Exchange.from_dict(exchange.to_dict())
    assert (stored.fault, stored.network_fault, stored.response) == (fault, fault, None)


@pytest.mark.parametrize(
    ("fault", "bodies"),
    [
        (NetworkFault.AFTER_REQUEST, [1]),
        (NetworkFault.AFTER_HEADERS, [1]),
        (NetworkFault.IN_BODY, [0]),
        (NetworkFault.SENT_TWICE, [1, 1]),
        (NetworkFault.SLOW_UPLOAD, [1]),
    ],
)
def test_whole_bodies_come_as_often_as_the_fault_says(fault: NetworkFault, bodies: list[int]) -> None:
    _, received = cut(fault)
    assert [text.count(END) for text in received] == bodies
    assert all(
        text.count(b"POST /v1/business/pix-charges") == max(number, 1)
        for text, number in zip(received, bodies, strict=True)
    )


def test_the_next_request_is_whole() -> None:
    with listening() as (url, received), client(url) as business:
        business.create_charge(BODY, key="k", network_fault=NetworkFault.AFTER_HEADERS)
        assert business.create_charge(BODY, key="k").status == 200
        assert len(received) == 2


def test_a_request_that_could_not_be_sent_decides_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
    with client(url) as business, pytest.raises(Inconclusive, match="could not be sent"):
        business.create_charge(BODY, key="k", network_fault=NetworkFault.AFTER_REQUEST)


@pytest.mark.parametrize(("role", "allowed"), [(Role.LIVE_MERCHANT, True), (Role.MERCHANT, False)])
def test_nothing_is_cut_in_production_or_where_the_user_forbids_it(role: Role, allowed: bool) -> None:  # noqa: FBT001  # a value of the table
    with listening() as (url, received), client(url, role, network_faults=allowed) as business:
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
