"""Rules of idempotency: one key, one effect."""

import json
from collections.abc import Callable
from typing import Any

from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.http import WireRules
from pix_conformance.reference.store import Row


class IdempotencyRules(WireRules):
    """Does a thing once for each key of an account in an environment."""

    idempotency_header = "idempotency-key"

    async def execute_once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Give the effect's answer, or the remembered one; no two calls get between look and act."""
        key = self.idempotency_key(call)
        await self.pause(call, "once")
        if key is None:
            with self.store.transaction():
                return effect()
        with self.store.transaction():
            earlier = self.earlier(call, key)
            if earlier is not None:
                return self.repeated(call, earlier, self.fingerprint(call, body))
            answer = effect()
            self.remember(call, key, self.fingerprint(call, body), answer)
        return answer

    def idempotency_key(self, call: Call) -> str | None:
        """Give the key of a call, if it has one."""
        return call.headers.get(self.idempotency_header, "").strip() or None

    def idempotency_scope(self, call: Call) -> str:
        """Within what a key must be unique."""
        return f"{call.operation}/{call.access.book}"

    def fingerprint(self, call: Call, body: Any) -> str:
        """Equal for the same bodies; the order of fields and white space do not count."""
        del call
        return json.dumps(body, sort_keys=True, default=str)

    def is_same_body(self, first: str, second: str) -> bool:
        """Compare two fingerprints."""
        return first == second

    def earlier(self, call: Call, key: str) -> Row | None:
        """What is remembered for a key."""
        return self.store.find("idempotency", scope=self.idempotency_scope(call), key=key)

    def remember(self, call: Call, key: str, fingerprint: str, answer: Answer) -> None:
        """Keep an answer for its key."""
        row = {"scope": self.idempotency_scope(call), "key": key, "fingerprint": fingerprint}
        self.store.put("idempotency", row | {"status": answer.status, "body": json.dumps(answer.body)})

    def repeated(self, call: Call, earlier: Row, fingerprint: str) -> Answer:
        """Answer a key that was used before."""
        if not self.is_same_body(earlier["fingerprint"], fingerprint):
            raise self.key_conflict()
        return self.replay(call, earlier)

    def key_conflict(self) -> Refusal:
        """Refuse a key that was used with another body."""
        return Refusal("key_conflict", "idempotency key was already used with a different body")

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Give the original answer again."""
        del call
        return Answer(earlier["status"], json.loads(earlier["body"]))
