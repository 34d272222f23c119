"""Charges of the payments API whose life goes another way than the document says."""

import asyncio
from typing import Any

from pix_conformance.proof.mutants.payments.tables import ChangesAnswers, RefusesOtherwise, in_answers, refusing
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference import formats
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


def _answer(status: int, code: str = "INVALID_REQUEST") -> Any:
    return lambda refusal: Answer(status, {"error": code, "message": refusal.message})


STRANGE = "PAY-ISO-01 PAY-ENV-03 PAY-ENV-04"
"""What is not found either: the charges of another account, and of the other environment."""

globals().update(
    family(__name__, "state", RefusesOtherwise, {
        "SecondPayConflict": ("A second pay is refused with 409.", "PAY-PAYS-12",
            refusing("state", "pay_charge", _answer(409, "CONFLICT"))),
        "SecondPayUnprocessable": ("A second pay is refused with 422.", "PAY-PAYS-12",
            refusing("state", "pay_charge", _answer(422))),
        "SecondPayForbidden": ("A second pay is refused with 403.", "PAY-PAYS-12",
            refusing("state", "pay_charge", _answer(403, "FORBIDDEN"))),
        "SecondPayNotFound": ("A charge that was paid is no longer found by pay.", "PAY-PAYS-12",
            refusing("state", "pay_charge", _answer(404, "NOT_FOUND"))),
        "LivePayRefusedAsState": ("The pay of a production charge is refused with 400.", "PAY-PAYS-14",
            refusing("forbidden", "pay_charge", _answer(400))),
        "LivePayRefusedAsUnknown": ("The pay of a production charge by its own credential gets 404.", "PAY-PAYS-14",
            refusing("forbidden", "pay_charge", _answer(404, "NOT_FOUND"))),
        "LivePayUnauthorized": ("The pay of a production charge is refused with 401.", "PAY-PAYS-14",
            refusing("forbidden", "pay_charge", _answer(401, "UNAUTHORIZED"))),
        "UnknownChargeBadRequest": ("The query of an unknown charge is refused with 400.", f"PAY-CHG-73 {STRANGE}",
            refusing("missing", "get_charge", _answer(400))),
        "UnknownChargeGone": ("The query of an unknown charge is refused with 410.", f"PAY-CHG-73 {STRANGE}",
            refusing("missing", "get_charge", _answer(410, "NOT_FOUND"))),
        "UnknownChargeEmpty": ("The query of an unknown charge answers 200 with null.",
            f"PAY-CHG-73 PAY-CHG-32 PAY-CHG-78 {STRANGE}",
            refusing("missing", "get_charge", lambda _: Answer(200, {"success": True, "message": "", "data": None}))),
        "UnknownChargeForbidden": ("The query of an unknown charge is refused with 403.", f"PAY-CHG-73 {STRANGE}",
            refusing("missing", "get_charge", _answer(403, "FORBIDDEN"))),
        "UnknownPayBadRequest": ("The pay of an unknown charge is refused with 400.",
            "PAY-PAYS-15 PAY-ISO-02 PAY-ENV-14 PAY-ENV-15",
            refusing("missing", "pay_charge", _answer(400))),
        "UnknownPayForbidden": ("The pay of an unknown charge is refused with 403.", "PAY-PAYS-15 PAY-ISO-02",
            refusing("missing", "pay_charge", _answer(403, "FORBIDDEN"))),
        "UnknownPayServerError": ("The pay of an unknown charge ends in a 500.",
            "PAY-PAYS-15 PAY-ISO-02 PAY-ERR-12 PAY-ENV-14 PAY-ENV-15",
            refusing("missing", "pay_charge", _answer(500, "INTERNAL"))),
    }),
    **family(__name__, "state", ChangesAnswers, {
        "StatusInCapitals": ("The status of a charge is written in capitals.", "PAY-CHG-39 PAY-CHG-40",
            in_answers("create_charge get_charge", "data.status", str.upper)),
        "StatusOfAnotherName": ("A paid charge is called approved by its query.", "PAY-CHG-39 PAY-PAYS-11",
            in_answers("get_charge", "data.status", lambda text: "approved" if text == "paid" else text)),
        "StatusOfTheFifth": ("A new charge is called active.", "PAY-CHG-39 PAY-CHG-40",
            in_answers("create_charge", "data.status", "active")),
        "StatusInfraction": ("The query shows a paid charge as infraction.", "PAY-CHG-39 PAY-PAYS-11",
            in_answers("get_charge", "data.status", lambda text: "infraction" if text == "paid" else text)),
        "PayAnswersPending": ("The pay answers the status from before.", "PAY-PAYS-06",
            in_answers("pay_charge", "data.status", "pending")),
        "PayAnswersCompleted": ("The pay answers the status of a transfer.", "PAY-PAYS-06",
            in_answers("pay_charge", "data.status", "completed")),
        "PayAnswersEndToEndId": ("The pay answers the endToEndId as the id.", "PAY-PAYS-08",
            in_answers("pay_charge", "data", lambda data: data | {"id": data["endToEndId"]})),
        "QueryOfAnotherId": ("The query answers another id than it was asked for.", "PAY-CHG-71",
            in_answers("get_charge", "data.id", lambda text: text[::-1])),
        "QueryIdInCapitals": ("The query answers the id in capitals.", "PAY-CHG-71",
            in_answers("get_charge", "data.id", lambda text: text.upper() + "-A")),
        "QueryOfAnotherImage": ("The query draws another image than the creation.", "PAY-CHG-72",
            in_answers("get_charge", "data.pix.qrCode", lambda text: text[:-8] + "AAAAAAA=")),
        "QueryWithoutFees": ("The query of a pending charge says that it is free.", "PAY-CHG-72",
            in_answers("get_charge", "data.fees", 0)),
    }),
)  # fmt: skip


