"""The client of the business charge API."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from pix_conformance.checks.business.charge_list import listed
from pix_conformance.harness.clients.client import Authorization, Client
from pix_conformance.harness.clients.sender import HttpSender
from pix_conformance.harness.outcomes import Inconclusive
from pix_conformance.harness.webhook_channel import WebhookChannel
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.target import Credential
from pix_conformance.model.vocabulary import Api, Role, Secret

CHARGES = "/v1/business/pix-charges"
MOST_LIVE_CHARGES = 2
"""In production a run creates one charge; a second one can be created by a request that the service should have refused
or should have answered with the first charge."""


class Business(Client):
    """A merchant account of the business charge API. Each method returns the exchange, also of a refusal."""

    api = Api.BUSINESS
    probed = f"GET {CHARGES}"

    def __init__(self, sender: HttpSender, role: Role, credential: Credential, channel: WebhookChannel) -> None:
        """Send with the API key of the role."""
        super().__init__(sender, role, credential, channel)
        self._live_charges = 0

    def authorization(self) -> Authorization:
        """Return `Bearer <API key>` of the role."""
        return Authorization(f"Bearer {self.key.reveal()}", f"Bearer ${self.profile.names(self.role)}")

    @property
    def key(self) -> Secret:
        """The API key, for tests that send it in a wrong way."""
        return self.credential.secret

    def call(self, method: str, path: str, **more: Any) -> Exchange:
        """Send any request. Raises Inconclusive for a third charge with the production API key."""
        full = self._live_charges >= MOST_LIVE_CHARGES
        if self.role is Role.LIVE_MERCHANT and method == "POST" and full and path == CHARGES:
            raise Inconclusive("this run never creates a third charge with the production API key")
        return super().call(method, path, **more)

    def create_charge(self, body: Any, **more: Any) -> Exchange:
        """POST /v1/business/pix-charges."""
        return self.send_operation("create_charge", body, **more)

    def get_charge(self, charge_id: object, **more: Any) -> Exchange:
        """GET /v1/business/pix-charges/{id}."""
        return self.send_operation("get_charge", charge_id, **more)

    def cancel_charge(self, charge_id: object, **more: Any) -> Exchange:
        """POST /v1/business/pix-charges/{id}/cancel."""
        return self.send_operation("cancel_charge", charge_id, **more)

    def pay_charge(self, charge_id: object, **more: Any) -> Exchange:
        """POST /v1/business/pix-charges/{id}/pay."""
        return self.send_operation("pay_charge", charge_id, **more)

    def get_finance(self, **more: Any) -> Exchange:
        """GET /v1/business/finance."""
        return self.send_operation("get_finance", **more)

    def list_charges(self, status: str | None = None, **more: Any) -> Exchange:
        """GET /v1/business/pix-charges."""
        query = f"?{urlencode({'status': status})}" if status is not None else ""
        return self.call("GET", CHARGES + query, operation="list_charges", **more)

    def probe(self) -> Exchange:
        """List the charges."""
        return self.list_charges()

    def probe_again(self, first: Exchange) -> Exchange:
        """Ask for the balance."""
        del first
        return self.get_finance()

    def record_effects(self, exchange: Exchange) -> None:
        """Record a new charge, and that the operation worked unless the 2xx body is empty."""
        if _is_meaningful_success(exchange):
            self.sender.recorder.record_success(exchange)
        if exchange.operation == "create_charge" and isinstance(id_ := exchange.at("id"), str):
            self._live_charges += self.role is Role.LIVE_MERCHANT and id_ not in self.sender.recorder.objects
            self.sender.recorder.record_created(exchange, "charge", id_)


def _is_meaningful_success(exchange: Exchange) -> bool:
    """Return whether a 2xx body has the fields without which the operation would be of no use."""
    if exchange.operation in {"create_charge", "get_charge"}:
        return all(isinstance(exchange.at(name), str) for name in ("id", "status"))
    if exchange.operation == "get_finance":
        return "available_cents" in exchange.json if isinstance(exchange.json, dict) else False
    if exchange.operation == "list_charges":
        return listed(exchange) is not None
    return True
