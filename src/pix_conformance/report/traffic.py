"""The time that each operation took, and the events with their attempts on a time line."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median, quantiles

from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.json_reader import Row
from pix_conformance.model.vocabulary import MASK
from pix_conformance.recording.bundle.values import Bundle


@dataclass(frozen=True, slots=True)
class Latency:
    """How long one operation took, in milliseconds."""

    api: str
    operation: str
    count: int
    median: float
    p95: float
    longest: float


def latencies(exchanges: Iterable[Exchange]) -> list[Latency]:
    """Measure each operation's answered exchanges, the slowest median first."""
    groups: dict[tuple[str, str], list[float]] = {}
    for exchange in exchanges:
        if exchange.response is not None:
            groups.setdefault((exchange.api, exchange.operation or "other"), []).append(exchange.elapsed_ms)
    rows = [_latency(api, operation, sorted(times)) for (api, operation), times in groups.items()]
    return sorted(rows, key=lambda row: -row.median)


def _latency(api: str, operation: str, times: list[float]) -> Latency:
    p95 = quantiles(times, n=20, method="inclusive")[-1] if len(times) > 1 else times[0]
    return Latency(api, operation, len(times), median(times), p95, times[-1])


@dataclass(frozen=True, slots=True)
class Attempt:
    """One delivery of an event: its number, seconds after the run's first delivery, what was answered."""

    delivery: int
    at: float
    answered: int | None
    fault: str | None

    @property
    def taken(self) -> bool:
        """Whether the receiver accepted it with a 2xx."""
        return self.answered is not None and self.answered // 100 == 2  # noqa: PLR2004 # 2xx

    @property
    def said(self) -> str:
        """What the receiver answered, in words."""
        fault = f", {self.fault}" if self.fault else ""
        return f"{self.answered or 'no answer'}{fault}"


@dataclass(frozen=True, slots=True)
class Event:
    """All attempts at one event on one path."""

    name: str
    id: str
    path: str
    api: str | None
    attempts: tuple[Attempt, ...]


def events(bundle: Bundle) -> list[Event]:
    """Group the deliveries by path and event id, in order of arrival; one whose id is not known stands alone."""
    moments = {delivery.id: delivery.received for delivery in bundle.deliveries}
    zero = min((moment for moment in moments.values() if moment), default=0.0)
    groups: dict[tuple[str, str], list[Delivery]] = {}
    for delivery in bundle.deliveries:
        shown = Row.of(delivery.json).text("id")
        name = shown if shown and MASK not in shown else f"delivery {delivery.id}"
        groups.setdefault((delivery.path, name), []).append(delivery)
    return [_event(key, group, moments, zero) for key, group in groups.items()]


def _event(key: tuple[str, str], group: list[Delivery], moments: dict[int, float], zero: float) -> Event:
    body = Row.of(group[0].json)
    attempts = tuple(
        Attempt(delivery.id, max(0.0, moments[delivery.id] - zero), delivery.answered, delivery.fault)
        for delivery in group
    )
    return Event(body.text("event") or body.text("type") or "(no event)", key[1], key[0], group[0].api, attempts)
