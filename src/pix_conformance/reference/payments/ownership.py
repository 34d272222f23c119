"""Who sees what in the payments API, and for whom the simulation works."""

from pix_conformance.reference.call import Access, Call, Refusal
from pix_conformance.reference.payments.auth import AuthRules
from pix_conformance.reference.store import Row


class OwnershipRules(AuthRules):
    """Objects belong to an account in an environment; others do not see them."""

    def sees(self, access: Access, owner: Access, operation: str) -> bool:
        """Judge whether an operation may see an owner's object."""
        del operation
        return access == owner

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Give the object of that id, or refuse as if there were none."""
        row = self.store.find(table, id=number)
        if row is None or not self.sees(call.access, owner_of(row), call.operation):
            raise self.not_found(call)
        return row

    def knows_charge(self, number: str) -> bool:
        """Whether anybody has a charge of that id."""
        return self.store.find("payments_charge", id=number) is not None

    def not_found(self, call: Call) -> Refusal:
        """Refuse an id that is unknown or another's."""
        del call
        return Refusal("missing", "resource not found")

    def may_simulate(self, owner: Access, operation: str) -> bool:
        """Judge whether a simulation route works on an owner's objects."""
        del operation
        return owner.is_sandbox

    def require_sandbox(self, call: Call, row: Row) -> None:
        """Refuse a simulation outside the sandbox."""
        if not self.may_simulate(owner_of(row), call.operation):
            raise Refusal("forbidden", "only sandbox objects can be simulated")


def owner_of(row: Row) -> Access:
    """Whose a row is."""
    return Access(row["account"], row["environment"])
