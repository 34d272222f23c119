"""How a run waits: until it is interrupted, and with a word to what shows its progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pix_conformance.harness.interruption import Interruption


@dataclass
class Waits:
    """The waits of one run."""

    interruption: Interruption = field(default_factory=Interruption)
    on_wait: Callable[[str, float, bool], None] | None = None
    """Called before a wait: what is waited for, for how many seconds, and whether it may come before."""

    def pause(self, seconds: float) -> None:
        """Wait so long; raises Interrupted as soon as the run is interrupted."""
        self.interruption.pause(seconds)

    def announce(self, what: str, seconds: float, *, at_most: bool = False) -> None:
        """Say what the run waits for now, and for how many seconds, or until it comes."""
        if self.on_wait and seconds > 0:
            self.on_wait(what, seconds, at_most)
