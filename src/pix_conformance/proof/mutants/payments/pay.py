"""Mutants of PAY-PAYS: the simulated payment of a charge and its response."""

from typing import Any

from pix_conformance.proof.mutants.operators.payments.charges import LARGE, RemembersCharges, of_company
from pix_conformance.proof.mutants.operators.payments.ids import ChokesOnIds, choking_on, is_long
from pix_conformance.proof.mutants.operators.payments.refusals import RefusesOtherwise, answering, refusing
from pix_conformance.proof.mutants.operators.payments.responses import ChangesAnswers, in_answers, shapes
from pix_conformance.proof.mutants.operators.payments.time import YOUNG_S
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference import formats
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


class CompaniesNeverPaid(PaymentsRules):
    """A charge of a company cannot be paid in the sandbox."""

    breaks = ("PAY-PAYS-01",)
    group = "state"

    def may_pay(self, charge: Row) -> bool:
        """Look at the customer."""
        return not of_company(charge) and super().may_pay(charge)


class BilledChargeNeverPaid(RemembersCharges):
    """A charge whose customer has a billingAddress cannot be paid in the sandbox."""

    breaks = ("PAY-PAYS-01",)
    group = "state"

    def is_meant(self, read: dict[str, Any]) -> bool:
        """Look at the customer."""
        return bool(read["customer"]["billingAddress"])

    def may_pay(self, charge: Row) -> bool:
        """Leave it out."""
        return super().may_pay(charge) and not self.means(charge)


class OldChargeUnpayable(PaymentsRules):
    """A charge older than 45 s cannot be paid, though it is shown as pending."""

    breaks = ("PAY-PAYS-01",)
    group = "time"

    def may_pay(self, charge: Row) -> bool:
        """Look at its age."""
        return self.clock.now() - charge["created_at"] < YOUNG_S and super().may_pay(charge)


class SplitsNeverPaid(PaymentsRules):
    """A charge with splits cannot be paid in the sandbox."""

    breaks = ("PAY-PAYS-01",)
    group = "state"

    def may_pay(self, charge: Row) -> bool:
        """Look at the splits."""
        return super().may_pay(charge) and charge["splits"] == "[]"


class PayNeedsBody(PaymentsRules):
    """The pay insists on a JSON body."""

    breaks = ("PAY-PAYS-01",)
    group = "state"

    async def pay_charge(self, call: Call) -> Answer:
        """Read one first."""
        self.json_body(call)
        return await super().pay_charge(call)


class PayAccepted(PaymentsRules):
    """A pay is answered 202."""

    breaks = ("PAY-PAYS-01",)
    group = "state"

    async def pay_charge(self, call: Call) -> Answer:
        """Answer the other status."""
        answer = await super().pay_charge(call)
        return Answer(202, answer.body)


globals().update(
    shapes(__name__, "Pay", "pay_charge", {
        "success": ("PAY-PAYS-02", "true"),
        "message": ("PAY-PAYS-03", None),
        "data": ("PAY-PAYS-04 PAY-PAYS-01", lambda data: [data]),
        "data.id": ("PAY-PAYS-05", 7),
        "data.status": ("PAY-PAYS-06", 1),
        "data.endToEndId": ("PAY-PAYS-07", None),
    })
)  # fmt: skip


globals().update(
    family(__name__, "state", ChangesAnswers, {
        "PayAnswersPending": ("The pay answers the status from before.", "PAY-PAYS-06",
            in_answers("pay_charge", "data.status", "pending")),
        "PayAnswersCompleted": ("The pay answers the status of a transfer.", "PAY-PAYS-06",
            in_answers("pay_charge", "data.status", "completed")),
        "PayAnswersEndToEndId": ("The pay answers the endToEndId as the id.", "PAY-PAYS-08",
            in_answers("pay_charge", "data", lambda data: data | {"id": data["endToEndId"]})),
    })
)  # fmt: skip


class PayOfEmptyEndToEndId(PaymentsRules):
    """The endToEndId in the answer of a pay is an empty text."""

    breaks = ("PAY-PAYS-07", "PAY-EVT-54")
    group = "schema"

    def pay_view(self, charge: Row) -> dict[str, Any]:
        """Leave it to the event."""
        return super().pay_view(charge) | {"endToEndId": ""}


