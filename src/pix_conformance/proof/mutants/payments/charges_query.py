"""Mutants of PAY-CHG: the query of a charge."""

from typing import Any

from pix_conformance.proof.mutants.operators.payments.charges import RemembersCharges
from pix_conformance.proof.mutants.operators.payments.fields import CNPJ_LENGTH
from pix_conformance.proof.mutants.operators.payments.ids import ChokesOnIds, choking_on, is_huge, is_long
from pix_conformance.proof.mutants.operators.payments.refusals import RefusesOtherwise, answering, refusing
from pix_conformance.proof.mutants.operators.payments.responses import ChangesAnswers, in_answers, with_id_of_payment
from pix_conformance.proof.mutants.operators.payments.time import OLD
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference import formats
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

STRANGE = "PAY-ISO-01 PAY-ENV-03 PAY-ENV-04"
"""What is not found either: the charges of another account, and of the other environment."""


class ShippedChargeNotFound(RemembersCharges):
    """A charge with an item that is sent somewhere is not found by its query."""

    breaks = ("PAY-CHG-70",)
    group = "state"

    def is_meant(self, read: dict[str, Any]) -> bool:
        """Look at the items."""
        return any(one["shippingAddress"] for one in read["items"] or [])

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Lose it."""
        row = super().owned(call, table, number)
        if call.operation == "get_charge" and self.means(row):
            raise self.not_found(call)
        return row


class ChargesVanish(PaymentsRules):
    """A charge that nobody pays is no longer found after a while."""

    breaks = ("PAY-CHG-70",)
    seen_in = ("PAY-PAYS-01",)
    group = "time"
    table, open_status = "payments_charge", "pending"

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Look at its age."""
        row = super().owned(call, table, number)
        if table == self.table and row["status"] == self.open_status and self.clock.now() - row["created_at"] > OLD:
            raise self.not_found(call)
        return row


class QueryCreated(PaymentsRules):
    """The query of a charge is answered 201, as its creation would be elsewhere."""

    breaks = ("PAY-CHG-70",)
    group = "state"

    async def get_charge(self, call: Call) -> Answer:
        """Answer the other status."""
        answer = await super().get_charge(call)
        return Answer(201, answer.body)


class CompanysChargeQueriedUnderOtherId(PaymentsRules):
    """The query of a paid charge for a cnpj answers another id."""

    group = "schema"
    breaks = ("PAY-CHG-71",)
    seen_in = ("PAY-PAYS-01",)

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Name another one."""
        view = super().charge_view(call, charge)
        other = charge["status"] == "paid" and len(charge["payer_document"]) == CNPJ_LENGTH
        return view | {"id": view["id"][::-1]} if other else view


globals().update(
    family(__name__, "state", ChangesAnswers, {
        "PaidOfAnotherId": ("The query of a paid charge shows the id of its payment.", "PAY-CHG-71",
            in_answers("get_charge", "data", with_id_of_payment)),
        "QueryOfAnotherId": ("The query answers another id than it was asked for.", "PAY-CHG-71",
            in_answers("get_charge", "data.id", lambda text: text[::-1])),
        "QueryIdInCapitals": ("The query answers the id in capitals.", "PAY-CHG-71",
            in_answers("get_charge", "data.id", lambda text: text.upper() + "-A")),
        "QueryOfAnotherImage": ("The query draws another image than the creation.", "PAY-CHG-72",
            in_answers("get_charge", "data.pix.qrCode", lambda text: text[:-8] + "AAAAAAA=")),
        "QueryWithoutFees": ("The query of a pending charge says that it is free.", "PAY-CHG-72",
            in_answers("get_charge", "data.fees", 0)),
    })
)  # fmt: skip


class QueryOfTheNewest(PaymentsRules):
    """The query answers the newest charge of the account, whatever it is asked for."""

    breaks = ("PAY-CHG-71",)
    group = "state"

    async def get_charge(self, call: Call) -> Answer:
        """Look for another one."""
        asked = self.owned(call, "payments_charge", call.params["id"])
        newest = self.store.rows("payments_charge", "seq DESC", 1, account=asked["account"])[0]
        return Answer(200, self.charge_answer(call, newest | {"status": asked["status"]}))


class DescribedChargeOfOtherFees(RemembersCharges):
    """The query of a pending charge with a description shows other fees than its creation."""

    breaks = ("PAY-CHG-72",)
    group = "state"

    def is_meant(self, read: dict[str, Any]) -> bool:
        """Look at the description."""
        return bool(read["description"])

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Add a cent."""
        view = super().charge_view(call, charge)
        shown = call.operation == "get_charge" and self.means(charge)
        return view | ({"fees": view["fees"] + 1} if shown else {})


