"""Conforming variants where PAY-ENV is silent: sandbox and production."""

from __future__ import annotations

from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.call import Access, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


class OtherEnvironments(PaymentsRules):
    """A simulation of the own production charge may be refused as forbidden or as not found."""

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Say whose it is not."""
        try:
            return super().owned(call, table, number)
        except Refusal:
            row = self.store.find(table, id=number)
            if call.operation == "pay_charge" and row and row["account"] == call.access.account:
                raise Refusal("forbidden", "the charge belongs to another environment") from None
            raise


class SharesWebhooks(PaymentsRules):
    """Company data, balance, charges and transfers are separate; webhooks are not named."""

    def hooks_of(self, call: Call) -> list[Row]:
        """Show those of both environments."""
        return self.store.rows("webhook", "id", account=call.access.account)


class SharesEvents(SharesWebhooks):
    """Company data, balance, charges and transfers are separate; the events that webhooks receive are not named."""

    def listeners(self, event: str, owner: Access) -> list[Row]:
        """Send to those of both environments."""
        hooks = self.store.rows("webhook", account=owner.account, is_active=1)
        return [hook for hook in hooks if self.subscribes(hook, event)]


VARIANTS = [
    Variant("payments-environments", ("PAY-ENV-06",), {"forbidden": OtherEnvironments}),
    Variant("payments-shared-webhooks", ("PAY-ENV-07",), {"shared": SharesWebhooks}),
    Variant("payments-shared-events", ("PAY-ENV-07", "PAY-ENV-18"), {"shared": SharesEvents}),
]
