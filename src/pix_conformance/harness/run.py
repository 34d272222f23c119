"""One run: the target, the clients by role, the receiver, the clock, the embedded reference; what its end removes."""

import itertools
import math
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from pix_conformance.harness.clients.client import Client, HttpSender
from pix_conformance.harness.clients.registry import CLIENTS
from pix_conformance.harness.clock import Clock
from pix_conformance.harness.current_test import CurrentTest
from pix_conformance.harness.expect import expect_late_events
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.outcomes import Inconclusive, NotApplicable
from pix_conformance.harness.run_context import RunContext
from pix_conformance.harness.transport.allowance import Allowance
from pix_conformance.harness.transport.pacing import Pacer, SharedPause
from pix_conformance.harness.worker_phases import Phase, WorkerPhases
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import api_of
from pix_conformance.model.exchange import Created
from pix_conformance.model.profile import PREFIX, PROFILES
from pix_conformance.model.reception import ReceiverSettings
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import Credential, Target
from pix_conformance.model.vocabulary import Api, Capability, Interrupted, Role, Secret
from pix_conformance.model.why import Why
from pix_conformance.receiver import Receiver
from pix_conformance.recording.facts import Facts
from pix_conformance.recording.recorded_deliveries import read_at_the_end
from pix_conformance.reference.process import Running, start

CLIENT_FIXTURES = {f"{prefix}{api}": (api, role) for api in Api for role, prefix in PREFIX.items()}
"""The pytest fixtures of clients: `payments`, `other_payments` and so on."""
AT_ONCE = 8
"""How many webhooks an interrupted run removes at once."""


