"""How the business API refuses: one field, `detail`."""

from typing import Any, ClassVar

from pix_conformance.reference.call import Access, Call, Refusal
from pix_conformance.reference.http import WireRules
from pix_conformance.reference.store import Row


class ErrorRules(WireRules):
    """Kinds of refusal, each with its status."""

    error_statuses: ClassVar[dict[str, int]] = {
        "unauthorized": 401,
        "forbidden": 403,
        "missing": 404,
        "method": 405,
        "state": 409,
        "key_conflict": 409,
        "invalid": 422,
        "limited": 429,
    }

    def error_status(self, refusal: Refusal) -> int:
        """Status of a refusal."""
        return self.error_statuses[refusal.kind]

    def error_message(self, refusal: Refusal) -> str:
        """Readable words of a refusal."""
        return refusal.message

    def error_body(self, refusal: Refusal) -> Any:
        """Body of a refusal."""
        return {"detail": self.error_message(refusal)}


class AuthRules(ErrorRules):
    """Keys, and who sees what with them."""

    def authorize(self, call: Call) -> Access:
        """Whose data a call's key opens."""
        scheme, _, key = call.headers.get("authorization", "").partition(" ")
        access = self.find_key(key.strip()) if scheme.lower() == "bearer" else None
        if access is None:
            raise self.unauthorized("API key is missing, invalid or revoked")
        return access

    def find_key(self, key: str) -> Access | None:
        """Whose data a key opens."""
        return self.world.accounts.key(key)

    def unauthorized(self, words: str) -> Refusal:
        """Refuse an unknown caller."""
        return Refusal("unauthorized", words, www_authenticate="Bearer")

    def sees(self, access: Access, owner: Access, operation: str) -> bool:
        """Judge whether an operation may see an owner's object."""
        del operation
        return access == owner

    def owned(self, call: Call) -> Row:
        """Give the charge in the path, or refuse as if there were none."""
        row = self.store.find("business_charge", id=call.params["id"])
        if row is None or not self.sees(call.access, owner_of(row), call.operation):
            raise self.not_found(call)
        return row

    def knows_charge(self, number: str) -> bool:
        """Whether anybody has a charge of that id."""
        return self.store.find("business_charge", id=number) is not None

    def not_found(self, call: Call) -> Refusal:
        """Refuse an id that is unknown or another's."""
        del call
        return Refusal("missing", "charge not found")


def owner_of(row: Row) -> Access:
    """Whose a row is."""
    return Access(row["account"], row["environment"])
