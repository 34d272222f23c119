"""Mutants of the business charge API that are wrong if something changes while something else is being done."""

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Call
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.mutants.operators import *

GROUP = "concurrency"


MUTANTS = {
    "BUS-IDEM-17/two-bodies-at-one-moment": knows_no_key_in_progress(
        "Two charges with one key and two bodies that come at one moment are both created."),
    "BUS-EVT-01/none-if-canceled-at-once": skips_event_of_changed("business.pix.created", "business_charge")
        .of("events"),
    "BUS-EVT-03/label-of-last-cancel": reports_with_last(
        "business.pix.canceled", "all have the external_ref of the last charge.", "external_ref"),
    "BUS-EVT-12/amount-of-last-cancel": reports_with_last(
        "business.pix.canceled", "all have the amount of the last charge.", "amount"),
    "BUS-EVT-32/reported-before-it-is-paid": reports_before_change(
        "business.pix.paid", "pay", "paid_changes", "may_pay", "business_charge").of("events"),
}  # fmt: skip


@mutant("BUS-STATE-17/captured-though-expired-meanwhile")
class CapturedThoughExpiredMeanwhile(BusinessRules):
    """A payment near expires_at is posted before the status is set, and stays posted if a query was faster."""

    async def pause(self, call: Call, place: str) -> None:
        await super().pause(call, place)
        if place == "pay":
            charge = self.owned(call)
            shared(self, "posted", set).add(charge["id"])
            super().capture(charge)
            await take_moment()

    def capture(self, charge: Row) -> None:
        if charge["id"] not in shared(self, "posted", set):
            super().capture(charge)
