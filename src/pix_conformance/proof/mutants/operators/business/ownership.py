"""Shows or books what belongs to another account or environment."""

from typing import Any, ClassVar

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.business.errors import owner_of
from pix_conformance.reference.call import Access
from pix_conformance.reference.store import Row

OWNER = Access("merchant-a", "sandbox")
"""Whose data a server shows that does not ask."""


class FindsOthers(BusinessRules):
    """Lets some operations see what is another's."""

    operations: ClassVar[tuple[str, ...]] = ()
    crosses: ClassVar[Any]

    def sees(self, access: Access, owner: Access, operation: str) -> bool:
        """See more than one's own."""
        return super().sees(access, owner, operation) or (operation in self.operations and self.crosses(access, owner))


def leaking(operations: str, crosses: Any) -> dict[str, Any]:
    """Members of a class that leaks."""
    return {"operations": tuple(operations.split()), "crosses": staticmethod(crosses)}


class ListsOthers(BusinessRules):
    """Lists the charges of more than one owner."""

    owners: ClassVar[Any]

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """Take all owners that it confuses with the caller."""
        wanted = {} if status is None else {"status": status}
        rows = self.store.rows("business_charge", self.list_order(), **wanted)
        return [row for row in rows if self.owners(access, owner_of(row), status)][: self.list_limit]


class Ledgers(BusinessRules):
    """Keeps one book for more than one owner."""

    name: ClassVar[Any]

    def book(self, access: Access) -> str:
        """Name it by less than the owner."""
        return f"business/{self.name(access)}"


def listing(owners: Any) -> dict[str, Any]:
    """Members of a class that lists what is another's beside one's own."""
    return {"owners": staticmethod(lambda access, owner, status: access == owner or owners(access, owner, status))}


class Credits(BusinessRules):
    """Adds what was paid to the balance of another access too, and posts nothing there."""

    receives: ClassVar[Access]

    def capture(self, charge: Row) -> None:
        """Credit both."""
        super().capture(charge)
        if owner_of(charge) == Access("merchant-a", "sandbox"):
            key = {"book": self.book(self.receives), "account_code": "merchant_available"}
            held = self.balance_of(self.receives, "merchant_available")
            self.store.put("balance", key | {"amount": held + charge["amount"]})
