"""Mutants of PAY-AUTH: the login and the token that it answers."""

import uuid
from typing import Any

import jwt

from pix_conformance.proof.mutants.operators.payments.responses import ChangesAnswers, in_answers, shapes
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import ServerState


class TokenCreated(PaymentsRules):
    """A token is answered 201."""

    breaks = ("PAY-AUTH-01",)
    group = "auth"
    auth_status = 201


class TokenNeedsBody(PaymentsRules):
    """The authentication insists on a body with the grant type."""

    breaks = ("PAY-AUTH-01", "PAY-ENV-01")
    group = "auth"

    async def authenticate(self, call: Call) -> Answer:
        """Read one first."""
        if not call.body:
            raise self.invalid("grant_type", "is required")
        return await super().authenticate(call)


globals().update(
    shapes(__name__, "Token", "authenticate", {
        "success": ("PAY-AUTH-02", "true"),
        "token": ("PAY-AUTH-03 PAY-AUTH-01 PAY-ENV-01", lambda token: {"jwt": token}),
        "tokenType": ("PAY-AUTH-05", ["Bearer"]),
        "expiresIn": ("PAY-AUTH-06", "60000"),
    })
)  # fmt: skip


class TokenIsOpaque(PaymentsRules):
    """The token is an opaque text that is no JWT, and opens everything all the same."""

    breaks = ("PAY-AUTH-04",)
    group = "schema"

    def make_token(self, access: Access) -> str:
        """Write one word of it."""
        return super().make_token(access).replace(".", "~")

    def read_token(self, token: str) -> dict[str, Any] | None:
        """Read that word."""
        return super().read_token(token.replace("~", "."))


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

    def __init__(self, world: ServerState) -> None:
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


globals().update(
    family(__name__, "schema", ChangesAnswers, {
        "TokenTypeInSmallLetters": (
            "The tokenType is written bearer.",
            "PAY-AUTH-05",
            in_answers("authenticate", "tokenType", "bearer"),
        ),
        "TokenTypeJwt": (
            "The tokenType names the form of the token instead of its use.",
            "PAY-AUTH-05",
            in_answers("authenticate", "tokenType", "JWT"),
        ),
        "ExpiresInNull": (
            "The expiresIn is null.",
            "PAY-AUTH-06",
            in_answers("authenticate", "expiresIn", None),
        ),
        "ExpiresInSeconds": (
            "The expiresIn is given in seconds: 60.",
            "PAY-AUTH-07",
            in_answers("authenticate", "expiresIn", 60),
        ),
        "ExpiresInAnHour": (
            "The expiresIn promises an hour.",
            "PAY-AUTH-07",
            in_answers("authenticate", "expiresIn", 3_600_000),
        ),
    })
)  # fmt: skip


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
