"""The receiver with senders that break off, flood, stall or refuse its certificate; and its end."""

import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urlsplit

import pytest

from pix_conformance.receiver import Behaviour, Delivery, Limits, ListeningPort, Receiver
from tests.support.forwarder import forwarder

QUICK = Limits(
    body=100, head=500, deliveries=5, handshake_s=0.3, request_s=0.3, idle_s=0.3, linger_s=0.3, connections=3
)


@pytest.fixture
def quick() -> Iterator[Receiver]:
    with Receiver(ListeningPort(tls="off"), limits=QUICK) as listening:
        yield listening


@pytest.fixture
def encrypted() -> Iterator[Receiver]:
    with Receiver(limits=QUICK) as listening:
        yield listening


def dial(receiver: Receiver) -> socket.socket:
    return socket.create_connection(("127.0.0.1", urlsplit(receiver.listening_url).port or 0), timeout=5)


def send_raw(receiver: Receiver, data: bytes, *, finish: bool = False) -> bytes:
    """Send bytes on a plain connection, and read until the receiver closes it."""
    with dial(receiver) as sock:
        sock.sendall(data)
        if finish:
            sock.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: sock.recv(4096), b""))


def request(path: str, *headers: str, body: bytes = b"") -> bytes:
    return "\r\n".join([f"POST {path} HTTP/1.1", "Host: x", *headers, "", ""]).encode() + body


def failed_handshakes(receiver: Receiver) -> list[str]:
    """Return the failures when there is one: the sender notices before the receiver does."""
    ends = time.monotonic() + 5
    while not receiver.log.handshake_failures and time.monotonic() < ends:
        threading.Event().wait(0.01)
    return receiver.log.handshake_failures


@pytest.mark.parametrize(
    ("size", "status", "fault"), [(100, 200, None), (101, 413, "body of at least 101 bytes, over 100")]
)
def test_the_body_limit_has_two_sides(quick: Receiver, size: int, status: int, fault: str | None) -> None:
    hook = quick.new_path()
    answer = send_raw(quick, request(hook.path, f"Content-Length: {size}", "Connection: close", body=b"x" * size))
    (delivery,) = hook.deliveries()
    assert answer.startswith(b"HTTP/1.1 %d" % status)
    assert (delivery.answered, delivery.fault) == (status, fault)


def test_a_chunked_body_has_the_same_limit(quick: Receiver) -> None:
    chunks = b"40\r\n" + b"x" * 64 + b"\r\n40\r\n" + b"x" * 64 + b"\r\n0\r\n\r\n"
    assert send_raw(quick, request("/a", "Transfer-Encoding: chunked", body=chunks)).startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize(
    "data",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/2.0\r\n\r\n",
        b"POST /a HTTP/1.1\r\n\r\n",
        request("/a", "no colon"),
        request("/a", "Content-Length: 1", "Content-Length: 2"),
        request("/a", "Content-Length: -1"),
        request("/a", "Content-Length: 3", "Transfer-Encoding: chunked"),
        request("/a", "Transfer-Encoding: gzip, chunked"),
        request("/a", "Transfer-Encoding: chunked", body=b"xyz\r\n"),
        request("/a", "Transfer-Encoding: chunked", body=b"1\r\nab\r\n"),
        request("/a", "Long: " + "x" * 600),
        request("/a", *["A: b"] * 200),
    ],
)
def test_a_malformed_request_is_refused_and_recorded(quick: Receiver, data: bytes) -> None:
    assert send_raw(quick, data).startswith(b"HTTP/1.1 400")
    (delivery,) = quick.deliveries()
    assert str(delivery.fault).startswith("malformed")


def test_a_malformed_header_leaves_method_and_path_in_the_record(quick: Receiver) -> None:
    hook = quick.new_path()
    send_raw(quick, request(hook.path, "no colon"))
    (delivery,) = hook.deliveries()
    assert (delivery.method, delivery.path, delivery.headers) == ("POST", hook.path, ())


def test_headers_of_one_name_are_kept_in_order(quick: Receiver) -> None:
    send_raw(quick, request("/a", "X-b: 2", "x-B: 1", "X-C:  caf\u00e9 \t", "X-b: 2", "Connection: close"))
    headers = (("X-b", "2"), ("x-B", "1"), ("X-C", "caf\u00c3\u00a9"), ("X-b", "2"))
    assert quick.deliveries()[0].headers == (("Host", "x"), *headers, ("Connection", "close"))


