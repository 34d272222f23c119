"""Whether a target's deliveries come to the receiver: decided once a run and API, by any one delivery of several."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import urlsplit

from pix_conformance.checks.outcomes import Inconclusive, NotApplicable
from pix_conformance.harness.receiver import Receiver
from pix_conformance.harness.waiting import Waits
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Api, Outcome, Verdict
from pix_conformance.results.run_record import Ledger

SHORTEST_SILENCE_S = 0.5
LONGEST_STRETCH = 3
"""How many times the given deadline a target gets whose events are slow, as on a machine with much else to do."""
Wanted = Callable[[Delivery], bool]


@dataclass
class Hearing:
    """What both APIs share: the receiver, how long an event may take, what is known of the way to here."""

    receiver: Receiver | None
    target: Target
    ledger: Ledger
    waits: Waits
    busy_until: float = 0.0
    """Until when (epoch seconds) we keep a sender waiting; one that sends in turn cannot be heard before."""

    @cached_property
    def probed(self) -> str | None:
        """What our own request through the public address met; None if it came here."""
        return self.receiver.probe() if self.receiver else "there is no receiver"

    @property
    def known_to_work(self) -> bool:
        """Whether the target surely could reach the receiver, so that silence is the target's own."""
        if self.receiver is None or self.receiver.handshake_failures:
            return False
        if self.target.receiver_url:
            return self.probed is None and (self.target.loopback or not _loopback(self.receiver.url))
        return self.target.loopback

    def cause(self) -> str:
        """Say what keeps deliveries away, and what to open or configure."""
        if self.receiver is None:
            return "the receiver could not listen (see --receiver-listen)"
        if failures := self.receiver.handshake_failures:
            remedy = "give --receiver-tls CERT,KEY that the target trusts, or off behind a tunnel that ends TLS"
            return f"the TLS handshake failed ({failures[-1]}): {remedy}"
        if _loopback(self.receiver.url) and not self.target.loopback:
            return "only this machine can reach that address: give --receiver-url, the https address of a tunnel"
        return f"the address does not lead here ({self.probed}): open it, or give another --receiver-url"


@dataclass
class Reach:
    """The way from one API to the receiver."""

    api: Api
    hearing: Hearing
    slowest: float = 0.0
    """Seconds that the slowest event took that was waited for."""
    mute: bool = False
    """Nothing at all came in time: later waits are short."""
    _due_since: float | None = None
    _quiet_since: float = 0.0
    _why: Inconclusive | NotApplicable | None = None
    _decided: bool = False
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def shun(self, why: str) -> None:
        """Note that the target was not given an address of the receiver that it accepts."""
        self.mute, self._decided = True, True
        self._why = self._told(NotApplicable(why))

    def due(self, exchange: Exchange) -> Exchange:
        """Note that an event is on its way, caused by this success."""
        if self._due_since is None:
            self._due_since = exchange.ended
        return exchange

    def quiet(self, exchange: Exchange) -> Exchange:
        """Note that no event may come of this."""
        self._quiet_since = max(self._quiet_since, exchange.ended)
        return exchange

    def demand(self) -> None:
        """Return if deliveries come, or if their absence is the target's fault; raises why they cannot be seen."""
        with self._lock:
            if not self._decided:
                self._why, self._decided = self._decide(), True
        if self._why is not None:
            raise self._why

    def blindness(self) -> str | None:
        """Say why events cannot be seen, for questions that can be asked without them too."""
        try:
            self.demand()
        except (Inconclusive, NotApplicable) as why:
            return str(why)
        return "no event came at all" if self.mute else None

    def wait_for(self, wanted: Wanted, since: float, count: int = 1) -> list[Delivery]:
        """Return the wanted deliveries, earlier ones too; waits until the deadline of an event caused at `since`."""
        ends = max(since, self.hearing.busy_until) + self.deadline
        receiver, left = self.hearing.receiver, 0 if self.mute else max(0, ends - time.time())
        self.hearing.waits.announce(f"an event of the {self.api} API", left, at_most=True)
        found = receiver.wait_for(wanted, left, count) if receiver else []
        if found:
            self.slowest = max(self.slowest, found[0].received - since)
        return found

    @property
    def deadline(self) -> float:
        """Seconds that an event may take: as given, and more where others took long already."""
        given = self.hearing.target.event_deadline
        return max(given, min(LONGEST_STRETCH * given, 2 * self.slowest + 1))

    def settle(self) -> None:
        """Wait until every event that may not come would have come; Inconclusive if silence proves nothing."""
        self.demand()
        if self.mute:
            raise Inconclusive(f"no event of the {self.api} API came at all: silence proves nothing")
        if self.hearing.receiver and self.hearing.receiver.losses:
            raise Inconclusive(f"the receiver lost deliveries: {'; '.join(self.hearing.receiver.losses)}")
        silence = max(0.0, self._quiet_since + self.window() - time.time())
        self.hearing.waits.announce(f"events of the {self.api} API that may not come", silence)
        self.hearing.waits.pause(silence)

    def window(self) -> float:
        """Seconds after which silence counts: twice the slowest event and a second more, at most the deadline."""
        return max(SHORTEST_SILENCE_S, min(self.hearing.target.event_deadline, 2 * self.slowest + 1))

    def _decide(self) -> Inconclusive | NotApplicable | None:
        hearing = self.hearing
        if why := self._unconfigured():
            return self._told(NotApplicable(why))
        if hearing.receiver is None:
            return self._told(Inconclusive(hearing.cause()))
        if self._due_since is None:
            return self._told(Inconclusive("webhooks not tested: no charge or transfer could be created"))
        if self._any_came(hearing.receiver, self._due_since):
            return None
        self.mute = True
        if hearing.known_to_work:
            return None
        return self._told(Inconclusive(self._sentence(hearing.receiver)))

    def _unconfigured(self) -> str | None:
        """Say which setting is missing for events of this API to come here; None if none is."""
        target = self.hearing.target
        if self.api is Api.BUSINESS and target.business_webhook_secret is None:
            return "PIX_BUSINESS_WEBHOOK_SECRET is not set: business events go to no one here"
        return target.no_receiver

    def _any_came(self, receiver: Receiver, since: float) -> bool:
        if self.hearing.target.receiver_url and not self._heard(receiver, SHORTEST_SILENCE_S):
            _ = self.hearing.probed  # within the time that an event has anyway
        return self._heard(receiver, since + self.hearing.target.event_deadline - time.time())

    def _heard(self, receiver: Receiver, seconds: float) -> bool:
        return bool(receiver.wait_for(lambda one: one.api == self.api and bool(one.body), max(0.0, seconds)))

    def _sentence(self, receiver: Receiver) -> str:
        where = f"{receiver.url}/business" if self.api is Api.BUSINESS else receiver.url
        seconds = f"{self.hearing.target.event_deadline:g} s"
        return f"no delivery of the {self.api} API came to {where} within {seconds}: {self.hearing.cause()}"

    def _told(self, why: Inconclusive | NotApplicable) -> Inconclusive | NotApplicable:
        """Keep the reason for whatever only deliveries show; say it once where something has to be done."""
        unseen = Outcome.INCONCLUSIVE if isinstance(why, Inconclusive) else Outcome.NOT_APPLICABLE
        self.hearing.ledger.unheard[self.api] = Verdict("", unseen, str(why))
        if unseen is Outcome.INCONCLUSIVE:
            self.hearing.ledger.notices.append(str(why))
        return why


def _loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host in {"localhost", "::1"} or host.startswith("127.")
