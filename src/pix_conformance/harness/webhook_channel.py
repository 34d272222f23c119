"""Whether a target's deliveries reach the receiver: any delivery shows that they do, also one that comes late."""

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import urlsplit

from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.outcomes import Inconclusive, NotApplicable
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.reach import NotArrived
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import is_loopback
from pix_conformance.model.vocabulary import Api, Outcome
from pix_conformance.model.why import Why
from pix_conformance.receiver import Receiver
from pix_conformance.recording.facts import Late, NoEvents
from pix_conformance.recording.owners import is_of_target, of_target
from pix_conformance.recording.recorder import Recorder

SHORTEST_SILENCE_S = 0.5
LONGEST_STRETCH = 3
"""The event deadline is stretched up to this factor if earlier events were slow, as on a busy machine."""
DeliveryTest = Callable[[Delivery], bool]


@dataclass
class ReceiverState:
    """Receiver state shared by all APIs: the receiver, its event deadline, and whether the target can reach it."""

    receiver: Receiver | None
    settings: Settings
    recorder: Recorder
    waits: Waits
    recorded: Sequence[Delivery] = ()
    """The deliveries of a file that the user named."""
    _known: set[int] = field(default_factory=set)
    """The numbers of deliveries that only the target can have sent: they stay so."""
    busy_until: float = 0.0
    """Time (epoch seconds) until which the receiver delays a response; a target that sends one event at a time cannot
    deliver others before."""

    @cached_property
    def probe_problem(self) -> NotArrived | None:
        """Why our own request through the public address failed; None if it reached the receiver."""
        return self.receiver.probe() if self.receiver else None

    def is_at_fault(self, api: Api) -> bool:
        """Return whether the target can certainly reach the receiver, so that a missing delivery is its fault.

        The embedded reference can. Another target can once it has delivered anything, where the tests register the
        addresses themselves. Nothing else is certain. A target at a loopback address may be in a container or at the
        other end of an SSH tunnel, where the loopback address of the receiver is another machine, or one port of it
        alone; and an endpoint is a setting of the target, which may name another address.
        """
        if self.receiver is None or self.receiver.log.handshake_failures:
            return False
        if self.settings.receiver_url and self.probe_problem:
            return False
        if self.settings.target.embedded:
            return True
        return PROFILES[api].endpoint is None and any(map(self.is_of_target, self.receiver.deliveries()))

    def is_of_target(self, delivery: Delivery) -> bool:
        """Return whether only the target can have sent a delivery, as far as the run knows its objects so far."""
        if delivery.id in self._known:
            return True
        is_own = is_of_target(self.recorder.with_signature(delivery), self.recorder.objects)
        if is_own:
            self._known.add(delivery.id)
        return is_own

    def of_target(self, deliveries: Sequence[Delivery]) -> list[Delivery]:
        """Return the deliveries that the target sent, as far as the run knows its objects so far."""
        known = [self.recorder.with_signature(delivery) for delivery in deliveries]
        own = {delivery.id for delivery in of_target(known, self.recorder.objects)}
        return [delivery for delivery in deliveries if delivery.id in own]

    def cause(self, api: Api) -> str:
        """Say what prevents deliveries, and which setting, port or endpoint to look at."""
        if self.receiver is None:
            return "the receiver could not listen (see --receiver-listen)"
        if failures := self.receiver.log.handshake_failures:
            remedy = "give --receiver-tls CERT,KEY that the target trusts, or off behind a tunnel that ends TLS"
            return f"the TLS handshake failed ({failures[-1]}): {remedy}"
        if is_loopback(urlsplit(self.receiver.url).hostname or "") and not self.settings.target.loopback:
            return "only this machine can reach that address: give --receiver-url, the https address of a tunnel"
        if self.settings.receiver_url and self.probe_problem:
            return f"that address does not reach the receiver ({self.probe_problem}): open it, or change --receiver-url"
        if PROFILES[api].endpoint and self.receiver.deliveries():
            return "is this the endpoint that the target is configured with?"
        insecure = "-k " if self.receiver.url.startswith("https:") else ""
        one_port = "; give --receiver-url if it reaches one port only" if self.settings.listens_on_own_port else ""
        attempt = f"curl -i {insecure}{self.receiver.url}/ (404 is right)"
        return f"on the target's machine, while a run lasts, try: {attempt}{one_port}"

    def sentence(self, api: Api) -> str:
        """Say that no delivery of an API came, to which address, and why; the same of every API if nothing came."""
        receiver = self.receiver
        if receiver is None:
            return self.cause(api)
        paths = {api: profile.endpoint.path for api, profile in PROFILES.items() if profile.endpoint}
        within = f"within {self.settings.event_deadline:g} s: {self.cause(api)}"
        if receiver.deliveries():
            return f"no webhook of the {api} API came to {receiver.url}{paths.get(api, '')} {within}"
        own = "".join(
            f", nor of the {api} API to {receiver.url}{paths[api]},"
            for api in filter(self.settings.receives, self.settings.target.webhook_secrets)
        )
        return f"no webhook came to {receiver.url}{own} {within}"


