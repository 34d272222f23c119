"""Whether a target's deliveries reach the receiver: any delivery shows that they do, also one that comes late."""

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pix_conformance.harness.event_timing import SHORTEST_SILENCE_S, EventTiming
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.outcomes import Inconclusive, NotApplicable
from pix_conformance.harness.receiver_reach import ReceiverReach
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import Api, Outcome
from pix_conformance.model.why import Why
from pix_conformance.receiver import Receiver
from pix_conformance.recording.facts import Late, NoEvents
from pix_conformance.recording.owners import OwnDeliveries

DeliveryTest = Callable[[Delivery], bool]


@dataclass
class WebhookChannel:
    """Whether deliveries of one API reach the receiver, and how long to wait for them."""

    api: Api
    reach: ReceiverReach
    waits: Waits
    timing: EventTiming
    recorded: Sequence[Delivery] = ()
    """The deliveries of a file that the user named."""
    has_fallen_silent: bool = False
    """Events of the API came no more, though a test has waited for any."""
    _is_unavailable: bool = False
    """The target has no address of the receiver."""
    _is_overdue: bool = False
    """No delivery came before the deadline; later waits are short until one comes."""
    _due_since: float | None = None
    _why: Inconclusive | NotApplicable | None = None
    _decided: bool = False
    _lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def receiver(self) -> Receiver | None:
        """The receiver of this process, if it has one."""
        return self.reach.receiver

    @property
    def own(self) -> OwnDeliveries:
        """Which deliveries the target sent."""
        return self.reach.own

    def mark_unavailable(self, why: str) -> None:
        """Record why the target has no usable address of the receiver."""
        self._is_unavailable, self._decided = True, True
        self._why = NotApplicable(why, Why.NO_RECEIVER)

    @property
    def no_delivery_seen(self) -> bool:
        """Whether no delivery came before the deadline, and none has come since."""
        self._take_back()
        return self._is_unavailable or self._is_overdue

    def look_again(self) -> None:
        """Note whether an event came after all, or why none could be seen: the last look of the run."""
        self._take_back()
        if self._why and self.reach.reception.receives(self.api):
            outcome = Outcome.INCONCLUSIVE if isinstance(self._why, Inconclusive) else Outcome.NOT_APPLICABLE
            fact = NoEvents(api=self.api, outcome=outcome, reason=str(self._why), why=self._why.why)
            self.own.recorder.facts.add(fact)

    def expect_event_after(self, exchange: Exchange) -> Exchange:
        """Record that this successful exchange must cause an event."""
        if self._due_since is None:
            self._due_since = exchange.ended
        return exchange

    def expect_none_after(self, exchange: Exchange) -> Exchange:
        """Record that this exchange must not cause an event; the quiet period counts from here."""
        self.timing.quiet_since = max(self.timing.quiet_since, exchange.ended)
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

    def wait_for(
        self,
        wanted: DeliveryTest,
        since: float,
        count: int = 1,
        *,
        longest: float = math.inf,
        came: Callable[[], Sequence[Delivery]] | None = None,
    ) -> list[Delivery]:
        """Return the wanted deliveries, also earlier ones: `harness.events` gives them to matchers.

        Waits until `count` of them are there, or until the deadline of an event caused at `since` (epoch seconds), but
        not later than `longest` seconds after `since`. `came` returns what has come to the only address that matters:
        if none of that is wanted, no earlier delivery is looked at.
        """
        receiver, looked = self.receiver, time.time()
        deliveries = list(filter(wanted, came())) if came else []
        ends = max(since, receiver.busy_until if receiver else 0.0) + min(self.timing.deadline, longest)
        if receiver and not deliveries:
            left = 0 if self.no_delivery_seen else max(0, ends - time.time())
            self.waits.announce(f"an event of the {self.api} API", left, at_most=True)
            deliveries = receiver.wait_for(wanted, left, count, looked if came else 0.0)
        if deliveries:
            self.timing.note(deliveries[0].received - since)
        return deliveries

    def _decide(self) -> Inconclusive | NotApplicable | None:
        reach = self.reach
        if why := self._unconfigured():
            return NotApplicable(why, Why.NOT_SET)
        if reach.receiver is None:
            return Inconclusive(reach.sentence(self.api), Why.NO_RECEIVER)
        if self._due_since is None:
            return Inconclusive("webhooks not tested: no charge or transfer could be created")
        if self._any_came(reach.receiver, self._due_since):
            return None
        self._is_overdue = True
        if reach.is_at_fault(self.api):
            return None
        return Inconclusive(reach.sentence(self.api), Why.NO_RECEIVER)

    def _take_back(self) -> None:
        """Count the deliveries of the API as seen if one came after the deadline."""
        receiver = self.receiver
        with self._lock:
            if not self._is_overdue or receiver is None or self._due_since is None:
                return
            if first := next(filter(self._is_delivery, receiver.deliveries()), None):
                self.note_late(first, first.received - self._due_since)
                self.reach.arrivals.note(self.api)
            elif not self.reach.arrivals.has(self.api):
                return
            self._is_overdue, self._why = False, None

    def note_late(self, delivery: Delivery, seconds: float) -> None:
        """Note that a delivery came so many seconds after its cause, which was after its deadline."""
        self.own.recorder.facts.add(Late(self.api, delivery.id, seconds, self.timing.configured))
        self.timing.note(seconds)

    def silence(self) -> str:
        """Say that no event came, so that a missing one proves nothing."""
        within = f"within {self.timing.configured:g} s"
        return f"no event of the {self.api} API came {within}, so a missing event proves nothing"

    def _unconfigured(self) -> str | None:
        """Say which setting is missing for events of this API to come here; None if none is."""
        reception = self.reach.reception
        endpoint = PROFILES[self.api].endpoint
        if endpoint and reception.target.lacks_secret(self.api) and not reception.why_none:
            return f"{endpoint.variable} is not set: {self.api} events cannot be received"
        return reception.why_not(self.api)

    def _any_came(self, receiver: Receiver, since: float) -> bool:
        """Return whether a delivery came here before the deadline, or to another worker meanwhile."""
        if self.reach.reception.settings.url and not self._has_delivery(receiver, SHORTEST_SILENCE_S):
            _ = self.reach.probe_problem  # within the time that an event has anyway
        arrivals = self.reach.arrivals
        if self._has_delivery(receiver, since + self.timing.configured - time.time()):
            arrivals.note(self.api)
            return True
        return arrivals.has(self.api)

    def _has_delivery(self, receiver: Receiver, seconds: float) -> bool:
        if receiver.wait_for(self._is_delivery, max(0.0, seconds)):
            return True
        came = [delivery for delivery in receiver.deliveries() if delivery.api == self.api and delivery.body]
        return bool(self.own.among(came))

    def _is_delivery(self, delivery: Delivery) -> bool:
        return delivery.api == self.api and bool(delivery.body) and self.own.has(delivery)


def webhook_channels(
    reach: ReceiverReach, waits: Waits, recorded: Sequence[Delivery] = ()
) -> dict[Api, WebhookChannel]:
    """Return the channel of each API; `recorded` are the deliveries of a file that the user named."""
    seconds = reach.reception.settings.event_deadline
    return {api: WebhookChannel(api, reach, waits, EventTiming(seconds), recorded) for api in Api}
