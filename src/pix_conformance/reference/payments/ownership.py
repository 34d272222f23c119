"""Which objects an account can see in the payments API, and which it can simulate."""

from pix_conformance.reference.call import Access, Call, Refusal
from pix_conformance.reference.payments.auth import AuthRules
from pix_conformance.reference.store import Row, owner_of


class OwnershipRules(AuthRules):
    """An object belongs to an account and environment; other accounts get 404 (PAY-ISO)."""

    def sees(self, access: Access, owner: Access, operation: str) -> bool:
        """Return whether an operation of `access` may see an object of `owner`."""
        del operation
        return access == owner

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Return the row with that id. Raises the same Refusal for an unknown id and another account's object."""
        row = self.store.find(table, id=number)
        if row is None or not self.sees(call.access, owner_of(row), call.operation):
            raise self.not_found(call)
        return row

    def knows_charge(self, number: str) -> bool:
        """Return whether any account has a charge with that id."""
        return self.store.find("payments_charge", id=number) is not None

    def not_found(self, call: Call) -> Refusal:
        """Return the refusal of an unknown id or another account's object."""
        del call
        return Refusal("missing", "resource not found")

    def may_simulate(self, owner: Access, operation: str) -> bool:
        """Return whether a simulation route works on objects of `owner`: only in the sandbox."""
        del operation
        return owner.is_sandbox

    def require_sandbox(self, call: Call, row: Row) -> None:
        """Refuse a simulation outside the sandbox (PAY-PAYS-14, PAY-CMP-13)."""
        if not self.may_simulate(owner_of(row), call.operation):
            raise Refusal("forbidden", "only sandbox objects can be simulated")
