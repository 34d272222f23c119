"""The webhook receiver: gives out paths, chooses the response to each request, and keeps the deliveries."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from secrets import token_hex
from typing import Self
from urllib.parse import urlsplit

from pix_conformance.model.delivery import HOOKS, Delivery
from pix_conformance.model.target import is_loopback
from pix_conformance.model.vocabulary import RecordsJudgements
from pix_conformance.receiver.certificates import probe_tls, server_tls
from pix_conformance.receiver.connection import ConnectionContext, Reply
from pix_conformance.receiver.http import ReceivedRequest
from pix_conformance.receiver.limits import Limits
from pix_conformance.receiver.listener import Listener
from pix_conformance.receiver.log import DeliveryLog
from pix_conformance.receiver.path import Behaviour, ReceiverPath
from pix_conformance.receiver.probe import Probe

_OK, _NOT_FOUND, _FAILED = 200, 404, 500
_DEEPEST = 8  # segments of a hook's path


class Receiver:
    """One listener for all webhooks of a run.

    `certificate` is the PEM, as bytes, that a sender must trust; None without TLS.
    """

    def __init__(
        self,
        listen: str = "127.0.0.1:0",
        tls: str = "self-signed",
        public_url: str | None = None,
        *,
        limits: Limits | None = None,
        on_delivery: Callable[[Delivery], None] = lambda _: None,
    ) -> None:
        """Check the arguments; `start` listens.

        `listen` is host:port (port 0 or none: a free one), `tls` is `self-signed`, `off` or `CERT,KEY`, and
        `public_url` is the address of a tunnel or relay to this receiver, a path prefix allowed. `on_delivery` is
        called in the connection's thread with each delivery before the response is sent; if it raises OSError, the
        response is 500.

        Raises ValueError for a malformed argument and OSError for unusable certificate files.
        """
        self._host, self._port = _address(listen)
        self._public_url = _public(public_url) if public_url else None
        hosts = (self._host, urlsplit(self._public_url or "").hostname or "")
        self._context, self.certificate = server_tls(tls, hosts)
        limits = limits or Limits()
        self._log = DeliveryLog(limits)
        self._site = ConnectionContext(self._take, self._log, limits)
        self._on_delivery = on_delivery
        self.recorder: RecordsJudgements | None = None
        """The recorder of the run to which deliveries belong."""
        self._hooks: dict[str, ReceiverPath] = {}
        self._probe = Probe()
        self._ids = count(1)
        self._listener: Listener | None = None

    def start(self) -> Self:
        """Listen. Raises OSError if the address cannot be used."""
        self._listener = Listener(self._host, self._port, self._context, self._site)
        self._port = self._listener.port
        return self

    def stop(self) -> None:
        """Close the port and all connections and end their threads. The deliveries can still be read."""
        self._log.close()
        if self._listener:
            self._listener.stop()
            self._listener = None

    __enter__ = start

    def __exit__(self, *_: object) -> None:
        self.stop()

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
        return f"{'https' if self._context else 'http'}://{name}:{self._port}"

    def new_path(self, name: str = "", *, answers: Sequence[Behaviour] = (), api: str | None = None) -> ReceiverPath:
        """Return a new random path. Its first deliveries are answered with `answers`, one each, the others with 200.

        The path ends in upper and lower case characters: a sender must not change their case.
        """
        label = re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
        hook = self.at(f"{HOOKS}{label}{'-' if label else ''}{token_hex(12)}Pix", api=api)
        hook.answer_next(*answers)
        return hook

    def at(self, path: str, *, api: str | None = None) -> ReceiverPath:
        """Return the path `path`, the same object each time. `/` receives what no other path receives."""
        if not path.startswith("/") or path.count("/") > _DEEPEST:
            raise ValueError(f"{path!r} is not a path of at most {_DEEPEST} segments")
        return self._hooks.setdefault(path, ReceiverPath(self, path, api))

    def hook_of(self, target: str) -> ReceiverPath | None:
        """Return the path with which the request target ends; the longest if there are several."""
        parts = target.partition("?")[0].split("/")
        for size in range(min(len(parts) - 1, _DEEPEST), 0, -1):
            if hook := self._hooks.get("/" + "/".join(parts[-size:])):
                return hook
        return self._hooks.get("/")

    def deliveries(self) -> list[Delivery]:
        """Return all kept deliveries, also those of unknown paths and malformed requests, in order of arrival."""
        return self._log.deliveries()

    def wait_for(self, predicate: Callable[[Delivery], bool], deadline_s: float, count: int = 1) -> list[Delivery]:
        """Return the deliveries that satisfy the predicate, also earlier ones, when there are `count` of them.

        After `deadline_s` seconds, or when the receiver stops, return those that are there. Raises Interrupted.
        """
        return self._log.wait_for(predicate, deadline_s, count)

    def interrupt(self) -> None:
        """End every wait for a delivery with Interrupted."""
        self._log.interrupt()

    @property
    def handshake_failures(self) -> list[str]:
        """The reasons of failed TLS handshakes with senders, in order; at most 1,000."""
        return self._log.handshake_failures

    @property
    def losses(self) -> list[str]:
        """What the receiver lost because of its limits, in words; empty if it lost nothing."""
        return self._log.losses

    def probe(self) -> str | None:
        """Send a request to the public address. Return None if it arrives unchanged, else the problem in words.

        A certificate made for the run is trusted only on a loopback address, since no sender elsewhere could trust it.
        This takes at most about 10 s and leaves no delivery.
        """
        host = urlsplit(self.url).hostname or ""
        trusted = self.certificate if is_loopback(host) else None
        return self._probe.run(self.url, probe_tls(trusted=trusted))

    def _take(self, request: ReceivedRequest, received: float) -> Reply:
        """Keep a request as a delivery and return the reply to it."""
        if not request.refusal and request.target.endswith(self._probe.path):
            return Reply(_OK, body=self._probe.answer(request.body))
        hook = self.hook_of(request.target)
        asked = Delivery(
            id=next(self._ids),
            path=request.target,
            method=request.method,
            received=received,
            headers=request.headers,
            body=request.body,
            api=hook.api if hook else None,
            recorder=self.recorder,
        )
        delivery, delay_s = _decide(hook, request, asked)
        try:
            self._on_delivery(delivery)
        except OSError as error:
            delivery = replace(delivery, answered=_FAILED, fault=f"not recorded: {error}")
        self._log.add(delivery)
        return Reply(delivery.answered, delay_s, delivery=delivery)


def _decide(hook: ReceiverPath | None, request: ReceivedRequest, asked: Delivery) -> tuple[Delivery, float]:
    """Return the delivery with its response and its fault, and the delay of the response in seconds."""
    if request.refusal:
        return replace(asked, answered=request.refusal.status, fault=request.refusal.fault), 0
    if hook is None:
        return replace(asked, answered=_NOT_FOUND, fault="unknown path"), 0
    try:
        due = hook.behaviour(asked)
    except Exception as error:  # noqa: BLE001 - `when` is code of a test: its mistake must not lose the delivery
        return replace(asked, answered=_FAILED, fault=f"the test's function for the response raised {error!r}"), 0
    return replace(asked, answered=None if due.close else due.status, fault=due.fault), due.delay_s


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