def test_empty_lines_between_requests_are_ignored(quick: Receiver) -> None:
    post = request("/a", "Content-Length: 2", body=b"\r\n")
    send_raw(quick, b"\r\n" + post + b"\r\n\n" + post + b"\r\n")
    assert [(delivery.body, delivery.fault) for delivery in quick.deliveries()] == [(b"\r\n", "unknown path")] * 2


def test_an_http_1_0_sender_may_ask_for_a_persistent_connection(quick: Receiver) -> None:
    message = b"POST /a HTTP/1.0\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\n1"
    assert send_raw(quick, message + message).count(b"HTTP/1.1 404") == 2


@pytest.mark.parametrize(
    ("is_finished", "answer", "fault"),
    [
        (True, b"", "cut in the body, 3 of 9 bytes read"),
        (False, b"HTTP/1.1 408", "timed out in the body, 3 of 9 bytes read"),
    ],
)
def test_a_request_that_is_cut_short_or_stalls_is_recorded_as_such(
    quick: Receiver, answer: bytes, fault: str, *, is_finished: bool
) -> None:
    sent = request("/a", "Content-Length: 9", body=b"abc")
    assert send_raw(quick, sent, finish=is_finished).startswith(answer)
    assert quick.deliveries()[0].fault == fault


def test_a_request_that_trickles_has_one_deadline(quick: Receiver) -> None:
    began = time.monotonic()
    with dial(quick) as sock, pytest.raises(OSError, match=r"reset|pipe|abort"):  # noqa: PT012 - any of the sends may see it
        for _ in range(100):
            sock.sendall(b"P")
            threading.Event().wait(0.05)
    assert time.monotonic() - began < 4


def test_a_silent_connection_is_closed_and_leaves_no_delivery(quick: Receiver) -> None:
    assert send_raw(quick, b"") == b""
    assert quick.deliveries() == []


def test_a_sender_that_expects_100_continue_receives_it(quick: Receiver) -> None:
    hook = quick.new_path()
    with dial(quick) as sock:
        sock.sendall(request(hook.path, "Content-Length: 2", "Expect: 100-continue"))
        assert sock.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        sock.sendall(b"{}")
        assert sock.recv(100).startswith(b"HTTP/1.1 200 OK\r\n")


def test_pipelined_requests_are_all_kept(quick: Receiver) -> None:
    hook = quick.new_path(answers=[Behaviour(delay_s=0.1)])
    message = request(hook.path, "Content-Length: 1", body=b"1")
    answers = send_raw(quick, message + message + request(hook.path, "Connection: close"))
    assert answers.count(b"HTTP/1.1 200 OK") == 3
    assert [d.body for d in hook.deliveries()] == [b"1", b"1", b""]


def test_a_full_log_drops_and_counts_the_oldest(quick: Receiver) -> None:
    hook = quick.new_path()
    for number in range(7):
        body = b"%d" % number
        send_raw(quick, request(hook.path, "Content-Length: 1", "Connection: close", body=body))
    assert [d.json for d in hook.deliveries()] == [2, 3, 4, 5, 6]
    assert quick.log.losses == ["2 of the oldest deliveries dropped"]


def test_kept_bytes_are_limited_as_well() -> None:
    with Receiver(ListeningPort(tls="off"), limits=Limits(kept_bytes=5)) as receiver:
        for body in (b"123", b"456", b"7"):
            send_raw(receiver, request("/a", f"Content-Length: {len(body)}", "Connection: close", body=body))
        assert [d.body for d in receiver.deliveries()] == [b"456", b"7"]


def test_connections_are_limited(quick: Receiver) -> None:
    held = [dial(quick) for _ in range(3)]
    assert send_raw(quick, b"") == b""
    assert quick.log.losses == ["1 connections closed, too many open"]
    for sock in held:
        sock.close()


def test_a_sender_that_distrusts_the_certificate_is_named(encrypted: Receiver) -> None:
    with dial(encrypted) as sock, pytest.raises(ssl.SSLCertVerificationError):
        ssl.create_default_context().wrap_socket(sock, server_hostname="127.0.0.1")
    assert failed_handshakes(encrypted) == ["tlsv1 alert unknown ca"]