class PayWithoutRecord(PaymentsRules):
    """A pay is answered right, and nothing recorded."""

    breaks = ("PAY-PAYS-11",)

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Forget it once it is answered."""
        before = {name: charge[name] for name in changes}
        self.store.after_commit(lambda: self.store.update("payments_charge", before, id=charge["id"]))
        return super().claim_charge(charge, changes)


class PayRecordedAsCanceled(PaymentsRules):
    """A pay records the charge as canceled."""

    breaks = ("PAY-PAYS-11",)

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Record another status than is answered."""
        wrong = {"status": "canceled"}
        self.store.after_commit(lambda: self.store.update("payments_charge", wrong, id=charge["id"]))
        return super().claim_charge(charge, changes)


class QueryNeverPaid(PaymentsRules):
    """The query of a charge shows the status of its creation for ever."""

    breaks = ("PAY-PAYS-11",)

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show it as new."""
        return super().charge_view(call, charge) | {"status": "pending"}


class PaysAgain(PaymentsRules):
    """A paid charge can be paid again."""

    breaks = ("PAY-PAYS-12",)
    charge_payable = ("pending", "paid")


class PaysAgainAsReplay(PaymentsRules):
    """A second pay is answered like the first, and has no effect."""

    breaks = ("PAY-PAYS-12",)

    async def pay_charge(self, call: Call) -> Answer:
        """Answer what is recorded."""
        charge = self.owned(call, "payments_charge", call.params["id"])
        paid = charge["status"] == "paid"
        return Answer(200, self.pay_answer(call, charge)) if paid else await super().pay_charge(call)


class SecondPayReopens(PaymentsRules):
    """A second pay is refused, and leaves the charge pending."""

    breaks = ("PAY-PAYS-13", "PAY-PAYS-11", "PAY-PAYS-18", "PAY-PAYS-20", "PAY-PAYS-21")

    def not_payable(self, charge: Row) -> Refusal:
        """Undo what was."""
        self.store.update("payments_charge", {"status": "pending"}, id=charge["id"])
        return super().not_payable(charge)


class SecondPayCancels(PaymentsRules):
    """A second pay is refused, and the charge returned to its payer."""

    breaks = ("PAY-PAYS-13",)

    def not_payable(self, charge: Row) -> Refusal:
        """Refund it."""
        self.store.update("payments_charge", {"status": "refunded"}, id=charge["id"])
        return super().not_payable(charge)


class PayNeedsBody(PaymentsRules):
    """The pay insists on a JSON body."""

    breaks = ("PAY-PAYS-01",)

    async def pay_charge(self, call: Call) -> Answer:
        """Read one first."""
        self.json_body(call)
        return await super().pay_charge(call)


class PayAccepted(PaymentsRules):
    """A pay is answered 202."""

    breaks = ("PAY-PAYS-01",)

    async def pay_charge(self, call: Call) -> Answer:
        """Answer the other status."""
        answer = await super().pay_charge(call)
        return Answer(202, answer.body)


class ChargeCreated201(PaymentsRules):
    """A charge is created with 201."""

    breaks = ("PAY-CHG-01",)
    charge_created_status = 201


class BornPaid(PaymentsRules):
    """A charge is paid from the start."""

    breaks = ("PAY-CHG-40", "PAY-EVT-49", "PAY-PAYS-01", "PAY-PAYS-19")

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Record it as paid."""
        return super().new_charge(access, read) | {"status": "paid"}


