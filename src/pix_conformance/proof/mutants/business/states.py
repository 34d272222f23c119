"""Mutants of BUS-STATE, the statuses of a charge."""

import asyncio
from collections.abc import Callable
from typing import Any

from pix_conformance.proof.difference import changes_result, mutant, setting
from pix_conformance.proof.mutants.guards import in_status, on
from pix_conformance.proof.mutants.operators.idempotency import id_in, on_replay
from pix_conformance.proof.mutants.operators.responses import in_response
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
TESTED_WITH_PENDING = (
    *("BUS-STATE-02", "BUS-AUTH-10", "BUS-AUTH-11", "BUS-CHG-44", "BUS-IDEM-03", "BUS-ISO-03", "BUS-ISO-05"),
    *("BUS-LIST-02", "BUS-PAY-10"),
)
"""Other requirements whose tests need a charge that is pending."""


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


def post_twice(rules: Any, charge: Row) -> None:
    BusinessRules.capture(rules, charge)
    BusinessRules.capture(rules, charge)


def paid_anew(rules: Any, charge: Row) -> Answer:
    other = {"end_to_end_id": formats.end_to_end_id(rules.clock.now())}
    return Answer(200, rules.charge_view(None, charge | other))


def expire_if_overdue(rules: Any, charge: Row, *_: Any) -> Row:
    if rules.is_overdue(charge):
        becomes("expired")(rules, charge)
        return charge | {"status": "expired"}
    return charge


def make_pending(rules: Any, charge: Row, *_: Any) -> Row:
    becomes("pending")(rules, charge)
    return charge | {"status": "pending"}


def make_paid_pending(rules: Any, answer: Answer, call: Call) -> Answer:
    rules.store.update("business_charge", {"status": "pending"}, id=call.params["id"], status="paid")
    return answer


def reopen(rules: Any, number: str) -> None:
    again = {"status": "pending", "expires_at": rules.clock.now() + rules.default_expiry}
    rules.store.update("business_charge", again, id=number, status="expired")


def debit_canceled(rules: Any, answer: Answer, call: Call) -> Answer:
    credit(rules, rules.owned(call), -1)
    return answer


def capture_if_expired(rules: Any, found: Row, _: Call, charge: Row) -> Row:
    if found["status"] == "expired":
        rules.capture(charge)
    return found


