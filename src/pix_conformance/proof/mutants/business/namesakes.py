"""Payments, events and charges that are taken for others: of one label, of one player, of the other environment."""

import uuid
from typing import Any, ClassVar

from pix_conformance.proof.mutants.business.deliveries import Attempts
from pix_conformance.proof.mutants.business.events import PAID
from pix_conformance.proof.mutants.business.listing import Lists, choosing
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Call
from pix_conformance.reference.store import Row

HEAD = "E12345678202611201200"


class NamesPaymentBy(BusinessRules):
    """Makes the e2e_id of a payment from one column of its charge, where there is something in it."""

    column: ClassVar[str] = ""

    def paid_changes(self, charge: Row) -> Row:
        """Hash it."""
        changes, value = super().paid_changes(charge), charge[self.column]
        number = HEAD + uuid.uuid5(uuid.NAMESPACE_URL, str(value)).hex[:11]
        return changes if value is None else changes | {"end_to_end_id": number}


class MeetsAcross(BusinessRules):
    """Lets a route of one environment find the charges of the other that are in one state."""

    operation: ClassVar[str] = "get_charge"
    environment: ClassVar[str] = ""
    state: ClassVar[str] = ""

    def owned(self, call: Call) -> Row:
        """Leave the environment out."""
        row = self.store.find("business_charge", id=call.params["id"], account=call.access.account, status=self.state)
        here = call.operation == self.operation and call.access.environment == self.environment
        return row if here and row is not None else super().owned(call)


def named(number: str) -> dict[str, Any]:
    """Members of a class that names another payment from the second attempt on."""
    return {"change": staticmethod(lambda _, body: body | {"data": body["data"] | {"e2e_id": number}})}


globals().update(
    family(__name__, "state", NamesPaymentBy, {
        "BusE2eOfLabel": (
            "Payments of one label have one e2e_id.", "BUS-PAY-13, seen in BUS-PAY-15", {"column": "external_ref"},
        ),
        "BusE2eOfPlayer": (
            "Payments of one player have one e2e_id.", "BUS-PAY-13, seen in BUS-CHG-56", {"column": "customer_email"},
        ),
    }),
    **family(__name__, "events", Attempts, {
        "BusRetriesUnnamed": ("From the second attempt on the e2e_id is empty.", "BUS-EVT-14", named("")),
        "BusRetriesNamedOtherwise": (
            "From the second attempt on an event names another payment.", "BUS-EVT-14", named(f"{HEAD}0123456789a"),
        ),
    }),
    **family(__name__, "isolation", MeetsAcross, {
        "BusSandboxPaidSeenLive": (
            "A query of production finds the paid charges of the sandbox.",
            "BUS-ENV-02",
            {"environment": "production", "state": "paid"},
        ),
        "BusSandboxCanceledSeenLive": (
            "A query of production finds the canceled charges of the sandbox.",
            "BUS-ENV-02",
            {"environment": "production", "state": "canceled"},
        ),
        "BusSandboxPaidKnownToCancelLive": (
            "A cancel of production is told that a charge of the sandbox is paid.",
            "BUS-ENV-02",
            {"operation": "cancel_charge", "environment": "production", "state": "paid"},
        ),
        "BusLivePendingSeenInSandbox": (
            "A query of the sandbox finds the pending charges of production.",
            "BUS-ENV-03",
            {"environment": "sandbox", "state": "pending"},
        ),
    }),
    **family(__name__, "state", Lists, {
        "BusListWithoutCents": (
            "A list leaves out charges of a single cent.",
            "BUS-LIST-10",
            choosing(lambda rows, _: [row for row in rows if row["amount"] > 1]),
        ),
        "BusCanceledListOfUndescribed": (
            "A list of the canceled leaves out charges with a description.",
            "BUS-LIST-10 BUS-LIST-06, seen in BUS-CHG-57",
            choosing(lambda rows, status: [r for r in rows if status != "canceled" or r["description"] is None]),
        ),
    }),
)  # fmt: skip


class BusPaidEventOfFirst(BusinessRules):
    """The paid event tells of the first charge that was paid under the label."""

    group = "events"
    breaks = ("BUS-EVT-14",)
    seen_in = ("BUS-PAY-15",)

    def event_data(self, event: str, row: Row) -> dict[str, Any]:
        """Look for the label instead of the id."""
        owner = {name: row[name] for name in ("account", "environment", "external_ref")}
        found = self.store.rows("business_charge", status="paid", **owner) if row["external_ref"] else []
        return super().event_data(event, found[0] if event == PAID and found else row)


class BusFoundExpiredCaptures(BusinessRules):
    """The query that finds a charge expired captures its amount."""

    group = "state"
    breaks = ("BUS-STATE-05",)

    def seen(self, call: Call, charge: Row) -> Row:
        """Compare before and after."""
        found = super().seen(call, charge)
        if call.operation == "get_charge" and (charge["status"], found["status"]) == ("pending", "expired"):
            self.capture(charge)
        return found
