"""Mutants of BUS-RETRY: retries of deliveries."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.business.events import CANCELED, PAID, Attempts
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.outbox import WebhookRequest, Written

UNAVAILABLE = 503
TOO_MANY = 429


globals().update(
    family(__name__, "time", BusinessRules, {
        "BusOneAttempt": ("Events are attempted once.", "BUS-RETRY-01 BUS-RETRY-06", {"event_attempts": 1}),
        "BusAnythingIsDelivered": (
            "Any answer counts, also a 500.", "BUS-RETRY-01", {"is_delivered": lambda _rules, _status: True},
        ),
        "BusNineAttempts": ("Events are attempted nine times.", "BUS-RETRY-02", {"event_attempts": 9}),
        "BusEndlessAttempts": ("Events are attempted without end.", "BUS-RETRY-02", {"event_attempts": 1000}),
        "BusSteadyRetries": ("The pauses do not grow.", "BUS-RETRY-03", {"event_backoff_factor": 1.0}),
        "BusQuickerRetries": ("The pauses shrink.", "BUS-RETRY-03, seen in BUS-LIST-02", {"event_backoff_factor": 0.7}),
        "BusLazyRetries": ("The pauses grow by half.", "BUS-RETRY-03", {"event_backoff_factor": 1.5}),
        "BusSteepRetries": ("The pauses grow fivefold.", "BUS-RETRY-03", {"event_backoff_factor": 5.0}),
        "BusLinearRetries": (
            "The pauses grow by the same time each.",
            "BUS-RETRY-03",
            {"retry_seconds": lambda rules, failures: rules.event_first_retry_seconds * failures},
        ),
        "BusRetriesUncapped": (
            "The pauses double beyond five minutes.",
            "BUS-RETRY-04, seen in BUS-LIST-02",
            {"event_first_retry_seconds": 16.0, "event_longest_retry_seconds": 1e9},
        ),
        "BusRetriesCappedAtAnHour": (
            "The pauses are capped at an hour.",
            "BUS-RETRY-04, seen in BUS-LIST-02",
            {"event_first_retry_seconds": 16.0, "event_longest_retry_seconds": 3600.0},
        ),
        "BusWaitsAMinute": ("A silent receiver has a minute.", "BUS-RETRY-05", {"event_timeout_seconds": 60.0}),
        "BusWaitsThreeSeconds": (
            "A silent receiver has three seconds.", "BUS-RETRY-05", {"event_timeout_seconds": 3.0},
        ),
        "BusOnly200IsDelivered": (
            "Only 200 counts as delivered: a 202 or 204 is tried again.",
            "BUS-RETRY-08 BUS-RETRY-13",
            {"is_delivered": lambda _rules, status: status == 200},
        ),
    })
)  # fmt: skip


class BusUnavailableIsDelivered(BusinessRules):
    """An event that is answered 503 is not sent again."""

    group = "events"
    breaks = ("BUS-RETRY-01",)

    def is_delivered(self, status: int) -> bool:
        """Take it for an answer."""
        return super().is_delivered(status) or status == UNAVAILABLE


class BusClientErrorIsFinal(BusinessRules):
    """An event that is answered 404, or any 4xx, is given up."""

    group = "events"
    breaks = ("BUS-RETRY-01",)

    def is_delivered(self, status: int) -> bool:
        """Stop there."""
        return super().is_delivered(status) or status in range(400, 500)


class BusRedirectIsDelivered(BusinessRules):
    """An event that is answered below 400 counts as delivered, as many an HTTP client's ok has it."""

    group = "events"
    breaks = ("BUS-RETRY-01",)

    def is_delivered(self, status: int) -> bool:
        """Take all but errors."""
        return super().is_delivered(status) or status in range(300, 400)


class BusBusyIsFinal(BusinessRules):
    """An event that is answered 429 is given up."""

    group = "events"
    breaks = ("BUS-RETRY-01",)

    def is_delivered(self, status: int) -> bool:
        """Stop there."""
        return super().is_delivered(status) or status == TOO_MANY


class GivesUp(BusinessRules):
    """Attempts one event once."""

    event: ClassVar[str] = ""

    def send_event(self, url: str, payload: dict[str, Any]) -> None:
        """Allow no more for it."""
        usual = self.event_attempts
        self.event_attempts = 1 if payload["type"] == self.event else usual
        super().send_event(url, payload)
        self.event_attempts = usual


globals().update(
    family(__name__, "events", GivesUp, {
        "BusPaidAttemptedOnce": ("A paid event is attempted once.", "BUS-RETRY-01", {"event": PAID}),
        "BusCanceledAttemptedOnce": ("A canceled event is attempted once.", "BUS-RETRY-01", {"event": CANCELED}),
    })
)  # fmt: skip


class BusSilenceIsDelivery(BusinessRules):
    """A call that is given up for its silence is not attempted again."""

    group = "time"
    breaks = ("BUS-RETRY-06",)

    def send_event(self, url: str, payload: dict[str, Any]) -> None:
        """Go on only after an answer."""
        answered = [True]

        async def pause(attempt: int) -> bool:
            await self.wait_to_send(attempt)
            return answered[0]

        def write(attempt: int) -> Written:
            answered[0] = False
            return self.write_event(attempt, payload)

        def accepts(status: int) -> bool:
            answered[0] = True
            return self.is_delivered(status)

        self.world.outbox.send(
            WebhookRequest(url, pause, write, accepts, self.event_attempts, self.event_timeout_seconds)
        )


globals().update(
    family(__name__, "events", Attempts, {
        "BusRetriesRenamed": (
            "Each attempt has an event id of its own.",
            "BUS-RETRY-07",
            {"change": staticmethod(lambda attempt, body: body | {"id": f"{body['id']}{attempt}"})},
        ),
        "BusRetriesWithoutData": (
            "From the second attempt on the amount is 0.",
            "BUS-RETRY-09 BUS-EVT-12",
            {"change": staticmethod(lambda _, body: body | {"data": body["data"] | {"amount_cents": 0}})},
        ),
        "BusRetriesOtherType": (
            "From the second attempt on every event is a paid one.",
            "BUS-RETRY-09 BUS-EVT-06",
            {"change": staticmethod(lambda _, body: body | {"type": "business.pix.paid"})},
        ),
        "BusRetriesWithoutRef": (
            "From the second attempt on the external_ref is empty.",
            "BUS-RETRY-09 BUS-EVT-13",
            {"change": staticmethod(lambda _, body: body | {"data": body["data"] | {"external_ref": ""}})},
        ),
    })
)  # fmt: skip


globals().update(
    family(__name__, "events", BusinessRules, {
        "BusEventsTwice": (
            "Each event is sent twice, though the receiver took it.", "BUS-RETRY-08", {"event_copies": 2},
        ),
    })
)  # fmt: skip
