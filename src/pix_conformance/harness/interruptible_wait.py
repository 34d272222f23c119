"""The waits of a run. A signal ends each of them, and the progress bar shows what is waited for."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pix_conformance.harness.interruption import Interruption

LONGEST_PAUSE_S = 5.0
"""Seconds after which a wait shows the progress."""


@dataclass
class Waits:
    """The waits of one run."""

    interruption: Interruption = field(default_factory=Interruption)
    on_wait: Callable[[str, float, bool], None] | None = None
    """Called before a wait with its reason, its length in seconds, and whether it may end earlier."""
    on_progress: Callable[[], None] = lambda: None
    """Called after each exchange, and now and then during a wait."""
    before_ageing: Callable[[], None] = lambda: None
    """Called before a test waits for its objects to be old enough; may end the test, where it would wait in vain."""
    pollers: dict[str, Any] = field(default_factory=dict)
    """The pollers of the run, by what they wait for: each remembers whether a wait was in vain."""

    def pause(self, seconds: float) -> None:
        """Wait for that many seconds. Raises Interrupted as soon as the run is interrupted."""
        ends = time.monotonic() + seconds
        self.interruption.pause(min(seconds, LONGEST_PAUSE_S))
        while (left := ends - time.monotonic()) > 0:
            self.on_progress()
            self.interruption.pause(min(left, LONGEST_PAUSE_S))

    def announce(self, what: str, seconds: float, *, at_most: bool = False) -> None:
        """Show the reason and the length in seconds of the next wait. `at_most`: an event may end it earlier."""
        if self.on_wait and seconds > 0:
            self.on_wait(what, seconds, at_most)
