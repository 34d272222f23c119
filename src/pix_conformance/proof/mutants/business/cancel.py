"""Mutants of BUS-CAN: cancellation."""

import asyncio

from pix_conformance.proof.mutants.operators.business.ids import ChokesOnIds, choking_on, is_long
from pix_conformance.proof.mutants.operators.business.refusals import (
    Forbids,
    MissingIs,
    RefusesNearEnd,
    RefusesOtherwise,
    missing,
    refusing,
)
from pix_conformance.proof.mutants.operators.business.states import AllowsInstead, Unmoved
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.store import Row

globals().update(
    family(__name__, "state", Forbids, {
        "BusDescribedChargeUncancelable": (
            "A charge with a description cannot be canceled.",
            "BUS-CAN-01",
            {"operation": "cancel_charge", "column": "description"},
        ),
    })
)  # fmt: skip


globals().update(
    family(__name__, "time", RefusesNearEnd, {
        "BusCancelEndsEarly": (
            "A charge cannot be canceled in the last half minute of its life.",
            "BUS-CAN-01",
            {"operation": "cancel_charge"},
        ),
    })
)  # fmt: skip


class BusLiveCancelForbidden(BusinessRules):
    """A production charge cannot be canceled: 403."""

    group = "isolation"
    breaks = ("BUS-CAN-01",)

    async def cancel_charge(self, call: Call) -> Answer:
        """Take the route for one of the sandbox."""
        if not call.access.is_sandbox:
            raise Refusal("forbidden", "not available in production")
        return await super().cancel_charge(call)


globals().update(
    family(__name__, "state", Unmoved, {
        "BusCancelWithoutEffect": (
            "A cancel is answered with 200, and the charge stays pending.", "BUS-CAN-01", {"status": "canceled"},
        ),
    })
)  # fmt: skip


class BusCancelExpires(BusinessRules):
    """A cancel makes the charge expired."""

    group = "state"
    breaks = ("BUS-CAN-01",)

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Write another status than was asked for."""
        wrong = changes | {"status": "expired"} if changes["status"] == "canceled" else changes
        return super().claim_charge(charge, wrong)


class BusCancelDeletes(BusinessRules):
    """A cancel deletes the charge."""

    group = "state"
    breaks = ("BUS-CAN-01",)

    async def cancel_charge(self, call: Call) -> Answer:
        """Delete it once it is canceled."""
        answer = await super().cancel_charge(call)
        self.store.delete("business_charge", id=call.params["id"])
        return answer


class BusCancelRefused(BusinessRules):
    """No charge can be canceled: every cancel is answered with 409."""

    group = "state"
    breaks = ("BUS-CAN-01",)
    cancelable = ()


class BusCancelNeedsBody(BusinessRules):
    """A cancel without a JSON body is refused."""

    group = "validation"
    breaks = ("BUS-CAN-02", "BUS-CAN-01", "BUS-CAN-06", "BUS-ENV-02", "BUS-ENV-03", "BUS-ISO-02")

    async def cancel_charge(self, call: Call) -> Answer:
        """Read one first."""
        self.json_body(call)
        return await super().cancel_charge(call)


globals().update(
    family(__name__, "state", BusinessRules, {
        "BusPaidIsCancelable": (
            "A paid charge can be canceled.",
            "BUS-CAN-04 BUS-STATE-03 BUS-STATE-07",
            {"cancelable": ("pending", "paid")},
        ),
        "BusCanceledIsCancelable": (
            "A canceled charge can be canceled again.", "BUS-CAN-05", {"cancelable": ("pending", "canceled")},
        ),
        "BusExpiredIsCancelable": (
            "An expired charge can be canceled.", "BUS-CAN-06 BUS-STATE-05", {"cancelable": ("pending", "expired")},
        ),
    })
)  # fmt: skip


globals().update(
    family(__name__, "state", AllowsInstead, {
        f"BusCancelOf{status.capitalize()}Is200": (
            f"The cancel of a charge that is {status} is answered with 200, and does nothing.",
            ids,
            {"operation": "cancel_charge", "states": (status,)},
        )
        for status, ids in {"paid": "BUS-CAN-04", "canceled": "BUS-CAN-05", "expired": "BUS-CAN-06"}.items()
    })
)  # fmt: skip


globals().update(
    family(__name__, "state", RefusesOtherwise, {
        f"BusCancelOf{status.capitalize()}Is{code}": (
            f"The cancel of a charge that is {status} is refused with {code}.",
            ids,
            refusing("state", "cancel_charge", code, lambda message, status=status: f"is {status}," in message),  # type: ignore[misc]  # a default binds the loop's value
        )
        for status, ids, code in (
            ("paid", "BUS-CAN-04", 400),
            ("paid", "BUS-CAN-04", 422),
            ("canceled", "BUS-CAN-05", 404),
            ("expired", "BUS-CAN-06", 410),
        )
    })
)  # fmt: skip


class BusCancelsTogether(BusinessRules):
    """Cancels at one moment all succeed."""

    group = "concurrency"
    breaks = ("BUS-CAN-05", "BUS-EVT-19")

    async def pause(self, call: Call, place: str) -> None:
        """Leave a window open."""
        await super().pause(call, place)
        await asyncio.sleep(0.2 if place == "cancel" else 0)

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Claim a charge that was canceled meanwhile."""
        if super().claim_charge(charge, changes):
            return True
        now = self.store.find("business_charge", id=charge["id"])
        return bool(now and now["status"] == changes["status"] == "canceled")


class BusLiveCanceledTwice(BusinessRules):
    """In production a second cancel succeeds as the first did."""

    group = "isolation"
    breaks = ("BUS-CAN-05",)

    async def cancel_charge(self, call: Call) -> Answer:
        """Show the charge again."""
        row = self.owned(call)
        if not call.access.is_sandbox and row["status"] == "canceled":
            return Answer(200, self.cancel_view(call, row))
        return await super().cancel_charge(call)


class BusLatePayLeavesPending(BusinessRules):
    """A payment past the end is refused, and the charge can be canceled all the same."""

    group = "time"
    breaks = ("BUS-CAN-06",)

    def seen(self, call: Call, charge: Row) -> Row:
        """Refuse and record nothing."""
        late = call.operation == "pay_charge" and charge["status"] == "pending" and self.is_overdue(charge)
        return charge | {"status": "expired"} if late else super().seen(call, charge)


globals().update(
    family(__name__, "isolation", MissingIs, {
        "BusCancelOfUnknownIs409": (
            "The operation cancel_charge answers 409 for a charge that is unknown.",
            "BUS-CAN-08",
            missing("cancel_charge", 409, foreign=False),
        ),
        "BusCancelOfUnknownIs200": (
            "A cancel answers 200 for an unknown id.", "BUS-CAN-08", missing("cancel_charge", 200, foreign=False),
        ),
    })
)  # fmt: skip


globals().update(
    family(__name__, "schema", ChokesOnIds, {
        "BusLongIdBreaksCancel": ("A cancel by an id of more than 100 characters ends in a 500.",
            "BUS-CAN-15 BUS-GEN-03", choking_on("cancel_charge", is_long)),
    })
)  # fmt: skip
