"""Mutants of PAY-CHG: the response to the creation of a charge."""

import json
from decimal import Decimal
from typing import Any

from pix_conformance.proof.mutants.operators.json_values import GONE
from pix_conformance.proof.mutants.operators.payments.charges import RemembersCharges
from pix_conformance.proof.mutants.operators.payments.responses import ChangesAnswers, in_answers, shapes
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

CHARGES = "create_charge get_charge"


globals().update(
    shapes(__name__, "Charge", CHARGES, {
        "success": ("PAY-CHG-30", 1),
        "message": ("PAY-CHG-31", lambda text: {"text": text}),
        "data": ("PAY-CHG-32 PAY-CHG-01 PAY-ENV-02", lambda data: [data]),
        "data.pix": ("PAY-CHG-34", lambda pix: pix["emv"]),
        "data.pix.emv": ("PAY-CHG-35", None),
        "data.pix.qrCode": ("PAY-CHG-36", lambda code: {"base64": code}),
        "data.fees": ("PAY-CHG-38", lambda cents: f"{cents / 100:.2f}"),
    })
)  # fmt: skip


globals().update(
    family(__name__, "schema", ChangesAnswers, {
        "ChargeUnwrapped": (
            "The query of a charge answers the charge without an envelope.",
            "PAY-CHG-30 PAY-CHG-31 PAY-CHG-32 PAY-CHG-70 PAY-CHG-71 PAY-PAYS-11",
            in_answers("get_charge", "", lambda body: body["data"]),
        ),
        "ChargeMessageMissingInQuery": (
            "The query of a charge has no message.",
            "PAY-CHG-31",
            in_answers("get_charge", "message", GONE),
        ),
        "ChargeIdMissing": (
            "The creation of a charge does not answer its id.",
            "PAY-CHG-33",
            in_answers("create_charge", "data.id", GONE),
        ),
        "ChargeIdNamedOtherwise": (
            "The query of a charge calls the id transactionId.",
            "PAY-CHG-33",
            in_answers("get_charge", "data", lambda data: {
                "transactionId": data["id"], **{name: value for name, value in data.items() if name != "id"}
            }),
        ),
        "ChargeQrCodeMissingInQuery": (
            "The query of a charge leaves its image out, to be short.",
            "PAY-CHG-36",
            in_answers("get_charge", "data.pix.qrCode", GONE),
        ),
        "ChargeStatusMissing": (
            "The creation of a charge does not answer its status.",
            "PAY-CHG-37",
            in_answers("create_charge", "data.status", GONE),
        ),
        "ChargeStatusMissingInQuery": (
            "The query of a pending charge does not answer its status.",
            "PAY-CHG-37",
            in_answers("get_charge", "data.status", lambda status: GONE if status == "pending" else status),
        ),
        "ChargeStatusNumber": (
            "The status of a charge is a number.",
            "PAY-CHG-37",
            in_answers(CHARGES, "data.status", 1),
        ),
        "ChargeFeesDecimal": (
            "The fees of a charge have a fraction of a cent.",
            "PAY-CHG-38",
            in_answers(CHARGES, "data.fees", lambda cents: cents + 0.5),
        ),
        "ChargeFeesMissingInQuery": (
            "The query of a charge leaves its fees out.",
            "PAY-CHG-38",
            in_answers("get_charge", "data.fees", GONE),
        ),
        "ChargeFeesNegative": (
            "The fees of a charge are written as a deduction, below zero.",
            "PAY-CHG-46",
            in_answers(CHARGES, "data.fees", lambda cents: -cents),
        ),
        "ChargeMessageEmpty": ("The message of a charge response is empty.", "PAY-CHG-80",
            in_answers("create_charge get_charge", "message", "")),
        "QueriedChargeMessageBlank": ("The message of the query of a charge is a blank.", "PAY-CHG-80",
            in_answers("get_charge", "message", " ")),
    })
)  # fmt: skip


class ChargeIdNumber(PaymentsRules):
    """The id of a charge is a number, in its creation and its query."""

    breaks = ("PAY-CHG-33", "PAY-PAYS-08")
    group = "schema"

    def new_charge_id(self) -> str:
        """Make it of digits."""
        return str(int(self.clock.now() * 1_000_000))

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show it as a number."""
        return super().charge_view(call, charge) | {"id": int(charge["id"])}


class PaidWithoutCode(PaymentsRules):
    """The query of a paid charge answers null for its code."""

    breaks = ("PAY-CHG-35",)
    group = "schema"

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Take it away."""
        view = super().charge_view(call, charge)
        return view | ({"pix": view["pix"] | {"emv": None}} if charge["status"] == "paid" else {})