class OrderOfAnotherCode(RemembersCharges):
    """The query of a pending charge with items makes a new code for it."""

    breaks = ("PAY-CHG-72", "PAY-CHG-77")
    group = "state"

    def is_meant(self, read: dict[str, Any]) -> bool:
        """Look at the items."""
        return bool(read["items"])

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Write it anew."""
        view = super().charge_view(call, charge)
        if call.operation != "get_charge" or not self.means(charge):
            return view
        return view | {"pix": view["pix"] | {"emv": self.code(self.new_charge_id().replace("-", ""), charge["amount"])}}


class QueryOfAnotherCode(PaymentsRules):
    """The query makes a new code for the charge each time."""

    breaks = ("PAY-CHG-72", "PAY-CHG-77")
    group = "state"

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Make it from the id of the call."""
        view = super().charge_view(call, charge)
        if call.operation == "get_charge":
            emv = self.code(self.new_charge_id().replace("-", ""), charge["amount"])
            view["pix"] = {"emv": emv, "qrCode": self.qr_image(emv)}
        return view


class FoundByBeginning(PaymentsRules):
    """A charge is found by the first eight characters of its id."""

    breaks = ("PAY-CHG-73",)
    group = "state"

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Compare the beginnings."""
        charges = self.store.rows(table) if table == "payments_charge" else []
        whole = next((row["id"] for row in charges if row["id"][:8] == str(number)[:8]), number)
        return super().owned(call, table, whole)


globals().update(
    family(__name__, "state", RefusesOtherwise, {
        "UnknownChargeBadRequest": ("The query of an unknown charge is refused with 400.", f"PAY-CHG-73 {STRANGE}",
            refusing("missing", "get_charge", answering(400))),
        "UnknownChargeGone": ("The query of an unknown charge is refused with 410.", f"PAY-CHG-73 {STRANGE}",
            refusing("missing", "get_charge", answering(410, "NOT_FOUND"))),
        "UnknownChargeEmpty": ("The query of an unknown charge answers 200 with null.",
            f"PAY-CHG-73 PAY-CHG-32 PAY-CHG-78 {STRANGE}",
            refusing("missing", "get_charge", lambda _: Answer(200, {"success": True, "message": "", "data": None}))),
        "UnknownChargeForbidden": ("The query of an unknown charge is refused with 403.", f"PAY-CHG-73 {STRANGE}",
            refusing("missing", "get_charge", answering(403, "FORBIDDEN"))),
    })
)  # fmt: skip


globals().update(
    family(__name__, "schema", ChokesOnIds, {
        "LongChargeIdBreaks": ("The query of a charge by an id of more than 100 characters ends in a 500.",
            "PAY-CHG-74 PAY-CHG-78 PAY-ERR-12", choking_on("get_charge", is_long)),
        "HugeChargeNumberBreaks": ("The query of a charge by a number beyond 64 bits ends in a 500.",
            "PAY-CHG-74 PAY-CHG-78 PAY-ERR-12", choking_on("get_charge", is_huge)),
        "LongChargeIdRefused": (
            "The query of a charge by an id of more than 100 characters is refused with 400.",
            "PAY-CHG-74",
            choking_on("get_charge", is_long, Answer(400, {"error": "INVALID_REQUEST", "message": "id"})),
        ),
    })
)  # fmt: skip


class MalformedIdRefused(PaymentsRules):
    """An id of another form is refused with 400 by the query of a charge."""

    breaks = ("PAY-CHG-74",)
    group = "state"

    async def get_charge(self, call: Call) -> Answer:
        """Judge the form first."""
        if not formats.is_uuid(call.params["id"]):
            raise self.invalid("transactionId", "must be a UUID")
        return await super().get_charge(call)


class MalformedIdBreaks(PaymentsRules):
    """An id of another form ends in a 500 in the query of a charge."""

    breaks = ("PAY-CHG-74", "PAY-CHG-78", "PAY-ERR-12")
    group = "state"

    async def get_charge(self, call: Call) -> Answer:
        """Fail to read the id."""
        if not formats.is_uuid(call.params["id"]):
            return Answer(500, {"error": "INTERNAL", "message": "invalid input syntax for type uuid"})
        return await super().get_charge(call)


class SimulatesByAnyId(PaymentsRules):
    """The simulations find charges and transfers alike, and refuse those of the other kind for their status."""

    breaks = ("PAY-CHG-75", "PAY-TRF-72")
    group = "state"

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Look into the other table first."""
        other = {"pay_charge": "transfer", "complete_transfer": "payments_charge"}.get(call.operation)
        if other and self.store.find(other, id=number):
            raise Refusal("state", "it is no longer pending")
        return super().owned(call, table, number)
