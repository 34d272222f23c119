"""One path of the receiver: its responses and its deliveries."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Protocol

from pix_conformance.model.delivery import Delivery

_LOWEST_STATUS, _HIGHEST_STATUS = 200, 599


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


class Owner(Protocol):
    """The receiver to which a path belongs."""

    @property
    def url(self) -> str:
        """The public address of the receiver."""

    def hook_of(self, target: str) -> "ReceiverPath | None":
        """Return the path to which a request was sent."""

    def deliveries(self) -> list[Delivery]:
        """Return the deliveries of all paths."""

    def wait_for(self, predicate: Callable[[Delivery], bool], deadline_s: float, count: int = 1) -> list[Delivery]:
        """Return the deliveries that satisfy the predicate, when there are `count` or at the deadline (seconds)."""


class ReceiverPath:
    """One path of a receiver. A relay may put a prefix before it: only the end of a request's path is compared."""

    def __init__(self, receiver: Owner, path: str, api: str | None) -> None:
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
        fits = self.path == "/" or delivery.path.partition("?")[0].endswith(self.path)
        return fits and self._receiver.hook_of(delivery.path) is self

    def deliveries(self) -> list[Delivery]:
        """Return the deliveries of this path, in order of arrival."""
        return [delivery for delivery in self._receiver.deliveries() if self.took(delivery)]

    def wait_for(self, predicate: Callable[[Delivery], bool], deadline_s: float, count: int = 1) -> list[Delivery]:
        """Return this path's deliveries that satisfy the predicate, when there are `count` or at the deadline."""
        return self._receiver.wait_for(lambda delivery: self.took(delivery) and predicate(delivery), deadline_s, count)
