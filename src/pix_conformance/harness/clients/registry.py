"""The clients of a run by API and role, and which of their credentials can be used."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.clients.client import Client
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.clients.sender import HttpSender
from pix_conformance.harness.outcomes import Inconclusive, NotApplicable
from pix_conformance.harness.webhook_channel import WebhookChannel
from pix_conformance.model.profile import PREFIX, PROFILES
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.model.why import Why

CLIENTS: Mapping[Api, type[Client]] = {Api.PAYMENTS: Payments, Api.BUSINESS: Business}
"""The client of each API: one table, to which a new API adds its own."""
CLIENT_FIXTURES = {f"{prefix}{api}": (api, role) for api in Api for role, prefix in PREFIX.items()}
"""The pytest fixtures of clients: `payments`, `other_payments` and so on."""


@dataclass(eq=False)
class Clients:
    """The clients of a run."""

    by_role: dict[tuple[Api, Role], Client] = field(default_factory=dict)
    unusable: dict[tuple[Api, Role], str] = field(default_factory=dict)
    """Why a credential cannot be used, as the first look found."""
    access: list[str] = field(default_factory=list)
    """What the first look found for each credential, a line each."""

    def of(self, api: Api, role: Role) -> Any:
        """Return the client of a role; NotApplicable without its credential, Inconclusive if that cannot be used."""
        if why := self.unusable.get((api, role)):
            raise Inconclusive(why, Why.UNUSABLE)
        client = self.by_role.get((api, role))
        if client is None:
            raise NotApplicable(f"{PROFILES[api].variables(role)[0]} is not set", Why.NOT_SET)
        return client

    def named(self, fixture: str) -> Any:
        """Return the client that a fixture of this name gives."""
        return self.of(*CLIENT_FIXTURES[fixture])

    def usable_roles(self, target: Target) -> dict[Api, set[Role]]:
        """Return the roles of each API whose credentials can be used."""
        return {api: {role for role in target.roles(api) if (api, role) not in self.unusable} for api in target.apis}

    def forget_tokens(self) -> None:
        """Have every client drop what expires: the target's clock was turned."""
        for client in self.by_role.values():
            client.forget_token()


def clients_of(sender: HttpSender, channels: Mapping[Api, WebhookChannel]) -> Clients:
    """Return a client for each credential of the target; `channels` are the ways of the events of each API."""
    target = sender.target
    return Clients(
        {
            (api, role): CLIENTS[api](sender, role, credential, channels[api])
            for api in target.apis
            for role, credential in target.roles(api).items()
        }
    )
