"""Mutants of PAY-ISO: isolation of accounts."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.payments.ownership import MERCHANT, OWNER
from pix_conformance.proof.mutants.operators.payments.refusals import RefusesOtherwise, refusing
from pix_conformance.proof.mutants.payments.environments import PaysBothEnvironments, TransfersOfProductionMoney
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.payments.ownership import owner_of
from pix_conformance.reference.store import Row


class EveryonesWithPostback(PaymentsRules):
    """Charges with a postbackUrl are everyone's on one route."""

    route: ClassVar[str] = ""

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Look at the address alone."""
        row = self.store.find(table, id=number)
        if row and call.operation == self.route and row["postback_url"]:
            return row
        return super().owned(call, table, number)


globals().update(
    family(__name__, "isolation", EveryonesWithPostback, {
        "PostbackChargeFoundByAll": (
            "A charge with a postbackUrl is found by other accounts.", "PAY-ISO-01", {"route": "get_charge"},
        ),
        "PostbackChargePaidByAll": (
            "A charge with a postbackUrl is paid by other accounts.", "PAY-ISO-02", {"route": "pay_charge"},
        ),
    })
)  # fmt: skip


class CallerOfLatestToken(PaymentsRules):
    """Whoever asked for a token last is taken for every caller."""

    breaks = ("PAY-ISO-01",)
    group = "isolation"

    def make_token(self, access: Access) -> str:
        """Remember the caller."""
        self._latest = access
        return super().make_token(access)

    def authorize(self, call: Call) -> Access:
        """Take that one."""
        super().authorize(call)
        return self._latest


class SeesOthers(PaymentsRules):
    """Shows the objects of other accounts of the same environment on one route."""

    route: ClassVar[str] = ""

    def sees(self, access: Access, owner: Access, operation: str) -> bool:
        """Compare environments alone there."""
        alike = operation == self.route and access.environment == owner.environment
        return alike or super().sees(access, owner, operation)


globals().update(
    family(__name__, "isolation", SeesOthers, {
        "ChargeOfOthersShown": ("The query shows charges of other accounts.", "PAY-ISO-01", {"route": "get_charge"}),
        "ChargeOfOthersPaid": ("The pay pays charges of other accounts.", "PAY-ISO-02", {"route": "pay_charge"}),
        "TransferOfOthersShown": ("The query shows transfers of other accounts.", "PAY-ISO-03",
            {"route": "get_transfer"}),
        "TransferOfOthersCompleted": ("The completion completes transfers of other accounts.", "PAY-ISO-04",
            {"route": "complete_transfer"}),
        "HookOfOthersRemoved": ("The removal removes webhooks of other accounts.", "PAY-ISO-06 PAY-ISO-07",
            {"route": "delete_webhook"}),
    })
)  # fmt: skip


class ForbidsOthers(PaymentsRules):
    """Refuses what belongs to another account with 403 on one route, which tells that it exists."""

    route: ClassVar[str] = ""

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Tell another's from what there is not."""
        row = self.store.find(table, id=number)
        if row and call.operation == self.route and row["account"] != call.access.account:
            raise Refusal("forbidden", "belongs to another account")
        return super().owned(call, table, number)


globals().update(
    family(__name__, "isolation", ForbidsOthers, {
        "ChargeOfOthersForbidden": ("The query of another account's charge gets 403.", "PAY-ISO-01",
            {"route": "get_charge"}),
        "PayOfOthersForbidden": ("The pay of another account's charge gets 403.", "PAY-ISO-02",
            {"route": "pay_charge"}),
        "TransferOfOthersForbidden": ("The query of another account's transfer gets 403.", "PAY-ISO-03",
            {"route": "get_transfer"}),
        "CompletionOfOthersForbidden": ("The completion of another account's transfer gets 403.", "PAY-ISO-04",
            {"route": "complete_transfer"}),
        "RemovalOfOthersForbidden": ("The removal of another account's webhook gets 403.", "PAY-ISO-07",
            {"route": "delete_webhook"}),
    })
)  # fmt: skip


def _answer(status: int, code: str) -> Any:
    return lambda refusal: Answer(status, {"error": code, "message": refusal.message})


globals().update(
    family(__name__, "isolation", RefusesOtherwise, {
        "ForeignChargeUnauthorized": ("A charge that is not the caller's gets 401.",
            "PAY-ISO-01 PAY-CHG-73 PAY-ENV-03 PAY-ENV-04",
            refusing("missing", "get_charge", _answer(401, "UNAUTHORIZED"))),
    })
)  # fmt: skip


class ShowsDoneOfOthers(PaymentsRules):
    """A charge that is paid, and a transfer that is completed, are shown to every account."""

    breaks = ("PAY-ISO-01", "PAY-ISO-03")
    group = "isolation"

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Look at the status first."""
        row = self.store.find(table, id=number)
        done = row is not None and row.get("status") in {"paid", "completed"}
        alike = row is not None and owner_of(row).environment == call.access.environment
        return row if row is not None and done and alike else super().owned(call, table, number)


class FirstSeesCharges(PaymentsRules):
    """The oldest account sees the charges of all others."""

    breaks = ("PAY-ISO-01",)
    group = "isolation"

    def sees(self, access: Access, owner: Access, operation: str) -> bool:
        """Let it pass."""
        above = access == OWNER and owner.is_sandbox and operation == "get_charge"
        return above or super().sees(access, owner, operation)


class PayOfOthersPretended(PaymentsRules):
    """The pay of another account's charge is refused with 404, and pays it all the same."""

    breaks = ("PAY-ISO-02",)
    group = "isolation"

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Pay, then look."""
        row = self.store.find(table, id=number)
        if row and call.operation == "pay_charge" and row["account"] != call.access.account:
            self.claim_charge(row, self.paid_changes(row))
        return super().owned(call, table, number)


class StateBeforeOwner(PaymentsRules):
    """The pay of a paid charge, and the completion of a completed transfer, is refused with 400 whoever asks."""

    breaks = ("PAY-ISO-02", "PAY-ISO-04")
    group = "isolation"

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Look at the status first."""
        row = self.store.find(table, id=number)
        done = row is not None and row.get("status") in {"paid", "completed"}
        if done and call.operation in {"pay_charge", "complete_transfer"}:
            raise Refusal("state", "it is no longer pending")
        return super().owned(call, table, number)