@dataclass(eq=False, kw_only=True)
class Run(RunContext):
    """All that the tests of one run stand on."""

    reference: Running | None = None
    clients: dict[tuple[Api, Role], Client] = field(default_factory=dict)
    unusable: dict[tuple[Api, Role], str] = field(default_factory=dict)
    """Why a credential cannot be used, as the first look found."""
    access: list[str] = field(default_factory=list)
    """What the first look found for each credential, a line each."""
    delivery_numbers: Iterator[int] = field(default_factory=partial(itertools.count, 1))
    """The ids of deliveries, which no other worker gives."""

    def __post_init__(self) -> None:
        """Open the way to the target."""
        super().__post_init__()
        self.recorder.secrets.update(self.target.webhook_secrets)
        shard = self.settings.workers.shard
        shared = SharedPause(self.settings.workers.account_locks, shard.of if shard else 1)
        self.sender = HttpSender(self, Pacer(self.settings.bounds.rate, self.waits, shared))

    def named(self, fixture: str) -> Any:
        """Return what the fixture of that name gives: a client, or a part of the run."""
        return self.client(*CLIENT_FIXTURES[fixture]) if fixture in CLIENT_FIXTURES else getattr(self, fixture)

    def client(self, api: Api, role: Role) -> Any:
        """Return the client of a role; NotApplicable without its credential, Inconclusive if that cannot be used."""
        if why := self.unusable.get((api, role)):
            raise Inconclusive(why, Why.UNUSABLE)
        client = self.clients.get((api, role))
        if client is None:
            raise NotApplicable(f"{PROFILES[api].variables(role)[0]} is not set", Why.NOT_SET)
        return client

    def finish(self) -> None:
        """Remove the webhooks that this run made, stop what was started, and ask again for events that came late."""
        clean_up(self.facts, self.clients, self.waits)
        self._end_among_workers()
        self.close()
        for channel in self.webhook_channel.values():
            channel.look_again()
        expect_late_events(self.current_test)
        if file := self.settings.reception.file:
            is_alone = bool(self.settings.reception.why_none)
            before = list(self.recorded_deliveries)
            recorded = read_at_the_end(file, before, self.facts, self.target.apis, is_alone=is_alone)
            self._record_deliveries(recorded)
        self.recorder.take_deliveries()

    def _record_deliveries(self, deliveries: Sequence[Delivery]) -> None:
        """Record what a file has, with the next numbers."""
        for delivery in deliveries:
            numbered = replace(delivery, id=next(self.delivery_numbers), api=api_of(delivery), is_recorded=True)
            self.recorder.record_delivery(numbered)

    def _end_among_workers(self) -> None:
        shard, directory = self.settings.workers.shard, self.settings.workers.account_locks
        if shard and directory:
            phases = WorkerPhases(directory)
            phases.note(shard.number, Phase.ENDED)
            if self.receiver and shard.number == 1:
                with suppress(Interrupted):  # the run ends without them
                    phases.wait(shard, Phase.ENDED, self.waits)

    def close(self) -> None:
        """Close every connection, and stop what was started."""
        self.sender.close()
        if self.reference:
            self.reference.stop()
        if self.receiver:
            self.receiver.stop()

    @property
    def missing(self) -> frozenset[Capability]:
        """The required capabilities that this target was not given; what a refused credential hides is not known."""
        elsewhere = {PROFILES[api].receives for api in Api if not self.settings.reception.receives(api)}
        given = self._offered({api: set(self.target.roles(api)) for api in self.target.apis})
        return self.settings.gate.require - given - elsewhere

    def capabilities(self) -> frozenset[Capability]:
        """What the target offers, as far as its credentials and the reach of the receiver say."""
        usable = {
            api: {role for role in self.target.roles(api) if (api, role) not in self.unusable}
            for api in self.target.apis
        }
        return self._offered(usable)

    def _offered(self, roles: Mapping[Api, set[Role]]) -> frozenset[Capability]:
        target, offers = self.target, set[Capability]()
        every = set.intersection(*roles.values()) if roles else set()
        offers |= {Capability.SANDBOX, Capability.FUNDS} if Role.MERCHANT in every else set()
        offers |= {Capability.OTHER_ACCOUNT} if Role.OTHER_MERCHANT in every else set()
        offers |= {Capability.LIVE_CREDENTIALS} if Role.LIVE_MERCHANT in every else set()
        offers |= {Capability.WAITING} if self.settings.bounds.waiting or target.embedded else set()
        for api, profile in PROFILES.items():
            offers |= {
                setting.capability
                for setting in profile.settings
                if setting.capability and getattr(target, setting.field)
            }
            received = self.receiver and self.settings.reception.receives(api)
            reached = received and not self.webhook_channel[api].no_delivery_seen and roles.get(api)
            offers |= {profile.receives} if reached and not target.lacks_secret(api) else set()
        return frozenset(offers)


def empty_run(settings: Settings, test: CurrentTest, waits: Waits) -> Run:
    """Return a run that ended before it began: nothing was started, nothing can be sent."""
    clock = Clock(None, waits=None, on_turn=lambda: None)
    return Run(settings=settings, current_test=test, receiver=None, clock=clock, waits=waits)


