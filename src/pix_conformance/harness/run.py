"""One run: the target, the clients by role, the receiver, the clock, and the embedded reference if there is one."""

from __future__ import annotations

import contextlib
import math
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from pix_conformance.checks.outcomes import Inconclusive, NotApplicable
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.clients.client import HttpSender
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.clients.sandbox_proof import SandboxProof
from pix_conformance.harness.clock import Clock
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.interruption import Interrupted
from pix_conformance.harness.receiver import Receiver
from pix_conformance.harness.run_context import BUSINESS_PATH, RunContext
from pix_conformance.harness.selection import RECEIVERS
from pix_conformance.harness.transport.allowance import Allowance
from pix_conformance.harness.transport.pacing import Pacer
from pix_conformance.model.journal import Created
from pix_conformance.model.secret import Secret
from pix_conformance.model.target import PREFIX, ClientCredentials, Target
from pix_conformance.model.vocabulary import Api, Capability, Role
from pix_conformance.reference.process import Running, start
from pix_conformance.results.deliveries_of_run import check_deliveries, gather, without_secrets
from pix_conformance.results.run_record import RunRecord

CLIENTS = {
    "payments": (Api.PAYMENTS, Role.MERCHANT),
    "other_payments": (Api.PAYMENTS, Role.OTHER_MERCHANT),
    "live_payments": (Api.PAYMENTS, Role.LIVE_MERCHANT),
    "business": (Api.BUSINESS, Role.MERCHANT),
    "other_business": (Api.BUSINESS, Role.OTHER_MERCHANT),
    "live_business": (Api.BUSINESS, Role.LIVE_MERCHANT),
}
AT_ONCE = 8
"""How many webhooks an interrupted run removes at once."""


@dataclass(eq=False, kw_only=True)
class Run(RunContext):
    """All that the tests of one run stand on."""

    reference: Running | None = None
    clients: dict[tuple[Api, Role], Payments | Business] = field(default_factory=dict)
    unusable: dict[tuple[Api, Role], str] = field(default_factory=dict)
    """Why a credential cannot be used, as the first look found."""
    access: list[str] = field(default_factory=list)
    """What the first look found for each credential, a line each."""

    def __post_init__(self) -> None:
        """Open the way to the target."""
        super().__post_init__()
        self.line = HttpSender(self, Pacer(self.target.rate, self.waits))

    def named(self, fixture: str) -> Any:
        """Return what the fixture of that name gives: a client, or a part of the run."""
        return self.client(*CLIENTS[fixture]) if fixture in CLIENTS else getattr(self, fixture)

    def client(self, api: Api, role: Role) -> Any:
        """Return the client of a role; NotApplicable without its credential, Inconclusive if that cannot be used."""
        if why := self.unusable.get((api, role)):
            raise Inconclusive(why)
        found = self.clients.get((api, role))
        if found is None:
            what = "CLIENT_ID" if api is Api.PAYMENTS else "API_KEY"
            raise NotApplicable(f"PIX_{PREFIX[role].upper()}{what} is not set")
        return found

    def finish(self) -> None:
        """Remove the webhooks that this run made, then stop what was started. Never changes a verdict."""
        self.waits.interruption.begin_to_end()
        left = [made for made in self.ledger.journal.values() if made.kind == "webhook" and made.state == "left"]
        with ThreadPoolExecutor(AT_ONCE if self.waits.interruption else 1) as pool:
            list(pool.map(self._remove, left))
        self.line.close()
        if self.reference:
            self.reference.stop()
        if self.receiver:
            self.receiver.stop()
        self.ledger.settle()
        for channel in self.webhook_channel.values():
            channel.conclude()
        own = self.receiver.deliveries() if self.receiver else []
        deliveries = gather(own, self.ledger.deliveries)
        check_deliveries(deliveries, self.ledger, len(own), self.target.business_webhook_secret, self.clock.at)
        embedded = self.target.embedded
        self.ledger.deliveries = [without_secrets(one, self.ledger, embedded=embedded) for one in deliveries]

    def _remove(self, webhook: Created) -> None:
        client = self.clients.get((webhook.api, webhook.role))
        with contextlib.suppress(Inconclusive, Interrupted, NotApplicable):
            if isinstance(client, Payments):
                client.delete_webhook(webhook.id)

    @property
    def missing(self) -> frozenset[Capability]:
        """The required capabilities that this target was not given; what a refused credential hides is not known."""
        elsewhere = RECEIVERS if self.target.shard and not self.target.shard.receives else frozenset()
        given = self._offered({api: set(self.target.roles(api)) for api in self.target.apis})
        return self.target.require - given - elsewhere

    def capabilities(self) -> frozenset[Capability]:
        """What the target offers, as far as its credentials and the reach of the receiver say."""
        usable = {
            api: {one for one in self.target.roles(api) if (api, one) not in self.unusable} for api in self.target.apis
        }
        return self._offered(usable)

    def _offered(self, roles: Mapping[Api, set[Role]]) -> frozenset[Capability]:
        target, found = self.target, set()
        every = set.intersection(*roles.values()) if roles else set()
        found |= {Capability.SANDBOX, Capability.FUNDS} if Role.MERCHANT in every else set()
        found |= {Capability.OTHER_ACCOUNT} if Role.OTHER_MERCHANT in every else set()
        found |= {Capability.LIVE_CREDENTIALS} if Role.LIVE_MERCHANT in every else set()
        found |= {Capability.REVOKED_KEY} if target.revoked_key else set()
        found |= {Capability.SPLITS} if target.split_email else set()
        found |= {Capability.WAITING} if target.waiting or target.embedded else set()
        received_by = [
            api for api in Api if self.receiver and not self.webhook_channel[api].no_delivery_seen and roles.get(api)
        ]
        found |= {Capability.RECEIVER} if Api.PAYMENTS in received_by else set()
        found |= (
            {Capability.BUSINESS_RECEIVER} if Api.BUSINESS in received_by and target.business_webhook_secret else set()
        )
        return frozenset(found)