class BornPaidInAnswer(PaymentsRules):
    """A new charge is answered as paid, and recorded as pending."""

    breaks = ("PAY-CHG-40",)

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show the creation so."""
        wrong = {"status": "paid"} if call.operation == "create_charge" else {}
        return super().charge_view(call, charge) | wrong


class PaysItself(PaymentsRules):
    """A sandbox charge is paid by itself a moment after its creation."""

    breaks = ("PAY-PAYS-19", "PAY-PAYS-14")

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Begin to wait."""
        charge = super().new_charge(access, read)
        self.world.mail.begin(self._paid(charge))
        return charge

    async def _paid(self, charge: Row) -> None:
        await asyncio.sleep(0.3)
        self.claim_charge(charge, self.paid_changes(charge))


class PaysItselfWhenQueried(PaymentsRules):
    """A sandbox charge is paid by its first query."""

    breaks = ("PAY-PAYS-19", "PAY-PAYS-01")

    async def get_charge(self, call: Call) -> Answer:
        """Answer, then pay."""
        answer = await super().get_charge(call)
        charge = self.owned(call, "payments_charge", call.params["id"])
        if charge["environment"] == "sandbox" and charge["status"] == "pending":
            self.claim_charge(charge, self.paid_changes(charge))
        return answer


class SameEndToEndId(PaymentsRules):
    """All payments have one endToEndId."""

    breaks = ("PAY-PAYS-10",)

    def paid_changes(self, charge: Row) -> Row:
        """Give each the same."""
        return super().paid_changes(charge) | {"end_to_end_id": "E99999999202611211000abcdefghijk"}


class EndToEndIdOfUuid(PaymentsRules):
    """The endToEndId of a payment is a UUID."""

    breaks = ("PAY-PAYS-09",)

    def paid_changes(self, charge: Row) -> Row:
        """Make it so."""
        return super().paid_changes(charge) | {"end_to_end_id": self.new_charge_id()}


class EndToEndIdInLocalTime(PaymentsRules):
    """The minute in the endToEndId of a payment is followed by its seconds, which makes it two longer."""

    breaks = ("PAY-PAYS-09",)

    def paid_changes(self, charge: Row) -> Row:
        """Insert them."""
        right = formats.end_to_end_id(self.clock.now())
        return super().paid_changes(charge) | {"end_to_end_id": f"{right[:21]}59{right[21:]}"}
