"""Which webhooks a process of a run receives, where, and why not."""

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from pix_conformance.model.profile import PROFILES
from pix_conformance.model.target import Target, is_loopback
from pix_conformance.model.vocabulary import Api

EVERY_ADDRESS = frozenset({"0.0.0.0", "::"})  # noqa: S104  # compared, not bound
"""Listening addresses that stand for all interfaces: a sender cannot use them."""
RECEIVED_ELSEWHERE = "another worker receives the webhooks"


@dataclass(frozen=True, order=True)
class Shard:
    """The shard `number` of `of`, both counted from 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


@dataclass(frozen=True)
class ReceiverSettings:
    """The receiver as the user wants it."""

    is_wanted: bool = True
    listen: str = "127.0.0.1:0"
    url: str = ""
    """The address at which the target reaches it, where that is another."""
    tls: str = "self-signed"
    deliveries: Path | None = None
    """A file of deliveries that were recorded elsewhere."""
    event_deadline: float = 10.0
    """Seconds within which an event must arrive."""


@dataclass(frozen=True)
class RelayAddress:
    """What a worker has to know of the relay, which hands on to it what comes to the port of the run."""

    url: str
    """The public address."""
    listening_url: str
    """The address of the socket itself."""
    certificate: bytes | None
    """The PEM that a sender must trust; None without TLS."""
    socket: str
    """Where the relay takes the connections of workers."""
    key: bytes = field(repr=False)
    """The secret with which a worker and the relay know each other."""


@dataclass(frozen=True)
class Reception:
    """Which webhooks one process of a run receives."""

    settings: ReceiverSettings
    target: Target
    shard: Shard | None = None
    """The part of this process; None where it is the only one."""
    relay: RelayAddress | None = None
    """Where a worker gets its deliveries from; None if the run could not listen."""

    @property
    def is_of_first_process(self) -> bool:
        """Whether this process is the only one, or the first worker."""
        return self.shard is None or self.shard.number == 1

    @property
    def file(self) -> Path | None:
        """The file of `--deliveries`, if this process reads it: of workers only the first does."""
        return self.settings.deliveries if self.is_of_first_process else None

    @property
    def why_none(self) -> str | None:
        """Why this process can receive no webhooks, so that their requirements are not applicable; None if it can."""
        why = self._why_none()
        judged = "; of --deliveries only content and signature are judged" if self.file else ""
        return why and why + judged

    def _why_none(self) -> str | None:
        if not self.settings.is_wanted:
            return "--receiver is off"
        listens = urlsplit(f"//{self.settings.listen}").hostname or ""
        reachable = not is_loopback(listens) and listens not in EVERY_ADDRESS
        if self.target.embedded or self.target.loopback or self.settings.url or reachable:
            return None
        return "PIX_RECEIVER_URL is not set"

    def receives(self, api: Api) -> bool:
        """Whether this process receives webhooks of an API: the first worker does where a service has one endpoint."""
        return PROFILES[api].endpoint is None or self.is_of_first_process

    def why_not(self, api: Api) -> str | None:
        """Say why this process receives no webhooks of an API; None if it can."""
        return self.why_none or (None if self.receives(api) else RECEIVED_ELSEWHERE)

    @property
    def is_endpoint_unknown(self) -> bool:
        """Whether the receiver would choose a free port, so that no service can have it as the endpoint of an API.

        The embedded reference gets the port as an argument; deliveries of a file need no receiver.
        """
        receives = self.settings.is_wanted and self.why_none is None and not self.settings.deliveries
        has_port = self.settings.listen.rpartition(":")[2] not in {"", "0"}
        configured = any(PROFILES[api].endpoint for api in self.target.apis)
        return receives and not self.target.embedded and configured and not has_port
