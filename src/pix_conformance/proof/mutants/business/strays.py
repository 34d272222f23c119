"""Effects that go astray: to another charge, to the balance, to no event, past a filter or a check."""

import asyncio
from typing import Any, ClassVar

from pix_conformance.proof.mutants.business.events import CANCELED, PAID, Payloads
from pix_conformance.proof.mutants.business.events import at as in_event
from pix_conformance.proof.mutants.business.neighbours import OfAState
from pix_conformance.proof.mutants.business.tables import ActsThough, KeepsOtherwise, keeping
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.business.errors import owner_of
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.http import Route
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.store import Row

WINDOW_S = 0.05


def credited(rules: BusinessRules, charge: Row, share: int = 1) -> None:
    """Raise the balance by the amount of a charge, and post nothing."""
    key = {"book": rules.book(owner_of(charge)), "account_code": "merchant_available"}
    held = rules.balance_of(owner_of(charge), "merchant_available")
    rules.store.put("balance", key | {"amount": held + share * charge["amount"]})


def refunded(rules: BusinessRules, charge: Row) -> None:
    """Post a payment back."""
    pair = ("merchant_available", DEBIT, charge["amount"]), ("psp_clearing", CREDIT, charge["amount"])
    rules.post(owner_of(charge), "refund.reversal", "canceled", *pair)


def unnamed(rules: BusinessRules, charge: Row) -> None:
    """Take the identifier of its payment from a charge."""
    rules.store.update("business_charge", {"end_to_end_id": None}, id=charge["id"])


