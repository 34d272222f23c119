"""The reference as a process: start, speed, end, other rules; what it answers to odd bodies; no webhook is lost."""

import asyncio
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing

import httpx
import pytest

from pix_conformance.receiver import Limits, ListeningPort, Receiver
from pix_conformance.reference import sandbox_server
from pix_conformance.reference.outbox import Outbox, WebhookRequest, Written
from pix_conformance.reference.process import start
from tests.support.reference_calls import CHARGE, CHARGES, HOOK, NO_TLS, PIXKEY, QRCODE, business, payments


def test_it_starts_within_a_second_of_the_processor() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start().stop()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 1


def test_charges_are_fast() -> None:
    """An idle machine creates over 200 a second; 80 still shows that no response waits for a TCP acknowledgement."""
    rates = []
    with start() as running, payments(running) as client:
        for _ in range(5):
            begun = time.perf_counter()
            for _ in range(40):
                client.post(QRCODE, json=CHARGE)
            rates.append(40 / (time.perf_counter() - begun))
    assert max(rates) > 80


def test_it_ends_with_its_parent_process() -> None:
    program = (
        "import time; from pix_conformance.reference.process import start\n"
        "running = start(); print(running.base_url, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as owner:  # noqa: S603 - our own words
        assert owner.stdout
        base_url = owner.stdout.readline().strip()
        assert _answers(base_url)
        owner.kill()
    deadline = time.monotonic() + 5
    while _answers(base_url):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _answers(base_url: str) -> bool:
    try:
        httpx.get(base_url, timeout=1, verify=NO_TLS)
    except httpx.TransportError:
        return False
    return True


def test_stop_ends_it_and_a_second_stop_does_nothing() -> None:
    running = start()
    running.stop()
    running.stop()
    assert not _answers(running.base_url)


def test_an_unknown_rule_prevents_the_start() -> None:
    """The process ends with an error instead of serving without the rule."""
    with pytest.raises(RuntimeError, match="before it listened"):
        start(["tests.support.reference_rules:asyncio"])


def test_it_restarts_with_an_empty_store_and_goes_on_if_it_cannot() -> None:
    with start(seed="7") as running, business(running) as client:
        place = f"{CHARGES}/{client.post(CHARGES, json={'amount_cents': 1050}).json()['id']}"
        with pytest.raises(RuntimeError, match="did not restart"):
            running.restart(["tests.support.reference_rules:asyncio"])
        assert client.get(place).status_code == 200
        assert running.restart(seed=7) == running
        assert client.get(place).status_code == 404
        assert f"{CHARGES}/{client.post(CHARGES, json={'amount_cents': 1050}).json()['id']}" == place


def test_by_hand_it_names_every_variable() -> None:
    """It prints all variables that the reference can fill; the webhook secret only with a webhook address."""
    with start() as running:
        assert len(sandbox_server.variables(running.credentials)) == 13
    with start(business_webhook="https://127.0.0.1:9/business") as running:
        named = sandbox_server.variables(running.credentials)
    assert named["PIX_BASE_URL"] == running.base_url
    assert named["PIX_LIVE_API_KEY"].startswith("ak_live_")
    assert named["PIX_RECEIVER_LISTEN"] == "127.0.0.1:9"
    assert len(named) == 15


GOOD = json.dumps(CHARGE | {"amount_cents": 1050, "amount": 1050, "pixKey": "52998224725"}).encode()
BODIES = {
    "null": b"null",
    "not a number": b'{"amount_cents":NaN}',
    "deep arrays": b"[" * 100_000,
    "deep objects": b'{"a":' * 900 + b"1" + b"}" * 900,
    "deep unknown field": b'{"a":' + b"[" * 70 + b"]" * 70 + b"}",
    "latin-1": b'{"a":"\xe9"}',
    "utf-16": GOOD.decode().encode("utf-16"),
    "byte order mark": b"\xef\xbb\xbf" + GOOD,
    "raw NUL": GOOD.replace(b"cpf", b"c\0f"),
    "twice the same field": b'{"a":1,"a":2}',
    "surrogate twice": b'{"\\ud800":1,"\\ud800":2}',
    "two megabytes": b'{"a":"' + b"x" * (2 << 20) + b'"}',
}
AMOUNTS = {QRCODE: "amountInCents", PIXKEY: "amount", CHARGES: "amount_cents"}
NUMBERS = ["9" * 30, "9" * 5000, "-" + "9" * 5000, "1e999999999999999999999", "1e2"]
TEXTS = ['"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"']
VALUES = [(route, field, number) for route, field in AMOUNTS.items() for number in NUMBERS]
VALUES += [(route, "description", text) for route in AMOUNTS for text in TEXTS]


@pytest.fixture(scope="module")
def clients() -> Iterator[dict[bool, httpx.Client]]:
    """Yield the client of each API: True for the business API."""
    with start() as running, payments(running) as first, business(running) as second:
        yield {False: first, True: second}


def refusal(clients: dict[bool, httpx.Client], route: str, body: bytes) -> str:
    """Send a POST with these bytes; return the text of the documented 4xx response."""
    is_business = route == CHARGES
    answer = clients[is_business].post(route, content=body, headers={"Content-Type": "application/json"})
    error = answer.json()
    assert (answer.status_code, error.get("error")) == ((422, None) if is_business else (400, "INVALID_REQUEST"))
    return str(error["detail" if is_business else "message"])


@pytest.mark.parametrize("route", [*AMOUNTS, HOOK])
@pytest.mark.parametrize("name", BODIES)
def test_a_malformed_body_is_an_invalid_request(clients: dict[bool, httpx.Client], route: str, name: str) -> None:
    assert refusal(clients, route, BODIES[name])


@pytest.mark.parametrize(("route", "field", "value"), VALUES)
def test_an_unusual_value_is_refused_by_name(
    clients: dict[bool, httpx.Client], route: str, field: str, value: str
) -> None:
    body = {name: sent for name, sent in json.loads(GOOD).items() if name != field}
    text = json.dumps(body)[:-1] + f', "{field}": {value}}}'
    assert refusal(clients, route, text.encode()).startswith(f"{field} ")


IDLE_S = 0.2


async def at_once(_attempt: int) -> bool:
    """Do not wait."""
    return True


def written(_attempt: int) -> Written:
    """Return an empty object as body."""
    return b"{}", {"Content-Type": "application/json"}


async def send_some(outbox: Outbox, url: str) -> None:
    """Send four webhook requests simultaneously, with one attempt each."""
    letter = WebhookRequest(url, at_once, written, lambda status: status == 200, 1, 5.0, "an event")
    await asyncio.gather(*(outbox.deliver(letter) for _ in range(4)))


@pytest.mark.parametrize("tls", ["off", "self-signed"])
def test_a_webhook_is_sent_again_if_its_kept_connection_is_closed(tls: str) -> None:
    """It is sent on a new connection, which does not count as another attempt."""
    with closing(Outbox()) as outbox, Receiver(ListeningPort(tls=tls), limits=Limits(idle_s=IDLE_S)) as receiver:
        url = receiver.new_path().url
        asyncio.run(send_some(outbox, url))
        time.sleep(2 * IDLE_S)
        asyncio.run(send_some(outbox, url))
        assert len(receiver.deliveries()) == 8
        assert not outbox.undeliverable
