"""The target's clock. A real target's time must pass; the embedded reference's clock is advanced by a private pipe."""

import time
from collections.abc import Callable

from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.outcomes import NotApplicable
from pix_conformance.model.why import Why


class Clock:
    """Tells how old an object is by the target's clock."""

    def __init__(
        self, turn: Callable[[float], None] | None, *, waits: Waits | None, on_turn: Callable[[], None]
    ) -> None:
        """`turn` advances the target's clock by seconds.

        Without it real time must pass; `waits` None forbids waiting.
        """
        self._turn, self._waits, self._on_turn = turn, waits, on_turn
        self.turned = 0.0
        self._turns: list[tuple[float, float, float]] = []
        """For each advance: its begin and end in epoch seconds of this machine, and its length in seconds."""

    def now(self) -> float:
        """Return the target's time in epoch seconds, if its clock was right at the start."""
        return time.time() + self.turned

    def at(self, moment: float) -> float:
        """Return the target's time at `moment`; both in epoch seconds, `moment` by the clock of this machine."""
        return moment + sum(seconds for begun, _, seconds in self._turns if begun <= moment)

    def ran_freely(self, begin: float, end: float) -> bool:
        """Return whether the clock was not advanced between two times (epoch seconds of this machine)."""
        return not any(begin <= ended and begun <= end for begun, ended, _ in self._turns)

    @property
    def turns(self) -> list[tuple[float, float]]:
        """For each advance: its begin in epoch seconds of this machine, and its length in seconds."""
        return [(begun, seconds) for begun, _, seconds in self._turns]

    @property
    def turnable(self) -> bool:
        """Whether the target's clock can be advanced; otherwise only real time passes."""
        return self._turn is not None

    @property
    def passes(self) -> bool:
        """Whether a test may let time pass (no with --no-waiting)."""
        return self.turnable or self._waits is not None

    def skip(self, seconds: float) -> bool:
        """Advance the target's clock; return False if that is not possible."""
        if self._turn is None:
            return False
        begun = time.time()
        self._turn(seconds)
        self._turns.append((begun, time.time(), seconds))
        self.turned += seconds
        self._on_turn()
        return True

    def wait_until_aged(self, born: float, age: float) -> float:
        """Wait until an object created at `born` (epoch seconds) is `age` seconds old; return its true age in seconds.

        Raises NotApplicable with --no-waiting, and Inconclusive if the test could not be asked after the wait.
        """
        missing = born + age - self.now()
        if missing > 0 and self._turn is not None:
            self.skip(missing)
        elif missing > 0:
            if self._waits is None:
                raise NotApplicable("--no-waiting: this test needs an object that is a minute old", Why.CAPABILITY)
            self._waits.before_ageing()
            self._waits.announce(f"objects of this run to be {age:.0f} s old", missing)
            self._waits.pause(missing)
        return self.now() - born
