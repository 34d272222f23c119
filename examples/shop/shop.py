"""A shop that takes PIX by both APIs: a client and a webhook endpoint, as docs/integration.md asks for them.

`python shop.py` serves it. Variables: SHOP_PORT, SHOP_DB, and those of a run (PIX_BASE_URL, credentials, secrets).
"""

import base64
import hmac
import json
import os
import sqlite3
import threading
import time
import uuid
from collections.abc import Awaitable, Callable
from contextlib import closing
from typing import Any

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

CHARGES, QR_CODES, TRANSFERS = "/v1/business/pix-charges", "/api/v1/pix/in/qrcode", "/api/v1/pix/out/pixkey"
EMAIL, SPLITS = "maria@example.com", [{"email": "partner@example.com", "percentage": 2.5}]
CUSTOMER = {"documentType": "cpf", "document": "52998224725", "name": "Maria da Silva", "email": EMAIL}
TABLES = """
CREATE TABLE IF NOT EXISTS orders
  (id TEXT PRIMARY KEY, api TEXT, cents INT, charge TEXT, state TEXT, credited INT DEFAULT 0);
CREATE TABLE IF NOT EXISTS transfers (id TEXT PRIMARY KEY, body TEXT, path TEXT);
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT);
"""
ATTEMPTS, PAUSE_S, LIMITED_S, RENEWED_S, OLDEST_S = 3, 0.2, 2.0, 5, 300
UNAUTHORIZED, CONFLICT, LIMITED, SERVER_ERROR = 401, 409, 429, 500


class Database:
    """The shop's sqlite file. Each statement is a transaction of its own."""

    def __init__(self, path: str) -> None:
        self.path = path
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(TABLES)

    def do(self, sql: str, *values: Any) -> int:
        with closing(sqlite3.connect(self.path, timeout=30)) as connection, connection:
            return connection.execute(sql, values).rowcount

    def row(self, sql: str, *values: Any) -> Any:
        with closing(sqlite3.connect(self.path, timeout=30)) as connection:
            connection.row_factory = sqlite3.Row
            return connection.execute(sql, values).fetchone()


class Service:
    """The client of both APIs: credentials, tokens, and the same request again after a lost response."""

    def __init__(self, variables: dict[str, str]) -> None:
        self.variables = variables
        self.http = httpx.Client(base_url=variables["PIX_BASE_URL"], timeout=5, trust_env=False)
        self.token, self.valid_until, self.logging_in = "", 0.0, threading.Lock()

    def business(self, method: str, path: str, body: Any = None, key: str = "") -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.variables['PIX_API_KEY']}"}
        return self.send(method, path, body, headers | ({"Idempotency-Key": key} if key else {}))

    def payments(self, method: str, path: str, body: Any = None, key: str = "") -> httpx.Response:
        """Send a request of the payments API; a token that has expired meanwhile is replaced once."""
        more = {"x-idempotency-key": key} if key else {}
        response = self.send(method, path, body, {"Authorization": f"Bearer {self.valid_token()}"} | more)
        if response.status_code == UNAUTHORIZED:
            self.valid_until = 0
            response = self.send(method, path, body, {"Authorization": f"Bearer {self.valid_token()}"} | more)
        return response

    def valid_token(self) -> str:
        """Return the token, a new one if it expires soon."""
        with self.logging_in:
            if time.monotonic() > self.valid_until - RENEWED_S:
                pair = f"{self.variables['PIX_CLIENT_ID']}:{self.variables['PIX_CLIENT_SECRET']}"
                basic = {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}
                answer = self.send("POST", "/api/auth", None, basic).raise_for_status().json()
                self.token, self.valid_until = answer["token"], time.monotonic() + answer["expiresIn"] / 1000
            return self.token

    def send(self, method: str, path: str, body: Any, headers: dict[str, str]) -> httpx.Response:
        """Send a request, the same one again if it had no response. Raises ConnectionError."""
        for _ in range(ATTEMPTS):
            try:
                response = self.http.request(method, path, json=body, headers=headers)
            except httpx.TransportError:
                time.sleep(PAUSE_S)
                continue
            if response.status_code != LIMITED and response.status_code < SERVER_ERROR:
                return response
            time.sleep(LIMITED_S if response.status_code == LIMITED else PAUSE_S)
        raise ConnectionError(path)


