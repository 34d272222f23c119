"""How long to wait for the events of one API, and for none."""

from dataclasses import dataclass

SHORTEST_SILENCE_S = 0.5
LONGEST_STRETCH = 3
"""The event deadline is stretched up to this factor if earlier events were slow, as on a busy machine."""


@dataclass
class EventTiming:
    """What earlier events say about later ones."""

    configured: float
    """The deadline of an event that the user configured, in seconds."""
    slowest: float = 0.0
    """Seconds of the slowest event so far that a test waited for."""
    quiet_since: float = 0.0
    """When the last exchange ended that must not cause an event, epoch seconds."""

    @property
    def deadline(self) -> float:
        """Seconds within which an event must arrive: as configured, more if earlier events were slow."""
        return max(self.configured, min(LONGEST_STRETCH * self.configured, 2 * self.slowest + 1))

    @property
    def quiet_seconds(self) -> float:
        """Seconds after which an event counts as not sent: 2 * slowest + 1, at most the configured deadline."""
        return max(SHORTEST_SILENCE_S, min(self.configured, 2 * self.slowest + 1))

    def note(self, seconds: float) -> None:
        """Note that an event came so many seconds after its cause."""
        self.slowest = max(self.slowest, seconds)