class KeySharedByAccounts(PaymentsRules):
    """Keys are shared by all accounts, and a repeat shows the transfer of another."""

    breaks = ("PAY-ISO-03",)
    group = "idempotency"

    def idempotency_scope(self, call: Call) -> str:
        """Leave the account out."""
        return call.operation


class CompletionOfOthersPretended(PaymentsRules):
    """The completion of another account's transfer is refused with 404, and completes it all the same."""

    breaks = ("PAY-ISO-04",)
    group = "isolation"

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Complete, then look."""
        row = self.store.find(table, id=number)
        if row and call.operation == "complete_transfer" and row["account"] != call.access.account:
            self.claim_transfer(row, self.completed_changes(row))
        return super().owned(call, table, number)


class HooksOfAll(PaymentsRules):
    """The list shows the webhooks of all accounts."""

    breaks = ("PAY-ISO-05",)
    group = "isolation"

    def hooks_of(self, call: Call) -> list[Row]:
        """Look by environment alone."""
        return self.store.rows("webhook", "id", environment=call.access.environment)


class FirstListsHooks(PaymentsRules):
    """The oldest account lists the webhooks of all others."""

    breaks = ("PAY-ISO-05",)
    group = "isolation"

    def hooks_of(self, call: Call) -> list[Row]:
        """Leave the account out."""
        return self.store.rows("webhook", "id") if call.access == OWNER else super().hooks_of(call)


class RemovalOfOthersPretended(PaymentsRules):
    """The removal of another account's webhook is refused with 404, and removes it all the same."""

    breaks = ("PAY-ISO-06",)
    group = "isolation"

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Remove, then look."""
        if table == "webhook":
            row = self.store.find(table, id=number)
            if row and row["account"] != call.access.account:
                self.remove_webhook(row)
        return super().owned(call, table, number)


class RemovalOfOthersConfirmed(PaymentsRules):
    """The removal of another account's webhook is confirmed, and has no effect."""

    breaks = ("PAY-ISO-07",)
    group = "isolation"

    async def delete_webhook(self, call: Call) -> Answer:
        """Confirm what is another's."""
        row = self.store.find("webhook", id=self.webhook_number(call.params["id"]))
        if row and row["account"] != call.access.account:
            return Answer(200, self.removed_view(row))
        return await super().delete_webhook(call)


class TransfersOverheard(PaymentsRules):
    """Events of transfers go to the webhooks of all accounts; those of charges stay with their own."""

    breaks = ("PAY-ISO-08",)
    group = "isolation"

    def listeners(self, event: str, owner: Access) -> list[Row]:
        """Look by environment alone."""
        if not event.startswith("transfer"):
            return super().listeners(event, owner)
        hooks = self.store.rows("webhook", environment=owner.environment, is_active=1)
        return [hook for hook in hooks if self.subscribes(hook, event)]


class FirstOverhears(PaymentsRules):
    """The webhooks of the oldest account hear the events of all others."""

    breaks = ("PAY-ISO-08",)
    group = "isolation"

    def listeners(self, event: str, owner: Access) -> list[Row]:
        """Add its webhooks."""
        found = super().listeners(event, owner)
        return found if owner == MERCHANT else [*found, *super().listeners(event, MERCHANT)]


class EventsForAll(PaymentsRules):
    """Events go to the webhooks of all accounts."""

    breaks = ("PAY-ISO-08",)
    group = "isolation"

    def listeners(self, event: str, owner: Access) -> list[Row]:
        """Look by environment alone."""
        hooks = self.store.rows("webhook", environment=owner.environment, is_active=1)
        return [hook for hook in hooks if self.subscribes(hook, event)]


class BalanceOfAllAccounts(PaymentsRules):
    """All accounts of an environment have one balance."""

    breaks = ("PAY-ISO-09",)
    group = "isolation"

    def book(self, access: Access) -> str:
        """Leave the account out."""
        return f"{self.ledger_prefix}/{access.environment}"


class PaysBothAccounts(PaysBothEnvironments):
    """A payment is paid into the wallet of another account too, which holds 5.00 more."""

    breaks = ("PAY-ISO-09",)
    group = "isolation"
    second = Access("merchant-b", "sandbox")


class TransfersOfAnothersMoney(TransfersOfProductionMoney):
    """A transfer is paid from the wallet of another account, which holds 10,000.00."""

    breaks = ("PAY-ISO-09",)
    seen_in = ("PAY-CHG-75",)
    group = "isolation"
    payer = Access("merchant-b", "sandbox")


class HookOfLatestAccount(PaymentsRules):
    """A url has one webhook in all: whoever registers it takes it from another account."""

    breaks = ("PAY-ISO-10",)
    group = "isolation"

    async def create_webhook(self, call: Call) -> Answer:
        """Forget the others."""
        answer = await super().create_webhook(call)
        url, mine = self.json_body(call)["url"], (call.access.account, call.access.environment)
        for hook in self.store.rows("webhook", "id", url=url):
            if (hook["account"], hook["environment"]) != mine:
                self.remove_webhook(hook)
        return answer
