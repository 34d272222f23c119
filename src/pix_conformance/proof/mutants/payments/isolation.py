"""Walls between accounts and between sandbox and production that have a hole, one route each."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.payments.tables import RefusesOtherwise, refusing
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


class SeesOthers(PaymentsRules):
    """Shows the objects of other accounts of the same environment on one route."""

    route: ClassVar[str] = ""

    def sees(self, access: Access, owner: Access, operation: str) -> bool:
        """Compare environments alone there."""
        alike = operation == self.route and access.environment == owner.environment
        return alike or super().sees(access, owner, operation)


class SeesEnvironments(PaymentsRules):
    """Shows the objects of the same account in one environment to its credential of the other."""

    route: ClassVar[str] = ""
    owner_environment: ClassVar[str] = "sandbox"

    def sees(self, access: Access, owner: Access, operation: str) -> bool:
        """Compare accounts alone there."""
        meant = operation == self.route and owner.environment == self.owner_environment
        return (meant and access.account == owner.account) or super().sees(access, owner, operation)


def _answer(status: int, code: str) -> Any:
    return lambda refusal: Answer(status, {"error": code, "message": refusal.message})


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
    family(__name__, "isolation", SeesOthers, {
        "ChargeOfOthersShown": ("The query shows charges of other accounts.", "PAY-ISO-01", {"route": "get_charge"}),
        "ChargeOfOthersPaid": ("The pay pays charges of other accounts.", "PAY-ISO-02", {"route": "pay_charge"}),
        "TransferOfOthersShown": ("The query shows transfers of other accounts.", "PAY-ISO-03",
            {"route": "get_transfer"}),
        "TransferOfOthersCompleted": ("The completion completes transfers of other accounts.", "PAY-ISO-04",
            {"route": "complete_transfer"}),
        "HookOfOthersRemoved": ("The removal removes webhooks of other accounts.", "PAY-ISO-06 PAY-ISO-07",
            {"route": "delete_webhook"}),
    }),
    **family(__name__, "isolation", ForbidsOthers, {
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
    }),
    **family(__name__, "isolation", SeesEnvironments, {
        "SandboxChargeShownLive": ("A sandbox charge is shown to the production credential.", "PAY-ENV-03",
            {"route": "get_charge"}),
        "LiveChargeShownInSandbox": ("A production charge is shown to the sandbox credential.", "PAY-ENV-04",
            {"route": "get_charge", "owner_environment": "production"}),
        "SandboxTransferShownLive": ("A sandbox transfer is shown to the production credential.", "PAY-ENV-05",
            {"route": "get_transfer"}),
    }),
    **family(__name__, "isolation", RefusesOtherwise, {
        "ForeignChargeUnauthorized": ("A charge that is not the caller's gets 401.",
            "PAY-ISO-01 PAY-CHG-73 PAY-ENV-03 PAY-ENV-04",
            refusing("missing", "get_charge", _answer(401, "UNAUTHORIZED"))),
    }),
)  # fmt: skip


class HooksOfAll(PaymentsRules):
    """The list shows the webhooks of all accounts."""

    breaks = ("PAY-ISO-05",)

    def hooks_of(self, call: Call) -> list[Row]:
        """Look by environment alone."""
        return self.store.rows("webhook", "id", environment=call.access.environment)


class RemovalOfOthersPretended(PaymentsRules):
    """The removal of another account's webhook is refused with 404, and removes it all the same."""

    breaks = ("PAY-ISO-06",)

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

    async def delete_webhook(self, call: Call) -> Answer:
        """Confirm what is another's."""
        row = self.store.find("webhook", id=self.webhook_number(call.params["id"]))
        if row and row["account"] != call.access.account:
            return Answer(200, self.removed_view(row))
        return await super().delete_webhook(call)


class PayOfOthersPretended(PaymentsRules):
    """The pay of another account's charge is refused with 404, and pays it all the same."""

    breaks = ("PAY-ISO-02",)

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Pay, then look."""
        row = self.store.find(table, id=number)
        if row and call.operation == "pay_charge" and row["account"] != call.access.account:
            self.claim_charge(row, self.paid_changes(row))
        return super().owned(call, table, number)


class CompletionOfOthersPretended(PaymentsRules):
    """The completion of another account's transfer is refused with 404, and completes it all the same."""

    breaks = ("PAY-ISO-04",)

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Complete, then look."""
        row = self.store.find(table, id=number)
        if row and call.operation == "complete_transfer" and row["account"] != call.access.account:
            self.claim_transfer(row, self.completed_changes(row))
        return super().owned(call, table, number)


class EventsForAll(PaymentsRules):
    """Events go to the webhooks of all accounts."""

    breaks = ("PAY-ISO-08",)

    def listeners(self, event: str, owner: Access) -> list[Row]:
        """Look by environment alone."""
        hooks = self.store.rows("webhook", environment=owner.environment, is_active=1)
        return [hook for hook in hooks if self.subscribes(hook, event)]


class LiveTokenCreated(PaymentsRules):
    """A production pair gets its token with 201."""

    breaks = ("PAY-ENV-01",)

    async def authenticate(self, call: Call) -> Answer:
        """Answer the other status."""
        answer = await super().authenticate(call)
        claims = self.read_token(answer.body["token"]) or {}
        return answer if claims.get("environment") == "sandbox" else Answer(201, answer.body)


class LiveChargesNothing(PaymentsRules):
    """A charge cannot be created with a production credential."""

    breaks = ("PAY-ENV-02",)

    async def create_charge(self, call: Call) -> Answer:
        """Refuse it."""
        if not call.access.is_sandbox:
            raise Refusal("forbidden", "production is not enabled")
        return await super().create_charge(call)


class LivePaid(PaymentsRules):
    """A production charge is paid by the simulation."""

    breaks = ("PAY-PAYS-14",)

    def may_simulate(self, owner: Access, operation: str) -> bool:
        """Work everywhere."""
        return operation == "pay_charge" or super().may_simulate(owner, operation)


class LivePaidSilently(PaymentsRules):
    """The pay of a production charge is refused with 403, and pays it all the same."""

    breaks = ("PAY-PAYS-14",)

    def require_sandbox(self, call: Call, row: Row) -> None:
        """Pay, then refuse."""
        if call.operation == "pay_charge" and row["environment"] == "production":
            self.claim_charge(row, self.paid_changes(row))
        super().require_sandbox(call, row)
