"""The receiver keeps exactly the bytes that arrive, answers as configured, and handles the load of a run."""

import http.client
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
import trustme

from pix_conformance.model.delivery import read_deliveries
from pix_conformance.receiver import Behaviour, Delivery, ListeningPort, Receiver, ReceiverPath
from pix_conformance.receiver.receiver_command import main

RAW = b'{"b" : 1,\r\n "a":"\xc3\xa9\\u00e9\xff\x00"} '


def connect(receiver: Receiver) -> http.client.HTTPConnection:
    """Return a client that trusts the receiver's certificate and no other."""
    port = urlsplit(receiver.listening_url).port
    if receiver.port.certificate is None:
        return http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    context = ssl.create_default_context(cadata=receiver.port.certificate.decode())
    return http.client.HTTPSConnection("127.0.0.1", port, timeout=5, context=context)


def post(receiver: Receiver, path: str, body: bytes = b"{}", **headers: str) -> int:
    """Deliver on a new connection; return the status."""
    connection = connect(receiver)
    try:
        connection.request("POST", path, body, headers)
        return connection.getresponse().status
    finally:
        connection.close()


def anything(_: Delivery) -> bool:
    return True


@pytest.fixture(params=["self-signed", "off"])
def receiver(request: pytest.FixtureRequest) -> Iterator[Receiver]:
    with Receiver(ListeningPort(tls=request.param)) as listening:
        yield listening


@pytest.fixture
def plain() -> Iterator[Receiver]:
    with Receiver(ListeningPort(tls="off")) as listening:
        yield listening


@pytest.fixture
def encrypted() -> Iterator[Receiver]:
    with Receiver() as listening:
        yield listening


def test_body_and_headers_are_kept_as_they_were_sent(receiver: Receiver) -> None:
    hook = receiver.new_path("raw")
    before = time.time()
    assert post(receiver, hook.path, RAW, **{"X-SigNature": "t=1, v1=ab", "content-TYPE": "application/json"}) == 200
    (delivery,) = hook.deliveries()
    assert delivery.body == RAW
    assert ("X-SigNature", "t=1, v1=ab") in delivery.headers
    assert delivery.header("x-signature") == "t=1, v1=ab"
    assert [name for name, _ in delivery.headers][-2:] == ["X-SigNature", "content-TYPE"]
    assert before <= delivery.received <= time.time()
    assert (delivery.method, delivery.answered, delivery.fault) == ("POST", 200, None)


def test_a_chunked_body_is_kept_whole(receiver: Receiver) -> None:
    hook = receiver.new_path()
    connection = connect(receiver)
    connection.request("POST", hook.path, iter([RAW, b"x" * 70_000]), encode_chunked=True)
    assert connection.getresponse().status == 200
    connection.close()
    assert hook.deliveries()[0].body == RAW + b"x" * 70_000


def test_every_path_has_its_own_deliveries(plain: Receiver) -> None:
    first, two = plain.new_path("A name!"), plain.new_path("A name!")
    post(plain, first.path, b"1")
    post(plain, f"{two.path}?x=1", b"2")
    assert first.path.startswith("/hook/a-name-")
    assert first.url == plain.url + first.path
    assert plain.at(first.path) is first
    assert [d.body for d in first.deliveries()] == [b"1"]
    assert [d.body for d in two.deliveries()] == [b"2"]


def test_an_unknown_path_is_refused_and_recorded(plain: Receiver) -> None:
    assert post(plain, "/nobody") == 404
    (delivery,) = plain.deliveries()
    assert (delivery.path, delivery.answered, delivery.fault) == ("/nobody", 404, "unknown path")


def test_the_root_path_receives_what_no_other_path_receives(plain: Receiver) -> None:
    known, rest = plain.at("/known"), plain.at("/")
    assert [post(plain, path) for path in ("/known", "/a/b", "/")] == [200, 200, 200]
    assert [d.path for d in rest.deliveries()] == ["/a/b", "/"]
    assert len(known.deliveries()) == 1


def test_a_relay_may_keep_its_prefix_or_strip_it() -> None:
    with Receiver(ListeningPort(tls="off", public_url="https://relay.example/in/42/")) as receiver:
        hook = receiver.new_path()
        assert hook.url == f"https://relay.example/in/42{hook.path}"
        post(receiver, f"/in/42{hook.path}")
        post(receiver, hook.path)
        assert len(hook.deliveries()) == 2


