"""The client of the payments API. It renews its token before the token expires."""

from __future__ import annotations

import base64
import threading
import time
from dataclasses import replace
from typing import Any

from pix_conformance.harness.clients.client import (
    NO_AUTHORIZATION,
    Authorization,
    Client,
    in_base64,
    in_path,
)
from pix_conformance.harness.clients.sandbox_proof import SandboxProof
from pix_conformance.harness.clients.sender import HttpSender
from pix_conformance.harness.expect import unless_undecided
from pix_conformance.harness.outcomes import Inconclusive
from pix_conformance.harness.webhook_channel import WebhookChannel
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.operations import Effect, of
from pix_conformance.model.target import Credential
from pix_conformance.model.undecided import is_page
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.model.why import Why

AUTH = "/api/auth"
CHARGES = "/api/v1/pix/in/qrcode"
TRANSFERS = "/api/v1/pix/out/pixkey"
BALANCE = "/api/v1/balance"
WEBHOOKS = "/api/v1/webhook"
RENEW_AFTER_S = 40.0
UNAUTHORIZED, NOT_FOUND = 401, 404
REFUSED = (401, 403)
CREATES = {row.name: row.kind for row in of(Api.PAYMENTS, Effect.CREATES) if row.kind}


class Payments(Client):
    """A merchant account of the payments API. Each method returns the exchange, also of a refusal."""

    api = Api.PAYMENTS
    probed = f"POST {AUTH}"

    def __init__(self, sender: HttpSender, role: Role, credential: Credential, channel: WebhookChannel) -> None:
        """Send with the credential pair of the role. No transfer is sent before `proof` has succeeded."""
        super().__init__(sender, role, credential, channel)
        self.proof = SandboxProof()
        self._logins: dict[str, int] = {}
        """The number of the exchange that issued each token."""
        self._token: tuple[str, float] | None = None
        self._lock = threading.Lock()
        self._live_charges = 0
        self._variables = ":$".join(self.profile.variables(role))
        """Both variables, as a shell joins them after a dollar sign."""

    def authorization(self) -> Authorization:
        """Return a token that is less than 40 s old. Raises Inconclusive if the login fails."""
        with self._lock:
            if self._token is None or time.monotonic() - self._token[1] > RENEW_AFTER_S:
                answer = self._log_in()
                if self._token is None:
                    raise self._without_token(answer)
            return self.bearer(self._token[0])

    def log_in(self) -> Exchange:
        """Request a token for the next requests and return the login's exchange."""
        with self._lock:
            return self._log_in()

    def _log_in(self) -> Exchange:
        self._token, asked = None, time.monotonic()
        answer = self.authenticate()
        token = answer.at("token")
        if answer.ok and isinstance(token, str) and token:
            self._token = (token, asked)
        return answer

    @property
    def _slashed(self) -> str:
        return " / ".join(self.profile.variables(self.role))

    @property
    def attempt(self) -> str:
        """What the first look tries, in words."""
        return f"login with {self._slashed}"

    def probe(self) -> Exchange:
        """Log in."""
        return self.log_in()

    def probe_again(self, first: Exchange) -> Exchange:
        """Log in again after a refusal; after anything else ask for the balance without a token."""
        if first.status in REFUSED and not is_page(first):
            return self.log_in()
        return self.get_balance(authorization=NO_AUTHORIZATION)

    def is_swapped(self, first: Exchange) -> bool:
        """Return whether a login with id and secret exchanged is accepted; not tried in production."""
        may_ask = first.status == UNAUTHORIZED and self.role is not Role.LIVE_MERCHANT
        return may_ask and self.authenticate(self.swapped()).ok

    def _without_token(self, answer: Exchange) -> Inconclusive:
        if answer.status in REFUSED:
            return Inconclusive(f"{self.attempt} was refused ({answer.status}, {answer.evidence})", Why.UNUSABLE)
        unless_undecided(answer)
        what = f"answered {answer.status}"
        if answer.unreadable:
            what = f"has a response whose body {answer.unreadable} ({answer.evidence})"
        return Inconclusive(f"no token for {self._slashed}: POST {AUTH} {what}")

    def forget_token(self) -> None:
        """Drop the token: the target's clock was advanced, or it refused the token. The next request logs in."""
        with self._lock:
            self._token = None

    def bearer(self, token: str, words: str = "", formula: str = "") -> Authorization:
        """Return the Authorization header for any token."""
        words = words or f"Bearer token of ${self._variables}"
        return Authorization(f"Bearer {token}", words, formula, self._logins.get(token, 0))

    def basic(self) -> Authorization:
        """Return the credential pair as Basic authentication (PAY-AUTH-01)."""
        joined = ":".join(self.credential.parts).encode()
        return Authorization(f"Basic {base64.b64encode(joined).decode()}", f"Basic ${self._variables}")

    def swapped(self) -> Authorization:
        """Return the credential pair as Basic authentication, the id in the place of the secret."""
        joined = f"{self.credential.secret.reveal()}:{self.credential.id}"
        client_id, _, secret = f"${self._variables}".partition(":$")
        formula = f"Basic {in_base64(f'${secret}:{client_id}')}"
        value = f"Basic {base64.b64encode(joined.encode()).decode()}"
        return Authorization(value, "Basic, id and secret swapped", formula)

    def call(self, method: str, path: str, **more: Any) -> Exchange:
        """Send any request. If the response to the client's own token is 401, send it once more with a new token."""
        self._guard(method, path)
        exchange = super().call(method, path, **more)
        if exchange.status == UNAUTHORIZED and more.get("authorization") is None:
            self.forget_token()
            renewed = replace(self.authorization(), refused_before=exchange.id)
            exchange = super().call(method, path, **{**more, "authorization": renewed})
        return exchange

    def _guard(self, method: str, path: str) -> None:
        """Raise Inconclusive for a request that could move real money.

        That is: any request of a pair that proved to be of production, a transfer of an unproven pair, a transfer with
        the production pair, a second charge with the production pair.
        """
        if self.proof.production:
            raise Inconclusive(f"nothing more is sent: the pair of the role {self.role} belongs to production")
        route = path.partition("?")[0].rstrip("/")
        if method == "POST" and route == TRANSFERS:
            if self.role is Role.LIVE_MERCHANT:
                raise Inconclusive("this run never sends a transfer with the production credential pair")
            self.proof.demand(self)
        if method == "POST" and route == CHARGES and self.role is Role.LIVE_MERCHANT:
            self._live_charges += 1
            if self._live_charges > 1:
                raise Inconclusive("this run never creates a second charge with the production credential pair")

    def authenticate(self, authorization: Authorization | None = None, **more: Any) -> Exchange:
        """POST /api/auth."""
        given = authorization or self.basic()
        answer = super().call("POST", AUTH, operation="authenticate", authorization=given, **more)
        if isinstance(token := answer.at("token"), str):
            self._logins[token] = answer.id
        return answer

    def create_charge(self, body: Any, **more: Any) -> Exchange:
        """POST /api/v1/pix/in/qrcode."""
        return self.send_operation("create_charge", body, **more)

    def get_charge(self, charge_id: object, **more: Any) -> Exchange:
        """GET /api/v1/pix/in/qrcode/{transactionId}."""
        return self.send_operation("get_charge", charge_id, **more)

    def pay_charge(self, charge_id: object, **more: Any) -> Exchange:
        """POST /api/v1/pix/in/qrcode/{transactionId}/pay."""
        return self.send_operation("pay_charge", charge_id, **more)

    def create_transfer(self, body: Any, **more: Any) -> Exchange:
        """POST /api/v1/pix/out/pixkey."""
        return self.send_operation("create_transfer", body, **more)

    def get_transfer(self, transfer_id: object, **more: Any) -> Exchange:
        """GET /api/v1/pix/out/pixkey/{transferId}."""
        return self.send_operation("get_transfer", transfer_id, **more)

    def complete_transfer(self, transfer_id: object, **more: Any) -> Exchange:
        """POST /api/v1/pix/out/pixkey/{transferId}/complete."""
        return self.send_operation("complete_transfer", transfer_id, **more)

    def get_balance(self, **more: Any) -> Exchange:
        """GET /api/v1/balance."""
        return self.send_operation("get_balance", **more)

    def create_webhook(self, body: Any, **more: Any) -> Exchange:
        """POST /api/v1/webhook."""
        return self.send_operation("create_webhook", body, **more)

    def list_webhooks(self, query: str = "", **more: Any) -> Exchange:
        """GET /api/v1/webhook. `query` begins with "?"."""
        return self.call("GET", WEBHOOKS + query, operation="list_webhooks", **more)

    def delete_webhook(self, webhook_id: object, **more: Any) -> Exchange:
        """DELETE /api/v1/webhook/{id}."""
        path = f"{WEBHOOKS}/{in_path(str(webhook_id))}"
        answer = self.call("DELETE", path, operation="delete_webhook", **more)
        created = self.sender.recorder.objects.created(self.api, str(webhook_id))
        if created and created.role is self.role and answer.status == NOT_FOUND:
            self.sender.recorder.record_removed(self.api, created.id)  # by a request whose response was lost
        return answer

    def remove(self, made_id: str) -> Exchange:
        """Remove a webhook."""
        return self.delete_webhook(made_id)

    def record_lost_creations(self) -> None:
        """Record the webhooks of its registrations without a response, as far as the first page of the list goes."""
        sent = (exchange for exchange in self.sender.facts.exchanges if exchange.role is self.role)
        lost = {
            exchange.request.json_object.get("url")
            for exchange in sent
            if exchange.operation == "create_webhook" and exchange.status is None
        }
        if not lost:
            return
        listing = self.list_webhooks()
        rows = listing.at("data.webhooks")
        for row in rows if isinstance(rows, list) else ():
            if isinstance(row, dict) and row.get("url") in lost:
                self.sender.recorder.record_created(listing, "webhook", str(row.get("id")))

    def record_effects(self, exchange: Exchange) -> None:
        """Record what was created or removed, and that the operation worked.

        A 2xx without the fields of the operation does not count as worked.
        """
        recorder = self.sender.recorder
        if _is_meaningful_success(exchange):
            recorder.record_success(exchange)
        id_ = exchange.at("data.id")
        if exchange.operation in CREATES and isinstance(id_, str | int) and id_ != "":
            recorder.record_created(exchange, CREATES[exchange.operation], str(id_))
        if exchange.operation == "delete_webhook":
            recorder.record_removed(self.api, exchange.request.url.rpartition("/")[2])


def _is_meaningful_success(exchange: Exchange) -> bool:
    """Return whether a 2xx body has the fields without which the operation would be of no use."""
    least = {
        "authenticate": "token",
        "get_balance": "data.pix",
        "list_webhooks": "data.webhooks",
        "delete_webhook": "success",
    }.get(str(exchange.operation), "data.id")
    value = exchange.at(least)
    return value is not None and value != "" and (bool(value) or isinstance(value, list | dict | bool | int))
