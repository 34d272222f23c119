"""Mutants of PAY-IDEM: a request sent again with its key or without one."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from functools import cached_property
from typing import Any

from pix_conformance.proof.mutants.operators.payments.ownership import KeysOfTime
from pix_conformance.proof.mutants.operators.payments.time import LONG
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

SHORT_S = 3.0
FEW = 10


class KeyIgnored(PaymentsRules):
    """The key is not looked at."""

    breaks = ("PAY-IDEM-01", "PAY-IDEM-02", "PAY-IDEM-04", "PAY-IDEM-10", "PAY-IDEM-11")
    group = "idempotency"

    def idempotency_key(self, call: Call) -> str | None:
        """Read none."""
        del call
        return None


class KeyOfAnotherHeader(PaymentsRules):
    """The key is read from Idempotency-Key, not from x-idempotency-key."""

    breaks = ("PAY-IDEM-01", "PAY-IDEM-02", "PAY-IDEM-04", "PAY-IDEM-10", "PAY-IDEM-11")
    group = "idempotency"
    idempotency_header = "idempotency-key"


class KeyForgottenAfterUse(PaymentsRules):
    """A key is forgotten after its first repeat."""

    breaks = ("PAY-IDEM-01", "PAY-IDEM-02", "PAY-IDEM-10")
    group = "idempotency"

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Forget it."""
        self.store.delete("idempotency", scope=earlier["scope"], key=earlier["key"])
        return super().replay(call, earlier)


class ReplayOfAnotherId(PaymentsRules):
    """A replay is answered with a new id, and that transfer exists."""

    breaks = ("PAY-IDEM-01", "PAY-IDEM-10", "PAY-IDEM-11")
    group = "idempotency"

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Create again what was remembered."""
        del earlier
        return self.open_transfer(call, self.read_transfer(self.json_body(call)))


class ReplayMovesMoney(PaymentsRules):
    """A replay is answered with the original, and another transfer created unseen."""

    breaks = ("PAY-IDEM-01",)
    group = "idempotency"

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Act again, and answer as before."""
        self.open_transfer(call, self.read_transfer(self.json_body(call)))
        return super().replay(call, earlier)


class KeyForgottenSoon(KeysOfTime):
    """A key is forgotten after three seconds."""

    group = "idempotency"
    breaks: tuple[str, ...] = ("PAY-IDEM-01",)
    known_s = SHORT_S

    def earlier(self, call: Call, key: str) -> Row | None:
        """Look at the age."""
        found = super().earlier(call, key)
        transfer = found and self.meant(found)
        return None if transfer and self.clock.now() - transfer["created_at"] > self.known_s else found


class KeyForgottenLater(KeyForgottenSoon):
    """A key is forgotten after twenty seconds."""

    group = "idempotency"
    breaks = ("PAY-IDEM-01",)
    known_s = 20.0


class KeyOfToken(PaymentsRules):
    """A key is known to the token that it was sent with, not to the account."""

    breaks = ("PAY-IDEM-01",)
    group = "idempotency"

    def idempotency_scope(self, call: Call) -> str:
        """Name the token."""
        return f"{super().idempotency_scope(call)} {call.headers.get('authorization')}"


class RemembersFewKeys(PaymentsRules):
    """Only the last keys are remembered."""

    breaks = ("PAY-IDEM-01",)
    group = "idempotency"

    def earlier(self, call: Call, key: str) -> Row | None:
        """Count the transfers since."""
        found = super().earlier(call, key)
        latest = self.__dict__.setdefault("latest_keys", [])
        if found is None:
            latest.append(key)
        return found if key in latest[-FEW:] else None


class MissingKeyIsOneKey(PaymentsRules):
    """Calls without the header share one key: the empty one."""

    breaks = ("PAY-IDEM-07",)
    group = "idempotency"

    def idempotency_key(self, call: Call) -> str | None:
        """Read an empty key, and let the body be part of it."""
        return super().idempotency_key(call) or "none"

    def is_same_body(self, first: str, second: str) -> bool:
        """Compare nothing, so that the first is answered."""
        del first, second
        return True