class Shop:
    """Orders, what they are credited with, and transfers."""

    def __init__(self, service: Service, database: Database) -> None:
        self.service, self.database = service, database
        self.url = service.variables.get("SHOP_URL", "https://shop.example/hooks/payments")

    def order(self, api: str, price: str) -> str:
        """Take an order and have it charged; return its reference."""
        order, key, cents = f"order-{uuid.uuid4().hex[:12]}", str(uuid.uuid4()), int(price)
        self.database.do("INSERT INTO orders (id, api, cents) VALUES (?, ?, ?)", order, api, cents)
        if api == "business":
            body: dict[str, Any] = {"amount_cents": cents, "external_ref": order, "expires_in_seconds": 3600}
            body |= {"description": order, "customer_email": EMAIL}
            charge = self.service.business("POST", CHARGES, body, key).raise_for_status().json()["id"]
        else:
            body = {"amountInCents": cents, "customer": CUSTOMER, "description": order, "postbackUrl": self.url}
            body |= {"splits": SPLITS}
            body |= {"items": [{"title": order, "tangible": True, "quantity": 1, "amountInCents": cents}]}
            charge = self.service.payments("POST", QR_CODES, body).raise_for_status().json()["data"]["id"]
        self.database.do("UPDATE orders SET charge = ?, state = 'pending' WHERE id = ?", charge, order)
        return order

    def credit(self, order: str) -> None:
        """Credit an order that is paid; a second time changes nothing."""
        self.database.do("UPDATE orders SET credited = cents, state = 'paid' WHERE id = ? AND credited = 0", order)

    def credited(self, order: str) -> int:
        return int(self.database.row("SELECT credited FROM orders WHERE id = ?", order)["credited"])

    def wallet(self) -> int:
        return int(self.database.row("SELECT SUM(credited) AS cents FROM orders")["cents"] or 0)

    def cancel(self, order: str) -> str:
        row = self.database.row("SELECT * FROM orders WHERE id = ?", order)
        if row["api"] == "business":  # 409 says that it was paid or has expired: look_after shows which
            self.service.business("POST", f"{CHARGES}/{row['charge']}/cancel")
        return self.look_after(order)

    def look_after(self, order: str) -> str:
        """Ask the service for the charge of an order; return the order's state."""
        row = self.database.row("SELECT * FROM orders WHERE id = ?", order)
        send, path = (self.service.business, CHARGES) if row["api"] == "business" else (self.service.payments, QR_CODES)
        charge = send("GET", f"{path}/{row['charge']}").raise_for_status().json()
        if (status := charge.get("data", charge)["status"]) == "paid":
            self.credit(order)
        else:
            self.database.do("UPDATE orders SET state = ? WHERE id = ? AND credited = 0", status, order)
        return str(status)

    def transfer(self, key: str, price: str) -> str:
        """Send money to a PIX key; return the reference of the transfer, which is its idempotency key too."""
        transfer, body = str(uuid.uuid4()), {"pixKey": key, "amount": int(price), "currency": "BRL"}
        body["description"] = f"Transfer {transfer}"
        self.database.do("INSERT INTO transfers (id, body) VALUES (?, ?)", transfer, json.dumps(body))
        response = self.service.payments("POST", TRANSFERS, body, transfer)
        if response.status_code != CONFLICT:  # a 409 to a repetition: the first request has created the transfer
            path = f"{TRANSFERS}/{response.raise_for_status().json()['data']['id']}"
            self.database.do("UPDATE transfers SET path = ? WHERE id = ?", path, transfer)
        return transfer

    def complete(self, transfer: str) -> str:
        """Complete a transfer, as only a sandbox allows, once it is approved; return the reference."""
        path = self.database.row("SELECT path FROM transfers WHERE id = ?", transfer)["path"]
        while self.service.payments("GET", path).json()["data"]["status"] in {"pending", "manual_analysis"}:
            time.sleep(PAUSE_S)
        self.service.payments("POST", f"{path}/complete")
        return transfer

    def payments_secret(self) -> str:
        """Return the secret of the webhook at the payments API, which is registered once."""
        if row := self.database.row("SELECT value FROM settings WHERE name = 'secret'"):
            return str(row["value"])
        answer = self.service.payments("POST", "/api/v1/webhook", {"url": self.url, "events": ["transaction_paid"]})
        secret = str(answer.raise_for_status().json()["data"]["signatureSecret"])
        self.database.do("INSERT OR IGNORE INTO settings VALUES ('secret', ?)", secret)
        return secret

    def on_business_event(self, body: bytes, header: str | None) -> int:
        if not is_signed(header, body, self.service.variables["PIX_BUSINESS_WEBHOOK_SECRET"], OLDEST_S):
            return 400
        event = json.loads(body)
        if event["type"] == "business.pix.paid":
            self.credit(event["data"]["external_ref"])
        return 204

    def on_payments_event(self, body: bytes, header: str | None) -> int:
        """Receive an event, a signed one of the webhook or an unsigned one of a postbackUrl; return the status."""
        if header is not None and not is_signed(header, body, self.payments_secret()):
            return 400
        event = json.loads(body)
        if event["event"] != "transaction_paid":
            return 204
        row = self.database.row("SELECT id FROM orders WHERE charge = ?", event["transaction"]["id"])
        if row and header is not None:
            self.credit(row["id"])
        elif row:
            self.look_after(row["id"])  # anyone may have sent it
        return 204