class Drags(BusinessRules):
    """Has a change of one charge change the pending ones of its label too."""

    into: ClassVar[str] = ""

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Look for the label instead of the id."""
        done = super().claim_charge(charge, changes)
        if done and changes["status"] == self.into and charge["external_ref"] is not None:
            same = {name: charge[name] for name in ("external_ref", "account", "environment")}
            self.store.update("business_charge", changes, status="pending", **same)
        return done


class GivesUp(BusinessRules):
    """Attempts one event once."""

    event: ClassVar[str] = ""

    def send_event(self, url: str, payload: dict[str, Any]) -> None:
        """Allow no more for it."""
        usual = self.event_attempts
        self.event_attempts = 1 if payload["type"] == self.event else usual
        super().send_event(url, payload)
        self.event_attempts = usual


class Overlooks(BusinessRules):
    """Takes a field of a wrong type for absent if its value is empty or zero."""

    name: ClassVar[str] = ""

    def is_given(self, key: str, holder: dict[str, Any], name: str) -> bool:
        """Ask whether it is anything."""
        value = holder.get(name)
        return bool(value or isinstance(value, str)) if name == self.name else super().is_given(key, holder, name)


class MixesFiltered(BusinessRules):
    """Has a filtered list of one environment hold the charges of the other too."""

    environment: ClassVar[str] = ""

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """Leave the environment out."""
        if status is None or access.environment != self.environment:
            return super().listed(access, status)
        both = {"account": access.account, "status": status}
        return self.store.rows("business_charge", self.list_order(), self.list_limit, **both)


globals().update(
    family(__name__, "state", ActsThough, {
        "BusCanceledIsCredited": (
            "The payment of a canceled charge is refused, and raises the balance.",
            "BUS-STATE-04",
            {"operation": "pay_charge", "states": ("canceled",), "act": credited},
        ),
        "BusExpiredIsCredited": (
            "The payment of an expired charge is refused, and raises the balance.",
            "BUS-STATE-05 BUS-EXP-02",
            {"operation": "pay_charge", "states": ("expired",), "act": credited},
        ),
        "BusPaidIsRefunded": (
            "The cancel of a paid charge is refused, and its amount taken from the balance.",
            "BUS-STATE-03",
            {"operation": "cancel_charge", "states": ("paid",), "act": refunded},
        ),
        "BusPaidIsUnnamed": (
            "The cancel of a paid charge is refused, and takes its e2e_id.",
            "BUS-PAY-11",
            {"operation": "cancel_charge", "states": ("paid",), "act": unnamed},
        ),
    }),
    **family(__name__, "state", Drags, {
        "BusLabelPaysAll": (
            "A payment makes all pending charges of the label paid.", "BUS-CHG-44", {"into": "paid"},
        ),
        "BusLabelCancelsAll": (
            "A cancel makes all pending charges of the label canceled.", "BUS-CHG-44", {"into": "canceled"},
        ),
    }),
    **family(__name__, "events", Payloads, {
        "BusCanceledEventRefEscaped": (
            "A canceled event has the quotes of its external_ref escaped.",
            "BUS-EVT-13",
            in_event("data.external_ref", lambda text: text.replace('"', "&quot;"), CANCELED),
        ),
    }),
    **family(__name__, "events", GivesUp, {
        "BusPaidAttemptedOnce": ("A paid event is attempted once.", "BUS-RETRY-01", {"event": PAID}),
        "BusCanceledAttemptedOnce": ("A canceled event is attempted once.", "BUS-RETRY-01", {"event": CANCELED}),
    }),
    **family(__name__, "validation", Overlooks, {
        "BusEmptyDescriptionOfAnyType": (
            "A description that is 0, false or empty passes for none, whatever its type.",
            "BUS-CHG-14",
            {"name": "description"},
        ),
        "BusEmptyEmailOfAnyType": (
            "A customer_email that is 0, false or empty passes for none, whatever its type.",
            "BUS-CHG-24",
            {"name": "customer_email"},
        ),
    }),
    **family(__name__, "isolation", MixesFiltered, {
        "BusFilteredLiveListOfSandbox": (
            "A filtered list of production holds the charges of the sandbox too.",
            "BUS-ENV-04",
            {"environment": "production"},
        ),
        "BusFilteredSandboxListOfLive": (
            "A filtered list of the sandbox holds the charges of production too.",
            "BUS-ENV-04",
            {"environment": "sandbox"},
        ),
    }),
    **family(__name__, "isolation", OfAState, {
        "BusForeignExpiredShown": (
            "A query finds the expired charge of another account.",
            "BUS-ISO-01",
            {"state": "expired", "operation": "get_charge"},
        ),
        "BusForeignExpiredCancelTold": (
            "Canceling the expired charge of another account is refused for its state.",
            "BUS-ISO-02",
            {"state": "expired", "operation": "cancel_charge"},
        ),
    }),
    **family(__name__, "schema", KeepsOtherwise, {
        "BusEmailInSmallLetters": (
            "The e-mail is kept in small letters.", "BUS-CHG-59", keeping("customer_email", str.lower),
        ),
    }),
)  # fmt: skip


class BusCreditedOnCreation(BusinessRules):
    """The balance rises when a charge is created, and not when it is paid."""

    group = "state"
    breaks = ("BUS-STATE-04",)

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Credit it early."""
        row = super().new_charge(access, read)
        credited(self, row)
        return row

    def capture(self, charge: Row) -> None:
        """Post it, and take the credit back."""
        super().capture(charge)
        credited(self, charge, -1)


class BusIdRaces(BusinessRules):
    """The id of a charge is the number of those before it: of several made at one moment the last is kept."""

    group = "concurrency"
    breaks = ("BUS-CHG-63",)
    number = 0

    async def create_charge(self, call: Call) -> Answer:
        """Count, and leave a window open."""
        call.params = {"number": str(len(self.store.rows("business_charge")))}
        await asyncio.sleep(WINDOW_S)
        return await super().create_charge(call)

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        """Write over what has the number."""
        self.number = int(call.params["number"])
        self.store.delete("business_charge", id=self.new_charge_id())
        return super().open_charge(call, read)

    def new_charge_id(self) -> str:
        """Take the number."""
        return f"chg_{self.number}"


class BusPayoutsListed(BusinessRules):
    """A GET on the reserved payouts path succeeds."""

    group = "schema"
    breaks = ("BUS-GEN-07",)
    routes: ClassVar[tuple[Route, ...]] = (*BusinessRules.routes, ("GET", "/v1/business/payouts", "list_payouts"))

    async def list_payouts(self, call: Call) -> Answer:
        """List none."""
        del call
        return Answer(200, [])
