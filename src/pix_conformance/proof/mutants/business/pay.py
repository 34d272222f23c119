"""Mutants of BUS-PAY: simulated payments."""

import uuid
from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.business.events import PAYMENT_HEAD
from pix_conformance.proof.mutants.operators.business.fields import body_of, whole
from pix_conformance.proof.mutants.operators.business.ids import ChokesOnIds, choking_on, is_huge
from pix_conformance.proof.mutants.operators.business.refusals import Forbids, MissingIs, RefusesNearEnd, missing
from pix_conformance.proof.mutants.operators.business.responses import ChangesAnswers, in_answers, sent
from pix_conformance.proof.mutants.operators.business.states import ActsThough, Unmoved
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.business.errors import owner_of
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.store import Row

globals().update(
    family(__name__, "state", Forbids, {
        "BusPlayersChargeUnpayable": (
            "A charge with an e-mail cannot be paid.",
            "BUS-PAY-01, seen in BUS-CHG-56",
            {"operation": "pay_charge", "column": "customer_email"},
        ),
    })
)  # fmt: skip


globals().update(
    family(__name__, "time", RefusesNearEnd, {
        "BusPayEndsEarly": (
            "A charge cannot be paid in the last half minute of its life.",
            "BUS-PAY-01",
            {"operation": "pay_charge"},
        ),
    })
)  # fmt: skip


class BusPayNeedsItsAmount(BusinessRules):
    """A simulated payment has to repeat the amount in a body."""

    group = "validation"
    breaks = ("BUS-PAY-01",)

    async def pay_charge(self, call: Call) -> Answer:
        """Hold it against the charge."""
        charge = self.owned(call)
        if body_of(call).get("amount_cents") != charge["amount"]:
            raise self.invalid("amount_cents", "must be the amount of the charge")
        return await super().pay_charge(call)


class BusUnlabelledUnpayable(BusinessRules):
    """A charge without external_ref cannot be paid."""

    group = "state"
    breaks = ("BUS-PAY-01",)

    def may_pay(self, charge: Row) -> bool:
        """Ask for its label."""
        return charge["external_ref"] is not None and super().may_pay(charge)


globals().update(
    family(__name__, "state", Unmoved, {
        "BusPayWithoutEffect": (
            "A payment is answered with 200, booked and announced, and the charge stays pending.",
            "BUS-PAY-01",
            {"status": "paid"},
        ),
    })
)  # fmt: skip


class BusPayRefused(BusinessRules):
    """The sandbox refuses the simulation with 403, as if it were production."""

    group = "state"
    breaks = ("BUS-PAY-01",)

    async def pay_charge(self, call: Call) -> Answer:
        """Take every key for one of production."""
        del call
        raise Refusal("forbidden", "payment simulation is not available")


class BusPayNeedsBody(BusinessRules):
    """A simulated payment without a JSON body is refused."""

    group = "validation"
    breaks = ("BUS-PAY-02", "BUS-CAN-06", "BUS-ENV-03", "BUS-ISO-04", "BUS-PAY-01", "BUS-PAY-09")

    async def pay_charge(self, call: Call) -> Answer:
        """Read one first."""
        self.json_body(call)
        return await super().pay_charge(call)


globals().update(
    family(__name__, "isolation", MissingIs, {
        "BusPayOfUnknownIs422": (
            "The operation pay_charge answers 422 for a charge that is unknown.",
            "BUS-PAY-08",
            missing("pay_charge", 422, foreign=False),
        ),
        "BusPayOfUnknownIs200": (
            "A payment answers 200 for an unknown id.", "BUS-PAY-08", missing("pay_charge", 200, foreign=False),
        ),
    })
)  # fmt: skip


class BusLivePays(BusinessRules):
    """The simulation works in production."""

    breaks = ("BUS-PAY-09",)
    group = "isolation"

    def may_simulate(self, access: Access) -> bool:
        """Allow it everywhere."""
        del access
        return True


class ForbidsOtherwise(BusinessRules):
    """Refuses the simulation in production with another status."""

    status: ClassVar[int] = 403

    def error_status(self, refusal: Refusal) -> int:
        """Answer that refusal otherwise."""
        return self.status if refusal.kind == "forbidden" else super().error_status(refusal)


globals().update(
    family(__name__, "isolation", ForbidsOtherwise, {
        f"BusLivePayIs{status}": (
            f"The simulation is refused with {status} in production.", "BUS-PAY-09", {"status": status},
        )
        for status in (401, 404, 405, 409)
    })
)  # fmt: skip


class BusLivePayToldState(BusinessRules):
    """Paying a canceled production charge is refused for its state, not for the environment."""

    group = "isolation"
    breaks = ("BUS-PAY-09",)

    async def pay_charge(self, call: Call) -> Answer:
        """Look at the state first."""
        row = self.owned(call)
        if not call.access.is_sandbox and row["status"] == "canceled":
            raise self.not_possible(call, row)
        return await super().pay_charge(call)


