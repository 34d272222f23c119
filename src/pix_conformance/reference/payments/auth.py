"""Login and tokens of the payments API (PAY-AUTH)."""

import base64
import binascii
from typing import Any

import jwt

from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.payments.errors import ErrorRules
from pix_conformance.reference.state import ServerState


class AuthRules(ErrorRules):
    """A credential pair is exchanged for a token; all other operations need a token."""

    token_lifetime_ms = 60_000
    token_type = "Bearer"  # noqa: S105 - the name of a scheme
    token_algorithm = "HS256"  # noqa: S105 - the name of an algorithm
    auth_status = 200

    def __init__(self, world: ServerState) -> None:
        """Serve with this state and a new signing key."""
        super().__init__(world)
        self._signing_key = world.chance.hex(32)

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
        return self.world.accounts.client(client_id, client_secret)

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
            "jti": self.world.chance.uuid().hex,
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
