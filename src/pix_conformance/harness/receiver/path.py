"""A path of the receiver: what it answers, and what came to it."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Protocol

from pix_conformance.model.delivery import Delivery

_LOWEST_STATUS, _HIGHEST_STATUS = 200, 599


@dataclass(frozen=True)
class Behaviour:
    """What one delivery gets: a status from 200 to 599 after a delay in seconds, or a closed connection."""

    status: int = 200
    delay_s: float = 0
    close: bool = False

    def __post_init__(self) -> None:
        """Refuse what HTTP cannot say as a final answer: ValueError."""
        if not _LOWEST_STATUS <= self.status <= _HIGHEST_STATUS:
            raise ValueError(f"{self.status} is not a final status")

    @property
    def fault(self) -> str | None:
        """How a delivery so treated is marked; None for a plain answer."""
        if self.close:
            return "closed"
        return "slow" if self.delay_s else None


PLAIN = Behaviour()


class Owner(Protocol):
    """The receiver that a path belongs to."""

    @property
    def url(self) -> str:
        """Its public address."""

    def hook_of(self, target: str) -> "ReceiverPath | None":
        """Find the path that a request went to."""

    def deliveries(self) -> list[Delivery]:
        """Return what came to any path."""

    def wait_for(self, predicate: Callable[[Delivery], bool], deadline_s: float, count: int = 1) -> list[Delivery]:
        """Return the deliveries that satisfy: when there are `count`, or after the deadline."""


class ReceiverPath:
    """One path of a receiver, known by the end of a delivery's path, whatever a relay puts before it."""

    def __init__(self, receiver: Owner, path: str, api: str | None) -> None:
        """Made by `Receiver.hook` and `Receiver.at`."""
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
        """Give each of the next deliveries (that satisfy `when`) one behaviour, then answer 200 again."""
        with self._lock:
            self._plans.append((when, deque(behaviours)))

    def behaviour(self, delivery: Delivery) -> Behaviour:
        """Take the behaviour that is due for this delivery."""
        with self._lock:
            for when, left in self._plans:
                if left and when(delivery):
                    return left.popleft()
        return PLAIN

    def took(self, delivery: Delivery) -> bool:
        """Whether the delivery came to this path."""
        return self._receiver.hook_of(delivery.path) is self

    def deliveries(self) -> list[Delivery]:
        """Return what came to this path, in order of arrival."""
        return [delivery for delivery in self._receiver.deliveries() if self.took(delivery)]

    def wait_for(self, predicate: Callable[[Delivery], bool], deadline_s: float, count: int = 1) -> list[Delivery]:
        """Return this path's deliveries that satisfy: when there are `count`, or after the deadline."""
        return self._receiver.wait_for(lambda delivery: self.took(delivery) and predicate(delivery), deadline_s, count)
