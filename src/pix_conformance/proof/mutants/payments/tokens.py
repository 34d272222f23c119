"""Tokens of the payments API that do not work for as long, as often or on as much as they should."""

import uuid
from collections import Counter
from typing import Any

from pix_conformance.reference.call import Access, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import World
from pix_conformance.reference.store import Row


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


class TokenForTwentyCalls(PaymentsRules):
    """A token opens twenty calls."""

    breaks = ("PAY-AUTH-09",)
    seen_in = ("PAY-SPL-17",)
    group = "auth"
    most = 20

    def __init__(self, world: World) -> None:
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


class TokenWithATail(PaymentsRules):
    """A token with a fourth part is accepted."""

    breaks = ("PAY-AUTH-13",)
    group = "auth"

    def read_token(self, token: str) -> dict[str, Any] | None:
        """Read three parts."""
        return super().read_token(".".join(token.split(".")[:3]))


class TokenOfMoreSignature(PaymentsRules):
    """What follows the 43 characters of a signature is not looked at."""

    breaks = ("PAY-AUTH-13",)
    group = "auth"

    def read_token(self, token: str) -> dict[str, Any] | None:
        """Cut it off."""
        head, _, signature = token.rpartition(".")
        return super().read_token(f"{head}.{signature[:43]}")


class TokenShortOfItsMinute(PaymentsRules):
    """A token lives 57 seconds."""

    breaks = ("PAY-AUTH-09",)
    group = "time"

    def token_validity_ms(self) -> int:
        """Take three off."""
        return super().token_validity_ms() - 3_000


class TokenOfFourParts(PaymentsRules):
    """The token has a fourth part, and opens everything all the same."""

    breaks = ("PAY-AUTH-04",)
    group = "auth"
    more = ".four"

    def make_token(self, access: Access) -> str:
        """Add the part."""
        return super().make_token(access) + self.more

    def read_token(self, token: str) -> dict[str, Any] | None:
        """Read the rest."""
        return super().read_token(token.removesuffix(self.more)) if token.endswith(self.more) else None


class TokenWithoutClaims(PaymentsRules):
    """The token is a random word and two points, and opens everything all the same."""

    breaks = ("PAY-AUTH-04",)
    group = "auth"

    def __init__(self, world: World) -> None:
        """Have given out none."""
        super().__init__(world)
        self._given: dict[str, str] = {}

    def make_token(self, access: Access) -> str:
        """Keep the token behind a word."""
        word = f"{uuid.uuid4().hex}.."
        self._given[word] = super().make_token(access)
        return word

    def read_token(self, token: str) -> dict[str, Any] | None:
        """Look it up."""
        return super().read_token(self._given.get(token, ""))