class FloatFees(PaymentsRules):
    """Fees of a charge are computed in floats and not rounded."""

    breaks = ("PAY-CHG-38",)
    group = "state"

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show 1.99 per cent."""
        return super().charge_view(call, charge) | {"fees": float(Decimal(charge["amount"]) * Decimal("0.0199"))}


globals().update(
    family(__name__, "state", ChangesAnswers, {
        "StatusInCapitals": ("The status of a charge is written in capitals.", "PAY-CHG-39 PAY-CHG-40",
            in_answers("create_charge get_charge", "data.status", str.upper)),
        "StatusOfAnotherName": ("A paid charge is called approved by its query.", "PAY-CHG-39 PAY-PAYS-11",
            in_answers("get_charge", "data.status", lambda text: "approved" if text == "paid" else text)),
        "StatusOfTheFifth": ("A new charge is called active.", "PAY-CHG-39 PAY-CHG-40",
            in_answers("create_charge", "data.status", "active")),
        "StatusInfraction": ("The query shows a paid charge as infraction.", "PAY-CHG-39 PAY-PAYS-11",
            in_answers("get_charge", "data.status", lambda text: "infraction" if text == "paid" else text)),
    })
)  # fmt: skip


class TransferFoundAsCharge(PaymentsRules):
    """The query of charges finds transfers too: both are transactions, of statuses of their own and without a code."""

    breaks = ("PAY-CHG-39", "PAY-CHG-42", "PAY-CHG-75")
    seen_in = ("PAY-CMP-01",)
    group = "state"

    async def get_charge(self, call: Call) -> Answer:
        """Show a transfer like a charge."""
        found = self.store.find("transfer", id=call.params["id"])
        if found is None or not self.sees(call.access, Access(found["account"], found["environment"]), "get_charge"):
            return await super().get_charge(call)
        return Answer(200, self.charge_answer(call, found | {"emv": "", "qr_code": ""}))


class LargeChargeBornPaid(RemembersCharges):
    """A charge of 1,000.00 or more is answered as paid when it is created."""

    breaks = ("PAY-CHG-40",)
    group = "state"

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Take it for settled."""
        born = call.operation == "create_charge" and self.means(charge)
        return super().charge_view(call, charge) | ({"status": "paid"} if born else {})


class SplitsBornPaid(PaymentsRules):
    """A charge with splits is paid from the start, and so cannot be paid."""

    breaks = ("PAY-CHG-40", "PAY-PAYS-01")
    group = "state"

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Take it for settled."""
        return super().new_charge(access, read) | ({"status": "paid"} if read["splits"] else {})


class BornPaid(PaymentsRules):
    """A charge is paid from the start."""

    breaks = ("PAY-CHG-40", "PAY-EVT-49", "PAY-PAYS-01", "PAY-PAYS-19")
    group = "state"

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Record it as paid."""
        return super().new_charge(access, read) | {"status": "paid"}


class BornPaidInAnswer(PaymentsRules):
    """A new charge is answered as paid, and recorded as pending."""

    breaks = ("PAY-CHG-40",)
    group = "state"

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show the creation so."""
        wrong = {"status": "paid"} if call.operation == "create_charge" else {}
        return super().charge_view(call, charge) | wrong


class EqualOrdersShareAnId(RemembersCharges):
    """A charge with the same items as an earlier one is answered with the id of that."""

    breaks = ("PAY-CHG-41",)
    seen_in = ("PAY-CHG-71",)
    group = "state"

    def is_meant(self, read: dict[str, Any]) -> bool:
        """Keep what was sent."""
        self._sent = json.dumps(read, default=str)
        return bool(read["items"])

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Look for an earlier one."""
        view = super().charge_view(call, charge)
        if call.operation != "create_charge" or not self.means(charge):
            return view
        return view | {"id": self.__dict__.setdefault("orders", {}).setdefault(self._sent, charge["id"])}


class OneIdForEqualCharges(PaymentsRules):
    """Equal charges are taken for repeats: the id is made of the fields."""

    breaks = ("PAY-CHG-41", "PAY-PAYS-19")
    group = "state"

    async def create_charge(self, call: Call) -> Answer:
        """Answer the earlier charge of the same amount and document."""
        read = self.read_charge(self.json_body(call))
        same = {"amount": read["amountInCents"], "payer_document": read["customer"]["document"]}
        owner = {"account": call.access.account, "environment": call.access.environment}
        found = self.store.find("payments_charge", **same, **owner, status="pending")
        return Answer(200, self.charge_answer(call, found)) if found else await super().create_charge(call)
