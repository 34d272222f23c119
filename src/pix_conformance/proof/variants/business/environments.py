"""Conforming variants where BUS-ENV is silent: sandbox and production."""

from __future__ import annotations

from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.store import Row


class KnowsKeysOfAll(BusinessRules):
    """What a key means in another environment or account is not shown: taken there, it is refused here."""

    def idempotency_scope(self, call: Call) -> str:
        """Look among the keys of all."""
        return call.operation

    def remember(self, call: Call, key: str, fingerprint: str, answer: Answer) -> None:
        """Keep whose key it is."""
        super().remember(call, key, f"{call.access.book} {fingerprint}", answer)

    def repeated(self, call: Call, earlier: Row, fingerprint: str) -> Answer:
        """Hand out nothing of another."""
        book, _, remembered = earlier["fingerprint"].partition(" ")
        if book != call.access.book:
            raise self.key_conflict()
        return super().repeated(call, earlier | {"fingerprint": remembered}, fingerprint)


VARIANTS = [
    Variant("business-key-scope", ("BUS-ENV-07", "BUS-ISO-09"), {"service": KnowsKeysOfAll}),
]