@dataclass
class WebhookChannel:
    """Whether deliveries of one API reach the receiver, and how long to wait for them."""

    api: Api
    receiver_state: ReceiverState
    slowest: float = 0.0
    """Seconds of the slowest event so far that a test waited for."""
    _is_unavailable: bool = False
    """The target has no address of the receiver."""
    _is_overdue: bool = False
    """No delivery came before the deadline; later waits are short until one comes."""
    _due_since: float | None = None
    quiet_since: float = 0.0
    """When the last exchange ended that must not cause an event, epoch seconds."""
    _why: Inconclusive | NotApplicable | None = None
    _decided: bool = False
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def mark_unavailable(self, why: str) -> None:
        """Record why the target has no usable address of the receiver."""
        self._is_unavailable, self._decided = True, True
        self._why = self._keep_reason(NotApplicable(why, Why.NO_RECEIVER))

    @property
    def no_delivery_seen(self) -> bool:
        """Whether no delivery came before the deadline, and none has come since."""
        self._take_back()
        return self._is_unavailable or self._is_overdue

    def look_again(self) -> None:
        """Note whether an event came after all: the last look of the run."""
        self._take_back()

    def expect_event_after(self, exchange: Exchange) -> Exchange:
        """Record that this successful exchange must cause an event."""
        if self._due_since is None:
            self._due_since = exchange.ended
        return exchange

    def expect_none_after(self, exchange: Exchange) -> Exchange:
        """Record that this exchange must not cause an event; the quiet period counts from here."""
        self.quiet_since = max(self.quiet_since, exchange.ended)
        return exchange

    def require_reachable(self) -> None:
        """Return if deliveries arrive, or if the target is at fault that none does.

        Raises NotApplicable or Inconclusive if deliveries cannot be observed.
        """
        with self._lock:
            if not self._decided:
                self._why, self._decided = self._decide(), True
            self._take_back()
        if self._why is not None:
            raise self._why

    def unavailable_reason(self) -> str | None:
        """Return why deliveries cannot be observed; None if they can."""
        try:
            self.require_reachable()
        except (Inconclusive, NotApplicable) as why:
            return str(why)
        return self.silence() if self.no_delivery_seen else None

    def wait_for(self, wanted: DeliveryTest, since: float, count: int = 1, longest: float = math.inf) -> list[Delivery]:
        """Return the wanted deliveries, also earlier ones: `harness.events` gives them to matchers.

        Waits until `count` of them are there, or until the deadline of an event caused at `since` (epoch seconds), but
        not later than `longest` seconds after `since`.
        """
        ends = max(since, self.receiver_state.busy_until) + min(self.deadline, longest)
        receiver, left = self.receiver_state.receiver, 0 if self.no_delivery_seen else max(0, ends - time.time())
        self.receiver_state.waits.announce(f"an event of the {self.api} API", left, at_most=True)
        deliveries = receiver.wait_for(wanted, left, count) if receiver else []
        if deliveries:
            self.slowest = max(self.slowest, deliveries[0].received - since)
        return deliveries

    @property
    def deadline(self) -> float:
        """Seconds within which an event must arrive: as configured, more if earlier events were slow."""
        given = self.receiver_state.settings.event_deadline
        return max(given, min(LONGEST_STRETCH * given, 2 * self.slowest + 1))

    def _decide(self) -> Inconclusive | NotApplicable | None:
        state = self.receiver_state
        if why := self._unconfigured():
            return self._keep_reason(NotApplicable(why, Why.NOT_SET))
        if state.receiver is None:
            return self._keep_reason(Inconclusive(state.sentence(self.api), Why.NO_RECEIVER))
        if self._due_since is None:
            return self._keep_reason(Inconclusive("webhooks not tested: no charge or transfer could be created"))
        if self._any_came(state.receiver, self._due_since):
            return None
        self._is_overdue = True
        if state.is_at_fault(self.api):
            return None
        return self._keep_reason(Inconclusive(state.sentence(self.api), Why.NO_RECEIVER))

    def _take_back(self) -> None:
        """Count the deliveries of the API as seen if one came after the deadline."""
        receiver = self.receiver_state.receiver
        with self._lock:
            if not self._is_overdue or receiver is None or self._due_since is None:
                return
            first = next(filter(self._is_delivery, receiver.deliveries()), None)
            if first is None:
                return
            self.note_late(first, first.received - self._due_since)
            self._is_overdue, self._why = False, None

    def note_late(self, delivery: Delivery, seconds: float) -> None:
        """Note that a delivery came so many seconds after its cause, which was after its deadline."""
        deadline = self.receiver_state.settings.event_deadline
        self.receiver_state.recorder.facts.add(Late(self.api, delivery.id, seconds, deadline))
        self.slowest = max(self.slowest, seconds)

    def silence(self) -> str:
        """Say that no event came, so that a missing one proves nothing."""
        seconds = f"{self.receiver_state.settings.event_deadline:g} s"
        return f"no event of the {self.api} API came within {seconds}, so a missing event proves nothing"

    def _unconfigured(self) -> str | None:
        """Say which setting is missing for events of this API to come here; None if none is."""
        settings = self.receiver_state.settings
        endpoint = PROFILES[self.api].endpoint
        if endpoint and settings.target.lacks_secret(self.api) and not settings.no_receiver:
            return f"{endpoint.variable} is not set: {self.api} events cannot be received"
        return settings.why_not_received(self.api)

    def _any_came(self, receiver: Receiver, since: float) -> bool:
        if self.receiver_state.settings.receiver_url and not self._has_delivery(receiver, SHORTEST_SILENCE_S):
            _ = self.receiver_state.probe_problem  # within the time that an event has anyway
        return self._has_delivery(receiver, since + self.receiver_state.settings.event_deadline - time.time())

    def _has_delivery(self, receiver: Receiver, seconds: float) -> bool:
        if receiver.wait_for(self._is_delivery, max(0.0, seconds)):
            return True
        came = [delivery for delivery in receiver.deliveries() if delivery.api == self.api and delivery.body]
        return bool(self.receiver_state.of_target(came))

    def _is_delivery(self, delivery: Delivery) -> bool:
        return delivery.api == self.api and bool(delivery.body) and self.receiver_state.is_of_target(delivery)

    def _keep_reason(self, why: Inconclusive | NotApplicable) -> Inconclusive | NotApplicable:
        """Keep the reason for what only deliveries show."""
        unseen = Outcome.INCONCLUSIVE if isinstance(why, Inconclusive) else Outcome.NOT_APPLICABLE
        if self.receiver_state.settings.receives(self.api):
            fact = NoEvents(api=self.api, outcome=unseen, reason=str(why), why=why.why)
            self.receiver_state.recorder.facts.add(fact)
        return why
