"""Conforming variants where PAY-AUTH is silent: authentication."""

from __future__ import annotations

import base64
import secrets
from typing import Any

from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import ROLES, ServerState


class TwinPairs(PaymentsRules):
    """What pairs look like is not said: one id for both environments, with a secret each."""

    def __init__(self, world: ServerState) -> None:
        """Give the production pair the sandbox's id."""
        super().__init__(world)
        pairs = world.accounts.clients
        pairs["live_merchant"] = (pairs["merchant"][0], pairs["live_merchant"][1])

    def find_client(self, client_id: str, client_secret: str) -> Access | None:
        """Take both halves together."""
        pairs = {pair: role for role, pair in self.world.accounts.clients.items()}
        role = pairs.get((client_id, client_secret))
        return ROLES[role] if role else None


class RefusesBodies(PaymentsRules):
    """No body is accepted, says the document of three routes: what one gets is not shown."""

    async def serve(self, call: Call) -> Answer:
        """Refuse it, once the caller is known."""
        answer = super().serve
        self.find_route(call)
        if call.body and call.operation in {"authenticate", "pay_charge", "complete_transfer"}:
            raise self.invalid("body", "is not accepted")
        return await answer(call)


class SchemesAsWritten(PaymentsRules):
    """Whether the schemes have a case is not shown."""

    def basic_pair(self, header: str) -> tuple[str, str] | None:
        """Insist on the capital."""
        return super().basic_pair(header) if header.startswith("Basic ") else None

    def authorize(self, call: Call) -> Access:
        """Insist on the capital."""
        if not call.headers.get("authorization", "").startswith("Bearer "):
            raise self.unauthorized("token is missing, invalid or expired")
        return super().authorize(call)


class EncryptedTokens(PaymentsRules):
    """A JWT may be encrypted (RFC 7519, section 3): five parts, of which nothing can be read."""

    def __init__(self, world: ServerState) -> None:
        """Have given out none."""
        super().__init__(world)
        self._given: dict[str, dict[str, Any]] = {}

    def make_token(self, access: Access) -> str:
        """Give random parts behind a head."""
        head = base64.urlsafe_b64encode(b'{"alg":"RSA-OAEP","enc":"A256GCM"}').decode().rstrip("=")
        token = ".".join([head, *(secrets.token_urlsafe(size) for size in (48, 12, 60, 16))])
        self._given[token] = self.token_claims(access)
        return token

    def read_token(self, token: str) -> dict[str, Any] | None:
        """Know it again."""
        return self._given.get(token)


class DirectlyEncryptedTokens(EncryptedTokens):
    """A JWT may be encrypted with a shared key (RFC 7518, section 4.5): five parts, of which the second is empty."""

    def make_token(self, access: Access) -> str:
        """Leave out the key."""
        given = super().make_token(access)
        head, _, *rest = given.split(".")
        token = ".".join([head, "", *rest])
        self._given[token] = self._given.pop(given)
        return token


class TokensOfASecond(PaymentsRules):
    """What tells tokens apart is not shown: their second, so that those of one second are the same."""

    def token_claims(self, access: Access) -> dict[str, Any]:
        """Have no id."""
        claims = super().token_claims(access)
        return {"sub": claims["sub"], "environment": claims["environment"], "iat": int(claims["iat"])}


class NamesScopes(PaymentsRules):
    """Scopes of a credential are not shown."""

    def token_claims(self, access: Access) -> dict[str, Any]:
        """Say some, and when the token ends."""
        claims = super().token_claims(access)
        return claims | {"scope": "pix.in pix.out", "expires": claims["iat"] + self.token_lifetime_ms / 1000}


VARIANTS = [
    Variant("payments-pairs", ("PAY-AUTH-15",), {"one-id": TwinPairs}),
    Variant("payments-no-body", ("PAY-AUTH-20", "PAY-PAYS-17", "PAY-CMP-17"), {"refused": RefusesBodies}),
    Variant("payments-schemes", ("PAY-AUTH-23",), {"written": SchemesAsWritten}),
    Variant(
        "payments-tokens",
        ("PAY-AUTH-24",),
        {"encrypted": EncryptedTokens, "direct": DirectlyEncryptedTokens, "of-a-second": TokensOfASecond},
    ),
    Variant("payments-claims", ("PAY-AUTH-24",), {"scopes": NamesScopes}),
]
