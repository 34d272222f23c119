"""Freedoms of what comes to a receiver, of both APIs: fractions, skewed clocks, chunks, several events of a change."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

from pix_conformance.proof.variants.registry import Freedom
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.outbox import Written
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.payments.ownership import owner_of
from pix_conformance.reference.store import Row

SKEW_S = 75
STEPS = ("pending_analysis", "queued", "processing", "banking_processing")
STEP_S = 0.15
MORE = {"transaction_paid": "transaction_updated", "transfer_completed": "transfer_updated"}


class PaymentsFractions(PaymentsRules):
    """The unit of the signed timestamp is not shown (payments.md, line 338): seconds with decimals."""

    def event_timestamp(self) -> str:
        """Count milliseconds behind the point."""
        return f"{self.clock.now():.3f}"


class BusinessFractions(BusinessRules):
    """An epoch may have decimals (business.md, line 157)."""

    def event_timestamp(self) -> str:
        """Count milliseconds behind the point."""
        return f"{self.clock.now():.3f}"


class PaymentsAhead(PaymentsRules):
    """No clock is said to be that of the client: a minute and more ahead."""

    def moment(self, epoch: float) -> str:
        """Write what its clock shows."""
        return super().moment(epoch + SKEW_S)

    def event_timestamp(self) -> str:
        """Sign what its clock shows."""
        return str(int(self.clock.now() + SKEW_S))


class BusinessBehind(BusinessRules):
    """No clock is said to be that of the client: a minute and more behind."""

    def moment(self, epoch: float) -> str:
        """Write what its clock shows."""
        return super().moment(epoch - SKEW_S)

    def event_timestamp(self) -> str:
        """Sign what its clock shows."""
        return str(int(self.clock.now() - SKEW_S))


class PaymentsStreams(PaymentsRules):
    """How a POST travels is not shown: in chunks, header names in small letters, a connection each."""

    def write_event(self, attempt: int, payload: dict[str, Any], secret: str | None) -> Written:
        """Give the body in two pieces."""
        return _streamed(*super().write_event(attempt, payload, secret))


class BusinessStreams(BusinessRules):
    """How a POST travels is not shown: in chunks, header names in small letters, a connection each."""

    def write_event(self, attempt: int, payload: dict[str, Any]) -> Written:
        """Give the body in two pieces."""
        return _streamed(*super().write_event(attempt, payload))


def _streamed(body: bytes, headers: dict[str, str]) -> Written:
    small = {name.lower(): value for name, value in headers.items()}
    chunks: Any = [body[:10], body[10:]]
    return chunks, small | {"connection": "close", "accept": "*/*"}


class TellsUpdatesToo(PaymentsRules):
    """A payment and a completion update a status as well (payments.md, lines 323 and 326): two events of one change."""

    def emit(self, event: str, kind: str, row: Row) -> None:
        """Send the update too."""
        super().emit(event, kind, row)
        if event in MORE:
            super().emit(MORE[event], kind, row)


class ApprovesInSteps(PaymentsRules):
    """Which statuses the approval passes through is not shown: four, each told by an event."""

    async def approve(self, transfer: Row) -> None:
        """Take one step after the other."""
        for status in STEPS:
            await asyncio.sleep(STEP_S)
            with self.store.transaction():
                changes = {"status": status, "updated_at": self.clock.now()}
                if not self.claim_transfer(transfer, changes):
                    return
                transfer = transfer | changes
                self.emit("transfer_updated", "transfer", transfer)


class OnceForEachAddress(PaymentsRules):
    """Each registered URL is sent an event (payments.md, line 316): once, however often it is registered."""

    def send_event(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        """Leave out the second webhook of a URL, and a postback to it."""
        hooks = {hook["url"]: hook for hook in reversed(self.listeners(event, owner_of(row)))}
        for url, hook in hooks.items():
            self.send_letter(url, payload, hook)
        if row["postback_url"] and row["postback_url"] not in hooks and self.posts_back(event, row):
            self.send_letter(row["postback_url"], payload, None)


class NumbersDeliveries(PaymentsRules):
    """The id of a payload is called a UUID without saying of what: of the delivery."""

    def send_letter(self, url: str, payload: dict[str, Any], hook: Row | None) -> None:
        """Give each webhook's delivery its own."""
        super().send_letter(url, payload | {"id": str(uuid.uuid4()).upper()}, hook)


class PaidByAnother(PaymentsRules):
    """Who pays need not be the customer (payments.md, line 353): a simulated payer, the document masked."""

    def event_payer(self, row: Row) -> dict[str, Any]:
        """Name the one who paid."""
        del row
        return {"name": "Pagador Simulado", "document": "***.456.789-**"}


class OneSecretForAll(PaymentsRules):
    """Whether each webhook has a secret of its own is not shown: all have one."""

    def new_secret(self) -> str | None:
        """Make it once."""
        secret: str | None = self.__dict__.setdefault("secret_of_all", super().new_secret())
        return secret


FREEDOMS = [
    Freedom("payments-event-fractions", ("PAY-SIG-06",), {"thousandths": PaymentsFractions}),
    Freedom("business-event-fractions", ("BUS-SIG-05",), {"thousandths": BusinessFractions}),
    Freedom("payments-skew", ("PAY-SIG-06",), {"ahead": PaymentsAhead}),
    Freedom("business-skew", ("BUS-SIG-04",), {"behind": BusinessBehind}),
    Freedom("payments-event-wire", ("PAY-EVT-58",), {"streamed": PaymentsStreams}),
    Freedom("business-event-wire", ("BUS-EVT-22",), {"streamed": BusinessStreams}),
    Freedom("payments-more-events", ("PAY-EVT-10",), {"updates": TellsUpdatesToo}),
    Freedom("payments-steps", ("PAY-TRF-40",), {"four": ApprovesInSteps}),
    Freedom("payments-addresses-told", ("PAY-WH-13",), {"once": OnceForEachAddress}),
    Freedom("payments-delivery-ids", ("PAY-EVT-59",), {"each": NumbersDeliveries}),
    Freedom("payments-payer", ("PAY-EVT-58",), {"another": PaidByAnother}),
    Freedom("payments-one-secret", ("PAY-WH-56",), {"all": OneSecretForAll}),
]
