"""The payments API of the reference."""

from typing import Any, ClassVar

from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.http import route, routes_of
from pix_conformance.reference.ledger import LedgerRules
from pix_conformance.reference.payments.authentication import AuthRules
from pix_conformance.reference.payments.charges import ChargeRules
from pix_conformance.reference.payments.transfers import TransferRules
from pix_conformance.reference.payments.webhooks import WebhookRules

__all__ = ["PaymentsRules"]


class BalanceRules(LedgerRules):
    """The wallets, in reais."""

    @route("GET", "/api/v1/balance")
    async def get_balance(self, call: Call) -> Answer:
        """GET /api/v1/balance."""
        return Answer(200, {"success": True, "data": self.balance_view(call.access)})

    def balance_view(self, access: Access) -> dict[str, Any]:
        """Return `data` of a balance query."""
        return {
            "pix": self.wallet_view(self.balance_of(access, "pix")),
            "pixBlocked": self.wallet_view(self.balance_of(access, "pix_blocked")),
            "reserve": self.wallet_view(self.balance_of(access, "reserve")),
        }

    def wallet_view(self, cents: int) -> dict[str, Any]:
        """Return the JSON of one wallet."""
        return {"balance": self.money_text(cents)}

    def money_text(self, cents: int) -> str:
        """Return cents as reais with exactly two decimals."""
        return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02d}"


class PaymentsRules(ChargeRules, TransferRules, BalanceRules, WebhookRules):
    """Every decision of the payments API; a subclass can override a single one."""

    open_operations: ClassVar[frozenset[str]] = frozenset({"authenticate"})
    routes = routes_of(AuthRules, ChargeRules, TransferRules, BalanceRules, WebhookRules)
