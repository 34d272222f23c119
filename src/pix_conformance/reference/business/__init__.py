"""The business API of the reference."""

from typing import Any

from pix_conformance.reference.business.charges import ChargeRules
from pix_conformance.reference.business.transitions import TransitionRules
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.http import route, routes_of
from pix_conformance.reference.ledger import LedgerRules
from pix_conformance.reference.store import Row

__all__ = ["BusinessRules"]


class FinanceRules(LedgerRules):
    """The balance of an account and its ledger postings."""

    currency = "BRL"
    postings_limit = 50

    @route("GET", "/v1/business/finance")
    async def get_finance(self, call: Call) -> Answer:
        """GET /v1/business/finance."""
        return Answer(200, self.finance_view(call.access))

    def finance_view(self, access: Access) -> dict[str, Any]:
        """Return the balance and the newest postings."""
        return {
            "merchant_id": access.account,
            "currency": self.currency,
            "available_cents": self.available(access),
            "reserve_cents": self.balance_of(access, "merchant_reserve"),
            "transactions": [self.posting_view(row) for row in self.postings(access, self.postings_limit)],
        }

    def available(self, access: Access) -> int:
        """Return `available_cents`."""
        return self.balance_of(access, "merchant_available")

    def posting_view(self, posting: Row) -> dict[str, Any]:
        """Return the JSON of one posting."""
        return {
            "id": posting["id"],
            "event_type": posting["event_type"],
            "description": posting["description"],
            "created_at": self.moment(posting["created_at"]),
            "entries": [self.entry_view(entry) for entry in posting["entries"]],
        }

    def entry_view(self, entry: Row) -> dict[str, Any]:
        """Return the JSON of one entry of a posting."""
        return {
            "account_code": entry["account_code"],
            "direction": entry["direction"],
            "amount_cents": entry["amount"],
        }


class BusinessRules(TransitionRules, FinanceRules):
    """Every decision of the business API; a subclass can override a single one."""

    routes = routes_of(ChargeRules, TransitionRules, FinanceRules)
