"""The webhook receiver: gives out paths, chooses the response to each request, and keeps the deliveries."""

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from secrets import token_hex
from threading import Lock
from typing import Self
from urllib.parse import urlsplit

from pix_conformance.model.delivery import HOOKS, Delivery
from pix_conformance.model.reach import NotArrived
from pix_conformance.model.target import is_loopback
from pix_conformance.model.vocabulary import RunningTest
from pix_conformance.receiver.certificates import probe_tls
from pix_conformance.receiver.connection import ConnectionContext, Reply
from pix_conformance.receiver.http import Limits, ReceivedRequest
from pix_conformance.receiver.listening_port import ListeningPort, Port
from pix_conformance.receiver.log import DeliveryLog
from pix_conformance.receiver.probe import Probe

_LOWEST_STATUS, _HIGHEST_STATUS = 200, 599
_OK, _NOT_FOUND, _FAILED = 200, 404, 500
_DEEPEST = 8  # segments of a path


@dataclass(frozen=True)
class Behaviour:
    """The response to one delivery: a status from 200 to 599 after a delay in seconds, or a closed connection."""

    status: int = 200
    delay_s: float = 0
    close: bool = False

    def __post_init__(self) -> None:
        """Raise ValueError for a status that is not final (RFC 9110, section 15)."""
        if not _LOWEST_STATUS <= self.status <= _HIGHEST_STATUS:
            raise ValueError(f"{self.status} is not a final status")

    @property
    def fault(self) -> str | None:
        """The `fault` of a delivery that is answered in this way; None for a plain response."""
        if self.close:
            return "closed"
        return "slow" if self.delay_s else None


PLAIN = Behaviour()


class ReceiverPath:
    """One path of a receiver. A relay may put a prefix before it: only the end of a request's path is compared."""

    def __init__(self, receiver: "Receiver", path: str, api: str | None) -> None:
        """Called by `Receiver.new_path` and `Receiver.at`."""
        self._receiver = receiver
        self._plans: list[tuple[Callable[[Delivery], bool], deque[Behaviour]]] = []
        self._lock = Lock()
        self.path = path
        self.api = api

    @property
    def url(self) -> str:
        """The public address of this path."""
        return self._receiver.url + self.path

    def answer_next(self, *behaviours: Behaviour, when: Callable[[Delivery], bool] = lambda _: True) -> None:
        """Answer the next deliveries (that satisfy `when`) with these behaviours, one each; then with 200 again."""
        with self._lock:
            self._plans.append((when, deque(behaviours)))

    def behaviour(self, delivery: Delivery) -> Behaviour:
        """Remove and return the behaviour for this delivery."""
        with self._lock:
            for when, left in self._plans:
                if left and when(delivery):
                    return left.popleft()
        return PLAIN

    def took(self, delivery: Delivery) -> bool:
        """Return whether the delivery was sent to this path."""
        return self._receiver.path_of(delivery.path) is self

    def deliveries(self) -> list[Delivery]:
        """Return the deliveries of this path, in order of arrival."""
        log = self._receiver.log
        return log.deliveries_to(path for path in log.paths if self._receiver.path_of(path) is self)

    def wait_for(self, predicate: Callable[[Delivery], bool], deadline_s: float, count: int = 1) -> list[Delivery]:
        """Return this path's deliveries that satisfy the predicate, when there are `count` or at the deadline."""
        return self._receiver.wait_for(lambda delivery: self.took(delivery) and predicate(delivery), deadline_s, count)