MUTANTS = {
    "BUS-STATE-01": {
        "shown-in-capitals": shows_status("pending", "PENDING").also(*TESTED_WITH_PENDING),
        "created-as-paid": in_response("create_charge", "status", "paid")
            .also("BUS-CHG-44", "BUS-IDEM-05", "BUS-LIST-07"),
    },
    "BUS-STATE-02": {
        "paid-shown-as-settled": shows_status("paid", "settled").when(on("get_charge")).also("BUS-PAY-01"),
        "canceled-shown-as-cancelled": shows_status("canceled", "cancelled").also("BUS-CAN-01"),
        "expired-shown-as-timed-out": shows_status("expired", "timed_out").also("BUS-EXP-01"),
    },
    "BUS-STATE-03": {
        "canceled-by-refused-cancel": acts_though_refused(
            "A cancel is refused, and the charge becomes canceled", "cancel_charge", "state", becomes("canceled"))
            .when(in_status("paid")),
        "pending-by-refused-pay": acts_though_refused(
            "A pay is refused, and the charge becomes pending", "pay_charge", "state", becomes("pending"))
            .when(in_status("paid")),
        "refunded-by-refused-cancel": acts_though_refused(
            "A cancel is refused, and the payment posted back", "cancel_charge", "state", refund)
            .when(in_status("paid")),
        "pending-after-query": changes_result(
            "A paid charge becomes pending once a query has shown it.", get_charge=make_paid_pending),
        "expires-when-paid-again": changes_result(
            "A charge after its expires_at becomes expired", owned=expire_if_overdue)
            .when(on("pay_charge"), in_status("paid")).of("time"),
        "expires-when-canceled": changes_result(
            "A charge after its expires_at becomes expired", owned=expire_if_overdue)
            .when(on("cancel_charge"), in_status("paid")).of("time"),
    },
    "BUS-STATE-04": {
        "payable": setting("A canceled charge can be paid.", payable=("pending", "canceled")),
        "paid-by-refused-pay": acts_though_refused(
            "A pay is refused, and the charge becomes paid", "pay_charge", "state", becomes("paid"))
            .when(in_status("canceled")).also("BUS-STATE-07"),
        "pending-by-refused-cancel": acts_though_refused(
            "A cancel is refused, and the charge becomes pending", "cancel_charge", "state", becomes("pending"))
            .when(in_status("canceled")).also("BUS-CAN-05", "BUS-EVT-19"),
        "credited-by-refused-pay": acts_though_refused(
            "A pay is refused, and raises the balance", "pay_charge", "state", credit).when(in_status("canceled")),
        "expires-when-paid": changes_result("A charge after its expires_at becomes expired", owned=expire_if_overdue)
            .when(on("pay_charge"), in_status("canceled")).of("time"),
        "debited-by-cancel": changes_result(
            "A cancel lowers the balance by the amount, which was never paid.", cancel_charge=debit_canceled),
    },
    "BUS-STATE-05": {
        "payable": setting("An expired charge can be paid.", payable=("pending", "expired")).also("BUS-EXP-02"),
        "paid-by-refused-pay": acts_though_refused(
            "A pay is refused, and the charge becomes paid", "pay_charge", "state", becomes("paid"))
            .when(in_status("expired")).also("BUS-EXP-02"),
        "canceled-by-refused-cancel": acts_though_refused(
            "A cancel is refused, and the charge becomes canceled", "cancel_charge", "state", becomes("canceled"))
            .when(in_status("expired")),
        "credited-by-refused-pay": acts_though_refused(
            "A pay is refused, and raises the balance", "pay_charge", "state", credit)
            .when(in_status("expired")).also("BUS-EXP-02"),
        "reopened-by-refused-pay": acts_though_refused(
            "A pay is refused, and the charge becomes pending for another hour", "pay_charge", "state",
            lambda rules, charge: reopen(rules, charge["id"])).when(in_status("expired")).also("BUS-EXP-02").of("time"),
        "reopened-by-replay": on_replay(
            "A replay makes its expired charge pending for another hour.",
            lambda rules, _, earlier: reopen(rules, id_in(earlier))).of("idempotency"),
        "pending-after-next-query": changes_result(
            "An expired charge becomes pending by the next query",
            expire_if_overdue=make_pending).when(in_status("expired"))
            .of("time"),
        "captured-when-detected": changes_result(
            "The query that detects the expiry of a charge posts its payment", expire_if_overdue=capture_if_expired)
            .when(on("get_charge"), in_status("pending")),
    },
    "BUS-STATE-06": {
        "credited-twice": changes_result(
            "A payment raises the balance by twice its amount, and is posted once.",
            available=lambda _, cents, _access: 2 * cents),
        "posted-twice": setting("A payment is posted twice.", capture=post_twice),
    },
    "BUS-STATE-08": {
        "payable": setting("A paid charge can be paid again.", payable=("pending", "paid"))
            .also("BUS-STATE-06", "BUS-EVT-19", "BUS-EVT-14"),
        "credited-by-refused-pay": acts_though_refused(
            "A pay is refused, and raises the balance", "pay_charge", "state", credit).when(in_status("paid")),
        "event-of-refused-pay": acts_though_refused(
            "A pay is refused, and sends a paid event", "pay_charge", "state",
            lambda rules, charge: rules.emit("business.pix.paid", charge))
            .when(in_status("paid")).also("BUS-STATE-06", "BUS-EVT-19"),
        "another-e2e-id-by-refused-pay": acts_though_refused(
            "A pay is refused, and gives the charge another e2e_id", "pay_charge", "state",
            lambda rules, charge: rules.store.update("business_charge", rules.paid_changes(charge), id=charge["id"]))
            .when(in_status("paid")).also("BUS-STATE-06"),
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


@mutant("BUS-STATE-04/credited-by-creation")
class CreditedByCreation(BusinessRules):
    """The balance rises when a charge is created, and not when it is paid."""

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        row = super().new_charge(access, read)
        credit(self, row)
        return row

    def capture(self, charge: Row) -> None:
        super().capture(charge)
        credit(self, charge, -1)


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