class LargeChargePaidUnderOtherId(PaymentsRules):
    """The pay of a charge of 1,000.00 or more answers another id."""

    group = "schema"
    breaks = ("PAY-PAYS-08",)

    def pay_view(self, charge: Row) -> dict[str, Any]:
        """Name another one."""
        view = super().pay_view(charge)
        return view | {"id": view["id"][::-1]} if charge["amount"] >= LARGE else view


class EndToEndIdOfUuid(PaymentsRules):
    """The endToEndId of a payment is a UUID."""

    breaks = ("PAY-PAYS-09",)
    group = "state"

    def paid_changes(self, charge: Row) -> Row:
        """Make it so."""
        return super().paid_changes(charge) | {"end_to_end_id": self.new_charge_id()}


class EndToEndIdInLocalTime(PaymentsRules):
    """The minute in the endToEndId of a payment is followed by its seconds, which makes it two longer."""

    breaks = ("PAY-PAYS-09",)
    group = "state"

    def paid_changes(self, charge: Row) -> Row:
        """Insert them."""
        right = formats.end_to_end_id(self.clock.now())
        return super().paid_changes(charge) | {"end_to_end_id": f"{right[:21]}59{right[21:]}"}


class SameEndToEndId(PaymentsRules):
    """All payments have one endToEndId."""

    breaks = ("PAY-PAYS-10",)
    group = "state"

    def paid_changes(self, charge: Row) -> Row:
        """Give each the same."""
        return super().paid_changes(charge) | {"end_to_end_id": "E99999999202611211000abcdefghijk"}


class LivePaid(PaymentsRules):
    """A production charge is paid by the simulation."""

    breaks = ("PAY-PAYS-14",)
    group = "isolation"

    def may_simulate(self, owner: Access, operation: str) -> bool:
        """Work everywhere."""
        return operation == "pay_charge" or super().may_simulate(owner, operation)


class LivePaidSilently(PaymentsRules):
    """The pay of a production charge is refused with 403, and pays it all the same."""

    breaks = ("PAY-PAYS-14",)
    group = "isolation"

    def require_sandbox(self, call: Call, row: Row) -> None:
        """Pay, then refuse."""
        if call.operation == "pay_charge" and row["environment"] == "production":
            self.claim_charge(row, self.paid_changes(row))
        super().require_sandbox(call, row)


globals().update(
    family(__name__, "state", RefusesOtherwise, {
        "LivePayRefusedAsState": ("The pay of a production charge is refused with 400.", "PAY-PAYS-14",
            refusing("forbidden", "pay_charge", answering(400))),
        "LivePayRefusedAsUnknown": ("The pay of a production charge by its own credential gets 404.", "PAY-PAYS-14",
            refusing("forbidden", "pay_charge", answering(404, "NOT_FOUND"))),
        "LivePayUnauthorized": ("The pay of a production charge is refused with 401.", "PAY-PAYS-14",
            refusing("forbidden", "pay_charge", answering(401, "UNAUTHORIZED"))),
        "UnknownPayBadRequest": ("The pay of an unknown charge is refused with 400.",
            "PAY-PAYS-15 PAY-ISO-02 PAY-ENV-14 PAY-ENV-15",
            refusing("missing", "pay_charge", answering(400))),
        "UnknownPayForbidden": ("The pay of an unknown charge is refused with 403.", "PAY-PAYS-15 PAY-ISO-02",
            refusing("missing", "pay_charge", answering(403, "FORBIDDEN"))),
        "UnknownPayServerError": ("The pay of an unknown charge ends in a 500.",
            "PAY-PAYS-15 PAY-ISO-02 PAY-ERR-12 PAY-ENV-14 PAY-ENV-15",
            refusing("missing", "pay_charge", answering(500, "INTERNAL"))),
    })
)  # fmt: skip


globals().update(
    family(__name__, "schema", ChangesAnswers, {
        "PayMessageEmpty": ("The message of the response to a simulated payment is empty.", "PAY-PAYS-23",
            in_answers("pay_charge", "message", "")),
    })
)  # fmt: skip


globals().update(
    family(__name__, "schema", ChokesOnIds, {
        "LongIdBreaksPay": ("The pay of a charge by an id of more than 100 characters ends in a 500.",
            "PAY-PAYS-26 PAY-ERR-12", choking_on("pay_charge", is_long)),
    })
)  # fmt: skip
