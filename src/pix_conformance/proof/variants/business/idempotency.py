"""Conforming variants where BUS-IDEM is silent: idempotency."""

import re
import uuid
from typing import Any

from pix_conformance.proof.difference import changes_result, setting, variant
from pix_conformance.proof.variants.common.checks import checks_arguments
from pix_conformance.proof.variants.common.idempotency import CONFLICTS_MEANWHILE
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.store import Row


def random_uuid(_rules: Any, key: str | None, _: Call) -> str | None:
    lower = key is None or re.fullmatch(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", key)
    if key is not None and not (lower and uuid.UUID(key).version == 4):
        raise Refusal("invalid", "Idempotency-Key must be a random UUID")
    return key


def any_uuid(_rules: Any, key: str | None, _: Call) -> str | None:
    try:
        return key and str(uuid.UUID(key))
    except ValueError:
        raise Refusal("invalid", "Idempotency-Key must be a UUID") from None


def refuse_empty(rules: Any, call: Call) -> None:
    if call.headers.get(rules.idempotency_header) == "":
        raise Refusal("invalid", "Idempotency-Key must not be empty")


VARIANTS = {
    "BUS-IDEM-10": {"compares-bytes": setting(
            "Bodies are compared as bytes: which bodies are the same is not stated (business.md, lines 130-131).",
            fingerprint=lambda _rules, call, _body: (call.body or b"").decode("latin-1"))},
    "BUS-IDEM-12": {
        "conflicts-meanwhile": CONFLICTS_MEANWHILE,
        "random-uuids-only": changes_result(
            "A key is a random UUID in lower case: which keys are accepted is not stated (business.md, line 98).",
            idempotency_key=random_uuid),
        "uuids-only": changes_result(
            "A key is a UUID: which keys are accepted is not stated (business.md, line 98).", idempotency_key=any_uuid),
        "empty-refused": checks_arguments(
            "An empty key is refused: which keys are accepted is not stated (business.md, line 98).",
            idempotency_key=refuse_empty),
    },
}  # fmt: skip


@variant("BUS-IDEM-09/replay-is-current")
class ReplaysCurrent(BusinessRules):
    """A replay shows the charge as it is now: that can be the original response (business.md, line 130)."""

    def replay(self, call: Call, earlier: Row) -> Answer:
        answer = super().replay(call, earlier)
        made = answer.body.get("id") if isinstance(answer.body, dict) else None
        charge = self.store.find("business_charge", id=made) if made else None
        return Answer(answer.status, self.charge_view(call, charge), answer.headers) if charge else answer


@variant("BUS-IDEM-11/refused-request-uses-key")
class RefusedRequestUsesKey(BusinessRules):
    """A refused creation uses up its key: that a key is free then is not stated (business.md, lines 130-131)."""

    async def create_charge(self, call: Call) -> Answer:
        try:
            return await super().create_charge(call)
        except Refusal as refusal:
            key = self.idempotency_key(call) if refusal.kind == "invalid" else None
            if key and self.earlier(call, key) is None:
                self.remember(call, key, "an invalid body", self.refused(call, refusal))
            raise


@variant("BUS-IDEM-13/transitions-have-keys")
class TransitionsHaveKeys(BusinessRules):
    """A key on cancel or pay returns the first response again, as on creation (business.md, line 130)."""

    async def cancel_charge(self, call: Call) -> Answer:
        return self._earlier(call) or self._kept(call, await super().cancel_charge(call))

    async def pay_charge(self, call: Call) -> Answer:
        return self._earlier(call) or self._kept(call, await super().pay_charge(call))

    def _earlier(self, call: Call) -> Answer | None:
        key = self.idempotency_key(call)
        found = self.earlier(call, key) if key else None
        return self.repeated(call, found, self.fingerprint(call, call.path)) if found else None

    def _kept(self, call: Call, answer: Answer) -> Answer:
        if key := self.idempotency_key(call):
            self.remember(call, key, self.fingerprint(call, call.path), answer)
        return answer