def begin(
    settings: Settings, test: CurrentTest, rules: Sequence[str], waits: Waits, recorded: Sequence[Delivery] = ()
) -> Run:
    """Start the receiver, and the embedded reference (with `rules` in place of its own) if no target was given.

    `recorded` are the deliveries of the file that the user named.
    """
    shard = settings.workers.shard
    numbers = itertools.count(shard.number, shard.of) if shard else itertools.count(1)
    receiver = None if settings.reception.why_none else _receiver(settings.receiver, test, waits, numbers)
    if receiver and settings.reception.address_of_first_worker:
        receiver.at("/")
    reference = None
    own = (
        f"/{secrets.token_hex(8)}" if settings.target.embedded else ""
    )  # another run's reference may still send to this port
    configured = {api: profile.endpoint for api, profile in PROFILES.items() if profile.endpoint}
    endpoints = {api: f"{endpoint.path}{own}" for api, endpoint in configured.items()}
    if settings.target.embedded:
        addresses = {api: f"{receiver.url}{path}" for api, path in endpoints.items()} if receiver else {}
        reference, target = _embedded(settings.target, addresses, rules)
        settings = replace(settings, target=target)
    for setting in itertools.chain.from_iterable(profile.settings for profile in PROFILES.values()):
        if isinstance(value := getattr(settings.target, setting.field), Secret):
            test.recorder.redact.learn(value.reveal())
    for api, secret in settings.target.webhook_secrets.items():
        test.recorder.redact.learn(secret.reveal())
        if receiver:
            receiver.at(endpoints[api], api=api)
    turn: Callable[[float], None] | None = reference.advance if reference else None
    clients: dict[tuple[Api, Role], Client] = {}
    clock = Clock(
        turn, waits=waits if settings.bounds.waiting else None, on_turn=partial(_forget_tokens, clients.values())
    )
    run = Run(
        settings=settings,
        current_test=test,
        receiver=receiver,
        endpoints=endpoints,
        reference=reference,
        clock=clock,
        waits=waits,
        allowance=Allowance(math.inf if settings.bounds.max_cents is None else settings.bounds.max_cents),
        clients=clients,
        delivery_numbers=numbers,
        recorded_deliveries=recorded,
    )
    for api in settings.target.apis:
        for role, credential in settings.target.roles(api).items():
            clients[api, role] = CLIENTS[api](run.sender, role, credential)
    return run


def _forget_tokens(clients: Iterable[Client]) -> None:
    """Have every client drop what expires: the target's clock was turned."""
    for client in clients:
        client.forget_token()


def _receiver(wanted: ReceiverSettings, test: CurrentTest, waits: Waits, numbers: Iterator[int]) -> Receiver | None:
    try:
        receiver = Receiver(wanted.listen, wanted.tls, wanted.url or None).start()
    except (OSError, ValueError) as reason:
        test.facts.note(f"the webhook receiver cannot listen on {wanted.listen}: {reason}")
        return None
    receiver.current_test, receiver.numbers = test, numbers
    receiver.log.write = test.recorder.record_delivery
    waits.interruption.wakes.append(receiver.log.interrupt)
    return receiver


def _embedded(target: Target, endpoints: Mapping[Api, str], rules: Sequence[str]) -> tuple[Running, Target]:
    """Start the reference as a process of its own and take its credentials as the target's.

    `endpoints` are the addresses to which it sends all events of an API.
    """
    signing = {api: secrets.token_urlsafe(24) for api in endpoints}
    options = {f"{api}_webhook": url for api, url in endpoints.items()}
    running = start(rules, **options, **{f"{api}_webhook_secret": secret for api, secret in signing.items()})
    given: dict[str, Any] = running.credentials
    settings = itertools.chain.from_iterable(profile.settings for profile in PROFILES.values())
    return running, replace(
        target,
        base_url=running.base_url,
        credentials={api: {role: _credential(given[api][role]) for role in Role if role in given[api]} for api in Api},
        webhook_secrets={api: Secret(secret) for api, secret in signing.items()},
        **{
            setting.field: getattr(target, setting.field) or setting.value(given[setting.field]) for setting in settings
        },
    )


def _credential(given: str | list[str]) -> Credential:
    """Read an API key, or an id and a secret."""
    *named, secret = [given] if isinstance(given, str) else given
    return Credential(Secret(secret), *named)


def clean_up(facts: Facts, clients: Mapping[tuple[Api, Role], Client], waits: Waits) -> None:
    """Remove the webhooks that this process created and that are left."""
    waits.interruption.begin_to_end()
    gone = {(removed.api, removed.id) for removed in facts.removed}
    left = [created for created in facts.created if created.is_removable and (created.api, created.id) not in gone]
    with ThreadPoolExecutor(AT_ONCE if waits.interruption else 1) as pool:
        list(pool.map(lambda created: _remove(created, clients), left))


def _remove(left: Created, clients: Mapping[tuple[Api, Role], Client]) -> None:
    with suppress(Inconclusive, Interrupted, NotApplicable):
        if client := clients.get((left.api, left.role)):
            client.remove(left.id)
