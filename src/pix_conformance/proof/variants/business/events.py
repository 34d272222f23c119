"""Conforming variants where BUS-EVT is silent: events."""

from __future__ import annotations

from datetime import datetime
from email.utils import format_datetime
from typing import Any
from zlib import crc32

from pix_conformance.proof.variants.common.deliveries import streamed
from pix_conformance.proof.variants.common.mixing import mixed
from pix_conformance.proof.variants.common.responses import NamesTheCharset, NumbersAttempts
from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.outbox import Written
from pix_conformance.reference.store import Row


class LabelsByItself(BusinessRules):
    """What stands for the label of a charge without one is not shown: a reference that the service makes."""

    def event_data(self, event: str, row: Row) -> dict[str, Any]:
        """Make one."""
        label = row["external_ref"] or f"ref-{crc32(row['id'].encode())}"
        return super().event_data(event, row) | {"external_ref": label}


class BusinessNullWhileUnknown(BusinessRules):
    """What stands for data that does not exist yet is not shown: null."""

    def absent_in_event(self, name: str) -> Any:  # alike for all
        """Say null."""
        return None


class BusinessAbsentWhileUnknown(BusinessRules):
    """What stands for data that does not exist yet is not shown: nothing at all."""

    def event_data(self, event: str, row: Row) -> dict[str, Any]:
        """Leave out what is unknown."""
        return {k: v for k, v in super().event_data(event, row).items() if v not in (None, "")}


class BusinessLabelsById(BusinessRules):
    """What stands for the label of a charge without one is not shown: its id."""

    def event_data(self, event: str, row: Row) -> dict[str, Any]:
        """Put the id there."""
        return super().event_data(event, row) | {"external_ref": row["external_ref"] or row["id"]}


class TellsOfProduction(BusinessRules):
    """One endpoint is configured for the integration (business.md, line 143): that of both environments."""

    def should_emit(self, event: str, row: Row) -> bool:
        """Tell of either."""
        return super().should_emit(event, row | {"environment": "sandbox"})


class VerifiesItsEndpoint(BusinessRules):
    """That nothing else comes to the endpoint is not said: before the first event an unsigned challenge."""

    def send_event(self, url: str, payload: dict[str, Any]) -> None:
        """Ask once."""
        if not self.__dict__.setdefault("asked", False):
            self.__dict__["asked"] = True
            super().send_event(url, {"type": "endpoint.verification", "challenge": "abc"})
        super().send_event(url, payload)

    def event_headers(self, body: bytes) -> dict[str, str]:
        """Leave the challenge unsigned."""
        found = super().event_headers(body)
        return {"Content-Type": self.event_content_type} if b'"challenge"' in body else found


class BusinessBalanceEvent(BusinessRules):
    """That there are no further events is not said: one tells of the balance."""

    def emit(self, event: str, row: Row) -> None:
        """Follow each payment by one more."""
        super().emit(event, row)
        if event == "business.pix.paid":
            super().emit("business.balance.updated", row)


class BusinessExpiryEvent(BusinessRules):
    """Each state change sends an event, though none is listed for expiry."""

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Tell of an expiry as well."""
        claimed = super().claim_charge(charge, changes)
        if claimed and changes.get("status") == "expired":
            with self.store.transaction():
                self.emit("business.pix.expired", charge | changes)
        return claimed


class DatesEvents(BusinessRules):
    """The form of an event's created_at is not named (business.md, line 153): that of mails."""

    def send_event(self, url: str, payload: dict[str, Any]) -> None:
        """Write it in that form."""
        moment = datetime.fromisoformat(payload["created_at"])
        super().send_event(url, payload | {"created_at": format_datetime(moment)})


class CountsEvents(BusinessRules):
    """The id of an event is a string, of whatever form: a number, from one on."""

    def event_id(self, event: str, row: Row) -> str:
        """Give the next."""
        del event, row
        self.__dict__["told"] = self.__dict__.get("told", 0) + 1
        return str(self.__dict__["told"])


class StampsOfCharges(BusinessRules):
    """Of what the timestamp of an event is, is not said (business.md, line 153): of the charge."""

    def event_payload(self, event: str, row: Row) -> dict[str, Any]:
        """Show when that was created."""
        return super().event_payload(event, row) | {"created_at": self.moment(row["created_at"])}


class BusinessStreams(BusinessRules):
    """How a POST travels is not shown: in chunks, header names in small letters, a connection each."""

    def write_event(self, attempt: int, payload: dict[str, Any]) -> Written:
        """Give the body in two pieces."""
        return streamed(*super().write_event(attempt, payload))


class BusinessExtraFields(BusinessRules):
    """A payload may carry more than the documented fields."""

    def event_payload(self, event: str, row: Row) -> dict[str, Any]:
        """Add a version and the charge's id."""
        return {**super().event_payload(event, row), "version": 2, "charge_id": row["id"]}


VARIANTS = [
    Variant(
        "business-event-unknown",
        ("BUS-EVT-15", "BUS-EVT-16"),
        {
            "null": BusinessNullWhileUnknown,
            "absent": BusinessAbsentWhileUnknown,
            "id": BusinessLabelsById,
            "own": LabelsByItself,
        },
    ),
    Variant("business-endpoint", ("BUS-EVT-17",), {"of-both": TellsOfProduction, "verified": VerifiesItsEndpoint}),
    Variant("business-expiry-event", ("BUS-EVT-17",), {"sent": BusinessExpiryEvent}),
    Variant("business-further-events", ("BUS-EVT-17",), {"balance": BusinessBalanceEvent}),
    Variant("business-event-times", ("BUS-EVT-21",), {"mail": DatesEvents}),
    mixed(__name__, "business-attempts", ("BUS-EVT-22",), told=NumbersAttempts),
    mixed(__name__, "business-event-media", ("BUS-EVT-22",), charset=NamesTheCharset),
    Variant("business-event-ids", ("BUS-EVT-22",), {"counted": CountsEvents}),
    Variant("business-event-stamps", ("BUS-EVT-22",), {"of-charges": StampsOfCharges}),
    Variant("business-event-wire", ("BUS-EVT-22",), {"streamed": BusinessStreams}),
    Variant("business-event-fields", ("BUS-EVT-22",), {"extra": BusinessExtraFields}),
]
