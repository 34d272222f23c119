"""Time that must pass. Real targets are waited for; the embedded reference's clock is turned by its private pipe."""

from __future__ import annotations

import time
from collections.abc import Callable

from pix_conformance.checks.outcomes import NotApplicable
from pix_conformance.harness.interruptible_wait import Waits

NEAR_S = 3.0
"""Something sent before a turn may arrive that long after it."""


class Clock:
    """Knows how old a thing is for the target."""

    def __init__(
        self, turn: Callable[[float], None] | None, *, waits: Waits | None, on_turn: Callable[[], None]
    ) -> None:
        """`turn` moves the target's clock by seconds; without it real time must pass, where there are `waits`."""
        self._turn, self._waits, self._on_turn = turn, waits, on_turn
        self.turned = 0.0
        self._turns: list[tuple[float, float, float]] = []
        """Begin and end of each turn, in epoch seconds of this machine, and by how many seconds."""

    def now(self) -> float:
        """The target's time as far as we know it, in epoch seconds of this machine's clock."""
        return time.time() + self.turned

    def at(self, moment: float) -> float | None:
        """Return what the target's clock said at a moment (epoch seconds) of this machine; None near a turn."""
        if not self.ran_freely(moment - NEAR_S, moment):
            return None
        return moment + sum(seconds for begun, _, seconds in self._turns if begun <= moment)

    def ran_freely(self, begin: float, end: float) -> bool:
        """Whether the clock was not turned between two moments (epoch seconds of this machine)."""
        return not any(begin <= ended and begun <= end for begun, ended, _ in self._turns)

    @property
    def turns(self) -> list[tuple[float, float]]:
        """Each turn: when it began, in epoch seconds of this machine, and by how many seconds."""
        return [(begun, seconds) for begun, _, seconds in self._turns]

    @property
    def turnable(self) -> bool:
        """Whether the target's clock can be turned; otherwise only real time passes."""
        return self._turn is not None

    @property
    def passes(self) -> bool:
        """Whether anything may be waited for (--no-waiting)."""
        return self.turnable or self._waits is not None

    def skip(self, seconds: float) -> bool:
        """Turn the target's clock; False if it cannot be."""
        if self._turn is None:
            return False
        begun = time.time()
        self._turn(seconds)
        self._turns.append((begun, time.time(), seconds))
        self.turned += seconds
        self._on_turn()
        return True

    def wait_until_aged(self, born: float, age: float) -> float:
        """Return once a thing born at `born` (epoch seconds) has that age in seconds, and its true age then."""
        missing = born + age - self.now()
        if missing > 0 and self._turn is not None:
            self.skip(missing)
        elif missing > 0:
            if self._waits is None:
                raise NotApplicable("--no-waiting: what must age for a minute was left out")
            self._waits.announce(f"what this run created to be {age:.0f} s old", missing)
            self._waits.pause(missing)
        return self.now() - born
