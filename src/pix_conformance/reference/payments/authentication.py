"""Error responses, tokens, and the objects that an account can see in the payments API."""

import base64
import binascii
from typing import Any, ClassVar

import jwt

from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.http import WireRules, route
from pix_conformance.reference.state import ServerState
from pix_conformance.reference.store import Row, owner_of


class ErrorRules(WireRules):
    """The kinds of refusal with their statuses and codes."""

    error_statuses: ClassVar[dict[str, int]] = {
        "invalid": 400,
        "state": 400,
        "unauthorized": 401,
        "forbidden": 403,
        "missing": 404,
        "method": 405,
        "key_conflict": 409,
        "limited": 429,
    }
    error_codes: ClassVar[dict[str, str]] = {
        "invalid": "INVALID_REQUEST",
        "state": "INVALID_STATUS",
        "unauthorized": "UNAUTHORIZED",
        "forbidden": "FORBIDDEN",
        "missing": "NOT_FOUND",
        "method": "METHOD_NOT_ALLOWED",
        "key_conflict": "IDEMPOTENCY_CONFLICT",
        "limited": "RATE_LIMITED",
    }

    def error_status(self, refusal: Refusal) -> int:
        """Return the status of a refusal."""
        return self.error_statuses[refusal.kind]

    def error_code(self, refusal: Refusal) -> str:
        """Return the code of a refusal."""
        return self.error_codes[refusal.kind]

    def error_message(self, refusal: Refusal) -> str:
        """Return the text of a refusal."""
        return refusal.message

    def error_body(self, refusal: Refusal) -> Any:
        """Return the body of a refusal: `error` and `message`."""
        return {"error": self.error_code(refusal), "message": self.error_message(refusal)}


class AuthRules(ErrorRules):
    """A credential pair is exchanged for a token; all other operations need a token."""

    token_lifetime_ms = 60_000
    token_type = "Bearer"  # noqa: S105 - the name of a scheme
    token_algorithm = "HS256"  # noqa: S105 - the name of an algorithm
    auth_status = 200

    def __init__(self, state: ServerState) -> None:
        """Serve with this state and a new signing key."""
        super().__init__(state)
        self._signing_key = state.random.hex(32)

    @route("POST", "/api/auth")
    async def authenticate(self, call: Call) -> Answer:
        """POST /api/auth. A body is ignored."""
        pair = self.basic_pair(call.headers.get("authorization", ""))
        access = self.find_client(*pair) if pair else None
        if access is None:
            raise self.unauthorized("client credentials are missing or invalid")
        return Answer(self.auth_status, self.token_view(self.make_token(access)))

    def basic_pair(self, header: str) -> tuple[str, str] | None:
        """Return client id and secret of a Basic header (RFC 7617), or None if it is malformed."""
        scheme, _, coded = header.partition(" ")
        if scheme.lower() != "basic":
            return None
        try:
            client_id, colon, secret = base64.b64decode(coded.strip(), validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError, ValueError):
            return None
        return (client_id, secret) if colon else None

    def find_client(self, client_id: str, client_secret: str) -> Access | None:
        """Return the account and environment of a credential pair, or None."""
        return self.state.accounts.client(client_id, client_secret)

    def token_view(self, token: str) -> dict[str, Any]:
        """Return the body of a successful login."""
        return {
            "success": True,
            "token": token,
            "tokenType": self.token_type,
            "expiresIn": self.token_lifetime_ms,
        }

    def token_claims(self, access: Access) -> dict[str, Any]:
        """Return the claims of a new token. `iat` (seconds) decides its age."""
        return {
            "sub": access.account,
            "environment": access.environment,
            "iat": self.clock.now(),
            "jti": self.state.random.uuid().hex,
        }

    def make_token(self, access: Access) -> str:
        """Return a new signed token."""
        return jwt.encode(self.token_claims(access), self._signing_key, self.token_algorithm)

    def authorize(self, call: Call) -> Access:
        """Return the account and environment of the request's token; raises Refusal (401)."""
        scheme, _, token = call.headers.get("authorization", "").partition(" ")
        claims = self.read_token(token.strip()) if scheme.lower() == "bearer" else None
        if claims is None or self.is_expired(claims):
            raise self.unauthorized("token is missing, invalid or expired")
        return Access(claims["sub"], claims["environment"])

    def read_token(self, token: str) -> dict[str, Any] | None:
        """Return the claims of a token that this server signed, or None."""
        options = {"verify_iat": False, "require": ["sub", "environment", "iat"]}
        try:
            return dict(jwt.decode(token, self._signing_key, [self.token_algorithm], options=options))  # type: ignore[arg-type]  # the TypedDict of PyJWT takes literals only
        except (jwt.PyJWTError, ValueError):
            return None

    def is_expired(self, claims: dict[str, Any]) -> bool:
        """Return whether a token is too old."""
        return bool((self.clock.now() - claims["iat"]) * 1000 >= self.token_validity_ms())

    def token_validity_ms(self) -> int:
        """The lifetime of a token in milliseconds (PAY-AUTH-07)."""
        return self.token_lifetime_ms

    def unauthorized(self, words: str) -> Refusal:
        """Return the refusal of a request without a valid credential."""
        return Refusal("unauthorized", words, www_authenticate="Bearer")


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
