"""Whether a target's deliveries reach the receiver. One delivery decides it, once for each run and API."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import urlsplit

from pix_conformance.checks.outcomes import Inconclusive, NotApplicable
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.receiver import Receiver
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Api, Outcome, Verdict
from pix_conformance.results.run_record import RunRecord

SHORTEST_SILENCE_S = 0.5
LONGEST_STRETCH = 3
"""The event deadline is stretched up to this factor if earlier events were slow, as on a busy machine."""
DeliveryTest = Callable[[Delivery], bool]


@dataclass
class ReceiverState:
    """Receiver state shared by both APIs: the receiver, its event deadline, and whether the target can reach it."""

    receiver: Receiver | None
    target: Target
    ledger: RunRecord
    waits: Waits
    busy_until: float = 0.0
    """Time (epoch seconds) until which the receiver delays a response; a target that sends one event at a time cannot
    deliver others before."""

    @cached_property
    def probe_problem(self) -> str | None:
        """Why our own request through the public address failed; None if it reached the receiver."""
        return self.receiver.probe() if self.receiver else "the receiver is not configured"

    @property
    def is_known_to_work(self) -> bool:
        """Whether the target can certainly reach the receiver, so that a missing delivery is the target's fault."""
        if self.receiver is None or self.receiver.handshake_failures:
            return False
        if self.target.receiver_url:
            return self.probe_problem is None and (self.target.loopback or not _loopback(self.receiver.url))
        return self.target.loopback

    def cause(self) -> str:
        """Say what prevents deliveries, and which setting or port to change."""
        if self.receiver is None:
            return "the receiver could not listen (see --receiver-listen)"
        if failures := self.receiver.handshake_failures:
            remedy = "give --receiver-tls CERT,KEY that the target trusts, or off behind a tunnel that ends TLS"
            return f"the TLS handshake failed ({failures[-1]}): {remedy}"
        if _loopback(self.receiver.url) and not self.target.loopback:
            return "only this machine can reach that address: give --receiver-url, the https address of a tunnel"
        return f"that address does not reach the receiver ({self.probe_problem}): open it, or change --receiver-url"


