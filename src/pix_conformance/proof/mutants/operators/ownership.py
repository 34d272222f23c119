"""Operators of ownership, for both APIs: what belongs to another account or environment is shown."""

from collections.abc import Callable
from typing import Any, ClassVar

from pix_conformance.proof.difference import Difference
from pix_conformance.proof.mutants.operators.either_api import EitherApi
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Call
from pix_conformance.reference.store import Row


class SeesOthers(EitherApi):
    """Lets some operations see what is another's."""

    operations: ClassVar[tuple[str, ...]]
    crosses: ClassVar[Any]

    def owned(self, call: Call, *about: Any) -> Row:
        table, number = about or ("business_charge", call.params["id"])
        row: Row | None = self.store.find(table, id=number)
        owner = row and Access(row["account"], row["environment"])
        if row and call.operation in self.operations and self.crosses(call.access, owner):
            return row
        return super().owned(call, *about)


def sees_others(operations: str, crosses: Callable[[Access, Access], object], whose: str) -> Difference:
    """Let some operations see objects whose owner a function of caller and owner accepts; `whose` says it in words."""
    sentence = f"{' and '.join(operations.split())} finds what belongs to {whose}."
    members = {"operations": tuple(operations.split()), "crosses": staticmethod(crosses)}
    return Difference(sentence, SeesOthers, members, "isolation")


class ListsOthers(BusinessRules):
    """Lists charges of others beside the caller's."""

    crosses: ClassVar[Any]
    statuses: ClassVar[tuple[str, ...]]

    def find_charges(self, access: Access, status: str | None) -> list[Row]:
        def shown(row: Row) -> bool:
            owner = Access(row["account"], row["environment"])
            return access == owner or (row["status"] in self.statuses and self.crosses(access, owner))

        wanted = {} if status is None else {"status": status}
        rows = self.store.rows("business_charge", self.list_order(), **wanted)
        return [row for row in rows if shown(row)][: self.list_limit]


def lists_others(crosses: Callable[[Access, Access], object], whose: str, *statuses: str) -> Difference:
    """Show in the list of business charges those whose owner a function accepts, or only those of some statuses."""
    kind = f"{' and '.join(statuses)} charges" if statuses else "charges"
    members = {"crosses": staticmethod(crosses), "statuses": statuses or BusinessRules.list_statuses}
    return Difference(f"The list holds {kind} of {whose}.", ListsOthers, members, "isolation")


def of_another_account(caller: Access, owner: Access) -> bool:
    """Judge whether an object of the same environment belongs to another account."""
    return caller.account != owner.account and caller.environment == owner.environment


def from_production(caller: Access, owner: Access) -> bool:
    """Judge whether a caller of production meets an object of the same account's sandbox."""
    return of_the_other_environment(caller, owner) and owner.is_sandbox


def from_sandbox(caller: Access, owner: Access) -> bool:
    """Judge whether a caller of the sandbox meets an object of the same account's production."""
    return of_the_other_environment(caller, owner) and caller.is_sandbox


def of_the_other_environment(caller: Access, owner: Access) -> bool:
    """Judge whether an object of the same account belongs to the other environment."""
    return caller.account == owner.account and caller.environment != owner.environment


class DoesNotFind(EitherApi):
    """Does not find what an operation is asked for, though it is the caller's."""

    operations: ClassVar[tuple[str, ...]]

    def owned(self, call: Call, *about: Any) -> Row:
        row = super().owned(call, *about)
        if call.operation in self.operations:
            raise self.not_found(call)
        return row


def does_not_find(operations: str) -> Difference:
    """Answer some operations as if there were no object of the id."""
    members = {"operations": tuple(operations.split())}
    return Difference(
        f"{' and '.join(operations.split())} does not find what is the caller's.", DoesNotFind, members, "state"
    )
