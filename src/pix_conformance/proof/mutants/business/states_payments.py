"""Mutants of BUS-STATE: payments that meet another payment or a cancel."""

import asyncio
from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.business.states import WINDOW_S, ActsThough, AllowsInstead, acting
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference import formats
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.store import Row


class Races(BusinessRules):
    """Waits between look and act; `claims` may let a charge be claimed that has changed meanwhile."""

    claims: ClassVar[Any] = staticmethod(lambda _rules, _charge, _changes: False)

    async def pause(self, call: Call, place: str) -> None:
        """Leave a window open."""
        await super().pause(call, place)
        if place in {"pay", "cancel"}:
            await asyncio.sleep(WINDOW_S)

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Claim what has changed, if the race is lost this way."""
        return super().claim_charge(charge, changes) or self.claims(self, charge, changes)


def overwriting(*statuses: str) -> dict[str, Any]:
    """Members of a class that writes these statuses over whatever there is."""

    def claims(rules: Any, charge: Row, changes: Row) -> bool:
        wanted = changes["status"] in statuses
        return wanted and rules.store.update("business_charge", changes, id=charge["id"]) == 1

    return {"claims": staticmethod(claims)}


def pretending(rules: Any, charge: Row, changes: Row) -> bool:
    """Claim a payment that came second, and leave the charge as the first one wrote it."""
    now = rules.store.find("business_charge", id=charge["id"])
    return bool(now and now["status"] == changes["status"] == "paid")


globals().update(
    family(__name__, "concurrency", Races, {
        "BusPaysOverAll": (
            "A payment writes over whatever came at the same moment, a payment or a cancel.",
            "BUS-STATE-06 BUS-STATE-07",
            overwriting("paid"),
        ),
        "BusBooksEachPayment": (
            "Payments at one moment all succeed with one e2e_id, and each is booked and announced.",
            "BUS-STATE-06",
            {"claims": staticmethod(pretending)},
        ),
        "BusCancelOverwrites": (
            "A cancel at the moment of a payment succeeds too, and takes the payment back.",
            "BUS-STATE-07",
            overwriting("canceled"),
        ),
    })
)  # fmt: skip


class BusAnnouncesEachPayment(Races):
    """Payments at one moment are booked once, but each is announced by an event."""

    group = "concurrency"
    breaks = ("BUS-STATE-06",)
    claims = staticmethod(pretending)

    def capture(self, charge: Row) -> None:
        """Book the first only."""
        if not self.store.find("posting", description=f"PIX charge {charge['id']}"):
            super().capture(charge)


class BusLastPaymentNames(Races):
    """Payments at one moment are booked and announced once, but the last one changes the e2e_id."""

    group = "concurrency"
    breaks = ("BUS-STATE-06",)
    claims = staticmethod(overwriting("paid")["claims"].__func__)

    def capture(self, charge: Row) -> None:
        """Book the first only."""
        if not self.store.find("posting", description=f"PIX charge {charge['id']}"):
            super().capture(charge)

    def emit(self, event: str, row: Row) -> None:
        """Announce the first only."""
        first = not self.store.find("idempotency", scope=event, key=row["id"])
        self.store.put("idempotency", {"scope": event, "key": row["id"]})
        if first:
            super().emit(event, row)


class BusCreditedTwice(BusinessRules):
    """Every payment raises the balance by twice its amount, and is posted once."""

    group = "state"
    breaks = ("BUS-STATE-06",)

    def available(self, access: Access) -> int:
        """Count credits twice."""
        return 2 * super().available(access)


class BusCapturedTwice(BusinessRules):
    """Every payment is captured twice."""

    group = "state"
    breaks = ("BUS-STATE-06",)

    def capture(self, charge: Row) -> None:
        """Book it again."""
        super().capture(charge)
        super().capture(charge)


class BusCreditsAgain(BusinessRules):
    """A payment that is refused, since the charge is paid, raises the balance, and posts nothing."""

    group = "state"
    breaks = ("BUS-STATE-08",)

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Credit it."""
        if call.operation == "pay_charge" and refusal.kind == "state":
            row = self.owned(call)
            key = {"book": self.book(call.access), "account_code": "merchant_available"}
            held = self.balance_of(call.access, "merchant_available")
            extra = row["amount"] if row["status"] == "paid" else 0
            self.store.put("balance", key | {"amount": held + extra})
        return super().refused(call, refusal)


globals().update(
    family(__name__, "state", BusinessRules, {
        "BusPaidIsPayable": (
            "A paid charge is captured again by each further payment.",
            "BUS-STATE-08 BUS-STATE-06 BUS-EVT-19 BUS-EVT-14",
            {"payable": ("pending", "paid")},
        ),
    })
)  # fmt: skip


def renamed_again(rules: BusinessRules, charge: Row) -> None:
    """Give a paid charge another e2e_id."""
    rules.store.update("business_charge", rules.paid_changes(charge), id=charge["id"])


globals().update(
    family(__name__, "state", ActsThough, {
        "BusSecondPaymentBooked": (
            "A second payment is refused, and booked in the ledger.",
            "BUS-STATE-08 BUS-STATE-06",
            acting("pay_charge", "paid", lambda rules, row: rules.capture(row)),
        ),
        "BusSecondPaymentAnnounced": (
            "A second payment is refused, and announced by an event.",
            "BUS-STATE-08 BUS-STATE-06 BUS-EVT-19",
            acting("pay_charge", "paid", lambda rules, row: rules.emit("business.pix.paid", row)),
        ),
        "BusSecondPaymentRenamed": (
            "A second payment is refused, and gives the charge a new e2e_id.",
            "BUS-STATE-08 BUS-STATE-06",
            acting("pay_charge", "paid", renamed_again),
        ),
    })
)  # fmt: skip


globals().update(
    family(__name__, "state", AllowsInstead, {
        "BusSecondPaymentIs200": (
            "A second payment is answered with 200 and a new e2e_id, which no query shows.",
            "BUS-STATE-08",
            {
                "operation": "pay_charge",
                "states": ("paid",),
                "charge_view": lambda rules, call, row: BusinessRules.charge_view(
                    rules, call, row | {"end_to_end_id": formats.end_to_end_id(rules.clock.now())}
                    if call.operation == "pay_charge" else row,
                ),
            },
        ),
    })
)  # fmt: skip
