"""Mutants of BUS-STATE, the statuses of a charge."""

import asyncio
from collections.abc import Callable
from typing import Any

from pix_conformance.proof.difference import changes_result, mutant, setting
from pix_conformance.proof.mutants.guards import in_status, on
from pix_conformance.proof.mutants.operators.states import acts_though_refused, shows_status
from pix_conformance.reference import formats
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.business.errors import owner_of
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.store import Row

GROUP = "state"
OPEN_S = 0.3
"""Seconds between looking at a charge and changing it: other requests come meanwhile."""


def becomes(status: str) -> Callable[[Any, Row], object]:
    return lambda rules, charge: rules.store.update("business_charge", {"status": status}, id=charge["id"])


def credit(rules: Any, charge: Row, share: int = 1) -> None:
    """Raise the balance by the amount of a charge, and post nothing."""
    key = {"book": rules.book(owner_of(charge)), "account_code": "merchant_available"}
    held = rules.balance_of(owner_of(charge), "merchant_available")
    rules.store.put("balance", key | {"amount": held + share * charge["amount"]})


def refund(rules: Any, charge: Row) -> None:
    entries = ("merchant_available", DEBIT, charge["amount"]), ("psp_clearing", CREDIT, charge["amount"])
    rules.post(owner_of(charge), "refund.reversal", "canceled", *entries)


def paid_anew(rules: Any, charge: Row) -> Answer:
    other = {"end_to_end_id": formats.end_to_end_id(rules.clock.now())}
    return Answer(200, rules.charge_view(None, charge | other))


def expire_if_overdue(rules: Any, charge: Row, *_: Any) -> Row:
    if rules.is_overdue(charge):
        becomes("expired")(rules, charge)
        return charge | {"status": "expired"}
    return charge


def make_paid_pending(rules: Any, answer: Answer, call: Call) -> Answer:
    rules.store.update("business_charge", {"status": "pending"}, id=call.params["id"], status="paid")
    return answer


def debit_canceled(rules: Any, answer: Answer, call: Call) -> Answer:
    credit(rules, rules.owned(call), -1)
    return answer


def capture_if_expired(rules: Any, found: Row, _: Call, charge: Row) -> Row:
    if found["status"] == "expired":
        rules.capture(charge)
    return found


MUTANTS = {
    "BUS-STATE-02": {"expired-shown-as-timed-out": shows_status("expired", "timed_out").also("BUS-EXP-01")},
    "BUS-STATE-03": {
        "refunded-by-refused-cancel": acts_though_refused(
            "A cancel is refused, and the payment posted back", "cancel_charge", "state", refund)
            .when(in_status("paid")),
        "pending-after-query": changes_result(
            "A paid charge becomes pending once a query has shown it.", get_charge=make_paid_pending),
        "expires-when-paid-again": changes_result(
            "A charge after its expires_at becomes expired", owned=expire_if_overdue)
            .when(on("pay_charge"), in_status("paid")).of("time"),
    },
    "BUS-STATE-04": {
        "expires-when-paid": changes_result("A charge after its expires_at becomes expired", owned=expire_if_overdue)
            .when(on("pay_charge"), in_status("canceled")).of("time"),
        "debited-by-cancel": changes_result(
            "A cancel lowers the balance by the amount, which was never paid.", cancel_charge=debit_canceled),
    },
    "BUS-STATE-05": {
        "payable": setting("An expired charge can be paid.", payable=("pending", "expired")).also("BUS-EXP-02"),
        "canceled-by-refused-cancel": acts_though_refused(
            "A cancel is refused, and the charge becomes canceled", "cancel_charge", "state", becomes("canceled"))
            .when(in_status("expired")),
        "captured-when-detected": changes_result(
            "The query that detects the expiry of a charge posts its payment", expire_if_overdue=capture_if_expired)
            .when(on("get_charge"), in_status("pending")),
    },
    "BUS-STATE-06": {"credited-twice": changes_result(
            "A payment raises the balance by twice its amount, and is posted once.",
            available=lambda _, cents, _access: 2 * cents)},
    "BUS-STATE-08": {
        "payable": setting("A paid charge can be paid again.", payable=("pending", "paid"))
            .also("BUS-STATE-06", "BUS-EVT-19", "BUS-EVT-14"),
        "credited-by-refused-pay": acts_though_refused(
            "A pay is refused, and raises the balance", "pay_charge", "state", credit).when(in_status("paid")),
        "second-pay-returns-another-e2e-id": acts_though_refused(
            "A pay returns 200 and another e2e_id, which no query shows", "pay_charge", "state", paid_anew)
            .when(in_status("paid")),
    },
}  # fmt: skip


@mutant("BUS-STATE-01/set-by-body")
class SetByBody(BusinessRules):
    """A creation that names a status creates a charge of that status."""

    def read_charge(self, body: Any) -> dict[str, Any]:
        sent = body.get("status") if isinstance(body, dict) else None
        return super().read_charge(body) | ({"status": sent} if isinstance(sent, str) else {})

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        return super().new_charge(access, read) | ({"status": read["status"]} if "status" in read else {})


class LooksEarly(BusinessRules):
    """Waits between its look at the charge and the change."""

    async def pause(self, call: Call, place: str) -> None:
        await super().pause(call, place)
        await asyncio.sleep(OPEN_S if place in {"pay", "cancel"} else 0)


@mutant("BUS-STATE-06/pay-overwrites", "BUS-STATE-07", group="concurrency")
class PayOverwrites(LooksEarly):
    """A pay succeeds after a simultaneous pay or cancel, and overwrites it."""

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        paid = changes["status"] == "paid"
        done = paid and self.store.update("business_charge", changes, id=charge["id"]) == 1
        return done or super().claim_charge(charge, changes)


@mutant("BUS-STATE-07/cancel-overwrites", group="concurrency")
class CancelOverwrites(LooksEarly):
    """A cancel succeeds after a simultaneous pay, and overwrites it."""

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        canceled = changes["status"] == "canceled"
        done = canceled and self.store.update("business_charge", changes, id=charge["id"]) == 1
        return done or super().claim_charge(charge, changes)


@mutant("BUS-STATE-06/each-pay-sends-event", group="concurrency")
class EachPaySendsEvent(LooksEarly):
    """Simultaneous pays all succeed, are posted once, and send an event each."""

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        claimed = super().claim_charge(charge, changes)
        now = self.store.find("business_charge", id=charge["id"])
        return claimed or bool(now and now["status"] == changes["status"] == "paid")

    def capture(self, charge: Row) -> None:
        if not self.store.find("posting", description=f"PIX charge {charge['id']}"):
            super().capture(charge)


@mutant("BUS-STATE-06/last-pay-gives-e2e-id", group="concurrency")
class LastPayGivesE2eId(PayOverwrites):
    """Simultaneous pays all succeed, are posted and sent once, and the last one gives the e2e_id."""

    def capture(self, charge: Row) -> None:
        if not self.store.find("posting", description=f"PIX charge {charge['id']}"):
            super().capture(charge)

    def emit(self, event: str, row: Row) -> None:
        sent: set[tuple[str, str]] = self.__dict__.setdefault("sent", set())
        if (event, row["id"]) not in sent:
            super().emit(event, row)
        sent.add((event, row["id"]))
