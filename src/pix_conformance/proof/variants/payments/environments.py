"""Conforming variants where PAY-ENV is silent: sandbox and production."""

from typing import Any

from pix_conformance.proof.difference import setting, variant
from pix_conformance.reference.call import Access, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


def hooks_of_account(rules: Any, call: Call) -> list[Row]:
    found: list[Row] = rules.store.rows("webhook", "id", account=call.access.account)
    return found


VARIANTS = {
    "PAY-ENV-07": {"webhooks-shared": setting(
            "Sandbox and production list the same webhooks: "
            "only company data, balance, charges and transfers are separate (payments.md, line 23).",
            hooks_of=hooks_of_account)},
}  # fmt: skip


@variant("PAY-ENV-06/other-environment-is-forbidden")
class ForbidsOtherEnvironment(PaymentsRules):
    """A simulation of one's own charge of the other environment is forbidden (payments.md, line 248)."""

    def owned(self, call: Call, table: str, number: object) -> Row:
        try:
            return super().owned(call, table, number)
        except Refusal:
            row = self.store.find(table, id=number)
            if call.operation == "pay_charge" and row and row["account"] == call.access.account:
                raise Refusal("forbidden", "the charge belongs to another environment") from None
            raise


@variant("PAY-ENV-07/events-shared", "PAY-ENV-18")
class SharesEvents(PaymentsRules):
    """Webhooks of both environments are listed and receive all events: they are not named (payments.md, line 23)."""

    def hooks_of(self, call: Call) -> list[Row]:
        return hooks_of_account(self, call)

    def listeners(self, event: str, owner: Access) -> list[Row]:
        hooks = self.store.rows("webhook", account=owner.account, is_active=1)
        return [hook for hook in hooks if self.subscribes(hook, event)]