def is_signed(header: str | None, body: bytes, secret: str, oldest: float | None = None) -> bool:
    """Return whether a header such as t=...,v1=... signs the body as it arrived, and not too long ago."""
    entries = dict(entry.strip().partition("=")[::2] for entry in (header or "").split(","))
    t, v1 = entries.get("t", ""), entries.get("v1", "")
    right = hmac.new(secret.encode(), t.encode() + b"." + body, "sha256").hexdigest()
    if not t or not hmac.compare_digest(v1.lower().encode(), right.encode()):
        return False
    return oldest is None or abs(time.time() - float(t)) <= oldest


def app(shop: Shop) -> Starlette:
    """Return the routes of the shop: two of the webhook endpoint, the others for its own customers."""

    def hook(receive: Callable[[bytes, str | None], int], name: str) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            status = await run_in_threadpool(receive, await request.body(), request.headers.get(name))
            return Response(status_code=status)

        return answer

    def page(act: Callable[..., object], *names: str) -> Callable[[Request], Response]:
        return lambda request: PlainTextResponse(
            f"{act(*[{**request.path_params, **request.query_params}[name] for name in names])}\n"
        )

    return Starlette(
        routes=[
            Route("/hooks/business", hook(shop.on_business_event, "X-Service-Signature"), methods=["POST"]),
            Route("/hooks/payments", hook(shop.on_payments_event, "Service-Signature"), methods=["POST"]),
            Route("/orders", page(shop.order, "api", "cents"), methods=["POST"]),
            Route("/orders/{order}/credited", page(shop.credited, "order")),
            Route("/wallet", page(shop.wallet)),
            Route("/orders/{order}/cancel", page(shop.cancel, "order"), methods=["POST"]),
            Route("/orders/{order}/look", page(shop.look_after, "order"), methods=["POST"]),
            Route("/transfers", page(shop.transfer, "key", "cents"), methods=["POST"]),
            Route("/transfers/{transfer}/complete", page(shop.complete, "transfer"), methods=["POST"]),
        ]
    )


def main() -> None:
    shop = Shop(Service(dict(os.environ)), Database(os.environ.get("SHOP_DB", "shop.sqlite3")))
    shop.payments_secret()
    uvicorn.run(app(shop), port=int(os.environ.get("SHOP_PORT", "8000")), log_level="warning")


if __name__ == "__main__":
    main()
