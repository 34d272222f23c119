"""How a process of a run receives webhooks: the receiver, its paths, and what a file of deliveries adds."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from pix_conformance.harness.current_test import CurrentTest
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.outcomes import Inconclusive, NotApplicable
from pix_conformance.harness.receiver_reach import Arrivals, ReceiverReach
from pix_conformance.harness.webhook_channel import WebhookChannel, webhook_channels
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import api_of
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.reception import ReceiverSettings, Reception
from pix_conformance.model.vocabulary import Api
from pix_conformance.model.why import Why
from pix_conformance.receiver import ListeningPort, Port, Receiver, RelayedPort
from pix_conformance.recording.owners import OwnDeliveries
from pix_conformance.recording.recorded_deliveries import read_at_the_end


@dataclass(eq=False, kw_only=True)
class Receiving:
    """What a process receives, and where."""

    reception: Reception
    current_test: CurrentTest
    waits: Waits
    numbers: Iterator[int]
    """The ids of deliveries, which no other worker gives."""
    receiver: Receiver | None = None
    endpoints: Mapping[Api, str] = field(default_factory=dict)
    """The path of the receiver for all events of an API, where the service has one endpoint for an account."""
    arrivals: Arrivals = field(default_factory=Arrivals)
    """Of which APIs webhooks came to any worker."""
    recorded: Sequence[Delivery] = ()
    """The deliveries of the file that the user named, as it held them when the run began."""

    @cached_property
    def channels(self) -> dict[Api, WebhookChannel]:
        """For each API, whether its deliveries reach the receiver."""
        own = OwnDeliveries(self.current_test.recorder)
        reach = ReceiverReach(self.receiver, self.reception, own, self.arrivals)
        recorded = [replace(delivery, current_test=self.current_test) for delivery in self.recorded]
        return webhook_channels(reach, self.waits, recorded)

    def require(self, api: Api) -> Receiver:
        """Return the receiver of an API's webhooks. NotApplicable if there is none, Inconclusive if it has no port."""
        if why := self.reception.why_not(api):
            raise NotApplicable(why, Why.NOT_SET)
        if self.receiver is None:
            raise Inconclusive("the receiver could not listen (see --receiver-listen)", Why.NO_RECEIVER)
        return self.receiver

    def has_arrivals(self, api: Api) -> bool:
        """Return whether deliveries of an API come here, as far as is known."""
        return bool(self.receiver and self.reception.receives(api) and not self.channels[api].no_delivery_seen)

    def open_endpoints(self) -> None:
        """Take what comes to the paths of endpoints whose secrets are known."""
        for api in self.reception.target.webhook_secrets:
            if self.receiver:
                self.receiver.at(self.endpoints[api], api=api)

    def stop(self) -> None:
        """Close the port. The deliveries can still be read."""
        if self.receiver:
            self.receiver.stop()

    def record_last(self) -> None:
        """Note which events came late, and record what the file of deliveries has."""
        for channel in self.channels.values():
            channel.look_again()
        if file := self.reception.file:
            is_alone = bool(self.reception.why_none)
            test = self.current_test
            before = list(self.recorded)
            recorded = read_at_the_end(file, before, test.facts, self.reception.target.apis, is_alone=is_alone)
            for delivery in recorded:
                numbered = replace(delivery, id=next(self.numbers), api=api_of(delivery), is_recorded=True)
                test.recorder.record_delivery(numbered)


def endpoint_paths(*, of_this_run: bool) -> dict[Api, str]:
    """Return the path of the receiver for all events of an API, where a service has one endpoint for an account.

    With `of_this_run` it is a random one: another run's embedded reference may still send to this port.
    """
    own = f"/{secrets.token_hex(8)}" if of_this_run else ""
    endpoints = {api: profile.endpoint for api, profile in PROFILES.items() if profile.endpoint}
    return {api: f"{endpoint.path}{own}" for api, endpoint in endpoints.items()}


def started_receiver(reception: Reception, test: CurrentTest, waits: Waits, numbers: Iterator[int]) -> Receiver | None:
    """Start the receiver, if this process has one. `numbers` are the ids of deliveries.

    A note says why it cannot listen; then there is none.
    """
    if reception.why_none or (reception.shard and reception.relay is None):
        return None
    try:
        receiver = Receiver(_port(reception))
        receiver.current_test, receiver.numbers = test, numbers
        receiver.log.write = test.recorder.record_delivery
        receiver.start()
    except (OSError, ValueError) as reason:
        test.facts.note(not_listening(reception, reason))
        return None
    waits.interruption.wakes.append(receiver.log.interrupt)
    return receiver


def _port(reception: Reception) -> Port:
    if reception.shard and reception.relay:
        return RelayedPort(reception.relay, reception.shard.number)
    return listening_port(reception.settings)


def listening_port(settings: ReceiverSettings) -> ListeningPort:
    """Return the port that a user chose. Raises ValueError or OSError for settings that cannot be used."""
    return ListeningPort(settings.listen, settings.tls, settings.url or None)


def not_listening(reception: Reception, reason: Exception) -> str:
    """Say why there is no receiver."""
    return f"the webhook receiver cannot listen on {reception.settings.listen}: {reason}"
