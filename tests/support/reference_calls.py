"""Clients and request bodies for the tests of the reference."""

import ssl
import time
from collections.abc import Callable
from typing import Any

import httpx

from pix_conformance.model.operations import of
from pix_conformance.model.vocabulary import Api
from pix_conformance.reference.call import Call
from pix_conformance.reference.process import Running

CHARGE = {"amountInCents": 1050, "customer": {"documentType": "cpf", "document": "52998224725"}}
QRCODE, PIXKEY, HOOK = "/api/v1/pix/in/qrcode", "/api/v1/pix/out/pixkey", "/api/v1/webhook"
CHARGES = "/v1/business/pix-charges"


NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # loading certificates that are not needed takes 0.2 s a client


def anonymous_client(running: Running, authorization: str = "") -> httpx.Client:
    """Return a client with this header, or without credentials."""
    headers = {"Authorization": authorization} if authorization else {}
    return httpx.Client(base_url=running.base_url, headers=headers, verify=NO_TLS)


def payments(running: Running, role: str = "merchant") -> httpx.Client:
    """Return a client with a new token."""
    with anonymous_client(running) as without_credentials:
        granted = without_credentials.post("/api/auth", auth=tuple(running.credentials["payments"][role])).json()
    return anonymous_client(running, f"Bearer {granted['token']}")


def business(running: Running, role: str = "merchant") -> httpx.Client:
    """Return a client with the role's API key."""
    return anonymous_client(running, f"Bearer {running.credentials['business'][role]}")


def transfer(running: Running, **fields: Any) -> dict[str, Any]:
    """Return a valid transfer request."""
    return {"pixKey": running.credentials["transfer_key"], "amount": 5} | fields


def query_of_balance(api: Api) -> Call:
    """Return the query of the balance, without a credential."""
    (path,) = (row.path for row in of(api) if row.shows_balance)
    return Call("GET", tuple(path.split("/")[1:]), {}, {}, b"")


def eventually(condition: Callable[[], object]) -> None:
    """Wait up to five seconds until the condition is true."""
    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline, "the condition did not become true"
        time.sleep(0.01)