class Receiver:
    """One receiver of all webhooks of a process."""

    def __init__(
        self,
        port: Port | None = None,
        *,
        limits: Limits | None = None,
        on_delivery: Callable[[Delivery], None] = lambda _: None,
    ) -> None:
        """Take where the requests come from, a free port of this machine if it is not said; `start` begins to receive.

        `on_delivery`, which only `pix-receiver` gives, is called in the connection's thread with each delivery before
        the response is sent; if it raises OSError, the response is 500. In a run `log.write` makes a fact of each
        delivery.
        """
        self.port = port or ListeningPort()
        limits = limits or Limits()
        self.log = DeliveryLog(limits)
        """What came and what was lost, and the waits for more."""
        self._context = ConnectionContext(self._take, self.log, limits)
        self._on_delivery = on_delivery
        self.current_test: RunningTest | None = None
        """The test that runs, which is to know what is expected of the deliveries."""
        self._paths: dict[str, ReceiverPath] = {}
        self._probe = Probe(self.port.mark)
        self.numbers: Iterator[int] = count(1)
        """The ids of further deliveries."""
        self.busy_until = 0.0
        """Time (epoch seconds) until which a response is delayed: a target that sends one event at a time can deliver
        no other before."""

    def start(self) -> Self:
        """Receive. Raises OSError if the port cannot be used."""
        self.port.open(self._context)
        return self

    def stop(self) -> None:
        """Close the port and end its threads. The deliveries can still be read."""
        self.log.close()
        self.port.close()

    __enter__ = start

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """The public address without a final slash."""
        return self.port.url

    @property
    def listening_url(self) -> str:
        """The address of the socket itself. Raises RuntimeError before a free port was chosen."""
        return self.port.listening_url

    def new_path(self, name: str = "", *, answers: Sequence[Behaviour] = (), api: str | None = None) -> ReceiverPath:
        """Return a new random path. Its first deliveries are answered with `answers`, one each, the others with 200.

        The path ends in upper and lower case characters: a sender must not change their case.
        """
        label = re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
        receiver_path = self.at(f"{HOOKS}{self.port.mark}{label}{'-' if label else ''}{token_hex(12)}Pix", api=api)
        receiver_path.answer_next(*answers)
        return receiver_path

    def at(self, path: str, *, api: str | None = None) -> ReceiverPath:
        """Return the path `path`, the same object each time. `/` receives what no other path receives."""
        if not path.startswith("/") or path.count("/") > _DEEPEST:
            raise ValueError(f"{path!r} is not a path of at most {_DEEPEST} segments")
        return self._paths.setdefault(path, ReceiverPath(self, path, api))

    def path_of(self, target: str) -> ReceiverPath | None:
        """Return the path with which the request target ends; the longest if there are several."""
        if whole := self._paths.get(target):
            return whole
        parts = target.partition("?")[0].split("/")
        for size in range(min(len(parts) - 1, _DEEPEST), 0, -1):
            if receiver_path := self._paths.get("/" + "/".join(parts[-size:])):
                return receiver_path
        return self._paths.get("/")

    def deliveries(self) -> list[Delivery]:
        """Return all kept deliveries, also those of unknown paths and malformed requests, in order of arrival."""
        return self.log.deliveries()

    def wait_for(
        self, predicate: Callable[[Delivery], bool], deadline_s: float, count: int = 1, since: float = 0.0
    ) -> list[Delivery]:
        """Return the deliveries that satisfy the predicate, also earlier ones, when there are `count` of them.

        After `deadline_s` seconds, or when the receiver stops, return those that are there. Raises Interrupted.
        Those that were received before `since` (epoch seconds) are not looked at.
        """
        return self.log.wait_for(predicate, deadline_s, count, since)

    def probe(self, seconds: float = 5.0) -> NotArrived | None:
        """Send a request to the public address. Return None if it arrives unchanged, else what came in its place.

        A certificate made for the run is trusted only on a loopback address, since no sender elsewhere could trust it.
        This takes at most about twice `seconds` and leaves no delivery.
        """
        host = urlsplit(self.url).hostname or ""
        trusted = self.port.certificate if is_loopback(host) else None
        return self._probe.run(self.url, probe_tls(trusted=trusted), seconds)

    def _take(self, request: ReceivedRequest, received: float) -> Reply:
        """Keep a request as a delivery and return the reply to it."""
        if not request.refusal and request.target.endswith(self._probe.path):
            return Reply(_OK, body=self._probe.answer(request.body))
        receiver_path = self.path_of(request.target)
        asked = Delivery(
            id=next(self.numbers),
            path=request.target,
            method=request.method,
            received=received,
            headers=request.headers,
            body=request.body,
            api=receiver_path.api if receiver_path else None,
            sender=request.sender or None,
            current_test=self.current_test,
        )
        delivery, delay_s = _decide(receiver_path, request, asked)
        try:
            self._on_delivery(delivery)
        except OSError as error:
            delivery = replace(delivery, answered=_FAILED, fault=f"not recorded: {error}")
        self.log.add(delivery)
        return Reply(delivery.answered, delay_s, delivery=delivery.id)


def _decide(receiver_path: ReceiverPath | None, request: ReceivedRequest, asked: Delivery) -> tuple[Delivery, float]:
    """Return the delivery with its response and its fault, and the delay of the response in seconds."""
    if request.refusal:
        return replace(asked, answered=request.refusal.status, fault=request.refusal.fault), 0
    if receiver_path is None:
        return replace(asked, answered=_NOT_FOUND, fault="unknown path"), 0
    try:
        due = receiver_path.behaviour(asked)
    except Exception as error:  # noqa: BLE001 - `when` is code of a test: its mistake must not lose the delivery
        return replace(asked, answered=_FAILED, fault=f"the test's function for the response raised {error!r}"), 0
    return replace(asked, answered=None if due.close else due.status, fault=due.fault), due.delay_s
