"""Malformed requests get the documented error, never a 5xx."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from pix_conformance.reference.process import Running
from tests.support.reference_calls import CHARGE, CHARGES, HOOK, PIXKEY, QRCODE, anonymous_client, business, payments

GOOD = json.dumps(CHARGE | {"amount_cents": 1, "amount": 1, "pixKey": "52998224725"}).encode()
ROUTES = [QRCODE, PIXKEY, HOOK, CHARGES]
BODIES = {
    "nothing": b"",
    "half": b"{",
    "array": b"[]",
    "text": b'"x"',
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
VALUES = ["9" * 30, "9" * 5000, "-" + "9" * 5000, "1e999999999999999999999", "1.0", "1e2", "true", '"1"', "[]", "{}"]


@pytest.fixture(scope="module")
def clients(running: Running) -> Iterator[dict[bool, httpx.Client]]:
    """Yield the client of each API: True for the business API."""
    with payments(running) as first, business(running) as second:
        yield {False: first, True: second}


@pytest.fixture(scope="module")
def anonymous(running: Running) -> Iterator[httpx.Client]:
    """Yield a client without credentials."""
    with anonymous_client(running) as opened:
        yield opened


def send(clients: dict[bool, httpx.Client], route: str, body: bytes, kind: str = "application/json") -> httpx.Response:
    """Send a POST with these bytes."""
    headers = {"Content-Type": kind} if kind else {}
    return clients[route == CHARGES].post(route, content=body, headers=headers)


def words(route: str, answer: httpx.Response) -> str:
    """Return the text of the documented 4xx response."""
    body: dict[str, Any] = answer.json()
    if route == CHARGES:
        assert (answer.status_code, list(body)) == (422, ["detail"])
        return str(body["detail"])
    assert (answer.status_code, body["error"], len(body)) == (400, "INVALID_REQUEST", 2)
    return str(body["message"])


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("name", BODIES)
def test_a_malformed_body_is_an_invalid_request(clients: dict[bool, httpx.Client], route: str, name: str) -> None:
    """Every malformed body gives 400 or 422."""
    assert words(route, send(clients, route, BODIES[name]))


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("kind", ["", "text/plain", "application/jsonx", "multipart/form-data; boundary=x"])
def test_a_body_of_another_type_is_refused(clients: dict[bool, httpx.Client], route: str, kind: str) -> None:
    """A Content-Type other than JSON is refused."""
    assert words(route, send(clients, route, GOOD, kind)) == "Content-Type must be application/json"


@pytest.mark.parametrize(("route", "field"), [(QRCODE, "amountInCents"), (PIXKEY, "amount"), (CHARGES, "amount_cents")])
@pytest.mark.parametrize("value", VALUES)
def test_an_odd_number_is_refused_by_name(
    clients: dict[bool, httpx.Client], route: str, field: str, value: str
) -> None:
    """Huge numbers, fractions, exponents and non-numbers are refused."""
    body = {name: sent for name, sent in json.loads(GOOD).items() if name != field}
    text = json.dumps(body)[:-1] + f', "{field}": {value}}}'
    assert words(route, send(clients, route, text.encode())).startswith(f"{field} ")


@pytest.mark.parametrize("letter", ["\\u0000", "\\ud800", "\\udc00\\ud800"])
@pytest.mark.parametrize("route", [QRCODE, PIXKEY, CHARGES])
def test_unstorable_text_is_refused_by_name(clients: dict[bool, httpx.Client], route: str, letter: str) -> None:
    """Texts with NUL or a lone surrogate are refused in every text field."""
    body = GOOD[:-1] + f', "description": "{letter}"}}'.encode()
    assert words(route, send(clients, route, body)).startswith("description ")


@pytest.mark.parametrize("odd", ["%00", "%0a", "%ff%fe", "a%2Fb", "%ZZ", "x" * 5000, "'%20OR%201=1", "%F0%9F%98%80"])
@pytest.mark.parametrize("route", [*ROUTES[:2], CHARGES])
def test_an_odd_id_is_unknown(clients: dict[bool, httpx.Client], route: str, odd: str) -> None:
    """An id of an unusual form gives 404 in the API's error form."""
    answer = clients[route == CHARGES].get(f"{route}/{odd}")
    assert answer.status_code == 404
    assert answer.json().get("error", "NOT_FOUND") == "NOT_FOUND"


@pytest.mark.parametrize("odd", ["x", "0", "-1", "9" * 30, "%00", "1.0"])
def test_an_odd_webhook_id_is_unknown(clients: dict[bool, httpx.Client], odd: str) -> None:
    """An id that is not a number gives 404."""
    assert clients[False].delete(f"{HOOK}/{odd}").status_code == 404


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "ODD"])
@pytest.mark.parametrize("path", ["/", "//", "/x", "/api", "/v1", "/v1/business/payouts", "/api/v2/balance", "/%0a"])
def test_unknown_routes_are_not_found(
    clients: dict[bool, httpx.Client], anonymous: httpx.Client, path: str, method: str
) -> None:
    """An unknown route gives 404 with a credential and 401 without."""
    assert clients[path.startswith("/v1")].request(method, path).status_code == 404
    assert anonymous.request(method, path).status_code == 401


@pytest.mark.parametrize(
    "header", [b"", b"Basic", b"Basic !", b"Basic \xff", b"Bearer", b"Bearer \xff", b"Bearer eyJhbGciOiJub25lIn0.e30."]
)
@pytest.mark.parametrize("place", [("POST", "/api/auth"), ("GET", "/api/v1/balance"), ("GET", "/v1/business/finance")])
def test_malformed_credentials_are_refused(anonymous: httpx.Client, place: tuple[str, str], header: bytes) -> None:
    """Any malformed credential gives 401."""
    assert anonymous.request(*place, headers={b"Authorization": header}).status_code == 401
