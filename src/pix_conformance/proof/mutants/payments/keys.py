"""Keys of transfers that keep their promise for a while only, or where nothing else is under way."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

SHORT_S, OPEN_S = 3.0, 0.05


class KeysOfTime(PaymentsRules):
    """Knows which transfer a key stands for."""

    def meant(self, earlier: Row) -> Row | None:
        """Give the transfer of a key as it is now."""
        return self.store.find("transfer", id=json.loads(earlier["body"])["data"]["id"])


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


class ConflictForgottenAfterCompletion(KeysOfTime):
    """Once its transfer is completed, a key makes another one of another body."""

    group = "idempotency"
    breaks = ("PAY-IDEM-02",)

    def repeated(self, call: Call, earlier: Row, fingerprint: str) -> Answer:
        """Look at the transfer first."""
        transfer = self.meant(earlier)
        done = transfer is not None and transfer["status"] == "completed"
        if done and not self.is_same_body(earlier["fingerprint"], fingerprint):
            return self.open_transfer(call, self.read_transfer(self.json_body(call)))
        return super().repeated(call, earlier, fingerprint)


class OtherBodyWhileOpenCreates(PaymentsRules):
    """Another body with a key whose first request is still being served creates its own transfer."""

    group = "idempotency"
    breaks = ("PAY-IDEM-04",)

    async def once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Keep what is being served by key, without a look at it when the body is another."""
        key, mine = self.idempotency_key(call), self.fingerprint(call, body)
        being_served = self.__dict__.setdefault("being_served", {})
        if key and being_served.setdefault(key, mine) != mine and self.earlier(call, key) is None:
            return effect()
        await asyncio.sleep(OPEN_S if key and self.earlier(call, key) is None else 0)
        return await super().once(call, body, effect)
