"""Mutants of PAY-AUTH: requests with an expired token or none."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.payments.ownership import MERCHANT
from pix_conformance.proof.mutants.operators.payments.refusals import RefusesOtherwise, refusing, unauthorized
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules

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
ALL_REFUSALS = "PAY-AUTH-10 PAY-AUTH-11 PAY-AUTH-12 PAY-AUTH-13 PAY-AUTH-14"
TEN_MINUTES_S = 600


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


globals().update(
    family(__name__, "auth", GullibleRoute, {
        f"{label}WithAnyToken": (f"The route {route} takes any token.",
            "PAY-AUTH-10 PAY-AUTH-12 PAY-AUTH-13", {"route": route})
        for route, label in ROUTES.items()
    })
)  # fmt: skip


globals().update(
    family(__name__, "auth", RefusesOtherwise, {
        "BalanceForbidden": ("The balance without a right token is refused with 403.",
            "PAY-AUTH-10 PAY-AUTH-11 PAY-AUTH-12 PAY-AUTH-13 PAY-AUTH-14",
            refusing("unauthorized", "get_balance", unauthorized(403))),
    })
)  # fmt: skip


class ActsUnauthorized(PaymentsRules):
    """Answers 401 on one route, and does there what was asked."""

    route: ClassVar[str] = ""

    def authorize(self, call: Call) -> Access:
        """Act, then refuse."""
        try:
            return super().authorize(call)
        except Refusal:
            if call.operation == self.route:
                self.act(call.params["id"])
            raise

    def act(self, number: str) -> None:
        """Do what the route does."""
        if hook := self.store.find("webhook", id=self.webhook_number(number)):
            self.remove_webhook(hook)
        if charge := self.store.find("payments_charge", id=number):
            self.claim_charge(charge, self.paid_changes(charge))
        if transfer := self.store.find("transfer", id=number):
            self.claim_transfer(transfer, self.completed_changes(transfer))


globals().update(
    family(__name__, "auth", ActsUnauthorized, {
        "RemovalWithoutTokenPretended": ("A removal without a right token is refused with 401, and done all the same.",
            ALL_REFUSALS, {"route": "delete_webhook"}),
        "PayWithoutTokenPretended": ("A pay without a right token is refused with 401, and done all the same.",
            "PAY-AUTH-10 PAY-AUTH-11", {"route": "pay_charge"}),
        "CompletionWithoutTokenPretended": (
            "A completion without a right token is refused with 401, and done all the same.",
            "PAY-AUTH-10 PAY-AUTH-11", {"route": "complete_transfer"}),
    })
)  # fmt: skip


class ProductionTokensLast(PaymentsRules):
    """Tokens of production live ten minutes."""

    breaks = ("PAY-AUTH-10",)
    group = "time"

    def is_expired(self, claims: dict[str, Any]) -> bool:
        """Be generous with them."""
        long = claims["environment"] != "sandbox" and self.clock.now() - claims["iat"] < TEN_MINUTES_S
        return not long and super().is_expired(claims)


class TokensOfOneAccountLast(PaymentsRules):
    """Tokens of one of the accounts never expire."""

    breaks = ("PAY-AUTH-10",)
    group = "time"

    def is_expired(self, claims: dict[str, Any]) -> bool:
        """Trust it."""
        return claims["sub"] != "merchant-b" and super().is_expired(claims)


class TokenOf90Seconds(PaymentsRules):
    """A token is accepted for 90 seconds."""

    breaks = ("PAY-AUTH-10",)
    group = "time"

    def token_validity_ms(self) -> int:
        """Live longer than promised."""
        return 90_000


class TokenForEver(PaymentsRules):
    """The age of a token is not looked at."""

    breaks = ("PAY-AUTH-10",)
    group = "time"

    def is_expired(self, claims: dict[str, Any]) -> bool:
        """Never end."""
        del claims
        return False


class TokenWithLeeway(PaymentsRules):
    """A token is accepted for five seconds after its end, as leeway for clocks."""

    breaks = ("PAY-AUTH-10",)
    group = "time"

    def token_validity_ms(self) -> int:
        """Forgive a little."""
        return 65_000


class TokenRenewedByUse(PaymentsRules):
    """A token lives for a minute after its last use."""

    breaks = ("PAY-AUTH-10",)
    group = "time"

    def is_expired(self, claims: dict[str, Any]) -> bool:
        """Begin its life anew."""
        mark = self.store.find("idempotency", scope="used", key=claims["jti"])
        expired = super().is_expired(claims | {"iat": float(mark["body"]) if mark else claims["iat"]})
        used = {"scope": "used", "key": claims["jti"], "fingerprint": "", "status": 0, "body": str(self.clock.now())}
        if not expired:
            self.store.put("idempotency", used)
        return expired


class ExpiredOpensHookList(PaymentsRules):
    """The list of webhooks takes tokens that are expired."""

    breaks = ("PAY-AUTH-10",)
    group = "time"

    def authorize(self, call: Call) -> Access:
        """Look at the signature alone there."""
        token = call.headers.get("authorization", "").partition(" ")[2]
        claims = self.read_token(token) if call.operation == "list_webhooks" else None
        return Access(claims["sub"], claims["environment"]) if claims else super().authorize(call)


class ExpiredOpensTransfers(PaymentsRules):
    """The creation of transfers takes tokens that are expired."""

    breaks = ("PAY-AUTH-10",)
    group = "time"

    def authorize(self, call: Call) -> Access:
        """Look at the signature alone there."""
        token = call.headers.get("authorization", "").partition(" ")[2]
        claims = self.read_token(token) if call.operation == "create_transfer" else None
        return Access(claims["sub"], claims["environment"]) if claims else super().authorize(call)


class TokenOfYesterday(PaymentsRules):
    """A token that is used after its end is answered 403."""

    breaks = ("PAY-AUTH-10",)
    group = "time"

    async def answer(self, call: Call) -> Answer:
        """Tell an expired token from an unknown one."""
        claims = self.read_token(call.headers.get("authorization", "").partition(" ")[2])
        answer = await super().answer(call)
        return Answer(403, answer.body) if claims and self.is_expired(claims) else answer


class OpenRoute(PaymentsRules):
    """Asks for no token on one route, and serves the merchant there."""

    route: ClassVar[str] = ""

    def authorize(self, call: Call) -> Access:
        """Let in whoever says nothing."""
        unnamed = call.operation == self.route and not call.headers.get("authorization")
        return MERCHANT if unnamed else super().authorize(call)


globals().update(
    family(__name__, "auth", OpenRoute, {
        f"{label}WithoutToken": (f"The route {route} asks for no token.", "PAY-AUTH-11", {"route": route})
        for route, label in ROUTES.items()
    })
)  # fmt: skip


def _of(claims: dict[str, Any]) -> Access:
    return Access(claims["sub"], claims["environment"])


class TokenUnderAnyScheme(PaymentsRules):
    """The word before a token is not looked at."""

    breaks = ("PAY-AUTH-11",)
    group = "auth"

    def authorize(self, call: Call) -> Access:
        """Read what follows it."""
        token = call.headers.get("authorization", "").partition(" ")[2]
        claims = self.read_token(token)
        return super().authorize(call) if claims is None or self.is_expired(claims) else _of(claims)
