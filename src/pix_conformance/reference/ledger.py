"""The ledger: postings of two or more entries whose debits equal their credits."""

from pix_conformance.reference.call import Access
from pix_conformance.reference.http import WireRules
from pix_conformance.reference.store import Row

DEBIT, CREDIT = "debit", "credit"
Entry = tuple[str, str, int]


class LedgerRules(WireRules):
    """One ledger for each account, environment and API."""

    ledger_prefix = ""

    def book(self, access: Access) -> str:
        """Return the name of the ledger of an account and environment."""
        return f"{self.ledger_prefix}/{access.book}"

    def post(self, access: Access, event_type: str, description: str, *entries: Entry) -> None:
        """Write one posting. Entries of 0 cents are left out."""
        posting = {
            "id": str(self.state.random.uuid()),
            "book": self.book(access),
            "event_type": event_type,
            "description": description,
            "created_at": self.clock.now(),
        }
        self.store.insert("posting", posting)
        for account, direction, amount in entries:
            if amount:
                self.enter(posting, account, direction, amount)

    def enter(self, posting: Row, account: str, direction: str, amount: int) -> None:
        """Write one entry and update the balance of its account: credits minus debits."""
        entry = {"account_code": account, "direction": direction, "amount": amount}
        self.store.insert("entry", {"posting": posting["id"], "book": posting["book"]} | entry)
        held = self.store.find("balance", book=posting["book"], account_code=account)
        total = (held["amount"] if held else 0) + (amount if direction == CREDIT else -amount)
        self.store.put("balance", {"book": posting["book"], "account_code": account, "amount": total})

    def balance_of(self, access: Access, account: str) -> int:
        """Return credits minus debits of one account, in cents."""
        held = self.store.find("balance", book=self.book(access), account_code=account)
        return int(held["amount"]) if held else 0

    def postings(self, access: Access, limit: int) -> list[Row]:
        """Return the newest postings first, each with its entries."""
        rows = self.store.rows("posting", "seq DESC", limit, book=self.book(access))
        return [row | {"entries": self.store.rows("entry", posting=row["id"])} for row in rows]
