"""What must age is planted when the run starts and harvested after the last ordinary test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import pytest

from pix_conformance.checks.outcomes import Inconclusive, NotApplicable
from pix_conformance.harness.clock import Clock

T = TypeVar("T")
LATE_S = 4.0
"""How much older than it should be a thing may be that shows when exactly something ends."""


def _nobody(name: str) -> Any:
    raise Inconclusive(f"{name} was not there at the start of this run")


@dataclass
class Prepared(Generic[T]):
    """Something made at the start of the run. `make` takes the clients by their fixture names."""

    make: Callable[..., T]
    needs: tuple[str, ...]
    module: str
    clients: Callable[[str], Any] = _nobody
    _made: list[tuple[T, float]] = field(default_factory=list)
    _why: Inconclusive | NotApplicable | None = None

    def sow(self, clients: Callable[[str], Any]) -> None:
        """Make it now; what stood in the way is raised when a test asks for it."""
        self._made.clear()
        self._why, self.clients = None, clients
        try:
            made = self.make(*(clients(name) for name in self.needs))
        except (Inconclusive, NotApplicable) as why:
            self._why = why
        else:
            self._made.append((made, self._clock.now()))

    @property
    def _clock(self) -> Clock:
        found: Clock = self.clients("clock")
        return found

    @property
    def sown(self) -> bool:
        """Whether it was made in this run."""
        return bool(self._made)

    def _taken(self) -> tuple[T, float]:
        """Return what was made, and when; raises what stood in the way."""
        if self._why is not None:
            raise self._why
        if not self._made:
            raise Inconclusive("it was not planted at the start of this run")
        return self._made[0]


@dataclass
class Early(Prepared[T]):
    """Something made at the start of the run whose age decides nothing: a question about it has one right answer."""

    def made(self) -> T:
        """Return it; raises what stood in the way."""
        return self._taken()[0]


@dataclass
class Planted(Prepared[T]):
    """Something that must age. A test can have it at an age only, so that no test relies on another one's waiting.

    What is `timely` shows when something ends: a run that took longer makes it again before it asks.
    """

    timely: bool = False
    asked: bool = False

    def sow(self, clients: Callable[[str], Any]) -> None:
        """Make it now, asked for by no test yet."""
        super().sow(clients)
        self.asked = False

    def aged(self, seconds: float) -> T:
        """Return it once it is that old; waits, or turns the embedded reference's clock. NotApplicable if neither."""
        if self.timely:
            self._renew_what_is_late(seconds)
        made, born = self._taken()
        self._clock.wait_until_aged(born, seconds)
        return made

    def _renew_what_is_late(self, seconds: float) -> None:
        """Make all that is timely again if the first of it that is asked for is too old; once a run."""
        timely, clock = (
            [one for one in FIELD if isinstance(one, Planted) and one.timely and one.sown],
            self._clock,
        )
        late = self.sown and clock.now() - self._taken()[1] > seconds + LATE_S
        if late and clock.passes and not any(one.asked for one in timely):
            for one in timely:
                one.sow(one.clients)
        self.asked = True


FIELD: list[Prepared[Any]] = []


def plant(*needs: str, timely: bool = False) -> Callable[[Callable[..., T]], Planted[T]]:
    """Have a function called when the run starts, with the clients of these fixture names: what it makes must age."""

    def planted(make: Callable[..., T]) -> Planted[T]:
        one = Planted(make, needs, make.__module__, timely=timely)
        FIELD.append(one)
        return one

    return planted


def make_early(*needs: str) -> Callable[[Callable[..., T]], Early[T]]:
    """Have a function called when the run starts, with the clients of these fixture names, whatever age it reaches."""

    def early(make: Callable[..., T]) -> Early[T]:
        one = Early(make, needs, make.__module__)
        FIELD.append(one)
        return one

    return early


def harvest(after: float = 0) -> pytest.MarkDecorator:
    """Mark a test that runs after the last ordinary one; of several, the one with the smaller age goes first."""
    return pytest.mark.harvest(after)
