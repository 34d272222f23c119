"""The relay: one port of which each worker receives what comes to its own addresses, as a receiver of its own would."""

import http.client
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from urllib.parse import urlsplit

import pytest

from pix_conformance.model.reception import RelayAddress
from pix_conformance.receiver import Behaviour, Delivery, ListeningPort, Receiver, Relay, RelayedPort

RAW = b'{"b" : 1,\r\n "a":"\xc3\xa9\\u00e9\xff\x00"} '


@pytest.fixture(params=["self-signed", "off"])
def address(request: pytest.FixtureRequest) -> Iterator[RelayAddress]:
    relay = Relay(ListeningPort(tls=request.param))
    yield relay.start()
    relay.stop()


@pytest.fixture
def receivers(address: RelayAddress) -> Iterator[list[Receiver]]:
    """The receivers of three workers."""
    with ExitStack() as stack:
        yield [stack.enter_context(Receiver(RelayedPort(address, number))) for number in (1, 2, 3)]


def connect(address: RelayAddress) -> http.client.HTTPConnection:
    parts = urlsplit(address.url)
    if address.certificate is None:
        return http.client.HTTPConnection("127.0.0.1", parts.port, timeout=5)
    context = ssl.create_default_context(cadata=address.certificate.decode())
    return http.client.HTTPSConnection("127.0.0.1", parts.port, timeout=5, context=context)


def test_each_worker_receives_what_comes_to_its_addresses_on_one_connection(
    address: RelayAddress, receivers: list[Receiver]
) -> None:
    hooks = [receiver.new_path("event", api="payments") for receiver in receivers]
    with closing(connect(address)) as connection:
        for hook in [*hooks, *hooks]:
            connection.request("POST", hook.url.removeprefix(address.url), RAW, {"X-SigNature": "v1=ab"})
            response = connection.getresponse()
            assert (response.status, response.read()) == (200, b"")
    for receiver, hook in zip(receivers, hooks, strict=True):
        deliveries = hook.deliveries()
        assert [(delivery.body, delivery.api, delivery.sender) for delivery in deliveries] == [
            (RAW, "payments", "127.0.0.1")
        ] * 2
        assert ("X-SigNature", "v1=ab") in deliveries[0].headers
        assert receiver.deliveries() == deliveries


def test_what_comes_to_an_endpoint_or_to_no_worker_is_for_the_first(
    address: RelayAddress, receivers: list[Receiver]
) -> None:
    endpoint = receivers[0].at("/business", api="business")
    with closing(connect(address)) as connection:
        for path, status in (("/business", 200), ("/nobody", 404), ("/hook/worker-9-earlier", 200)):
            connection.request("POST", path, b"{}")
            response = connection.getresponse()
            assert (path, response.status, response.read()) == (path, status, b"")
    assert endpoint.url == f"{address.url}/business"
    assert [delivery.path for delivery in receivers[0].deliveries()] == ["/business", "/nobody"]
    assert receivers[1].deliveries() == []


def test_a_worker_chooses_the_response_and_knows_that_its_sender_left(
    address: RelayAddress, receivers: list[Receiver]
) -> None:
    hook = receivers[2].new_path(answers=[Behaviour(503), Behaviour(close=True), Behaviour(delay_s=5)])
    path = hook.url.removeprefix(address.url)
    with closing(connect(address)) as connection:
        connection.request("POST", path, b"1")
        assert connection.getresponse().status == 503
    with closing(connect(address)) as connection:
        connection.request("POST", path, b"2")
        with pytest.raises(http.client.RemoteDisconnected):
            connection.getresponse()
    with closing(connect(address)) as connection:
        connection.request("POST", path, b"3")
        assert hook.wait_for(lambda delivery: delivery.body == b"3", 5)
    (late,) = hook.wait_for(lambda delivery: delivery.left_s is not None, 5)
    assert (late.body, late.answered, late.fault) == (b"3", None, "slow")
    assert [delivery.answered for delivery in hook.deliveries()] == [503, None, None]