def test_an_exception_in_the_choice_of_a_response_loses_no_delivery(plain: Receiver) -> None:
    hook = plain.new_path()
    hook.answer_next(Behaviour(503), when=lambda d: bool(d.json["absent"]))
    assert post(plain, hook.path) == 500
    assert "KeyError" in str(hook.deliveries()[0].fault)


def test_a_closed_connection_answers_nothing(receiver: Receiver) -> None:
    hook = receiver.new_path(answers=[Behaviour(close=True)])
    with pytest.raises((http.client.RemoteDisconnected, ssl.SSLEOFError)):
        post(receiver, hook.path)
    (delivery,) = hook.deliveries()
    assert (delivery.answered, delivery.fault) == (None, "closed")


def test_a_delivery_is_recorded_before_its_slow_response(receiver: Receiver) -> None:
    hook = receiver.new_path(answers=[Behaviour(202, delay_s=0.4)])
    began = time.monotonic()
    sender = threading.Thread(target=post, args=(receiver, hook.path))
    sender.start()
    (delivery,) = hook.wait_for(anything, 5)
    assert time.monotonic() - began < 0.35
    assert (delivery.answered, delivery.fault) == (202, "slow")
    sender.join()
    assert time.monotonic() - began >= 0.4


def test_a_delivery_records_when_the_sender_closed_the_connection(receiver: Receiver) -> None:
    hook = receiver.new_path(answers=[Behaviour(delay_s=30)])
    connection = connect(receiver)
    connection.connect()
    connection.sock.settimeout(0.3)
    connection.request("POST", hook.path, b"{}")
    with pytest.raises(TimeoutError):
        connection.getresponse()
    connection.close()
    (delivery,) = hook.wait_for(lambda d: d.left_s is not None, 5)
    assert delivery.left_s == pytest.approx(0.3, abs=0.25)
    assert (delivery.answered, delivery.fault) == (None, "slow")
    assert hook.deliveries() == [delivery]


def test_a_wait_ends_with_the_last_wanted_delivery_or_at_the_deadline(plain: Receiver) -> None:
    hook = plain.new_path()
    timers = [threading.Timer(0.05 * n, post, (plain, hook.path, b"%d" % n)) for n in range(1, 5)]
    for timer in timers:
        timer.start()
    began = time.monotonic()
    assert [d.json for d in hook.wait_for(lambda d: d.json % 2 == 0, 10, count=2)] == [2, 4]
    assert time.monotonic() - began < 5
    assert len(hook.wait_for(lambda d: d.json == 1, 0.1, count=2)) == 1
    for timer in timers:
        timer.join()


def test_a_wait_looks_at_no_delivery_that_was_received_before(plain: Receiver) -> None:
    hook = plain.new_path()
    post(plain, hook.path, b"1")
    between = time.time()
    post(plain, hook.path, b"2")
    assert [d.json for d in plain.wait_for(lambda _: True, 0, count=2, since=between)] == [2]
    assert [d.json for d in plain.wait_for(lambda _: True, 0, count=2)] == [1, 2]


def test_deliveries_to_a_path_come_below_other_paths_and_with_a_query_too(plain: Receiver) -> None:
    hook, other = plain.new_path(), plain.new_path()
    targets = [f"/tunnel{hook.path}", other.path, hook.path, f"{hook.path}?order=1"]
    for target in targets:
        post(plain, target)
    assert [d.path for d in hook.deliveries()] == [targets[0], *targets[2:]]


def test_given_certificate_files_are_served_without_their_key(tmp_path: Path) -> None:
    authority = trustme.CA()
    leaf = authority.issue_cert("127.0.0.1")
    file = tmp_path / "both.pem"
    leaf.private_key_and_cert_chain_pem.write_to_path(file)
    with Receiver(ListeningPort(tls=f"{file},{file}")) as receiver:
        assert receiver.port.certificate == leaf.cert_chain_pems[0].bytes().strip()
        receiver.port.certificate = authority.cert_pem.bytes()
        assert post(receiver, receiver.new_path().path) == 200


@pytest.mark.parametrize("listen", ["127.0.0.1:0", "localhost", "[::1]:0", "0.0.0.0:0"])
def test_the_certificate_names_where_it_listens(listen: str) -> None:
    with Receiver(ListeningPort(listen)) as receiver:
        assert receiver.probe() is None


