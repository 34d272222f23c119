"""Rules of a sandbox that sends no event, for runs whose suite makes all events."""

from pix_conformance.reference.payments.events import EventRules
from pix_conformance.reference.store import Row


class WithoutEvents(EventRules):
    """The payments API, whose addresses for events may be registered and get nothing."""

    def should_emit(self, event: str, row: Row) -> bool:
        """Return that no event is sent."""
        del event, row
        return False
