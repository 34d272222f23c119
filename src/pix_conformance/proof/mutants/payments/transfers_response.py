"""Mutants of PAY-TRF: the response to the creation of a transfer."""

from typing import Any

from pix_conformance.proof.mutants.operators.json_values import GONE
from pix_conformance.proof.mutants.operators.payments.refusals import CREATE_TRANSFER
from pix_conformance.proof.mutants.operators.payments.responses import ChangesAnswers, in_answers, shapes
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

MIDDLING = 1_000
BOTH = "create_transfer get_transfer"


globals().update(
    shapes(__name__, "TransferCreation", "create_transfer", {
        "success": ("PAY-TRF-30", "true"),
        "message": ("PAY-TRF-31", ["created"]),
        "data": ("PAY-TRF-32 PAY-TRF-01", lambda data: [data]),
        "data.status": ("PAY-TRF-34", {"name": "pending"}),
        "data.amount": ("PAY-TRF-35", str),
        "data.netAmount": ("PAY-TRF-36", lambda cents: cents / 100),
        "data.fees": ("PAY-TRF-37", lambda cents: f"{cents / 100:.2f}"),
        "data.pixKey": ("PAY-TRF-38", lambda key: {"key": key}),
    })
)  # fmt: skip


globals().update(
    family(__name__, "schema", ChangesAnswers, {
        "TransferIdMissing": (
            "The creation of a transfer does not answer its id.",
            "PAY-TRF-33",
            in_answers("create_transfer", "data.id", GONE),
        ),
        "TransferFeesNegative": (
            "The fees of a transfer are written as a deduction, below zero.",
            "PAY-TRF-44",
            in_answers("create_transfer", "data.fees", lambda cents: -cents - 1),
        ),
        "TransferMessageEmpty": ("The message of the response to a transfer creation is empty.", "PAY-TRF-85",
            in_answers("create_transfer", "message", "")),
    })
)  # fmt: skip


class TransferIdNumber(PaymentsRules):
    """The id of a transfer is a number, in its creation only."""

    breaks = ("PAY-TRF-33", "PAY-CMP-08")
    group = "schema"

    def new_transfer_id(self) -> str:
        """Make it of digits."""
        return str(int(self.clock.now() * 1_000_000))

    def transfer_answer(self, call: Call, transfer: Row) -> dict[str, Any]:
        """Show it as a number."""
        answer = super().transfer_answer(call, transfer)
        answer["data"]["id"] = int(transfer["id"])
        return answer


class DescribedTransferToldLess(PaymentsRules):
    """The creation of a transfer with a description answers an amount that lacks a cent."""

    group = "schema"
    breaks = ("PAY-TRF-41", "PAY-TRF-64", "PAY-TRF-76")
    seen_in = ("PAY-EVT-46",)

    def new_transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Take it off."""
        view = super().new_transfer_view(transfer)
        return view | {"amount": view["amount"] - 1} if transfer["description"] else view


class ReplayOfNoAmount(PaymentsRules):
    """A replay is answered with the first transfer, of nothing."""

    breaks = ("PAY-TRF-41",)
    group = "idempotency"

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Leave the amount out of account."""
        answer = super().replay(call, earlier)
        body: Any = answer.body
        return Answer(answer.status, body | {"data": body["data"] | {"amount": 0}}, answer.headers)


globals().update(
    family(__name__, "state", ChangesAnswers, {
        "TransferAmountTimesHundred": ("The creation of a transfer answers a hundred times the amount.",
            "PAY-TRF-41", in_answers(CREATE_TRANSFER, "data.amount", lambda cents: cents * 100)),
        "TransferKeyMasked": ("The creation of a transfer masks the pixKey.", "PAY-TRF-42",
            in_answers(CREATE_TRANSFER, "data.pixKey", lambda key: "***" + key[-4:])),
        "TransferNetAboveAmount": ("The fees are added to the amount for the netAmount.", "PAY-TRF-43 PAY-TRF-76",
            in_answers(BOTH, "data", lambda data: data | {"netAmount": data["amount"] + data["fees"] + 1})),
        "TransferNetOfAnotherFee": ("The netAmount is one cent below the amount, and there are no fees.",
            "PAY-TRF-43 PAY-TRF-76",
            in_answers(BOTH, "data", lambda data: data | {"fees": 0, "netAmount": data["amount"] - 1})),
        "TransferKeyIsNumber": ("The creation of a transfer shows a key of digits as a number would.", "PAY-TRF-78",
            in_answers(CREATE_TRANSFER, "data.pixKey", lambda key: key.lstrip("0") if key.isdigit() else key)),
    })
)  # fmt: skip


class SameIdForEqualTransfers(PaymentsRules):
    """The id of a transfer is made of its amount, in its creation."""

    breaks = ("PAY-TRF-45", "PAY-IDEM-07", "PAY-IDEM-09", "PAY-CMP-19", "PAY-IDEM-01", "PAY-TRF-78")
    group = "state"

    def new_transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Show the id of the first transfer of that amount."""
        first = self.store.rows("transfer", "seq", 1, account=transfer["account"], amount=transfer["amount"])[0]
        return super().new_transfer_view(transfer) | {"id": first["id"]}


class FeesForgottenInQuery(PaymentsRules):
    """The query of a transfer knows no fees, though they are taken from its netAmount."""

    breaks = ("PAY-TRF-76", "PAY-TRF-65")
    group = "schema"

    def transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Forget them."""
        return super().transfer_view(transfer) | {"fees": 0}


class LargeTransferQueriedNetLess(PaymentsRules):
    """The query of a transfer of 10.00 or more has a netAmount that lacks a cent."""

    group = "schema"
    breaks = ("PAY-TRF-76",)
    seen_in = ("PAY-CMP-01",)

    def transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Take it off."""
        view = super().transfer_view(transfer)
        return view | {"netAmount": view["netAmount"] - 1} if transfer["amount"] >= MIDDLING else view


class QueryShowsNewestKey(PaymentsRules):
    """The query of a transfer shows the key of the newest one."""

    breaks = ("PAY-TRF-78",)
    group = "state"

    def transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Look at the wrong row."""
        newest = self.store.rows("transfer", "seq DESC", 1, account=transfer["account"])[0]
        return super().transfer_view(transfer) | {"pixKey": newest["pix_key"]}
