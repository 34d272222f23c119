"""Moments that lie: lives of tokens, dates of objects."""

from datetime import UTC, datetime, timedelta
from typing import Any

import jwt

from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


class TokenOf50Seconds(PaymentsRules):
    """A token is refused after 50 seconds, though it promises 60."""

    breaks = ("PAY-AUTH-09",)
    group = "time"

    def token_validity_ms(self) -> int:
        """Live shorter than promised."""
        return 50_000


class TokenOf30Seconds(PaymentsRules):
    """A token is refused after half its life."""

    breaks = ("PAY-AUTH-09",)
    group = "time"

    def token_validity_ms(self) -> int:
        """Live half as long as promised."""
        return 30_000


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


class TokenClaimsAnHour(PaymentsRules):
    """A token says in its claims that it lives for an hour."""

    breaks = ("PAY-AUTH-22",)
    group = "time"

    def token_claims(self, access: Access) -> dict[str, Any]:
        """Add an exp that nobody looks at."""
        claims = super().token_claims(access)
        return claims | {"exp": claims["iat"] + 3600}


class TokenClaimsMilliseconds(PaymentsRules):
    """A token says its exp in milliseconds."""

    breaks = ("PAY-AUTH-22",)
    group = "time"

    def make_token(self, access: Access) -> str:
        """Sign such an exp."""
        claims = self.token_claims(access)
        return jwt.encode(claims | {"exp": int(claims["iat"] + 60) * 1000}, self._signing_key, self.token_algorithm)


def _behind(epoch: float, hours: float) -> str:
    """Write a moment some hours behind UTC, and call it UTC."""
    return (datetime.fromtimestamp(epoch, UTC) - timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class TransferCreatedInLocalTime(PaymentsRules):
    """The createdAt of a transfer is the time of Brasilia, called UTC."""

    breaks = ("PAY-TRF-66",)
    group = "time"

    def transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Write three hours less."""
        return super().transfer_view(transfer) | {"createdAt": _behind(transfer["created_at"], 3)}


class TransferCreatedNow(PaymentsRules):
    """The createdAt and updatedAt of a transfer are the time of its query."""

    breaks = ("PAY-TRF-66", "PAY-TRF-79", "PAY-TRF-81")
    seen_in = ("PAY-CMP-01",)
    group = "time"

    def transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Write the present moment."""
        now = _behind(self.clock.now(), 0)
        return super().transfer_view(transfer) | {"createdAt": now, "updatedAt": now}


class TransferCreatedWhenCompleted(PaymentsRules):
    """The completion moves the createdAt of a transfer back."""

    breaks = ("PAY-TRF-66",)
    group = "time"

    def completed_changes(self, transfer: Row) -> Row:
        """Change it too."""
        return super().completed_changes(transfer) | {"created_at": transfer["created_at"] - 120}


class TransferUpdatedBeforeCreated(PaymentsRules):
    """The updatedAt of a transfer lies a minute before its createdAt."""

    breaks = ("PAY-TRF-67",)
    group = "time"

    def transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Write it too early."""
        return super().transfer_view(transfer) | {"updatedAt": _behind(transfer["created_at"] - 60, 0)}


class TransferWithoutOffset(PaymentsRules):
    """Dates of a transfer lack the offset."""

    breaks = ("PAY-GEN-05",)
    group = "time"

    def transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Cut it off."""
        view = super().transfer_view(transfer)
        return view | {"createdAt": view["createdAt"].rstrip("Z"), "updatedAt": view["updatedAt"].rstrip("Z")}


class HookWithBlankDate(PaymentsRules):
    """The createdAt of a webhook is written as a database prints it, without an offset."""

    breaks = ("PAY-GEN-05",)
    group = "time"

    def webhook_view(self, call: Call, hook: Row) -> dict[str, Any]:
        """Print it so."""
        text = datetime.fromtimestamp(hook["created_at"], UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
        return super().webhook_view(call, hook) | {"createdAt": text}


class HookCreatedInLocalTime(PaymentsRules):
    """The createdAt of a webhook is the time of Brasilia, called UTC."""

    breaks = ("PAY-WH-34",)
    group = "time"

    def webhook_view(self, call: Call, hook: Row) -> dict[str, Any]:
        """Write three hours less."""
        return super().webhook_view(call, hook) | {"createdAt": _behind(hook["created_at"], 3)}


class HookCreatedAtEpoch(PaymentsRules):
    """The createdAt of a webhook is never set."""

    breaks = ("PAY-WH-34",)
    group = "time"

    def webhook_view(self, call: Call, hook: Row) -> dict[str, Any]:
        """Write the beginning of time."""
        return super().webhook_view(call, hook) | {"createdAt": "1970-01-01T00:00:00.000Z"}


class TokenOfYesterday(PaymentsRules):
    """A token that is used after its end is answered 403."""

    breaks = ("PAY-AUTH-10",)
    group = "time"

    async def answer(self, call: Call) -> Answer:
        """Tell an expired token from an unknown one."""
        claims = self.read_token(call.headers.get("authorization", "").partition(" ")[2])
        answer = await super().answer(call)
        return Answer(403, answer.body) if claims and self.is_expired(claims) else answer
