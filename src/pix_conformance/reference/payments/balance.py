"""The balance of the payments API (PAY-BAL)."""

from typing import Any

from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.ledger import LedgerRules


class BalanceRules(LedgerRules):
    """Three wallets, in reais."""

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
