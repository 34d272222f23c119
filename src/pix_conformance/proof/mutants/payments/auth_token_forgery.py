"""Mutants of PAY-AUTH: requests with an altered token or another credential."""

import base64
import binascii
import json
from base64 import urlsafe_b64decode
from typing import Any

import jwt

from pix_conformance.proof.mutants.operators.payments.ownership import OWNER
from pix_conformance.reference.call import Access, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

DOTS = 2


def _unverified(token: str) -> dict[str, Any]:
    """Read claims without looking at the signature; none where there are none."""
    try:
        part = token.split(".")[1]
        read = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (IndexError, ValueError, binascii.Error):
        return {}
    return read if isinstance(read, dict) else {}


class AcceptsUnsigned(PaymentsRules):
    """A token that says alg none is believed."""

    breaks = ("PAY-AUTH-13",)
    group = "auth"

    def read_token(self, token: str) -> dict[str, Any] | None:
        """Skip the signature when told so."""
        claims = super().read_token(token)
        return claims or (_unverified(token) or None if token.endswith(".") else None)


class AcceptsAnySignature(PaymentsRules):
    """The signature of a token is not looked at."""

    breaks = ("PAY-AUTH-13",)
    group = "auth"

    def read_token(self, token: str) -> dict[str, Any] | None:
        """Believe the claims of an account that exists."""
        claims = _unverified(token)
        known = {"sub", "environment", "iat"} <= set(claims) and claims["sub"] in {"merchant-a", "merchant-b"}
        return claims if known else super().read_token(token)


class ComparesSignatureLoosely(PaymentsRules):
    """A token is taken for right when its signature begins like the right one."""

    breaks = ("PAY-AUTH-13",)
    group = "auth"

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


class AcceptsEmptySignature(PaymentsRules):
    """A token whose signature was taken off is not verified."""

    breaks = ("PAY-AUTH-13",)
    group = "auth"

    def read_token(self, token: str) -> dict[str, Any] | None:
        """Look at a signature only if there is one."""
        if not token.endswith(".") or token.count(".") != DOTS:
            return super().read_token(token)
        return dict(jwt.decode(token, options={"verify_signature": False}))


def _text(part: str) -> bytes:
    return urlsafe_b64decode(part + "=" * (-len(part) % 4)).replace(b" ", b"")


class HeadUncovered(PaymentsRules):
    """The signature of a token is held against the header that it should have, not the one that it has."""

    breaks = ("PAY-AUTH-13",)
    group = "auth"

    def read_token(self, token: str) -> dict[str, Any] | None:
        """Put the header right."""
        head, _, rest = token.partition(".")
        own = self.make_token(OWNER).partition(".")[0]
        return super().read_token(f"{own}.{rest}" if b'"alg":"HS256"' in _text(head) else token)


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


class BasicOpensBalance(PaymentsRules):
    """The client credentials open every route besides the token."""

    breaks = ("PAY-AUTH-14",)
    group = "auth"

    def authorize(self, call: Call) -> Access:
        """Try them first."""
        pair = self.basic_pair(call.headers.get("authorization", ""))
        return self.find_client(*pair) or super().authorize(call) if pair else super().authorize(call)


class BasicOpensHookList(PaymentsRules):
    """The client credentials open the list of webhooks besides the token."""

    breaks = ("PAY-AUTH-14",)
    group = "auth"

    def authorize(self, call: Call) -> Access:
        """Try them there."""
        pair = self.basic_pair(call.headers.get("authorization", "")) if call.operation == "list_webhooks" else None
        return self.find_client(*pair) or super().authorize(call) if pair else super().authorize(call)
