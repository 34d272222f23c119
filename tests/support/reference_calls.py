"""Clients, request bodies and a webhook receiver for the tests of the reference."""

import json
import ssl
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx

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


def eventually(condition: Callable[[], object]) -> None:
    """Wait up to five seconds until the condition is true."""
    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline, "the condition did not become true"
        time.sleep(0.01)


class Mailbox:
    """An HTTP receiver on this machine that keeps all requests and answers them with 200."""

    def __init__(self) -> None:
        """Listen on a free port."""
        self.letters: list[tuple[dict[str, str], bytes]] = []
        mailbox = self

        class Answering(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                """Keep it and answer."""
                body = self.rfile.read(int(self.headers["Content-Length"]))
                mailbox.letters.append(({name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name it has upstream
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
        self.url = f"http://127.0.0.1:{self.server.server_port}/mail"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def holds(self, count: int) -> bool:
        """Return whether that many webhooks have arrived."""
        return len(self.letters) >= count

    def payloads(self) -> list[dict[str, Any]]:
        """Return the bodies so far."""
        return [json.loads(body) for _, body in self.letters]

    def close(self) -> None:
        """Stop listening."""
        self.server.shutdown()
        self.server.server_close()
