"""Mutants of PAY-VER: versioning."""

from typing import ClassVar

from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Call, Refusal
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
