"""Tokens of the payments API that open too much, too little, too long or too short."""

import base64
import binascii
import json
from typing import Any, ClassVar

from pix_conformance.proof.mutants.payments.tables import RefusesOtherwise, refusing
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import ROLES
from pix_conformance.reference.store import Row

ROUTES = {
    "create_charge": "Charge",
    "get_charge": "ChargeQuery",
    "pay_charge": "Pay",
    "create_transfer": "Transfer",
    "get_transfer": "TransferQuery",
    "complete_transfer": "Completion",
    "get_balance": "Balance",
    "list_webhooks": "HookList",
    "create_webhook": "Hook",
    "delete_webhook": "HookRemoval",
}
MERCHANT = ROLES["merchant"]


def _unverified(token: str) -> dict[str, Any]:
    """Read claims without looking at the signature; none where there are none."""
    try:
        part = token.split(".")[1]
        read = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (IndexError, ValueError, binascii.Error):
        return {}
    return read if isinstance(read, dict) else {}


class OpenRoute(PaymentsRules):
    """Asks for no token on one route, and serves the merchant there."""

    route: ClassVar[str] = ""

    def authorize(self, call: Call) -> Access:
        """Let in whoever says nothing."""
        unnamed = call.operation == self.route and not call.headers.get("authorization")
        return MERCHANT if unnamed else super().authorize(call)


class GullibleRoute(PaymentsRules):
    """Takes any token on one route, and serves the merchant there."""

    route: ClassVar[str] = ""

    def authorize(self, call: Call) -> Access:
        """Let in whoever says anything after Bearer."""
        try:
            return super().authorize(call)
        except Refusal:
            scheme, _, token = call.headers.get("authorization", "").partition(" ")
            if call.operation == self.route and scheme == "Bearer" and token.strip():
                return MERCHANT
            raise


def _refused(status: int, code: str = "UNAUTHORIZED") -> Any:
    return lambda refusal: Answer(status, {"error": code, "message": refusal.message})


globals().update(
    family(__name__, "auth", OpenRoute, {
        f"{label}WithoutToken": (f"The route {route} asks for no token.", "PAY-AUTH-11", {"route": route})
        for route, label in ROUTES.items()
    }),
    **family(__name__, "auth", GullibleRoute, {
        f"{label}WithAnyToken": (f"The route {route} takes any token.",
            "PAY-AUTH-10 PAY-AUTH-12 PAY-AUTH-13", {"route": route})
        for route, label in ROUTES.items()
    }),
    **family(__name__, "auth", RefusesOtherwise, {
        "BalanceForbidden": ("The balance without a right token is refused with 403.",
            "PAY-AUTH-10 PAY-AUTH-11 PAY-AUTH-12 PAY-AUTH-13 PAY-AUTH-14",
            refusing("unauthorized", "get_balance", _refused(403))),
        "WrongCredentialsBadRequest": ("Wrong credentials are refused with 400.",
            "PAY-AUTH-15 PAY-AUTH-16 PAY-AUTH-17 PAY-AUTH-18 PAY-AUTH-19",
            refusing("unauthorized", "authenticate", _refused(400, "INVALID_REQUEST"))),
        "WrongCredentialsForbidden": ("Wrong credentials are refused with 403.",
            "PAY-AUTH-15 PAY-AUTH-16 PAY-AUTH-17 PAY-AUTH-18 PAY-AUTH-19",
            refusing("unauthorized", "authenticate", _refused(403))),
        "WrongCredentialsEmpty": ("Wrong credentials get a 200 that says success: false.",
            ("PAY-AUTH-15 PAY-AUTH-16 PAY-AUTH-17 PAY-AUTH-18 PAY-AUTH-19 "
            "PAY-AUTH-03 PAY-AUTH-05 PAY-AUTH-06 PAY-GEN-06"),
            refusing("unauthorized", "authenticate", lambda r: Answer(200, {"success": False, "message": r.message}))),
    }),
)  # fmt: skip


class TokenCreated(PaymentsRules):
    """A token is answered 201."""

    breaks = ("PAY-AUTH-01",)
    auth_status = 201


class TokenNeedsBody(PaymentsRules):
    """The authentication insists on a body with the grant type."""

    breaks = ("PAY-AUTH-01", "PAY-ENV-01")

    async def authenticate(self, call: Call) -> Answer:
        """Read one first."""
        if not call.body:
            raise self.invalid("grant_type", "is required")
        return await super().authenticate(call)


class AcceptsUnsigned(PaymentsRules):
    """A token that says alg none is believed."""

    breaks = ("PAY-AUTH-13",)

    def read_token(self, token: str) -> dict[str, Any] | None:
        """Skip the signature when told so."""
        claims = super().read_token(token)
        return claims or (_unverified(token) or None if token.endswith(".") else None)


class AcceptsAnySignature(PaymentsRules):
    """The signature of a token is not looked at."""

    breaks = ("PAY-AUTH-13",)

    def read_token(self, token: str) -> dict[str, Any] | None:
        """Believe the claims of an account that exists."""
        claims = _unverified(token)
        known = {"sub", "environment", "iat"} <= set(claims) and claims["sub"] in {"merchant-a", "merchant-b"}
        return claims if known else super().read_token(token)