def test_a_request_that_is_no_http_reaches_the_first_worker_with_its_fault(
    address: RelayAddress, receivers: list[Receiver]
) -> None:
    with closing(connect(address)) as connection:
        connection.connect()
        connection.sock.sendall(b"POST /hook/worker-2-x HTTP/1.1\r\nContent-Length: two\r\n\r\n")
        assert connection.sock.recv(12) == b"HTTP/1.1 400"
    faults = [delivery.fault for receiver in receivers for delivery in receiver.deliveries()]
    assert len(faults) == 1
    assert faults[0]


@pytest.mark.parametrize("address", ["self-signed"], indirect=True)
def test_every_worker_knows_of_a_failed_handshake(address: RelayAddress, receivers: list[Receiver]) -> None:
    with socket.create_connection(("127.0.0.1", urlsplit(address.url).port or 0)) as plain:
        plain.sendall(b"POST / HTTP/1.1\r\n\r\n")
    ends = time.monotonic() + 5
    while not all(receiver.log.handshake_failures for receiver in receivers) and time.monotonic() < ends:
        time.sleep(0.01)
    assert {str(receiver.log.handshake_failures) for receiver in receivers} == {
        "['the sender used plain HTTP, but the receiver expects TLS']"
    }


def test_the_probe_of_each_worker_arrives(receivers: list[Receiver]) -> None:
    assert [receiver.probe() for receiver in receivers] == [None, None, None]
    assert [receiver.deliveries() for receiver in receivers] == [[], [], []]


def test_what_comes_for_a_worker_that_has_ended_is_accepted(address: RelayAddress, receivers: list[Receiver]) -> None:
    ended = receivers[1].new_path()
    receivers[1].stop()
    with closing(connect(address)) as connection:
        connection.request("POST", ended.url.removeprefix(address.url), b"{}")
        assert connection.getresponse().status == 200
    assert ended.deliveries() == []


def test_a_delivery_that_cannot_be_recorded_keeps_no_other_from_its_worker(
    address: RelayAddress, receivers: list[Receiver]
) -> None:
    hook = receivers[1].new_path()

    def write(delivery: Delivery) -> None:
        if delivery.body == b"1":
            raise OSError("no space left")

    receivers[1].log.write = write
    with closing(connect(address)) as connection:
        connection.request("POST", hook.url.removeprefix(address.url), b"1")
        with pytest.raises(http.client.RemoteDisconnected):
            connection.getresponse()
    with closing(connect(address)) as connection:
        connection.request("POST", hook.url.removeprefix(address.url), b"2")
        assert connection.getresponse().status == 200


def test_a_worker_that_ends_while_it_joins_keeps_no_other_from_joining(address: RelayAddress) -> None:
    with closing(socket.socket(socket.AF_UNIX)) as broken:
        broken.connect(address.socket)
    with Receiver(RelayedPort(address, 1)) as receiver, closing(connect(address)) as connection:
        hook = receiver.new_path()
        connection.request("POST", hook.url.removeprefix(address.url), b"{}")
        assert connection.getresponse().status == 200
        assert len(hook.deliveries()) == 1


def test_deliveries_at_once_reach_their_workers(address: RelayAddress, receivers: list[Receiver]) -> None:
    hooks = [receiver.new_path() for receiver in receivers]
    connections = [(connect(address), hook) for hook in hooks for _ in range(8)]
    for connection, hook in connections:
        connection.request("POST", hook.url.removeprefix(address.url), b"{}")
    assert {connection.getresponse().status for connection, _ in connections} == {200}
    for connection, _ in connections:
        connection.close()

    def anything(_: Delivery) -> bool:
        return True

    assert [len(hook.wait_for(anything, 5, 8)) for hook in hooks] == [8, 8, 8]
