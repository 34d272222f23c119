"""Mutants of the business charge API that are wrong after a request that was cut, around an expiry or a repetition."""

from typing import Any

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.outbox import Written
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.mutants.operators import *

GROUP = "network"
LATE_S, AROUND_S = 0.8, 0.5
"""Seconds after which a worker comes that does something late; seconds around expires_at."""


def open_and_roll_back(rules: Any, right: Any, call: Call, read: dict[str, Any]) -> Answer:
    answer: Answer = right(call, read)
    rules.store.delete("business_charge", id=answer.body["id"])
    return answer


def become_pending(rules: Any, call: Call) -> None:
    rules.store.update("business_charge", {"status": "pending"}, id=call.params["id"])


def written_now(rules: Any, right: Any, attempt: int, payload: dict[str, Any]) -> Written:
    """Write a repeated attempt with the data that the charge has then."""
    ref = payload["data"]["external_ref"]
    row = rules.store.find("business_charge", external_ref=ref) if ref and attempt > 1 else None
    written: Written = right(attempt, payload | ({"data": rules.event_data(payload["type"], row)} if row else {}))
    return written


MUTANTS = {
    "BUS-CHG-64/rolled-back-but-for-its-key": if_request_breaks(
        "A charge whose connection is broken is rolled back, but for its key.",
        "create_charge", open_charge=open_and_roll_back),
    "BUS-CHG-58/stale-response-after-a-cut": answers_stale("create_charge"),
    "BUS-IDEM-01/pieces-of-a-body-decoded": decodes_pieces(),
    "BUS-STATE-03/undone-late-when-cut": if_response_breaks(
        "A payment whose response cannot be sent is undone 0.8 s later.",
        "pay_charge", some_time_later(LATE_S, become_pending)),
    "BUS-STATE-04/undone-late-when-cut": if_response_breaks(
        "A cancel whose response cannot be sent is undone 0.8 s later.",
        "cancel_charge", some_time_later(LATE_S, become_pending)),
    "BUS-RETRY-09/repeated-with-the-present-data": overrides(
        "An event that is sent again has the data of its charge as they are then.", write_event=written_now)
        .of("events"),
}  # fmt: skip


@mutant("BUS-STATE-03/expiry-overwrites-last-payment", group="concurrency")
class ExpiryOverwritesLastPayment(BusinessRules):
    """The expiry reads a charge half a second before its expires_at, and overwrites a payment that comes meanwhile."""

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        if changes["status"] == "paid" and 0 < charge["expires_at"] - self.clock.now() < AROUND_S:
            self.__dict__.setdefault("read", set()).add(charge["id"])
        return super().claim_charge(charge, changes)

    def owned(self, call: Call) -> Row:
        charge = super().owned(call)
        if charge["id"] in self.__dict__.get("read", ()) and self.is_overdue(charge):
            self.store.update("business_charge", {"status": "expired"}, id=charge["id"])
            return charge | {"status": "expired"}
        return charge


@mutant("BUS-STATE-17/captured-at-its-expiry", group="concurrency")
class CapturedAtItsExpiry(BusinessRules):
    """A payment within half a second after expires_at is refused, and captured all the same."""

    async def pay_charge(self, call: Call) -> Answer:
        charge = self.owned(call)
        if charge["status"] == "pending" and 0 <= self.clock.now() - charge["expires_at"] < AROUND_S:
            self.capture(charge)
        return await super().pay_charge(call)