class BusLivePaysThough(BusinessRules):
    """The simulation is refused with 403 in production, and yet the charge is paid."""

    breaks = ("BUS-PAY-10",)
    group = "isolation"

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Pay it."""
        if refusal.kind == "forbidden":
            self.store.update("business_charge", {"status": "paid"}, id=call.params["id"])
        return super().refused(call, refusal)


globals().update(
    family(__name__, "schema", ChangesAnswers, {
        "BusListOtherE2e": (
            "The list shows the e2e_id of a paid charge in small letters.",
            "BUS-PAY-11",
            in_answers("list_charges", "*.e2e_id", sent(str.lower)),
        ),
    })
)  # fmt: skip


globals().update(
    family(__name__, "state", ChangesAnswers, {
        "BusE2eMissing": (
            "A paid charge shows no e2e_id.",
            "BUS-PAY-11",
            in_answers("get_charge", "e2e_id", None),
        ),
        "BusE2eEmpty": (
            "The e2e_id of a paid charge is empty.",
            "BUS-PAY-11",
            in_answers("get_charge", "e2e_id", lambda text: text and ""),
        ),
    })
)  # fmt: skip


def unnamed(rules: BusinessRules, charge: Row) -> None:
    """Take the identifier of its payment from a charge."""
    rules.store.update("business_charge", {"end_to_end_id": None}, id=charge["id"])


globals().update(
    family(__name__, "state", ActsThough, {
        "BusPaidIsUnnamed": (
            "The cancel of a paid charge is refused, and takes its e2e_id.",
            "BUS-PAY-11",
            {"operation": "cancel_charge", "states": ("paid",), "act": unnamed},
        ),
    })
)  # fmt: skip


class Pays(BusinessRules):
    """Gives a payment another e2e_id: a function of the right one."""

    change: ClassVar[Any]

    def paid_changes(self, charge: Row) -> Row:
        """Change it."""
        changes = super().paid_changes(charge)
        return changes | {"end_to_end_id": self.change(changes["end_to_end_id"])}


globals().update(
    family(__name__, "state", Pays, {
        "BusE2eUuid": (
            "The e2e_id of a payment is made of its digits only, without E.",
            "BUS-PAY-12",
            {"change": staticmethod(lambda text: text[1:])},
        ),
        "BusE2eOfTenMore": (
            "The e2e_id of a payment is one character short.",
            "BUS-PAY-12",
            {"change": staticmethod(lambda text: text[:-1])},
        ),
        "BusE2eConstant": (
            "All payments have one e2e_id.",
            "BUS-PAY-13",
            {"change": staticmethod(lambda _: f"E9999999920261121120{'0' * 13}")},
        ),
    })
)  # fmt: skip


class NamesPaymentBy(BusinessRules):
    """Makes the e2e_id of a payment from one column of its charge, where there is something in it."""

    column: ClassVar[str] = ""

    def paid_changes(self, charge: Row) -> Row:
        """Hash it."""
        changes, value = super().paid_changes(charge), charge[self.column]
        number = PAYMENT_HEAD + uuid.uuid5(uuid.NAMESPACE_URL, str(value)).hex[:11]
        return changes if value is None else changes | {"end_to_end_id": number}


globals().update(
    family(__name__, "state", NamesPaymentBy, {
        "BusE2eOfLabel": (
            "Payments of one label have one e2e_id.", "BUS-PAY-13, seen in BUS-PAY-15", {"column": "external_ref"},
        ),
        "BusE2eOfPlayer": (
            "Payments of one player have one e2e_id.", "BUS-PAY-13, seen in BUS-CHG-56", {"column": "customer_email"},
        ),
    })
)  # fmt: skip


class BusLabelCapturedOnce(BusinessRules):
    """Of the payments with one label the first is captured."""

    group = "state"
    breaks = ("BUS-PAY-15",)

    def capture(self, charge: Row) -> None:
        """Leave out later ones."""
        same = {"external_ref": charge["external_ref"], "account": charge["account"], "status": "paid"}
        found = self.store.rows("business_charge", **same) if charge["external_ref"] is not None else []
        if len(found) <= 1:
            super().capture(charge)


class BusAmountCapturedOnce(BusinessRules):
    """A payment of the amount of the one before it is not captured, if it comes within two seconds."""

    group = "state"
    breaks = ("BUS-PAY-15",)

    def capture(self, charge: Row) -> None:
        """Take it for a repetition."""
        for last in self.postings(owner_of(charge), 1):
            soon = self.clock.now() - last["created_at"] < 2
            if soon and last["entries"][0]["amount"] == charge["amount"]:
                return
        super().capture(charge)


class BusWholeReaisPosted(BusinessRules):
    """Entries of whole reais are shown in reais."""

    group = "schema"
    breaks = ("BUS-PAY-15",)

    def entry_view(self, entry: Row) -> dict[str, Any]:
        """Divide what can be divided."""
        return super().entry_view(entry) | {"amount_cents": whole(entry["amount"])}


class BusNamelessNotPosted(BusinessRules):
    """A payment of a charge without external_ref is not posted."""

    group = "state"
    breaks = ("BUS-PAY-15",)

    def capture(self, charge: Row) -> None:
        """Leave it out."""
        if charge["external_ref"] is not None:
            super().capture(charge)


globals().update(
    family(__name__, "schema", ChokesOnIds, {
        "BusHugeNumberBreaksPay": ("A simulated payment by a number beyond 64 bits ends in a 500.",
            "BUS-PAY-25 BUS-GEN-03", choking_on("pay_charge", is_huge)),
    })
)  # fmt: skip
