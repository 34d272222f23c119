"""Transitions of business charges: cancel and simulated payment (BUS-CAN, BUS-PAY)."""

from typing import Any, ClassVar

from pix_conformance.reference import formats
from pix_conformance.reference.business.charges import ChargeRules
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.http import route
from pix_conformance.reference.ledger import CREDIT, DEBIT, LedgerRules
from pix_conformance.reference.store import Row, owner_of


class TransitionRules(ChargeRules, LedgerRules):
    """A pending charge becomes paid or canceled, only one of them and only once."""

    ledger_prefix = "business"
    payable: ClassVar[tuple[str, ...]] = ("pending",)
    cancelable: ClassVar[tuple[str, ...]] = ("pending",)

    @route("POST", "/v1/business/pix-charges/{id}/cancel")
    async def cancel_charge(self, call: Call) -> Answer:
        """POST /v1/business/pix-charges/{id}/cancel."""
        charge = self.expire_if_overdue(call, self.owned(call))
        if not self.may_cancel(charge):
            raise self.not_possible(call, charge)
        await self.pause(call, "cancel")
        with self.store.transaction():
            if not self.claim_charge(charge, {"status": "canceled"}):
                raise self.not_possible(call, charge)
            canceled = self.store.find("business_charge", id=charge["id"]) or charge
            self.emit("business.pix.canceled", canceled)
        return Answer(200, self.cancel_view(call, canceled))

    @route("POST", "/v1/business/pix-charges/{id}/pay")
    async def pay_charge(self, call: Call) -> Answer:
        """POST /v1/business/pix-charges/{id}/pay."""
        if not self.may_simulate(call.access):
            raise Refusal("forbidden", "payment simulation is not available in production")
        charge = self.expire_if_overdue(call, self.owned(call))
        if not self.may_pay(charge):
            raise self.not_possible(call, charge)
        await self.pause(call, "pay")
        with self.store.transaction():
            if not self.claim_charge(charge, self.paid_changes(charge)):
                raise self.not_possible(call, charge)
            paid = self.store.find("business_charge", id=charge["id"]) or charge
            self.capture(paid)
            self.emit("business.pix.paid", paid)
        return Answer(200, self.pay_view(call, paid))

    def may_simulate(self, access: Access) -> bool:
        """Return whether the environment allows simulated payments: only the sandbox does."""
        return access.is_sandbox

    def may_pay(self, charge: Row) -> bool:
        """Return whether the status allows a payment."""
        return charge["status"] in self.payable

    def may_cancel(self, charge: Row) -> bool:
        """Return whether the status allows a cancel."""
        return charge["status"] in self.cancelable

    def not_possible(self, call: Call, charge: Row) -> Refusal:
        """Return the refusal of a transition from another status than pending."""
        del call
        now = self.store.find("business_charge", id=charge["id"]) or charge
        return Refusal("state", f"charge is {now['status']}, not pending")

    def paid_changes(self, charge: Row) -> Row:
        """Return the columns that a payment changes."""
        del charge
        return {"status": "paid", "end_to_end_id": formats.end_to_end_id(self.clock.now(), self.state.random)}

    def capture_fee(self, amount: int) -> int:
        """Return the fee of a payment in cents: none."""
        del amount
        return 0

    def capture(self, charge: Row) -> None:
        """Write the ledger posting of a payment."""
        fee = self.capture_fee(charge["amount"])
        self.post(
            owner_of(charge),
            "payment.captured",
            f"PIX charge {charge['id']}",
            ("psp_clearing", DEBIT, charge["amount"]),
            ("merchant_available", CREDIT, charge["amount"] - fee),
            ("service_fees", CREDIT, fee),
        )

    def cancel_view(self, call: Call, charge: Row) -> Any:
        """Return the body of a cancel: the charge."""
        return self.charge_view(call, charge)

    def pay_view(self, call: Call, charge: Row) -> Any:
        """Return the body of a simulated payment: the charge."""
        return self.charge_view(call, charge)
