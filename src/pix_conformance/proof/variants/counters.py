"""Freedoms of numbering, of both APIs: an id need not be the only one of its kind beyond its environment or account."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pix_conformance.proof.variants.registry import Freedom
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import World
from pix_conformance.reference.store import Row


def _shown(row: Row) -> Row:
    """Give a charge under its number alone."""
    return row | {"id": row["id"].rpartition("/")[2]}


class PaymentsCountsInEachEnvironment(PaymentsRules):
    """Charges of sandbox and production are separate (payments.md, line 23): each environment counts from one."""

    def __init__(self, world: World) -> None:
        """Count nothing yet."""
        self.counted: Counter[str] = Counter()
        super().__init__(world)

    def book_of(self, access: Access) -> str:
        """Name what counts by itself."""
        return access.environment

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Give the next number, kept apart by the book."""
        book = self.book_of(access)
        self.counted[book] += 1
        return super().new_charge(access, read) | {"id": f"{book}/{self.counted[book]}"}

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Look among the charges of the caller's book."""
        return super().owned(call, table, f"{self.book_of(call.access)}/{number}" if "charge" in table else number)

    def knows_charge(self, number: str) -> bool:
        """Look in each environment."""
        return any(super(PaymentsCountsInEachEnvironment, self).knows_charge(f"{one}/{number}") for one in self.counted)

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show the number alone."""
        return super().charge_view(call, _shown(charge))

    def pay_view(self, charge: Row) -> dict[str, Any]:
        """Show the number alone."""
        return super().pay_view(_shown(charge))

    def event_transaction(self, event: str, row: Row) -> dict[str, Any]:
        """Show the number alone."""
        return super().event_transaction(event, _shown(row))


class PaymentsCountsInEachAccount(PaymentsCountsInEachEnvironment):
    """That no two accounts have a charge or transfer of one id is not said: each counts its own from one."""

    def book_of(self, access: Access) -> str:
        """Name account and environment."""
        return access.book

    def new_transfer(self, access: Access, read: dict[str, Any]) -> Row:
        """Give the next number."""
        self.counted[f"transfer {access.book}"] += 1
        return super().new_transfer(access, read) | {"id": f"{access.book}/{self.counted[f'transfer {access.book}']}"}

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Look among the transfers of the caller's account as well."""
        return super().owned(call, table, f"{call.access.book}/{number}" if table == "transfer" else number)

    def new_transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Show the number alone."""
        return super().new_transfer_view(_shown(transfer))

    def complete_view(self, transfer: Row) -> dict[str, Any]:
        """Show the number alone."""
        return super().complete_view(_shown(transfer))

    def event_transfer(self, event: str, row: Row) -> dict[str, Any]:
        """Show the number alone."""
        return super().event_transfer(event, _shown(row))


class BusinessCountsInEachEnvironment(BusinessRules):
    """Sandbox and production keep their data apart (business.md, line 12): each counts its charges from one."""

    def __init__(self, world: World) -> None:
        """Count nothing yet."""
        self.counted: Counter[str] = Counter()
        super().__init__(world)

    def book_of(self, access: Access) -> str:
        """Name what counts by itself."""
        return access.environment

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Give the next number."""
        self.counted[self.book_of(access)] += 1
        return super().new_charge(access, read) | {"id": self.kept(access, str(self.counted[self.book_of(access)]))}

    def kept(self, access: Access, number: str) -> str:
        """Name a charge among all of them."""
        return f"{self.book_of(access)}/{number}"

    def owned(self, call: Call) -> Row:
        """Look among those that the caller's book holds."""
        shown, call.params["id"] = call.params["id"], self.kept(call.access, call.params["id"])
        try:
            return super().owned(call)
        finally:
            call.params["id"] = shown

    def knows_charge(self, number: str) -> bool:
        """Look in each book."""
        return any(super(BusinessCountsInEachEnvironment, self).knows_charge(f"{one}/{number}") for one in self.counted)

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show the number alone."""
        return super().charge_view(call, _shown(charge))


class BusinessCountsInEachAccount(BusinessCountsInEachEnvironment):
    """That no two accounts have a charge of one id is not said: each counts from one."""

    def book_of(self, access: Access) -> str:
        """Name account and environment."""
        return access.book


class BusinessPadsItsNumbers(BusinessCountsInEachAccount):
    """The form of an id is not said: a number of twenty digits, which each account counts from one."""

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Fill the number up with zeros."""
        charge = super().new_charge(access, read)
        return charge | {"id": self.kept(access, f"chg_{_shown(charge)['id']:0>20}")}


FREEDOMS = [
    Freedom(
        "payments-counters",
        ("PAY-CHG-33", "PAY-TRF-33"),
        {"environment": PaymentsCountsInEachEnvironment, "account": PaymentsCountsInEachAccount},
    ),
    Freedom(
        "business-counters",
        ("BUS-CHG-45", "BUS-CHG-63"),
        {
            "environment": BusinessCountsInEachEnvironment,
            "account": BusinessCountsInEachAccount,
            "padded": BusinessPadsItsNumbers,
        },
    ),
]
