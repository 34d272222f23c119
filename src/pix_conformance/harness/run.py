"""One run: its target, the clients by role, what it receives, the clock, the embedded reference; how it ends."""

import itertools
import math
import secrets
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from pix_conformance.harness.clients.registry import Clients, clients_of
from pix_conformance.harness.clients.sender import HttpSender
from pix_conformance.harness.clock import Clock
from pix_conformance.harness.current_test import CurrentTest
from pix_conformance.harness.expect import expect_late_events
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.outcomes import Inconclusive, NotApplicable
from pix_conformance.harness.receiver_reach import Arrivals
from pix_conformance.harness.receiving import Receiving, endpoint_paths, started_receiver
from pix_conformance.harness.transport.allowance import Allowance
from pix_conformance.harness.worker_phases import Phase, WorkerPhases
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Created
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.settings import Settings, WorkerSettings
from pix_conformance.model.target import Credential, Target
from pix_conformance.model.vocabulary import Api, Interrupted, Role, Secret
from pix_conformance.reference.process import Running, start

AT_ONCE = 8
"""How many webhooks an interrupted run removes at once."""


@dataclass(eq=False, kw_only=True)
class Run:
    """What the tests of one run stand on, by owner."""

    settings: Settings
    sender: HttpSender
    clients: Clients
    receiving: Receiving
    clock: Clock
    reference: Running | None = None

    @property
    def target(self) -> Target:
        """What is tested."""
        return self.settings.target

    @property
    def current_test(self) -> CurrentTest:
        """The test that runs, whose recorder writes the facts."""
        return self.sender.current_test

    def finish(self) -> None:
        """Remove the webhooks that this run made, stop what was started, and ask again for events that came late."""
        clean_up(self.sender, self.clients)
        self._end_among_workers(self.settings.workers)
        self.close()  # nothing is sent or comes any more
        self.receiving.record_last()
        expect_late_events(self.current_test)  # of all that came
        self.sender.recorder.take_deliveries()

    def _end_among_workers(self, workers: WorkerSettings) -> None:
        if workers.shard and workers.shared_directory:
            phases = WorkerPhases(workers.shared_directory)
            phases.note(workers.shard.number, Phase.ENDED)
            if self.receiving.receiver and workers.shard.number == 1:
                with suppress(Interrupted):  # the run ends without them
                    phases.wait(workers.shard, Phase.ENDED, self.sender.waits)

    def close(self) -> None:
        """Close every connection, and stop what was started."""
        self.sender.close()
        if self.reference:
            self.reference.stop()
        self.receiving.stop()


def empty_run(settings: Settings, test: CurrentTest, waits: Waits) -> Run:
    """Return a run that ended before it began: nothing was started, nothing can be sent."""
    return Run(
        settings=settings,
        sender=HttpSender(settings, test, waits, Allowance()),
        clients=Clients(),
        receiving=Receiving(reception=settings.reception, current_test=test, waits=waits, numbers=itertools.count(1)),
        clock=Clock(None, waits=None, on_turn=lambda: None),
    )


def begin(
    settings: Settings, test: CurrentTest, rules: Sequence[str], waits: Waits, recorded: Sequence[Delivery] = ()
) -> Run:
    """Start the receiver, and the embedded reference (with `rules` in place of its own) if no target was given.

    `recorded` are the deliveries of the file that the user named.
    """
    shard = settings.workers.shard
    numbers = itertools.count(shard.number, shard.of) if shard else itertools.count(1)
    receiver = started_receiver(settings.reception, test, waits, numbers)
    endpoints = endpoint_paths(of_this_run=settings.target.embedded)
    reference = None
    if settings.target.embedded:
        addresses = {api: f"{receiver.url}{path}" for api, path in endpoints.items()} if receiver else {}
        reference, target = _embedded(settings.target, addresses, rules)
        settings = replace(settings, target=target)
    test.base_url = settings.target.base_url
    test.recorder.redact.learn(*settings.target.secrets)
    test.recorder.secrets.update(settings.target.webhook_secrets)
    receiving = Receiving(
        reception=settings.reception,
        current_test=test,
        waits=waits,
        numbers=numbers,
        receiver=receiver,
        endpoints=endpoints,
        arrivals=Arrivals(settings.workers.shared_directory),
        recorded=recorded,
    )
    receiving.open_endpoints()
    cents = settings.bounds.max_cents
    sender = HttpSender(settings, test, waits, Allowance(math.inf if cents is None else cents))
    clients = clients_of(sender, receiving.channels)
    clock = Clock(
        reference.advance if reference else None,
        waits=waits if settings.bounds.waiting else None,
        on_turn=clients.forget_tokens,
    )
    return Run(settings=settings, sender=sender, clients=clients, receiving=receiving, clock=clock, reference=reference)


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


def clean_up(sender: HttpSender, clients: Clients) -> None:
    """Remove the webhooks that this process created and that are left.

    Those of registrations without a response are looked for if the run was interrupted: else its tests have done that.
    """
    interruption, facts = sender.waits.interruption, sender.facts
    interruption.begin_to_end()
    for client in clients.by_role.values() if interruption else ():
        with suppress(Inconclusive, Interrupted, NotApplicable):
            client.record_lost_creations()
    gone = {(removed.api, removed.id) for removed in facts.removed}
    left = [created for created in facts.created if created.is_removable and (created.api, created.id) not in gone]
    with ThreadPoolExecutor(AT_ONCE if interruption else 1) as pool:
        list(pool.map(lambda created: _remove(created, clients), left))


def _remove(left: Created, clients: Clients) -> None:
    with suppress(Inconclusive, Interrupted, NotApplicable):
        if client := clients.by_role.get((left.api, left.role)):
            client.remove(left.id)
