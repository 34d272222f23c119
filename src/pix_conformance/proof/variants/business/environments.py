"""Conforming variants where BUS-ENV is silent: sandbox and production."""

from pix_conformance.proof.difference import variant
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.store import Row


@variant("BUS-ENV-07/keys-of-all-accounts", "BUS-ISO-09")
class KeysOfAllAccounts(BusinessRules):
    """A key of another account or environment conflicts: whose keys are meant is not stated (business.md, line 130)."""

    def idempotency_scope(self, call: Call) -> str:
        return call.operation

    def remember(self, call: Call, key: str, fingerprint: str, answer: Answer) -> None:
        super().remember(call, key, f"{call.access.book} {fingerprint}", answer)

    def repeated(self, call: Call, earlier: Row, fingerprint: str) -> Answer:
        book, _, remembered = earlier["fingerprint"].partition(" ")
        if book != call.access.book:
            raise self.key_conflict()
        return super().repeated(call, earlier | {"fingerprint": remembered}, fingerprint)