@dataclass
class WebhookChannel:
    """Whether deliveries of one API reach the receiver, and how long to wait for them."""

    api: Api
    receiver_state: ReceiverState
    slowest: float = 0.0
    """Seconds of the slowest event so far that a test waited for."""
    no_delivery_seen: bool = False
    """No delivery arrived before the deadline; later waits are short."""
    _due_since: float | None = None
    _quiet_since: float = 0.0
    _why: Inconclusive | NotApplicable | None = None
    _decided: bool = False
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def mark_unavailable(self, why: str) -> None:
        """Record why the target has no usable address of the receiver."""
        self.no_delivery_seen, self._decided = True, True
        self._why = self._keep_reason(NotApplicable(why))

    def expect_event_after(self, exchange: Exchange) -> Exchange:
        """Record that this successful exchange must cause an event."""
        if self._due_since is None:
            self._due_since = exchange.ended
        return exchange

    def expect_none_after(self, exchange: Exchange) -> Exchange:
        """Record that this exchange must not cause an event; the quiet period counts from here."""
        self._quiet_since = max(self._quiet_since, exchange.ended)
        return exchange

    def require_reachable(self) -> None:
        """Return if deliveries arrive, or if the target is at fault that none does.

        Raises NotApplicable or Inconclusive if deliveries cannot be observed.
        """
        with self._lock:
            if not self._decided:
                self._why, self._decided = self._decide(), True
        if self._why is not None:
            raise self._why

    def unavailable_reason(self) -> str | None:
        """Return why deliveries cannot be observed; None if they can."""
        try:
            self.require_reachable()
        except (Inconclusive, NotApplicable) as why:
            return str(why)
        return "no event arrived in this run" if self.no_delivery_seen else None

    def wait_for(self, wanted: DeliveryTest, since: float, count: int = 1, longest: float = math.inf) -> list[Delivery]:
        """Return the wanted deliveries, also earlier ones.

        Waits until `count` of them are there, or until the deadline of an event caused at `since` (epoch seconds), but
        not later than `longest` seconds after `since`.
        """
        ends = max(since, self.receiver_state.busy_until) + min(self.deadline, longest)
        receiver, left = self.receiver_state.receiver, 0 if self.no_delivery_seen else max(0, ends - time.time())
        self.receiver_state.waits.announce(f"an event of the {self.api} API", left, at_most=True)
        found = receiver.wait_for(wanted, left, count) if receiver else []
        if found:
            self.slowest = max(self.slowest, found[0].received - since)
        return found

    @property
    def deadline(self) -> float:
        """Seconds within which an event must arrive: as configured, more if earlier events were slow."""
        given = self.receiver_state.target.event_deadline
        return max(given, min(LONGEST_STRETCH * given, 2 * self.slowest + 1))

    def wait_quiet_period(self) -> None:
        """Wait until every event that must not be sent would have arrived.

        Raises Inconclusive if the absence of an event proves nothing in this run.
        """
        self.require_reachable()
        if self.no_delivery_seen:
            raise Inconclusive(f"no event of the {self.api} API arrived in this run, so a missing event proves nothing")
        if self.receiver_state.receiver and self.receiver_state.receiver.losses:
            raise Inconclusive(f"the receiver lost deliveries: {'; '.join(self.receiver_state.receiver.losses)}")
        silence = max(0.0, self._quiet_since + self.window() - time.time())
        self.receiver_state.waits.announce(f"events of the {self.api} API that must not be sent", silence)
        self.receiver_state.waits.pause(silence)

    def window(self) -> float:
        """Seconds after which an event counts as not sent: 2 * slowest + 1, at most the deadline."""
        return max(SHORTEST_SILENCE_S, min(self.receiver_state.target.event_deadline, 2 * self.slowest + 1))

    def _decide(self) -> Inconclusive | NotApplicable | None:
        state = self.receiver_state
        if why := self._unconfigured():
            return self._keep_reason(NotApplicable(why))
        if state.receiver is None:
            return self._keep_reason(Inconclusive(state.cause()))
        if self._due_since is None:
            return self._keep_reason(Inconclusive("webhooks not tested: no charge or transfer could be created"))
        if self._any_came(state.receiver, self._due_since):
            return None
        self.no_delivery_seen = True
        if state.is_known_to_work:
            return None
        return self._keep_reason(Inconclusive(self._sentence(state.receiver)))

    def _unconfigured(self) -> str | None:
        """Say which setting is missing for events of this API to come here; None if none is."""
        target = self.receiver_state.target
        if self.api is Api.BUSINESS and target.business_webhook_secret is None:
            return "PIX_BUSINESS_WEBHOOK_SECRET is not set: business events cannot be received"
        return target.no_receiver

    def _any_came(self, receiver: Receiver, since: float) -> bool:
        if self.receiver_state.target.receiver_url and not self._has_delivery(receiver, SHORTEST_SILENCE_S):
            _ = self.receiver_state.probe_problem  # within the time that an event has anyway
        return self._has_delivery(receiver, since + self.receiver_state.target.event_deadline - time.time())

    def _has_delivery(self, receiver: Receiver, seconds: float) -> bool:
        return bool(receiver.wait_for(lambda one: one.api == self.api and bool(one.body), max(0.0, seconds)))

    def _sentence(self, receiver: Receiver) -> str:
        where = f"{receiver.url}/business" if self.api is Api.BUSINESS else receiver.url
        seconds = f"{self.receiver_state.target.event_deadline:g} s"
        return f"no delivery of the {self.api} API came to {where} within {seconds}: {self.receiver_state.cause()}"

    def _keep_reason(self, why: Inconclusive | NotApplicable) -> Inconclusive | NotApplicable:
        """Keep the reason for what only deliveries show; say it once where something has to be done."""
        unseen = Outcome.INCONCLUSIVE if isinstance(why, Inconclusive) else Outcome.NOT_APPLICABLE
        self.receiver_state.ledger.events_unavailable[self.api] = Verdict("", unseen, str(why))
        if unseen is Outcome.INCONCLUSIVE:
            self.receiver_state.ledger.notices.append(str(why))
        return why


def _loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host in {"localhost", "::1"} or host.startswith("127.")
