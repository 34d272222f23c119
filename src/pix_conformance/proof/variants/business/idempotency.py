"""Conforming variants where BUS-IDEM is silent: idempotency."""

from __future__ import annotations

import re
import uuid
from typing import Any
from uuid import UUID

from pix_conformance.proof.variants.common.idempotency import KeepsKeysBusy
from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.store import Row


class ReplaysLive(BusinessRules):
    """Whether a replay shows the charge as created or as it is now is not clear-cut."""

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Show it as it is now, with the original status."""
        answer = super().replay(call, earlier)
        made = answer.body.get("id") if isinstance(answer.body, dict) else None
        charge = self.store.find("business_charge", id=made) if made else None
        return Answer(answer.status, self.charge_view(call, charge), answer.headers) if charge else answer


class ComparesBytes(BusinessRules):
    """Whether a body written otherwise is the same body is not shown."""

    def fingerprint(self, call: Call, body: Any) -> str:  # what it says does not matter
        """Compare what was sent."""
        return (call.body or b"").decode("latin-1")


class SpendsKeysOnRefusals(BusinessRules):
    """Whether a refused creation spends its key is not shown."""

    async def create_charge(self, call: Call) -> Answer:
        """Remember the refusal."""
        try:
            return await super().create_charge(call)
        except Refusal as refusal:
            key = self.idempotency_key(call) if refusal.kind == "invalid" else None
            if key and self.earlier(call, key) is None:
                self.remember(call, key, "an invalid body", self.refused(call, refusal))
            raise


class BusinessKeepsKeysBusy(KeepsKeysBusy, BusinessRules):
    """What a repetition gets before there is an original response is not said: its key conflicts."""


class WantsRandomUuids(BusinessRules):
    """Which keys are accepted is not shown: random UUIDs in small letters."""

    def idempotency_key(self, call: Call) -> str | None:
        """Refuse what is none."""
        key = super().idempotency_key(call)
        random = key is None or re.fullmatch(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", key)
        if key is not None and not (random and uuid.UUID(key).version == 4):  # the random ones
            raise Refusal("invalid", "Idempotency-Key must be a random UUID")
        return key


class WantsUuids(BusinessRules):
    """Which keys are accepted is not shown: a service may insist on UUIDs."""

    def idempotency_key(self, call: Call) -> str | None:
        """Refuse what is none."""
        key = super().idempotency_key(call)
        try:
            return key and str(UUID(key))
        except ValueError:
            raise Refusal("invalid", "Idempotency-Key must be a UUID") from None


class RefusesEmptyKeys(BusinessRules):
    """Which keys are accepted is not shown: an empty one is a mistake."""

    def idempotency_key(self, call: Call) -> str | None:
        """Tell an empty header from none."""
        if call.headers.get(self.idempotency_header) == "":
            raise Refusal("invalid", "Idempotency-Key must not be empty")
        return super().idempotency_key(call)


class ReplaysTransitions(BusinessRules):
    """Whether a key means anything on cancel and pay is not shown: its first answer comes again."""

    async def cancel_charge(self, call: Call) -> Answer:
        """Cancel once for each key."""
        return self._earlier(call) or self._kept(call, await super().cancel_charge(call))

    async def pay_charge(self, call: Call) -> Answer:
        """Pay once for each key."""
        return self._earlier(call) or self._kept(call, await super().pay_charge(call))

    def _earlier(self, call: Call) -> Answer | None:
        key = self.idempotency_key(call)
        found = self.earlier(call, key) if key else None
        return self.repeated(call, found, self.fingerprint(call, call.path)) if found else None

    def _kept(self, call: Call, answer: Answer) -> Answer:
        if key := self.idempotency_key(call):
            self.remember(call, key, self.fingerprint(call, call.path), answer)
        return answer


VARIANTS = [
    Variant("business-replay", ("BUS-IDEM-09",), {"live": ReplaysLive}),
    Variant("business-same-body", ("BUS-IDEM-10",), {"bytes": ComparesBytes}),
    Variant("business-spent-keys", ("BUS-IDEM-11",), {"refused": SpendsKeysOnRefusals}),
    Variant("business-busy-keys", ("BUS-IDEM-12",), {"conflict": BusinessKeepsKeysBusy}),
    Variant("business-random-keys", ("BUS-IDEM-12",), {"uuid": WantsRandomUuids}),
    Variant("business-keys", ("BUS-IDEM-12",), {"uuid": WantsUuids, "not-empty": RefusesEmptyKeys}),
    Variant("business-transition-keys", ("BUS-IDEM-13",), {"replayed": ReplaysTransitions}),
]