class MissingKeyIsBody(PaymentsRules):
    """Calls without the header have their body for a key."""

    breaks = ("PAY-IDEM-07",)
    group = "idempotency"

    def idempotency_key(self, call: Call) -> str | None:
        """Take the body for it."""
        return super().idempotency_key(call) or (call.body or b"").decode()


class BodyIsKey(PaymentsRules):
    """The same body with another key is taken for a repeat."""

    breaks = ("PAY-IDEM-09",)
    group = "idempotency"

    def idempotency_key(self, call: Call) -> str | None:
        """Let the body be the key, where there is one."""
        return (call.body or b"").decode() if super().idempotency_key(call) else None


class KeyWithoutItsEnd(PaymentsRules):
    """The last character of an idempotency key is lost."""

    breaks = ("PAY-IDEM-09",)
    group = "idempotency"

    def idempotency_key(self, call: Call) -> str | None:
        """Cut it off."""
        key = super().idempotency_key(call)
        return key and key[:-1]


class KeyByItsEnd(PaymentsRules):
    """Only the last twelve characters of an idempotency key count."""

    breaks = ("PAY-IDEM-09",)
    group = "idempotency"

    def idempotency_key(self, call: Call) -> str | None:
        """Cut the others off."""
        key = super().idempotency_key(call)
        return key and key[-12:]


class CreatesTwiceAtOnce(PaymentsRules):
    """Simultaneous requests with one key create a transfer each: the key is kept after the effect."""

    breaks = ("PAY-IDEM-10",)
    group = "concurrency"

    async def execute_once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Look, wait, act."""
        key = self.idempotency_key(call)
        earlier = self.earlier(call, key) if key else None
        if key is None or earlier is not None:
            return await super().execute_once(call, body, effect)
        await asyncio.sleep(LONG)
        with self.store.transaction():
            answer = effect()
            self.remember(call, key, self.fingerprint(call, body), answer)
        return answer


class ServesKeyTwiceWhileOpen(PaymentsRules):
    """A second request with a key whose first is still being served creates its own transfer, once."""

    breaks = ("PAY-IDEM-10",)
    group = "concurrency"

    async def execute_once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Let one pass beside the first."""
        key = self.idempotency_key(call)
        if key is None:
            return await super().execute_once(call, body, effect)
        self._open[key] += 1
        second = self._open[key] == 2  # noqa: PLR2004 - the second of those at the same time
        await asyncio.sleep(2 * LONG if second else LONG)
        try:
            if second and self.earlier(call, key) is not None:
                with self.store.transaction():
                    return effect()
            return await super().execute_once(call, body, effect)
        finally:
            self._open[key] -= 1

    @cached_property
    def _open(self) -> Counter[str]:
        return Counter()


class KeyForgottenAfterCompletion(PaymentsRules):
    """A key is forgotten when its transfer is completed."""

    breaks = ("PAY-IDEM-11",)
    group = "idempotency"

    def earlier(self, call: Call, key: str) -> Row | None:
        """Look at the transfer too."""
        found = super().earlier(call, key)
        first = self.store.find("transfer", id=json.loads(found["body"])["data"]["id"]) if found else None
        return None if first and first["status"] == "completed" else found


class ReplayDebits(PaymentsRules):
    """A replay is answered with the first transfer, and its amount taken once more."""

    breaks = ("PAY-IDEM-16",)
    group = "idempotency"

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Book it again."""
        answer = super().replay(call, earlier)
        transfer = self.store.find("transfer", id=answer.body["data"]["id"])
        if transfer:
            self.book_transfer(transfer)
        return answer


class ReplayRefusedAsInvalid(PaymentsRules):
    """A replay is refused with 400, as if its body were wrong."""

    breaks = ("PAY-IDEM-19",)
    group = "idempotency"

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Refuse it."""
        del call, earlier
        raise self.invalid("x-idempotency-key", "was used before")
