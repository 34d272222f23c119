"""The base class of both clients."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote

from pix_conformance.harness.clients.sender import HttpSender
from pix_conformance.harness.outcomes import NotApplicable
from pix_conformance.harness.transport.recording import RequestContext
from pix_conformance.harness.webhook_channel import WebhookChannel
from pix_conformance.model.exchange import Exchange, NetworkFault
from pix_conformance.model.operations import Operation, by_name, of
from pix_conformance.model.profile import PROFILES, ApiProfile
from pix_conformance.model.target import Credential
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.model.why import Why


@dataclass(frozen=True)
class Authorization:
    """The value of the Authorization header (None: no such header) and its description in reports."""

    value: str | None
    words: str
    formula: str = ""
    """The value for a shell, where the words do not say it: `$TOKEN` is a token, `$PIX_API_KEY` the key."""
    login: int = 0
    """The number of the exchange that issued its token; 0 without one."""
    refused_before: int = 0
    """The number of the exchange that was refused with the client's earlier token; 0 of any other."""


NO_AUTHORIZATION = Authorization(None, "none")


def in_base64(formula: str) -> str:
    """Return the formula of a shell for the base64 of a text, which may hold variables."""
    return f"$(printf %s \"{formula}\" | base64 | tr -d '\\n')"


class Client:
    """The client of one API with the credential of one role.

    Each operation of `openapi.yaml` is a method of the subclass: `payments.get_charge(charge_id)`,
    `payments.create_charge(body)`.
    """

    api: Api
    role: Role
    probed: str
    """Method and path of the first request of the first look."""

    def __init__(self, sender: HttpSender, role: Role, credential: Credential, channel: WebhookChannel) -> None:
        """Send with the credential of a role; `channel` is the way of the events of the API."""
        self.sender, self.role, self.credential, self.channel = sender, role, credential, channel

    @property
    def profile(self) -> ApiProfile:
        """What is known of its API."""
        return PROFILES[self.api]

    @property
    def attempt(self) -> str:
        """What the first look tries, in words."""
        return self.profile.names(self.role)

    def probe(self) -> Exchange:
        """Send the request of the first look."""
        raise NotImplementedError

    def probe_again(self, first: Exchange) -> Exchange:
        """Send a second one, where the response to the first one does not show that the credential works."""
        raise NotImplementedError

    def questions_to_routes(self) -> list[Callable[[], Exchange]]:
        """Return requests without a credential, one to each route, which a service that has the route refuses as such.

        The first is the query of an object.
        """
        rows = [row for row in of(self.api) if row.needs_credential]
        ordered = sorted(rows, key=lambda row: not (row.id_parameter and row.reads))
        return [partial(self._ask_without_credential, row) for row in ordered]

    def _ask_without_credential(self, row: Operation) -> Exchange:
        path = row.path_of(str(uuid.uuid4()))
        # past the guards of a subclass: without a credential and a body no request moves money
        return Client.call(self, row.method, path, operation=row.name, authorization=NO_AUTHORIZATION)

    def is_swapped(self, first: Exchange) -> bool:
        """Return whether the credential is accepted with its parts exchanged; not tried in production."""
        del first
        return False

    def forget_token(self) -> None:
        """Drop what expires: the target's clock was advanced."""

    def remove(self, made_id: str) -> Exchange:
        """Remove an object of the kind `ApiProfile.removes`."""
        raise NotImplementedError

    def record_lost_creations(self) -> None:
        """Record what its requests without a response have created, of the kind `ApiProfile.removes`."""

    def authorization(self) -> Authorization:
        """Return the role's own credential. Raises Inconclusive if the target grants none."""
        raise NotImplementedError

    def record_effects(self, exchange: Exchange) -> None:
        """Record what was created, and that the operation worked: a pass of a refusal rests on it."""
        raise NotImplementedError

    def create_charge(self, body: Any, **more: Any) -> Exchange:
        """Create a charge, which an account of either API can."""
        raise NotImplementedError

    def get_charge(self, charge_id: object, **more: Any) -> Exchange:
        """Query a charge."""
        raise NotImplementedError

    def pay_charge(self, charge_id: object, **more: Any) -> Exchange:
        """Simulate the payment of a charge."""
        raise NotImplementedError

    def send_operation(self, name: str, *id_or_body: Any, **more: Any) -> Exchange:
        """Send the request of an operation with what it takes: the id, the body, and what `call` takes.

        An idempotency key is given as `key`, where the operation takes one. Tests take it from
        `fixtures.keys_and_ids.fresh_key`, generated requests from `generation.requests`.

        Raises ValueError if id or body are missing, or are not taken; KeyError for a name that is no operation.
        """
        operation = by_name(self.api)[name]
        names = ["id"] * bool(operation.id_parameter) + ["body"] * operation.takes_body
        given = dict(zip(names, id_or_body, strict=True))
        path = operation.path_of(in_path(str(given["id"]))) if "id" in given else operation.path
        if "body" in given:
            more["json"] = given["body"]
        if operation.key_header and (key := more.pop("key", None)) is not None:
            more["headers"] = {**more.get("headers", {}), operation.key_header: key}
        return self.call(operation.method, path, operation=operation.name, **more)

    def call(  # noqa: PLR0913  # one keyword for each part of an HTTP request
        self,
        method: str,
        path: str,
        *,
        operation: str | None = None,
        json: Any = ...,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        authorization: Authorization | None = None,
        group: str | None = None,
        network_fault: NetworkFault | None = None,
        is_foreign: bool = False,
        before_sending: Callable[[], None] | None = None,
    ) -> Exchange:
        """Send any request and return its exchange, also if it was refused or got no response.

        `json` is encoded, `content` is sent unchanged. A header with the value "" is not sent. `authorization` replaces
        the role's own credential. `group` is shared by exchanges that were sent simultaneously, `is_foreign` is true
        for an object that this run did not create. `before_sending` is called once the connection is open. Raises
        NotApplicable for a `network_fault` in production, or with --no-network-faults.
        """
        if network_fault and (self.role is Role.LIVE_MERCHANT or not self.sender.cuts_requests):
            raise NotApplicable("--no-network-faults, or production: no request is cut on purpose", Why.LEFT_OUT)
        given = authorization or self.authorization()
        body = content if json is ... else encoded(json)
        wanted = {"authorization": given.value or "", "content-type": "application/json" if body is not None else ""}
        sent = {k: v for k, v in {**wanted, **(headers or {})}.items() if v != ""}
        context = RequestContext(
            self.api,
            self.role,
            operation,
            given.words,
            group,
            given.formula,
            given.login,
            given.refused_before,
            asks_about_credential=authorization is not None and not given.refused_before,
            network_fault=network_fault,
            is_foreign=is_foreign,
            before_sending=before_sending,
        )
        exchange = self.sender.send(context, method, path, sent, body)
        if exchange.ok and operation is not None:
            self.record_effects(exchange)
        return exchange


def encoded(body: Any) -> bytes:
    r"""Encode a JSON body as UTF-8. Lone surrogates are sent as `\uXXXX` escapes, which JSON permits."""
    text = json.dumps(body, ensure_ascii=False)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(body).encode("ascii")


def in_path(made_id: str) -> str:
    """Percent-encode an id, which the target chose, as one segment of a path."""
    return quote(made_id, safe="", errors="surrogatepass")