def test_a_sender_that_leaves_after_the_handshake_is_named(encrypted: Receiver) -> None:
    trusting = ssl._create_unverified_context()  # noqa: S323, SLF001 - looks at the certificate afterwards, as some clients do
    with dial(encrypted) as sock:
        trusting.wrap_socket(sock).close()
    assert failed_handshakes(encrypted) == ["the sender closed the connection after the handshake"]


def test_plain_http_to_a_tls_port_is_named(encrypted: Receiver) -> None:
    with suppress(ConnectionResetError):  # the receiver owes no answer
        send_raw(encrypted, request("/a"))
    assert failed_handshakes(encrypted) == ["the sender used plain HTTP, but the receiver expects TLS"]


def test_tls_to_a_plain_port_is_named(quick: Receiver) -> None:
    context = ssl.create_default_context()  # reading the authorities may take longer than the receiver waits
    with dial(quick) as sock, pytest.raises(OSError, match=r"EOF|reset"):
        context.wrap_socket(sock, server_hostname="127.0.0.1")
    assert failed_handshakes(quick) == ["the sender used TLS, but the receiver expects plain HTTP (TLS is off)"]


def test_a_stalled_handshake_blocks_no_other_sender(encrypted: Receiver) -> None:
    with dial(encrypted) as stalled:
        stalled.sendall(b"\x16\x03\x01")
        assert encrypted.probe() is None
        assert failed_handshakes(encrypted) == ["the handshake was not finished within 0.3 s"]


def test_a_connection_without_a_byte_is_no_handshake(encrypted: Receiver) -> None:
    dial(encrypted).close()
    assert encrypted.probe() is None
    assert encrypted.log.handshake_failures == []


@pytest.mark.parametrize("tls", ["self-signed", "off"])
def test_a_probe_through_a_tunnel_works_and_leaves_no_delivery(tls: str) -> None:
    listening = ListeningPort(tls=tls)
    with Receiver(listening) as own, forwarder(urlsplit(own.listening_url).port or 0) as port:
        scheme = urlsplit(own.listening_url).scheme
        listening._public_url = f"{scheme}://127.0.0.1:{port}/prefix"  # noqa: SLF001 - free ports are known late
        assert own.probe() is None
        assert own.deliveries() == []
        assert own.log.handshake_failures == []


def test_a_probe_says_what_failed(quick: Receiver) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with Receiver(ListeningPort(tls="off", public_url=f"http://127.0.0.1:{port}")) as unreachable:
        assert "refused" in str(unreachable.probe())
    with Receiver(ListeningPort(tls="off", public_url=quick.url)) as elsewhere:
        assert str(elsewhere.probe()).endswith("status 404, the response is not the receiver's")


def test_a_probe_trusts_no_more_than_a_sender_would(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pix_conformance.receiver.receiver.is_loopback", lambda _: False)
    with Receiver() as receiver:
        assert "certificate" in str(receiver.probe())
    assert receiver.log.handshake_failures == []


@pytest.mark.parametrize("tls", ["self-signed", "off"])
def test_stop_leaves_no_thread_and_no_port(tls: str) -> None:
    before = set(threading.enumerate())
    receiver = Receiver(ListeningPort(tls=tls)).start()
    hook = receiver.new_path(answers=[Behaviour(delay_s=60)])
    port = urlsplit(receiver.url).port or 0
    idle, stalled, waiting = dial(receiver), dial(receiver), dial(receiver)
    stalled.sendall(b"\x16" if tls == "self-signed" else b"POST ")
    waiting.sendall(request(hook.path))
    began = time.monotonic()
    receiver.stop()
    assert time.monotonic() - began < 2
    assert set(threading.enumerate()) == before
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))
    for sock in (idle, stalled, waiting):
        sock.close()


def test_stop_ends_a_wait() -> None:
    receiver = Receiver(ListeningPort(tls="off")).start()
    results: list[list[Delivery]] = []
    waiter = threading.Thread(target=lambda: results.append(receiver.wait_for(lambda _: True, 60)))
    waiter.start()
    receiver.stop()
    waiter.join(2)
    assert results == [[]]


def test_an_idle_tls_connection_ends_with_close_notify(encrypted: Receiver) -> None:
    """Without close_notify the sender would see a broken connection."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with dial(encrypted) as sock, context.wrap_socket(sock, suppress_ragged_eofs=False) as tls:
        tls.sendall(request("/", "Content-Length: 0"))
        assert b"404" in tls.recv(4096)
        assert tls.recv(1) == b""
