"""Idempotency keys of both APIs."""

import json
from collections.abc import Callable
from typing import Any

from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.http import WireRules
from pix_conformance.reference.store import Row


class IdempotencyRules(WireRules):
    """An operation with a key has its effect once for each key, account and environment."""

    idempotency_header = "idempotency-key"

    async def execute_once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Return the response of `effect`, or the stored one. No other request runs between look-up and storing."""
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
        """Return the request's idempotency key, or None."""
        return call.headers.get(self.idempotency_header, "").strip() or None

    def idempotency_scope(self, call: Call) -> str:
        """Return the scope in which a key is unique."""
        return f"{call.operation}/{call.access.book}"

    def fingerprint(self, call: Call, body: Any) -> str:
        """Return a text that is equal for equal bodies. Member order and white space do not count."""
        del call
        return json.dumps(body, sort_keys=True, default=str)

    def is_same_body(self, first: str, second: str) -> bool:
        """Return whether two fingerprints are of the same body."""
        return first == second

    def earlier(self, call: Call, key: str) -> Row | None:
        """Return the row that is stored for a key, or None."""
        return self.store.find("idempotency", scope=self.idempotency_scope(call), key=key)

    def remember(self, call: Call, key: str, fingerprint: str, answer: Answer) -> None:
        """Store a response for its key."""
        row = {"scope": self.idempotency_scope(call), "key": key, "fingerprint": fingerprint}
        self.store.put("idempotency", row | {"status": answer.status, "body": json.dumps(answer.body)})

    def repeated(self, call: Call, earlier: Row, fingerprint: str) -> Answer:
        """Return the response to a key that was used before."""
        if not self.is_same_body(earlier["fingerprint"], fingerprint):
            raise self.key_conflict()
        return self.replay(call, earlier)

    def key_conflict(self) -> Refusal:
        """Return the refusal of a key that was used with another body."""
        return Refusal("key_conflict", "idempotency key was already used with a different body")

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Return the original response again."""
        del call
        return Answer(earlier["status"], json.loads(earlier["body"]))
