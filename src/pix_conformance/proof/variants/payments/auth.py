"""Conforming variants where PAY-AUTH is silent: authentication."""

import base64
import secrets
from typing import Any

from pix_conformance.proof.difference import changes_result, variant
from pix_conformance.proof.variants.common.checks import checks_arguments
from pix_conformance.reference.call import Access, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import ROLES, ServerState

WITHOUT_BODY = {"authenticate", "pay_charge", "complete_transfer"}


def refuse_body(rules: Any, call: Call) -> None:
    rules.find_route(call)
    if call.body and call.operation in WITHOUT_BODY:
        raise rules.invalid("body", "is not accepted")


VARIANTS = {
    "PAY-AUTH-20": {"body-refused": checks_arguments(
            "A body of authentication, pay or complete is refused: "
            "none is accepted, and the response to one is not stated (payments.md, lines 229, 246 and 267).",
            serve=refuse_body).also("PAY-PAYS-17", "PAY-CMP-17")},
    "PAY-AUTH-24": {
        "tokens-of-one-second-are-equal": changes_result(
            "Tokens that are issued within one second are equal: "
            "no sentence says that each one is new (payments.md, line 307).",
            token_claims=lambda _rules, claims, _access: {
                "sub": claims["sub"], "environment": claims["environment"], "iat": int(claims["iat"])}),
        "token-names-scopes": changes_result(
            "A token names scopes and its end: scopes are not shown (payments.md, line 312).",
            token_claims=lambda rules, claims, _access: claims | {
                "scope": "pix.in pix.out", "expires": claims["iat"] + rules.token_lifetime_ms / 1000}),
    },
}  # fmt: skip


@variant("PAY-AUTH-15/one-client-id")
class OneClientId(PaymentsRules):
    """Both pairs of an account have one client_id: only the pairs must differ (payments.md, line 310)."""

    def __init__(self, world: ServerState) -> None:
        super().__init__(world)
        pairs = world.accounts.clients
        pairs["live_merchant"] = (pairs["merchant"][0], pairs["live_merchant"][1])

    def find_client(self, client_id: str, client_secret: str) -> Access | None:
        pairs = {pair: role for role, pair in self.world.accounts.clients.items()}
        role = pairs.get((client_id, client_secret))
        return ROLES[role] if role else None


@variant("PAY-AUTH-23/schemes-as-written")
class SchemesAsWritten(PaymentsRules):
    """Only Basic and Bearer with a capital are schemes: their case is not stated (payments.md, lines 228 and 308)."""

    def basic_pair(self, header: str) -> tuple[str, str] | None:
        return super().basic_pair(header) if header.startswith("Basic ") else None

    def authorize(self, call: Call) -> Access:
        if not call.headers.get("authorization", "").startswith("Bearer "):
            raise self.unauthorized("token is missing, invalid or expired")
        return super().authorize(call)


@variant("PAY-AUTH-24/encrypted-tokens")
class EncryptedTokens(PaymentsRules):
    """A token has five parts, which cannot be read: a JWT may be encrypted (payments.md, line 307; RFC 7519)."""

    def __init__(self, world: ServerState) -> None:
        super().__init__(world)
        self._issued: dict[str, dict[str, Any]] = {}

    def make_token(self, access: Access) -> str:
        head = base64.urlsafe_b64encode(b'{"alg":"RSA-OAEP","enc":"A256GCM"}').decode().rstrip("=")
        token = ".".join([head, *(secrets.token_urlsafe(size) for size in (48, 12, 60, 16))])
        self._issued[token] = self.token_claims(access)
        return token

    def read_token(self, token: str) -> dict[str, Any] | None:
        return self._issued.get(token)


@variant("PAY-AUTH-24/directly-encrypted-tokens")
class DirectlyEncryptedTokens(EncryptedTokens):
    """The second of five parts of a token is empty: a JWT may be encrypted with a shared key (RFC 7518, 4.5)."""

    def make_token(self, access: Access) -> str:
        given = super().make_token(access)
        head, _, *rest = given.split(".")
        token = ".".join([head, "", *rest])
        self._issued[token] = self._issued.pop(given)
        return token
