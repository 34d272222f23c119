"""Mutants of PAY-EVT: the HTTP request that carries an event."""

import uuid
from typing import Any

from pix_conformance.reference.outbox import Written
from pix_conformance.reference.payments import PaymentsRules


class RetryOfAnotherId(PaymentsRules):
    """An event that is sent again has a new id."""

    breaks = ("PAY-EVT-21",)
    group = "events"

    def write_event(self, attempt: int, payload: dict[str, Any], secret: str | None) -> Written:
        """Make one for each attempt."""
        return super().write_event(attempt, payload | {"id": str(uuid.uuid4())}, secret)


class RetryWithAttempt(PaymentsRules):
    """An event that is sent again tells the number of the attempt in its body."""

    breaks = ("PAY-EVT-21",)
    group = "events"

    def write_event(self, attempt: int, payload: dict[str, Any], secret: str | None) -> Written:
        """Number the attempts."""
        return super().write_event(attempt, payload | ({"attempt": attempt} if attempt > 1 else {}), secret)


class EventsByPut(PaymentsRules):
    """Events are sent by PUT."""

    breaks = ("PAY-EVT-30",)
    group = "events"
    event_method = "PUT"


class EventOfList(PaymentsRules):
    """The body of an event is an array of events."""

    breaks = ("PAY-EVT-31",)
    group = "events"

    def encode_event(self, payload: dict[str, Any]) -> bytes:
        """Put it into an array."""
        return b"[" + super().encode_event(payload) + b"]"


class EventAsForm(PaymentsRules):
    """The body of an event is a JSON text in quotes: encoded twice."""

    breaks = ("PAY-EVT-31",)
    group = "events"

    def encode_event(self, payload: dict[str, Any]) -> bytes:
        """Encode the text again."""
        text = super().encode_event(payload).decode()
        return ('"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"').encode()


class EventLabelledForm(PaymentsRules):
    """Events are labelled as a form."""

    breaks = ("PAY-EVT-32",)
    group = "events"
    event_content_type = "application/x-www-form-urlencoded"


class EventLabelledText(PaymentsRules):
    """Events are labelled text/plain."""

    breaks = ("PAY-EVT-32",)
    group = "events"
    event_content_type = "text/plain; charset=utf-8"


class EventOfLibrary(PaymentsRules):
    """Events name the library that sends them as User-Agent."""

    breaks = ("PAY-EVT-33",)
    group = "events"
    event_user_agent = "python-requests/2.32"


class EventOfVersion(PaymentsRules):
    """Events say a version behind the name in User-Agent."""

    breaks = ("PAY-EVT-33",)
    group = "events"
    event_user_agent = "Service/1.0"


class EventInSmallLetters(PaymentsRules):
    """Events write the User-Agent in small letters."""

    breaks = ("PAY-EVT-33",)
    group = "events"
    event_user_agent = "service"
