"""Bodies that no suite sends get the documented error of the reference, never a 5xx."""

import json
from collections.abc import Iterator

import httpx
import pytest

from pix_conformance.reference.process import start
from tests.support.reference_calls import CHARGE, CHARGES, HOOK, PIXKEY, QRCODE, business, payments

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