def unbegun(target: Target, ledger: RunRecord, waits: Waits) -> Run:
    """Return a run that ended before it began: nothing was started, nothing can be sent."""
    clock = Clock(None, waits=None, on_turn=lambda: None)
    return Run(target=target, ledger=ledger, receiver=None, clock=clock, waits=waits)


def begin(target: Target, ledger: RunRecord, rules: Sequence[str], waits: Waits) -> Run:
    """Start the receiver, and the embedded reference (departing by `rules`) if no target was given."""
    receiver = None if target.no_receiver else _receiver(target, ledger, waits)
    if receiver and target.receiver_of_first_worker:
        receiver.at("/")
    reference = None
    business_path = f"{BUSINESS_PATH}/{secrets.token_hex(8)}" if target.embedded else BUSINESS_PATH
    if target.embedded:
        reference, target = _embedded(target, f"{receiver.url}{business_path}" if receiver else None, rules)
    if target.revoked_key:
        ledger.redact.learn(target.revoked_key.reveal())
    if target.business_webhook_secret:
        ledger.redact.learn(target.business_webhook_secret.reveal())
        if receiver:
            receiver.at(business_path, api=Api.BUSINESS)
    turn: Callable[[float], None] | None = reference.advance if reference else None
    clients: dict[tuple[Api, Role], Payments | Business] = {}
    clock = Clock(turn, waits=waits if target.waiting else None, on_turn=partial(_forget_tokens, clients.values()))
    run = Run(
        target=target,
        ledger=ledger,
        receiver=receiver,
        business_path=business_path,
        reference=reference,
        clock=clock,
        waits=waits,
        allowance=Allowance(math.inf if target.max_cents is None else target.max_cents),
        clients=clients,
    )
    clients.update(_clients(target, run.line))
    return run


def _forget_tokens(clients: Iterable[Payments | Business]) -> None:
    """Have every payments client take a new token: the target's clock was turned."""
    for one in clients:
        if isinstance(one, Payments):
            one.forget_token()


def _receiver(target: Target, ledger: RunRecord, waits: Waits) -> Receiver | None:
    try:
        found = Receiver(target.receiver_listen, target.receiver_tls, target.receiver_url or None).start()
    except (OSError, ValueError) as reason:
        ledger.notices.append(f"the webhook receiver cannot listen on {target.receiver_listen}: {reason}")
        return None
    found.run = ledger
    waits.interruption.wakes.append(found.interrupt)
    return found


def _embedded(target: Target, hook: str | None, rules: Sequence[str]) -> tuple[Running, Target]:
    """Start the reference as a process of its own and take its credentials as the target's."""
    secret = secrets.token_urlsafe(24)
    running = start(rules, business_webhook=hook, business_webhook_secret=secret if hook else None)
    given = running.credentials
    pairs = {
        role: ClientCredentials(found[0], Secret(found[1])) for role in Role if (found := given["payments"].get(role))
    }
    keys = {role: Secret(found) for role in Role if (found := given["business"].get(role))}
    return running, replace(
        target,
        base_url=running.base_url,
        payments=pairs,
        business=keys,
        revoked_key=target.revoked_key or Secret(given["revoked_key"]),
        split_email=target.split_email or given["split_email"],
        transfer_key=target.transfer_key or given["transfer_key"],
        business_webhook_secret=Secret(secret) if hook else None,
    )


def _clients(target: Target, line: HttpSender) -> dict[tuple[Api, Role], Payments | Business]:
    found: dict[tuple[Api, Role], Payments | Business] = {}
    if Api.PAYMENTS in target.apis:
        for role, pair in target.payments.items():
            found[Api.PAYMENTS, role] = Payments(line, role, pair, SandboxProof())
    if Api.BUSINESS in target.apis:
        for role, key in target.business.items():
            found[Api.BUSINESS, role] = Business(line, role, key)
    return found
