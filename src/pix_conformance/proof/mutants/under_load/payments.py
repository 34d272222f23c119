"""Mutants of the payments API that are wrong only while several users send requests."""

from __future__ import annotations

from pix_conformance.proof.difference import mutant
from pix_conformance.proof.mutants.under_load.crowd import Crowd
from pix_conformance.reference.call import Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

GROUP = "concurrency"


@mutant("PAY-PAYS-21/one-lock-for-all-charges", "PAY-PAYS-18")
class OneLockForAllCharges(Crowd, PaymentsRules):
    """Simultaneous pays of a charge are all captured while another charge is being paid, which frees their lock."""

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        if super().claim_charge(charge, changes):
            return True
        freed = self.is_answering("pay_charge", lambda one: one.params["id"] != charge["id"])
        return freed and self.store.update("payments_charge", changes, id=charge["id"], status="paid") == 1


@mutant("PAY-IDEM-10/forgets-keys-in-a-crowd", "PAY-IDEM-02")
class ForgetsKeysInACrowd(Crowd, PaymentsRules):
    """A key is not looked up while a transfer with another key is being created, so a replay creates another one."""

    def earlier(self, call: Call, key: str) -> Row | None:
        crowded = self.is_answering("create_transfer", lambda one: self.idempotency_key(one) != key)
        return None if crowded else super().earlier(call, key)
