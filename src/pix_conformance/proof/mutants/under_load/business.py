"""Mutants of the business charge API that are wrong only while several users send requests."""

from __future__ import annotations

from pix_conformance.proof.difference import mutant
from pix_conformance.proof.mutants.under_load.crowd import Crowd
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.store import Row

GROUP = "concurrency"


@mutant("BUS-STATE-09/one-lock-for-all-charges", "BUS-EVT-14", "BUS-EVT-28")
class OneLockForAllCharges(Crowd, BusinessRules):
    """Simultaneous pays of a charge are all captured while another charge is being paid, which frees their lock."""

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        if super().claim_charge(charge, changes):
            return True
        freed = self.is_answering("pay_charge", lambda one: one.params["id"] != charge["id"])
        return freed and self.store.update("business_charge", changes, id=charge["id"], status="paid") == 1


@mutant("BUS-EVT-02/lost-in-a-crowd")
class EventLostInACrowd(Crowd, BusinessRules):
    """No business.pix.paid is sent for a charge if another charge is being paid at the same time."""

    def should_emit(self, event: str, row: Row) -> bool:
        crowded = self.is_answering("pay_charge", lambda one: one.params["id"] != row["id"])
        return super().should_emit(event, row) and not (crowded and event == "business.pix.paid")
