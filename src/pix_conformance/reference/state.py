"""The state that all rules of one running reference share: clock, random values, rows, outgoing webhooks, accounts."""

import asyncio
import base64
import hashlib
import random
import secrets
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Self

from pix_conformance.reference.call import Access
from pix_conformance.reference.outbox import Outbox
from pix_conformance.reference.store import Store

ROLES = {
    "merchant": Access("merchant-a", "sandbox"),
    "other_merchant": Access("merchant-b", "sandbox"),
    "live_merchant": Access("merchant-a", "production"),
}
PREFIXES = {"merchant": "", "other_merchant": "OTHER_", "live_merchant": "LIVE_"}
"""How the names of a role's variables begin, after PIX_."""


class ServerClock:
    """Epoch seconds: the machine's clock plus all advances."""

    def __init__(self) -> None:
        """Start with the machine's time. No event loop has to run."""
        self._ahead = 0.0
        self._turned = asyncio.Event()

    def now(self) -> float:
        """Return epoch seconds, UTC."""
        return time.time() + self._ahead

    def advance(self, seconds: float) -> None:
        """Advance the clock and wake every `sleep`. Call it on the event loop's thread only."""
        self._ahead += seconds
        self._turned.set()
        self._turned = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        """Return when that many seconds have passed on this clock."""
        due = self.now() + seconds
        while (left := due - self.now()) > 0:
            try:
                await asyncio.wait_for(self._turned.wait(), left)
            except TimeoutError:
                continue


def timestamp(epoch: float) -> str:
    """Return ISO 8601 in UTC with milliseconds, for example 2026-11-21T01:02:03.456Z."""
    return datetime.fromtimestamp(epoch, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class RandomSource:
    """Returns random values; with a seed the same sequence each time."""

    def __init__(self, seed: int | None = None) -> None:
        """Without a seed, use the operating system's random source."""
        self._source = random.SystemRandom() if seed is None else random.Random(seed)  # noqa: S311  # the user asked for repeatable values

    def forget_seed(self) -> None:
        """Use the operating system's random source from now on."""
        self._source = random.SystemRandom()

    def uuid(self) -> uuid.UUID:
        """Return a random UUID."""
        return uuid.UUID(int=self._source.getrandbits(128), version=4)

    def hex(self, size: int) -> str:
        """Return that many random bytes, in hexadecimal."""
        return self._source.randbytes(size).hex()

    def text(self, size: int) -> str:
        """Return that many random bytes, in URL-safe Base64."""
        return base64.urlsafe_b64encode(self._source.randbytes(size)).rstrip(b"=").decode()

    def letters(self, alphabet: Sequence[str], size: int) -> str:
        """Return that many random characters of an alphabet."""
        return "".join(self._source.choices(alphabet, k=size))


@dataclass
class Accounts:
    """Credentials by role."""

    clients: dict[str, tuple[str, str]]
    keys: dict[str, str]
    split_email: str
    transfer_key: str
    revoked_key: str
    """A former API key of the first account, refused with 401."""

    @classmethod
    def drawn(cls, source: RandomSource) -> Self:
        """Return new random credentials."""
        return cls(
            clients={role: (f"client_{source.uuid().hex}", source.text(32)) for role in ROLES},
            keys={
                role: f"ak_{'test' if access.is_sandbox else 'live'}_{source.hex(24)}" for role, access in ROLES.items()
            },
            split_email=f"company-{source.hex(4)}@example.com",
            transfer_key=str(source.uuid()),
            revoked_key=f"ak_test_{source.hex(24)}",
        )

    @property
    def by_api(self) -> dict[str, dict[str, Any]]:
        """The credentials by API and role: an id with its secret, or a key."""
        return {"payments": self.clients, "business": self.keys}

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables of the suite that these credentials fill."""
        named = {}
        for role, prefix in PREFIXES.items():
            named[f"PIX_{prefix}CLIENT_ID"], named[f"PIX_{prefix}CLIENT_SECRET"] = self.clients[role]
            named[f"PIX_{prefix}API_KEY"] = self.keys[role]
        named |= {"PIX_REVOKED_API_KEY": self.revoked_key}
        return named | {"PIX_SPLIT_EMAIL": self.split_email, "PIX_TRANSFER_KEY": self.transfer_key}

    def client(self, client_id: str, client_secret: str) -> Access | None:
        """Return the account and environment of a payments credential pair, or None."""
        for role, (known, secret) in self.clients.items():
            if secrets.compare_digest(known.encode(), client_id.encode()):
                right = secrets.compare_digest(secret.encode(), client_secret.encode())
                return ROLES[role] if right else None
        return None

    def key(self, text: str) -> Access | None:
        """Return the account and environment of a business API key, found by its hash; None if unknown."""
        hashed = hashlib.sha256(text.encode()).digest()
        hashes = {hashlib.sha256(key.encode()).digest(): role for role, key in self.keys.items()}
        return ROLES[hashes[hashed]] if hashed in hashes else None


@dataclass(frozen=True)
class ServerState:
    """The state of both APIs. Without a secret for business events it makes one."""

    business_webhook: str | None = None
    given_webhook_secret: str | None = None
    random: RandomSource = field(default_factory=RandomSource)
    clock: ServerClock = field(default_factory=ServerClock)
    store: Store = field(default_factory=Store)
    outbox: Outbox = field(default_factory=Outbox)
    first_signature_secret: str | None = None
    """The `signatureSecret` of the first webhook of the payments API; without one it is new."""

    @cached_property
    def accounts(self) -> Accounts:
        """The credentials that this server accepts."""
        return Accounts.drawn(self.random)

    @cached_property
    def business_webhook_secret(self) -> str:
        """The secret that signs business events."""
        return self.given_webhook_secret or f"whsec_{self.random.hex(24)}"
