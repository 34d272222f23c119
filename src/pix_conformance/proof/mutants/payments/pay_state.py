"""Mutants of PAY-PAYS: the state of a charge before and after its payment."""

import asyncio
from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.payments.charges import RemembersCharges
from pix_conformance.proof.mutants.operators.payments.time import OLD
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

OFTEN = 3


class LargePaymentUnrecorded(RemembersCharges):
    """The pay of a charge of 1,000.00 or more is answered right, and nothing recorded."""

    breaks = ("PAY-PAYS-11",)
    group = "state"

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show the status of its creation."""
        return super().charge_view(call, charge) | ({"status": "pending"} if self.means(charge) else {})


class PaidCanceledLater(PaymentsRules):
    """What cancels old charges does not look whether they are paid."""

    breaks = ("PAY-PAYS-11",)
    seen_in = ("PAY-PAYS-01",)
    group = "time"

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Cancel it by its age."""
        old = charge["status"] == "paid" and self.clock.now() - charge["created_at"] > OLD
        return super().charge_view(call, charge) | ({"status": "canceled"} if old else {})


class DescribedShownPending(PaymentsRules):
    """A charge with a description is shown as pending after its payment."""

    breaks = ("PAY-PAYS-11",)
    group = "state"

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show the status of its creation."""
        return super().charge_view(call, charge) | ({"status": "pending"} if charge["description"] else {})


class PayWithoutRecord(PaymentsRules):
    """A pay is answered right, and nothing recorded."""

    breaks = ("PAY-PAYS-11",)
    group = "state"

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Forget it once it is answered."""
        before = {name: charge[name] for name in changes}
        self.store.after_commit(lambda: self.store.update("payments_charge", before, id=charge["id"]))
        return super().claim_charge(charge, changes)


class PayRecordedAsCanceled(PaymentsRules):
    """A pay records the charge as canceled."""

    breaks = ("PAY-PAYS-11",)
    group = "state"

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Record another status than is answered."""
        wrong = {"status": "canceled"}
        self.store.after_commit(lambda: self.store.update("payments_charge", wrong, id=charge["id"]))
        return super().claim_charge(charge, changes)


class QueryNeverPaid(PaymentsRules):
    """The query of a charge shows the status of its creation for ever."""

    breaks = ("PAY-PAYS-11",)
    group = "state"

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show it as new."""
        return super().charge_view(call, charge) | {"status": "pending"}


class QueryGoneWhenPaid(PaymentsRules):
    """A paid charge is no longer found by its query."""

    breaks = ("PAY-PAYS-11",)
    group = "state"

    async def get_charge(self, call: Call) -> Answer:
        """Look among the pending."""
        if self.owned(call, "payments_charge", call.params["id"])["status"] == "paid":
            raise self.not_found(call)
        return await super().get_charge(call)


class PaidByItsThirdQuery(PaymentsRules):
    """A sandbox charge is paid by the third query of it."""

    breaks = ("PAY-PAYS-19",)
    group = "state"
    asked: ClassVar[dict[str, int]] = {}

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Count them."""
        if call.operation == "get_charge":
            self.asked[charge["id"]] = self.asked.get(charge["id"], 0) + 1
        paid = self.asked.get(charge["id"], 0) >= OFTEN
        return super().charge_view(call, charge) | ({"status": "paid"} if paid else {})


class PaysWholeAccount(PaymentsRules):
    """The pay of one charge pays all pending ones of its account."""

    breaks = ("PAY-PAYS-19",)
    group = "state"

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Forget the id."""
        claimed = super().claim_charge(charge, changes)
        self.store.update("payments_charge", {"status": "paid"}, account=charge["account"], status="pending")
        return claimed


class PaysItself(PaymentsRules):
    """A sandbox charge is paid by itself a moment after its creation."""

    breaks = ("PAY-PAYS-19", "PAY-PAYS-14")
    group = "state"

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Begin to wait."""
        charge = super().new_charge(access, read)
        self.world.outbox.begin(self._paid(charge))
        return charge

    async def _paid(self, charge: Row) -> None:
        await asyncio.sleep(0.3)
        self.claim_charge(charge, self.paid_changes(charge))


class PaysItselfWhenQueried(PaymentsRules):
    """A sandbox charge is paid by its first query."""

    breaks = ("PAY-PAYS-19", "PAY-PAYS-01")
    group = "state"

    async def get_charge(self, call: Call) -> Answer:
        """Answer, then pay."""
        answer = await super().get_charge(call)
        charge = self.owned(call, "payments_charge", call.params["id"])
        if charge["environment"] == "sandbox" and charge["status"] == "pending":
            self.claim_charge(charge, self.paid_changes(charge))
        return answer
