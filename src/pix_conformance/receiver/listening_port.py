"""The port at which webhooks arrive: where it listens, its public address, and its certificate."""

from typing import Protocol
from urllib.parse import urlsplit

from pix_conformance.receiver.certificates import server_tls
from pix_conformance.receiver.connection import ConnectionContext, Listener


class Port(Protocol):
    """Where the requests for a receiver come from: a port of this process, or the relay of another."""

    certificate: bytes | None
    """The PEM that a sender must trust; None without TLS."""
    mark: str
    """How the name of each random path begins; empty where all that comes to the port is for one receiver."""

    @property
    def url(self) -> str:
        """The public address without a final slash."""

    @property
    def listening_url(self) -> str:
        """The address of the socket itself. Raises RuntimeError before a free port was chosen."""

    def open(self, context: ConnectionContext) -> None:
        """Begin to hand requests on. Raises OSError if the address cannot be used."""

    def close(self) -> None:
        """Hand on no more requests."""


class ListeningPort:
    """A port of this process."""

    mark = ""

    def __init__(self, listen: str = "127.0.0.1:0", tls: str = "self-signed", public_url: str | None = None) -> None:
        """Check the arguments; `open` listens.

        `listen` is host:port (port 0 or none: a free one), `tls` is `self-signed`, `off` or `CERT,KEY`, and
        `public_url` is the address of a tunnel or relay to this port, a path prefix allowed.

        Raises ValueError for a malformed argument and OSError for unusable certificate files.
        """
        self._host, self._port = _address(listen)
        self._public_url = _public(public_url) if public_url else None
        hosts = (self._host, urlsplit(self._public_url or "").hostname or "")
        self._tls, self.certificate = server_tls(tls, hosts)
        self._listener: Listener | None = None

    @property
    def url(self) -> str:
        """The public address without a final slash; the listening address if no public one is given."""
        return self._public_url or self.listening_url

    @property
    def listening_url(self) -> str:
        """The address of the socket itself. Raises RuntimeError before a free port was chosen."""
        if not self._port:
            raise RuntimeError("the receiver has no port before it is started")
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self._host, self._host)  # noqa: S104 - not bound here
        name = f"[{host}]" if ":" in host else host
        return f"{'https' if self._tls else 'http'}://{name}:{self._port}"

    def open(self, context: ConnectionContext) -> None:
        """Listen. Raises OSError if the address cannot be used."""
        self._listener = Listener(self._host, self._port, self._tls, context)
        self._port = self._listener.port

    def close(self) -> None:
        """Close the port and all connections and end their threads."""
        if self._listener:
            self._listener.stop()
            self._listener = None


def _address(listen: str) -> tuple[str, int]:
    parts = urlsplit(f"//{listen}")
    if not parts.hostname or parts.path or parts.username is not None:
        raise ValueError(f"{listen!r} is not host:port")
    return parts.hostname, parts.port or 0


def _public(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise ValueError(f"{url!r} is not a plain http(s) address")
    return url.rstrip("/")