@pytest.mark.parametrize(
    "arguments",
    [("a b:c",), (":1",), ("h:99999",), ("h:1", "on"), ("h:1", "off", "ftp://x"), ("h:1", "off", "http://x?y")],
)
def test_a_malformed_argument_is_refused_before_listening(arguments: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"not|neither|range"):
        Receiver(ListeningPort(*arguments))


def test_a_sender_without_nodelay_is_not_held_up(encrypted: Receiver) -> None:
    """Such a sender waits for the handshake's acknowledgement, which a receiver that sends nothing delays."""
    hook, took = encrypted.new_path(), []
    context = ssl.create_default_context(cadata=(encrypted.port.certificate or b"").decode())
    for _ in range(5):
        began = time.monotonic()
        dialled = socket.create_connection(("127.0.0.1", urlsplit(encrypted.url).port or 0), timeout=5)
        with context.wrap_socket(dialled, server_hostname="127.0.0.1") as sock:
            sock.sendall(f"POST {hook.path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            assert sock.recv(100).startswith(b"HTTP/1.1 200")
        took.append(time.monotonic() - began)
    assert min(took) < 0.035


def rate(receiver: Receiver, hook: ReceiverPath, number: int, *, keep: bool) -> float:
    """Return the deliveries per second of two senders together."""

    def send() -> None:
        connection = connect(receiver)
        for _ in range(number // 2):
            connection.request("POST", hook.path, b'{"id": "1234567890"}')
            connection.getresponse().read()
            if not keep:
                connection.close()
        connection.close()

    began = time.monotonic()
    senders = [threading.Thread(target=send) for _ in range(2)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    return number / (time.monotonic() - began)


# A run sends some 25 deliveries a second: four times that over new connections, and ten times over kept ones, will do.
@pytest.mark.parametrize(("keep", "number", "wanted"), [(True, 500, 250), (False, 200, 100)])
def test_the_receiver_handles_the_load_of_a_run(encrypted: Receiver, *, keep: bool, number: int, wanted: float) -> None:
    hook = encrypted.new_path()
    rates = []
    for _ in range(30):  # the machine may be busy with other things
        rates.append(rate(encrypted, hook, number, keep=keep))
        if rates[-1] >= wanted:
            break
    assert max(rates) >= wanted
    assert len(hook.deliveries()) == number * len(rates)


START = "import sys; from pix_conformance.receiver.receiver_command import main; sys.exit(main())"


@contextmanager
def running(*options: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", START, "--listen", "127.0.0.1:0", *options]
    with subprocess.Popen(  # noqa: S603 - this project's own program
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline()


def deliver(url: str, body: bytes) -> int:
    request = Request(url, body, {"X-Sig": "t=1"})  # noqa: S310 - the receiver's own http address
    with urlopen(request, timeout=5) as response:  # noqa: S310 - see above
        return int(response.status)


def test_deliveries_are_written_and_printed_until_interrupted(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    with running("--tls", "off", "--out", str(out)) as process:
        url = first_line(process).split()[2].rstrip(",")
        assert deliver(f"{url}/any/path", b'{"type": "a\\u001b[1m"}') == 200
        assert deliver(f"{url}/", b"\xff") == 200
        assert [d.body for d in read_deliveries(out)] == [b'{"type": "a\\u001b[1m"}', b"\xff"]
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate(timeout=5)
    assert process.returncode == 0
    assert "POST /any/path 22 bytes a\\x1b[1m -> 200\n" in printed
    assert printed.endswith("2 deliveries written\n")


def test_it_stops_by_itself_and_appends(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("what was there\n")
    with running("--out", str(out), "--seconds", "0.1") as process:
        assert first_line(process).startswith("receiving at https://127.0.0.1:")
        assert process.wait(5) == 0
    assert out.read_text() == "what was there\n"


def test_a_failed_write_ends_the_program_without_a_200() -> None:
    with running("--tls", "off", "--out", "/dev/full") as process:
        url = first_line(process).split()[2].rstrip(",")
        with pytest.raises((HTTPError, ConnectionError), match=r"500|closed"):  # 500, or the end of the receiver
            deliver(url, b"{}")
        printed, _ = process.communicate(timeout=5)
    assert process.returncode == 3
    assert "No space left" in printed


@pytest.mark.parametrize("argv", [["--listen", "nowhere"], ["--out", "/absent/file"], ["--what"]])
def test_wrong_usage_is_exit_4(argv: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(signal, "signal", lambda *_: pytest.fail("started"))
    try:
        status = main(argv)
    except SystemExit as end:
        status = int(end.code or 0)
    assert status == 4
