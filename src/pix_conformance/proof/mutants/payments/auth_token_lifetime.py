"""Mutants of PAY-AUTH: tokens that must be accepted, and for how long."""

from collections import Counter
from typing import Any

from pix_conformance.reference.call import Access, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import ServerState
from pix_conformance.reference.store import Row

MINUTE = 60


class TokenStillborn(PaymentsRules):
    """A token is valid from its second second on."""

    breaks = ("PAY-AUTH-08",)
    group = "auth"

    def is_expired(self, claims: dict[str, Any]) -> bool:
        """Refuse it while it is too young."""
        return super().is_expired(claims) or self.clock.now() - claims["iat"] < 1


class TokenOfCharges(PaymentsRules):
    """A token does not open the list of webhooks."""

    breaks = ("PAY-AUTH-08", "PAY-WH-40")
    group = "auth"

    def authorize(self, call: Call) -> Access:
        """Refuse that one route."""
        if call.operation == "list_webhooks":
            raise self.unauthorized("token lacks a scope")
        return super().authorize(call)


class TokenUntilFullMinute(PaymentsRules):
    """A token ends with the minute of the clock in which it was given."""

    breaks = ("PAY-AUTH-09",)
    group = "time"

    def is_expired(self, claims: dict[str, Any]) -> bool:
        """Compare the minutes."""
        return super().is_expired(claims) or claims["iat"] // MINUTE != self.clock.now() // MINUTE


class TokenGivenAgain(PaymentsRules):
    """A token is given again as long as it lives, with the promise of a whole minute."""

    breaks = ("PAY-AUTH-09",)
    group = "time"

    def make_token(self, access: Access) -> str:
        """Look for one that is still valid."""
        kept = self.__dict__.setdefault("kept_tokens", {})
        claims = self.read_token(kept[access]) if access in kept else None
        if claims is None or self.is_expired(claims):
            kept[access] = super().make_token(access)
        return str(kept[access])


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


class TokenForTwentyCalls(PaymentsRules):
    """A token opens twenty calls."""

    breaks = ("PAY-AUTH-09",)
    seen_in = ("PAY-SPL-17",)
    group = "auth"
    most = 20

    def __init__(self, world: ServerState) -> None:
        """Count the calls of each token."""
        super().__init__(world)
        self._uses: Counter[str] = Counter()

    def read_token(self, token: str) -> dict[str, Any] | None:
        """Refuse what was used often enough."""
        self._uses[token] += 1
        return super().read_token(token) if self._uses[token] <= self.most else None


class TokenOnce(TokenForTwentyCalls):
    """A token opens one call only."""

    breaks = ("PAY-AUTH-09",)
    group = "auth"
    most = 1


class TokenShortOfItsMinute(PaymentsRules):
    """A token lives 57 seconds."""

    breaks = ("PAY-AUTH-09",)
    group = "time"

    def token_validity_ms(self) -> int:
        """Take three off."""
        return super().token_validity_ms() - 3_000


class NewTokenEndsOld(PaymentsRules):
    """A new token ends the life of the one before."""

    breaks = ("PAY-AUTH-21",)
    group = "auth"

    def make_token(self, access: Access) -> str:
        """Remember it as the only one."""
        token = super().make_token(access)
        mark: Row = {"scope": "newest", "key": access.book, "fingerprint": token, "status": 0, "body": ""}
        self.store.put("idempotency", mark)
        return token

    def read_token(self, token: str) -> dict[str, Any] | None:
        """Read the newest of its owner only."""
        claims = super().read_token(token)
        if claims is None:
            return None
        owner = Access(claims["sub"], claims["environment"])
        newest = self.store.find("idempotency", scope="newest", key=owner.book)
        return claims if newest and newest["fingerprint"] == token else None
