"""The settings of a run: how the target is tested."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from pix_conformance.model.documents import Documents
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.target import Target, is_loopback
from pix_conformance.model.vocabulary import Capability, Level
from pix_conformance.model.why import Why

EVERY_ADDRESS = frozenset({"0.0.0.0", "::"})  # noqa: S104  # compared, not bound
"""Listening addresses that stand for all interfaces: a sender cannot use them."""


@dataclass(frozen=True)
class Settings:
    """How a target is tested. Durations are in seconds."""

    target: Target
    receiver: bool = True
    receiver_listen: str = "127.0.0.1:0"
    receiver_url: str = ""
    receiver_tls: str = "self-signed"
    deliveries: Path | None = None
    event_deadline: float = 10.0
    api_chosen: bool = False
    only: frozenset[str] = frozenset()
    quick: bool = False
    account_locks: Path | None = None
    """The directory of the locks that workers side by side share."""
    shard: Shard | None = None
    concurrency: int | None = None
    """How many workers run side by side; None where the first look at the target decides."""
    level: Level = Level.MUST
    edition: str = ""
    """The edition by whose requirements the target is judged; empty for those of this suite."""
    require: frozenset[Capability] = frozenset()
    waiting: bool = True
    network_faults: bool = True
    """Whether some requests are cut, repeated or slowed on purpose."""
    rate: float | None = None
    max_cents: int | None = None
    examples: int = 15
    examples_chosen: bool = False
    seed: int = 1
    waivers: Path | None = None
    baseline: Path | None = None
    """An earlier report, or its results.json: only what is worse than there fails the run."""
    assume: Path | None = None
    """What the target is assumed to do at open points: the run fails if it does another thing."""
    plan: bool = False
    again: Path | None = None
    """The directory of the earlier report of which the tests run that failed."""
    documents: Documents = field(default_factory=Documents)
    report_dir: Path = Path("reports/latest")

    @property
    def recorded_deliveries(self) -> Path | None:
        """The file of `--deliveries`, if this process reads it: of workers only the first does."""
        return self.deliveries if self.shard is None or self.shard.receives else None

    @property
    def no_receiver(self) -> str | None:
        """Why this run can receive no webhooks, so that their requirements are not applicable; None if it can."""
        why = self._no_receiver()
        judged = "; of --deliveries only content and signature are judged" if self.recorded_deliveries else ""
        return why and why + judged

    def _no_receiver(self) -> str | None:
        if not self.receiver:
            return "--receiver is off"
        if self.shard and not self.shard.receives:
            return "worker 1 receives the webhooks"
        listens = urlsplit(f"//{self.receiver_listen}").hostname or ""
        reachable = not is_loopback(listens) and listens not in EVERY_ADDRESS
        if self.target.embedded or self.target.loopback or self.receiver_url or reachable:
            return None
        return "PIX_RECEIVER_URL is not set"

    @property
    def is_endpoint_unknown(self) -> bool:
        """Whether the receiver would choose a free port, so that no service can have it as the endpoint of an API.

        The embedded reference gets the port as an argument; deliveries of a file need no receiver.
        """
        receives = self.receiver and self.no_receiver is None and not self.deliveries
        has_port = self.receiver_listen.rpartition(":")[2] not in {"", "0"}
        configured = any(PROFILES[api].endpoint for api in self.target.apis)
        return receives and not self.target.embedded and configured and not has_port

    @property
    def why_no_receiver(self) -> Why:
        """Why this run can receive no webhooks."""
        return Why.NOT_SET if self.shard is None or self.shard.receives else Why.OTHER_WORKER

    @property
    def receiver_of_first_worker(self) -> str | None:
        """The address at which the first worker answers what is sent to addresses of other workers; None if unknown."""
        listens = urlsplit(f"//{self.receiver_listen}")
        if not self.receiver or self.account_locks is None or not (self.target.loopback or self.receiver_url):
            return None
        scheme = "http" if self.receiver_tls == "off" else "https"
        return self.receiver_url.rstrip("/") or (f"{scheme}://{self.receiver_listen}" if listens.port else None)


@dataclass(frozen=True, order=True)
class Shard:
    """The shard `number` of `of`, both counted from 1."""

    number: int
    of: int

    @property
    def receives(self) -> bool:
        """Whether this shard receives the webhooks. Only the first does: an account may have one address for them."""
        return self.number == 1

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"
