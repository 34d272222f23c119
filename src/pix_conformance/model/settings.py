"""The settings of a run: how the target is tested."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from pix_conformance.model.documents import Documents
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.target import Target, is_loopback
from pix_conformance.model.vocabulary import Api, Capability, Level, Party

EVERY_ADDRESS = frozenset({"0.0.0.0", "::"})  # noqa: S104  # compared, not bound
"""Listening addresses that stand for all interfaces: a sender cannot use them."""
RECEIVED_ELSEWHERE = "another worker receives the webhooks"


@dataclass(frozen=True)
class Settings:
    """How a target is tested. Durations are in seconds."""

    target: Target
    party: Party = Party.SERVICE
    """Whom the run tests: only the requirements that bind it are judged."""
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
        return self.deliveries if self.shard is None or self.shard.number == 1 else None

    @property
    def no_receiver(self) -> str | None:
        """Why this run can receive no webhooks, so that their requirements are not applicable; None if it can."""
        why = self._no_receiver()
        judged = "; of --deliveries only content and signature are judged" if self.recorded_deliveries else ""
        return why and why + judged

    def _no_receiver(self) -> str | None:
        if not self.receiver:
            return "--receiver is off"
        if not any(map(self.receives, Api)):
            return RECEIVED_ELSEWHERE
        listens = urlsplit(f"//{self.receiver_listen}").hostname or ""
        reachable = not is_loopback(listens) and listens not in EVERY_ADDRESS
        if self.target.embedded or self.target.loopback or self.receiver_url or reachable:
            return None
        return "PIX_RECEIVER_URL is not set"

    def receives(self, api: Api) -> bool:
        """Whether this process is the one that receives the webhooks of an API."""
        return self.shard is None or self.shard.number == self.receiving_worker(api)

    def receiving_worker(self, api: Api) -> int:
        """Return which worker receives the webhooks of an API: the first, as a service may know one address only.

        The second does if each request names an address, and the target reaches every port of this machine.
        """
        reaches_every_port = self.target.loopback and not (self.receiver_url or self.deliveries)
        return 2 if reaches_every_port and PROFILES[api].endpoint is None else 1

    @property
    def listens_on_own_port(self) -> bool:
        """Whether this process listens on a free port, because the first worker has the port that was given."""
        return self.shard is not None and self.shard.number != 1 and any(map(self.receives, Api))

    def why_not_received(self, api: Api) -> str | None:
        """Say why this process receives no webhooks of an API; None if it can."""
        return self.no_receiver or (None if self.receives(api) else RECEIVED_ELSEWHERE)

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

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"