class ComparesSignatureLoosely(PaymentsRules):
    """A token is taken for right when its signature begins like the right one."""

    breaks = ("PAY-AUTH-13",)

    def make_token(self, access: Access) -> str:
        """Remember it."""
        token = super().make_token(access)
        mark: Row = {"scope": "token", "key": self._cut(token), "fingerprint": token, "status": 0, "body": ""}
        self.store.put("idempotency", mark)
        return token

    def read_token(self, token: str) -> dict[str, Any] | None:
        """Look it up by its beginning."""
        found = self.store.find("idempotency", scope="token", key=self._cut(token))
        return super().read_token(found["fingerprint"] if found else token)

    def _cut(self, token: str) -> str:
        head, _, signature = token.rpartition(".")
        return f"{head}.{signature[:8]}"


class BasicOpensBalance(PaymentsRules):
    """The client credentials open every route besides the token."""

    breaks = ("PAY-AUTH-14",)

    def authorize(self, call: Call) -> Access:
        """Try them first."""
        pair = self.basic_pair(call.headers.get("authorization", ""))
        return self.find_client(*pair) or super().authorize(call) if pair else super().authorize(call)


class BasicOpensHookList(PaymentsRules):
    """The client credentials open the list of webhooks besides the token."""

    breaks = ("PAY-AUTH-14",)

    def authorize(self, call: Call) -> Access:
        """Try them there."""
        pair = self.basic_pair(call.headers.get("authorization", "")) if call.operation == "list_webhooks" else None
        return self.find_client(*pair) or super().authorize(call) if pair else super().authorize(call)


class AnySecret(PaymentsRules):
    """The client secret is not looked at."""

    breaks = ("PAY-AUTH-15",)

    def find_client(self, client_id: str, client_secret: str) -> Access | None:
        """Look for the id only."""
        del client_secret
        return next((ROLES[role] for role, pair in self.world.accounts.clients.items() if pair[0] == client_id), None)


class EmptySecret(PaymentsRules):
    """An empty client secret is taken for right."""

    breaks = ("PAY-AUTH-15",)

    def find_client(self, client_id: str, client_secret: str) -> Access | None:
        """Fill it in."""
        known = dict(self.world.accounts.clients.values())
        return super().find_client(client_id, client_secret or known.get(client_id, ""))


class SecretOfAnybody(PaymentsRules):
    """The secret of another client is taken for right."""

    breaks = ("PAY-AUTH-15",)

    def find_client(self, client_id: str, client_secret: str) -> Access | None:
        """Look both up, each alone."""
        known = dict(self.world.accounts.clients.values())
        right = client_secret in known.values()
        return super().find_client(client_id, known.get(client_id, "") if right else client_secret)


class AnyClient(PaymentsRules):
    """An unknown client id is found by its secret."""

    breaks = ("PAY-AUTH-16",)

    def find_client(self, client_id: str, client_secret: str) -> Access | None:
        """Look for the secret if the id is unknown."""
        known = self.world.accounts.clients
        unknown = client_id not in {pair[0] for pair in known.values()}
        by_secret = next((ROLES[role] for role, pair in known.items() if unknown and pair[1] == client_secret), None)
        return by_secret or super().find_client(client_id, client_secret)


class TokenForNobody(PaymentsRules):
    """An authentication without a header gets a token."""

    breaks = ("PAY-AUTH-17",)

    async def authenticate(self, call: Call) -> Answer:
        """Serve the merchant."""
        if call.headers.get("authorization") is None:
            return Answer(200, self.token_view(self.make_token(MERCHANT)))
        return await super().authenticate(call)


class MalformedBasicBadRequest(PaymentsRules):
    """A malformed Basic header is refused with 400."""

    breaks = ("PAY-AUTH-18",)

    async def authenticate(self, call: Call) -> Answer:
        """Judge the header first."""
        header = call.headers.get("authorization", "")
        if header.lower().startswith("basic") and self.basic_pair(header) is None:
            raise self.invalid("authorization", "is malformed")
        return await super().authenticate(call)


class MalformedBasicBreaks(PaymentsRules):
    """A Basic header that is no base64 ends in a 500."""

    breaks = ("PAY-AUTH-18", "PAY-ERR-12")

    async def authenticate(self, call: Call) -> Answer:
        """Fail to decode."""
        header = call.headers.get("authorization", "")
        if header.lower().startswith("basic ") and self.basic_pair(header) is None:
            return Answer(500, {"error": "INTERNAL", "message": "Incorrect padding"})
        return await super().authenticate(call)


class AnyScheme(PaymentsRules):
    """The name of the scheme is not looked at by the authentication."""

    breaks = ("PAY-AUTH-19",)

    def basic_pair(self, header: str) -> tuple[str, str] | None:
        """Take what follows the first word."""
        return super().basic_pair(f"Basic {header.partition(' ')[2]}")


class TokenForToken(PaymentsRules):
    """A token gets a further token, and so lives for ever."""

    breaks = ("PAY-AUTH-19",)

    async def authenticate(self, call: Call) -> Answer:
        """Renew it."""
        scheme, _, token = call.headers.get("authorization", "").partition(" ")
        claims = self.read_token(token) if scheme == "Bearer" else None
        if claims is None:
            return await super().authenticate(call)
        return Answer(200, self.token_view(self.make_token(Access(claims["sub"], claims["environment"]))))
