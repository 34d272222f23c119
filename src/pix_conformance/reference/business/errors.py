"""Error responses and API keys of the business API."""

from typing import Any, ClassVar

from pix_conformance.reference.call import Access, Call, Refusal
from pix_conformance.reference.http import WireRules
from pix_conformance.reference.store import Row, owner_of


class ErrorRules(WireRules):
    """The kinds of refusal with their statuses (BUS-ERR)."""

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
        """Return the status of a refusal."""
        return self.error_statuses[refusal.kind]

    def error_message(self, refusal: Refusal) -> str:
        """Return the text of a refusal."""
        return refusal.message

    def error_body(self, refusal: Refusal) -> Any:
        """Return the body of a refusal: one field, `detail`."""
        return {"detail": self.error_message(refusal)}


class AuthRules(ErrorRules):
    """API keys, and the objects that each key can see."""

    def authorize(self, call: Call) -> Access:
        """Return the account and environment of the request's API key; raises Refusal (401)."""
        scheme, _, key = call.headers.get("authorization", "").partition(" ")
        access = self.find_key(key.strip()) if scheme.lower() == "bearer" else None
        if access is None:
            raise self.unauthorized("API key is missing, invalid or revoked")
        return access

    def find_key(self, key: str) -> Access | None:
        """Return the account and environment of an API key; None for an unknown or revoked key."""
        return self.state.accounts.key(key)

    def unauthorized(self, words: str) -> Refusal:
        """Return the refusal of a request without a valid API key."""
        return Refusal("unauthorized", words, www_authenticate="Bearer")

    def sees(self, access: Access, owner: Access, operation: str) -> bool:
        """Return whether an operation of `access` may see an object of `owner`."""
        del operation
        return access == owner

    def owned(self, call: Call) -> Row:
        """Return the charge of the path. Raises the same Refusal for an unknown id and another account's charge."""
        row = self.store.find("business_charge", id=call.params["id"])
        if row is None or not self.sees(call.access, owner_of(row), call.operation):
            raise self.not_found(call)
        return row

    def knows_charge(self, number: str) -> bool:
        """Return whether any account has a charge with that id."""
        return self.store.find("business_charge", id=number) is not None

    def not_found(self, call: Call) -> Refusal:
        """Return the refusal of an unknown id or another account's charge (BUS-ISO)."""
        del call
        return Refusal("missing", "charge not found")
