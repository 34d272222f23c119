"""Deferred tests: objects that must age are created when the run starts and judged after the last ordinary test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import pytest

from pix_conformance.checks.outcomes import Inconclusive, NotApplicable
from pix_conformance.harness.clock import Clock

T = TypeVar("T")
LATE_S = 4.0
"""Seconds by which a timely object may be older than its test asks for."""


def _no_client(name: str) -> Any:
    raise Inconclusive(f"{name} was not there at the start of this run")


@dataclass
class Prepared(Generic[T]):
    """An object created at the start of the run. `make` takes the clients by their fixture names."""

    make: Callable[..., T]
    needs: tuple[str, ...]
    module: str
    clients: Callable[[str], Any] = _no_client
    _made: list[tuple[T, float]] = field(default_factory=list)
    _failure: Inconclusive | NotApplicable | None = None

    def create(self, clients: Callable[[str], Any]) -> None:
        """Create the object. An exception is stored and raised when a test asks for the object."""
        self._made.clear()
        self._failure, self.clients = None, clients
        try:
            made = self.make(*(clients(name) for name in self.needs))
        except (Inconclusive, NotApplicable) as why:
            self._failure = why
        else:
            self._made.append((made, self._clock.now()))

    @property
    def _clock(self) -> Clock:
        found: Clock = self.clients("clock")
        return found

    @property
    def is_created(self) -> bool:
        """Whether the object was created in this run."""
        return bool(self._made)

    def _made_at(self) -> tuple[T, float]:
        """Return the object and its time of creation; raise the stored exception if it was not created."""
        if self._failure is not None:
            raise self._failure
        if not self._made:
            raise Inconclusive("the object of this deferred test was not created at the start of this run")
        return self._made[0]


@dataclass
class PreparedEarly(Prepared[T]):
    """An object created at the start of the run whose age does not change the expected answer."""

    def value(self) -> T:
        """Return the object; raise the stored exception if it was not created."""
        return self._made_at()[0]


@dataclass
class PreparedToAge(Prepared[T]):
    """An object created at session start and used after it has aged; a test gets it at a stated age only.

    If `timely`, it is created again when the run is late, because its test checks an expiry time.
    """

    timely: bool = False
    is_asked: bool = False

    def create(self, clients: Callable[[str], Any]) -> None:
        """Create the object; no test has asked for it yet."""
        super().create(clients)
        self.is_asked = False

    def after_age(self, seconds: float) -> T:
        """Return the object once it is that old: wait, or turn the reference's clock. NotApplicable if neither."""
        if self.timely:
            self._renew_what_is_late(seconds)
        made, born = self._made_at()
        self._clock.wait_until_aged(born, seconds)
        return made

    def _renew_what_is_late(self, seconds: float) -> None:
        """Create all timely objects again if the first one that a test asks for is too old; once a run."""
        timely, clock = (
            [one for one in PREPARED if isinstance(one, PreparedToAge) and one.timely and one.is_created],
            self._clock,
        )
        late = self.is_created and clock.now() - self._made_at()[1] > seconds + LATE_S
        if late and clock.passes and not any(one.is_asked for one in timely):
            for one in timely:
                one.create(one.clients)
        self.is_asked = True


PREPARED: list[Prepared[Any]] = []


def prepare(*needs: str, timely: bool = False) -> Callable[[Callable[..., T]], PreparedToAge[T]]:
    """Have a function called when the run starts, with these fixtures: the object that it returns must age."""

    def register(make: Callable[..., T]) -> PreparedToAge[T]:
        one = PreparedToAge(make, needs, make.__module__, timely=timely)
        PREPARED.append(one)
        return one

    return register


def prepare_early(*needs: str) -> Callable[[Callable[..., T]], PreparedEarly[T]]:
    """Have a function called when the run starts, with these fixtures: the object that it returns may have any age."""

    def register(make: Callable[..., T]) -> PreparedEarly[T]:
        one = PreparedEarly(make, needs, make.__module__)
        PREPARED.append(one)
        return one

    return register


def deferred(after: float = 0) -> pytest.MarkDecorator:
    """Mark a test that runs after the last ordinary one; tests with a smaller age go first."""
    return pytest.mark.deferred(after)
