"""Conforming variants where PAY-IDEM is silent: idempotency."""

from __future__ import annotations

import json
import uuid
from typing import Any

from pix_conformance.proof.variants.common.idempotency import KeepsKeysBusy
from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


class PaymentsKeepsKeysBusy(KeepsKeysBusy, PaymentsRules):
    """A retry creates no duplicate (payments.md, lines 298-302): while the first is under way its key conflicts."""


class ReplayConflicts(PaymentsRules):
    """A replay may be answered with the 409 of the creation route (payments.md, line 302)."""

    def replay(self, call: Call, earlier: Row) -> Answer:  # no replay is shown
        """Refuse it; nothing is duplicated."""
        raise self.key_conflict()


class ReplayLive(PaymentsRules):
    """What a replay shows, beside creating nothing, is not stated."""

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Show the transfer as it is now."""
        answer = super().replay(call, earlier)
        transfer = self.store.find("transfer", id=answer.body["data"]["id"])
        return Answer(answer.status, self.transfer_answer(call, transfer), answer.headers) if transfer else answer


class KeyRequired(PaymentsRules):
    """The header is called required, and its absence is given a meaning: a refusal is one reading."""

    async def create_transfer(self, call: Call) -> Answer:
        """Refuse a transfer without it."""
        if self.idempotency_key(call) is None:
            raise self.invalid("x-idempotency-key", "is required")
        return await super().create_transfer(call)


class KeyIsUuid(PaymentsRules):
    """The key is called a UUID; whether others are refused is not shown."""

    async def create_transfer(self, call: Call) -> Answer:
        """Refuse another kind of key."""
        key = self.idempotency_key(call)
        try:
            uuid.UUID(key or str(uuid.uuid4()))
        except ValueError:
            raise self.invalid("x-idempotency-key", "must be a UUID") from None
        return await super().create_transfer(call)


class SameText(PaymentsRules):
    """What makes two bodies the same is not shown: their text."""

    def fingerprint(self, call: Call, body: Any) -> str:
        """Compare bytes."""
        del body
        return (call.body or b"").hex()


class SameMeaning(PaymentsRules):
    """What makes two bodies the same is not shown: what they mean, defaults included."""

    def fingerprint(self, call: Call, body: Any) -> str:
        """Fill in the currency."""
        return super().fingerprint(call, {"currency": self.default_currency, **body})


class RefusalsUseKeys(PaymentsRules):
    """A key used again with another body is refused, whatever became of the first."""

    async def create_transfer(self, call: Call) -> Answer:
        """Remember a refused body too."""
        try:
            return await super().create_transfer(call)
        except Refusal as refusal:
            key = self.idempotency_key(call)
            if refusal.kind == "invalid" and key is not None and self.earlier(call, key) is None:
                text = (call.body or b"").decode(errors="replace")
                self.remember(call, key, json.dumps(text), self.refused(call, refusal))
            raise


class KeysOfAll(PaymentsRules):
    """Whether the keys of two accounts are independent is not shown; nothing of the other account is."""

    def idempotency_scope(self, call: Call) -> str:
        """Share them."""
        return call.operation

    def earlier(self, call: Call, key: str) -> Row | None:
        """Refuse the key of another account."""
        owner = self.__dict__.setdefault("_owners", {}).setdefault(key, call.access.book)
        found = super().earlier(call, key)
        if found and owner != call.access.book:
            raise self.key_conflict()
        return found


class ForgetsKeys(PaymentsRules):
    """How long a key is remembered is not shown: 50 seconds."""

    def earlier(self, call: Call, key: str) -> Row | None:
        """Know no older one."""
        found = super().earlier(call, key)
        made = found and self.store.find("transfer", id=json.loads(found["body"]).get("data", {}).get("id"))
        return None if made and self.clock.now() - made["created_at"] > 50 else found  # as said


VARIANTS = [
    Variant("payments-busy-keys", ("PAY-IDEM-05",), {"conflict": PaymentsKeepsKeysBusy}),
    Variant("payments-replay", ("PAY-IDEM-05",), {"conflict": ReplayConflicts, "live": ReplayLive}),
    Variant("payments-key", ("PAY-IDEM-06", "PAY-IDEM-08"), {"required": KeyRequired, "uuid": KeyIsUuid}),
    Variant("payments-sameness", ("PAY-IDEM-12",), {"text": SameText, "meaning": SameMeaning}),
    Variant("payments-refused-keys", ("PAY-IDEM-13",), {"used": RefusalsUseKeys}),
    Variant("payments-shared-keys", ("PAY-IDEM-14",), {"shared": KeysOfAll}),
    Variant("payments-memory", ("PAY-IDEM-15",), {"short": ForgetsKeys}),
]
