"""Routes of the payments API at another address, or with another status of success."""

from typing import ClassVar

from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules


class MovesRoute(PaymentsRules):
    """Serves one operation at another path only."""

    moved: ClassVar[str] = ""
    path: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        """Put the other path into the table of routes."""
        cls.routes = tuple((m, cls.path if name == cls.moved else p, name) for m, p, name in PaymentsRules.routes)

    def find_route(self, call: Call) -> Refusal | None:
        """Refuse what is nowhere before the caller is known."""
        refusal = super().find_route(call)
        if refusal:
            raise refusal
        return None


globals().update(
    family(__name__, "schema", MovesRoute, {
        "BalanceUnderV2": ("The balance is at /api/v2/balance.", "PAY-VER-01 PAY-BAL-01",
            {"moved": "get_balance", "path": "/api/v2/balance"}),
        "BalanceWithoutVersion": ("The balance is at /api/balance.", "PAY-VER-01 PAY-BAL-01",
            {"moved": "get_balance", "path": "/api/balance"}),
        "AuthUnderV1": ("Authentication is at /api/v1/auth.", "PAY-VER-01",
            {"moved": "authenticate", "path": "/api/v1/auth"}),
        "WebhookListInPlural": ("The list of webhooks is at /api/v1/webhooks.", "PAY-VER-01 PAY-WH-40",
            {"moved": "list_webhooks", "path": "/api/v1/webhooks"}),
        "TransferToKey": ("Transfers are created at /api/v1/pix/out.", "PAY-VER-01 PAY-TRF-01",
            {"moved": "create_transfer", "path": "/api/v1/pix/out"}),
    })
)  # fmt: skip


class BalanceAccepted(PaymentsRules):
    """The balance is answered 203, as it comes from a copy."""

    breaks = ("PAY-BAL-01",)
    group = "schema"

    async def get_balance(self, call: Call) -> Answer:
        """Answer the other status."""
        answer = await super().get_balance(call)
        return Answer(203, answer.body)


class BalanceNeedsBody(PaymentsRules):
    """The balance insists on a JSON body."""

    breaks = ("PAY-BAL-01",)
    group = "schema"

    async def get_balance(self, call: Call) -> Answer:
        """Read one first."""
        self.json_body(call)
        return await super().get_balance(call)
