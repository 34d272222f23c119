"""Transfers of the payments API whose life goes another way than the document says."""

import asyncio
from typing import Any

from pix_conformance.proof.mutants.payments.tables import ChangesAnswers, RefusesOtherwise, in_answers, refusing
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference import formats
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

MADE, ASKED, BOTH = "create_transfer", "get_transfer", "create_transfer get_transfer"


def _answer(status: int, code: str = "INVALID_REQUEST") -> Any:
    return lambda refusal: Answer(status, {"error": code, "message": refusal.message})


def _if_done(new: Any) -> Any:
    """Change the data of a completed transfer only."""
    return lambda data: data | new if data["status"] == "completed" else data


globals().update(
    family(__name__, "state", RefusesOtherwise, {
        "SecondCompletionConflict": ("A second completion is refused with 409.", "PAY-CMP-11",
            refusing("state", "complete_transfer", _answer(409, "CONFLICT"))),
        "SecondCompletionUnprocessable": ("A second completion is refused with 422.", "PAY-CMP-11",
            refusing("state", "complete_transfer", _answer(422))),
        "SecondCompletionNotFound": ("A completed transfer is no longer found by the completion.", "PAY-CMP-11",
            refusing("state", "complete_transfer", _answer(404, "NOT_FOUND"))),
        "UnknownTransferBadRequest": ("The query of an unknown transfer is refused with 400.",
            "PAY-TRF-70 PAY-ISO-03 PAY-ENV-05",
            refusing("missing", ASKED, _answer(400))),
        "UnknownTransferEmpty": ("The query of an unknown transfer answers 200 with null.",
            "PAY-TRF-70 PAY-ISO-03 PAY-ENV-05 PAY-TRF-52 PAY-TRF-77",
            refusing("missing", ASKED, lambda _: Answer(200, {"success": True, "data": None}))),
        "UnknownCompletionBadRequest": ("The completion of an unknown transfer is refused with 400.",
            "PAY-CMP-14 PAY-ENV-13 PAY-ISO-04",
            refusing("missing", "complete_transfer", _answer(400))),
        "UnknownCompletionForbidden": ("The completion of an unknown transfer is refused with 403.",
            "PAY-CMP-14 PAY-ISO-04",
            refusing("missing", "complete_transfer", _answer(403, "FORBIDDEN"))),
    }),
    **family(__name__, "state", ChangesAnswers, {
        "TransferStatusPaid": ("The query shows a completed transfer as paid, as its callback does.",
            "PAY-TRF-39 PAY-CMP-10 PAY-TRF-73", in_answers(ASKED, "data", _if_done({"status": "paid"}))),
        "TransferStatusApproved": ("A transfer is called approved between its approval and its completion.",
            "PAY-TRF-39", in_answers(ASKED, "data.status", lambda s: "approved" if s == "processing" else s)),
        "TransferStatusNew": ("A new transfer is called created.", "PAY-TRF-39",
            in_answers(MADE, "data.status", "created")),
        "TransferStatusInCapitals": ("The status of a transfer is written in capitals.", "PAY-TRF-39",
            in_answers(MADE, "data.status", str.upper)),
        "TransferStatusCancelled": ("The query spells a status with two l: cancelled.", "PAY-TRF-39",
            in_answers(ASKED, "data.status", lambda s: "cancelled" if s == "processing" else s)),
        "TransferAmountTimesHundred": ("The creation of a transfer answers a hundred times the amount.",
            "PAY-TRF-41", in_answers(MADE, "data.amount", lambda cents: cents * 100)),
        "TransferAmountConstant": ("The query of a transfer shows an amount of zero.", "PAY-TRF-64",
            in_answers(ASKED, "data.amount", 0)),
        "TransferKeyMasked": ("The creation of a transfer masks the pixKey.", "PAY-TRF-42",
            in_answers(MADE, "data.pixKey", lambda key: "***" + key[-4:])),
        "TransferKeyIsNumber": ("The creation of a transfer shows a key of digits as a number would.", "PAY-TRF-78",
            in_answers(MADE, "data.pixKey", lambda key: key.lstrip("0") if key.isdigit() else key)),
        "TransferNetAboveAmount": ("The fees are added to the amount for the netAmount.", "PAY-TRF-43 PAY-TRF-76",
            in_answers(BOTH, "data", lambda data: data | {"netAmount": data["amount"] + data["fees"] + 1})),
        "TransferNetOfAnotherFee": ("The netAmount is one cent below the amount, and there are no fees.",
            "PAY-TRF-43 PAY-TRF-76",
            in_answers(BOTH, "data", lambda data: data | {"fees": 0, "netAmount": data["amount"] - 1})),
        "TransferQueryWithFees": ("The query of a transfer shows other fees than its creation.", "PAY-TRF-65",
            in_answers(ASKED, "data", lambda d: d | {"fees": d["fees"] + 1, "netAmount": d["netAmount"] - 1})),
        "TransferQueryOfAnotherKey": ("The query of a transfer masks the pixKey that its creation showed.",
            "PAY-TRF-65", in_answers(ASKED, "data.pixKey", lambda key: "***" + key[-4:])),
        "TransferQueryOfAnotherId": ("The query of a transfer answers another id.", "PAY-TRF-63",
            in_answers(ASKED, "data.id", lambda text: text[::-1])),
        "TransferWithoutProcessedAt": ("A completed transfer has no processedAt.", "PAY-TRF-68",
            in_answers(ASKED, "data", _if_done({"processedAt": None}))),
        "TransferWithoutEndToEndId": ("The query of a completed transfer has no endToEndId.", "PAY-TRF-69",
            in_answers(ASKED, "data.endToEndId", None)),
        "TransferOfAnotherEndToEndId": ("The query of a transfer shows another endToEndId than the completion.",
            "PAY-TRF-69", in_answers(ASKED, "data", _if_done({"endToEndId": "E99999999202611211000abcdefghijk"}))),
        "CompletionAnswersProcessing": ("The completion answers the status from before.", "PAY-CMP-06",
            in_answers("complete_transfer", "data.status", "processing")),
        "CompletionAnswersPaid": ("The completion answers the status of the callback: paid.", "PAY-CMP-06",
            in_answers("complete_transfer", "data.status", "paid")),
        "CompletionOfAnotherId": ("The completion answers the endToEndId as the id.", "PAY-CMP-08",
            in_answers("complete_transfer", "data", lambda data: data | {"id": data["endToEndId"]})),
        "CompletionWithoutMinute": ("The endToEndId of a transfer is a random text.", "PAY-CMP-09",
            in_answers("complete_transfer", "data.endToEndId", lambda text: "D" + text[1:])),
    }),
)  # fmt: skip


class CompletionWithoutRecord(PaymentsRules):
    """A completion is answered right, and nothing recorded."""

    breaks = ("PAY-CMP-10",)
    group = "state"

    def claim_transfer(self, transfer: Row, changes: Row) -> bool:
        """Forget it once it is answered."""
        if changes["status"] == "completed":
            before = {name: transfer[name] for name in changes}
            self.store.after_commit(lambda: self.store.update("transfer", before, id=transfer["id"]))
        return super().claim_transfer(transfer, changes)


class CompletionUndone(PaymentsRules):
    """A completed transfer is canceled once it was queried."""

    breaks = ("PAY-TRF-73", "PAY-CMP-10")
    group = "state"

    async def get_transfer(self, call: Call) -> Answer:
        """Answer, then cancel."""
        answer = await super().get_transfer(call)
        self.store.update("transfer", {"status": "canceled"}, id=call.params["id"], status="completed")
        return answer


class SecondCompletionReopens(PaymentsRules):
    """A second completion is refused, and the transfer canceled by it."""

    breaks = ("PAY-TRF-73",)
    group = "state"

    def not_completable(self, transfer: Row) -> Refusal:
        """Cancel what is completed."""
        if transfer["status"] == "completed":
            self.store.update("transfer", {"status": "canceled"}, id=transfer["id"])
        return super().not_completable(transfer)


class CompletesAgain(PaymentsRules):
    """A completed transfer can be completed again."""

    breaks = ("PAY-CMP-11",)
    group = "state"
    transfer_incompletable = ("pending", "manual_analysis", "canceled")


class CompletesNothingInProcess(PaymentsRules):
    """A transfer that has left its approval cannot be completed while it is processing."""

    breaks = ("PAY-CMP-01",)
    group = "state"
    transfer_incompletable = ("pending", "manual_analysis", "processing", "completed", "canceled")


class CompletionNeedsBody(PaymentsRules):
    """The completion insists on a JSON body."""

    breaks = ("PAY-CMP-01",)
    group = "state"

    async def complete_transfer(self, call: Call) -> Answer:
        """Read one first."""
        self.json_body(call)
        return await super().complete_transfer(call)


class CompletionAccepted(PaymentsRules):
    """A completion is answered 202."""

    breaks = ("PAY-CMP-01",)
    group = "state"

    async def complete_transfer(self, call: Call) -> Answer:
        """Answer the other status."""
        answer = await super().complete_transfer(call)
        return Answer(202, answer.body)


class CompletesItself(PaymentsRules):
    """A sandbox transfer is completed by itself after its approval."""

    breaks = ("PAY-CMP-19",)
    group = "state"

    async def approve(self, transfer: Row) -> None:
        """Approve, wait and complete."""
        await super().approve(transfer)
        await asyncio.sleep(0.3)
        seen = self.store.find("transfer", id=transfer["id"]) or transfer
        if self.may_complete(seen):
            self.claim_transfer(seen, self.completed_changes(seen))


class TransferCreated201(PaymentsRules):
    """A transfer is created with 201."""

    breaks = ("PAY-TRF-01",)
    group = "state"
    transfer_created_status = 201


class TransferCreated202(PaymentsRules):
    """A transfer is answered 202, since it is still to be approved."""

    breaks = ("PAY-TRF-01",)
    group = "state"
    transfer_created_status = 202


class TransferNotFoundWhilePending(PaymentsRules):
    """A transfer is not found before its approval is over."""

    breaks = ("PAY-TRF-50",)
    group = "state"

    async def get_transfer(self, call: Call) -> Answer:
        """Look among the approved."""
        if self.owned(call, "transfer", call.params["id"])["status"] == "pending":
            raise self.not_found(call)
        return await super().get_transfer(call)


class TransferQueryOfTheNewest(PaymentsRules):
    """The query answers the newest transfer of the account, whatever it is asked for."""

    breaks = ("PAY-TRF-63",)
    group = "state"

    async def get_transfer(self, call: Call) -> Answer:
        """Look for another one."""
        asked = self.owned(call, "transfer", call.params["id"])
        newest = self.store.rows("transfer", "seq DESC", 1, account=asked["account"])[0]
        return Answer(200, {"success": True, "data": self.transfer_view(asked | {"id": newest["id"]})})


class TransferQueryShowsNet(PaymentsRules):
    """The query of a transfer shows the net amount as its amount."""

    breaks = ("PAY-TRF-64",)
    group = "state"

    def transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Take the fees off, one cent at least."""
        view = super().transfer_view(transfer)
        return view | {"amount": view["amount"] - max(1, view["fees"])}


class SameTransferEndToEndId(PaymentsRules):
    """All completed transfers have one endToEndId."""

    breaks = ("PAY-CMP-20",)
    group = "state"

    def completed_changes(self, transfer: Row) -> Row:
        """Give each the same."""
        return super().completed_changes(transfer) | {"end_to_end_id": "E99999999202611211000abcdefghijk"}


class MalformedTransferIdRefused(PaymentsRules):
    """An id of another form is refused with 400 by the query of a transfer."""

    breaks = ("PAY-TRF-71",)
    group = "state"

    async def get_transfer(self, call: Call) -> Answer:
        """Judge the form first."""
        if not formats.is_uuid(call.params["id"]):
            raise self.invalid("transferId", "must be a UUID")
        return await super().get_transfer(call)


class MalformedTransferIdBreaks(PaymentsRules):
    """An id of another form ends in a 500 in the query of a transfer."""

    breaks = ("PAY-TRF-71", "PAY-TRF-77", "PAY-ERR-12")
    group = "state"

    async def get_transfer(self, call: Call) -> Answer:
        """Fail to read the id."""
        if not formats.is_uuid(call.params["id"]):
            return Answer(500, {"error": "INTERNAL", "message": "invalid input syntax for type uuid"})
        return await super().get_transfer(call)


class ChargeFoundAsTransfer(PaymentsRules):
    """The query of transfers finds charges too: both are transactions."""

    breaks = ("PAY-TRF-72",)
    group = "state"

    async def get_transfer(self, call: Call) -> Answer:
        """Show a charge like a transfer."""
        found = self.store.find("payments_charge", id=call.params["id"])
        if found is None or not self.sees(call.access, Access(found["account"], found["environment"]), ASKED):
            return await super().get_transfer(call)
        seen = self.transfer_view(found | {"pix_key": "", "processed_at": None})
        return Answer(200, {"success": True, "data": seen})


class SameIdForEqualTransfers(PaymentsRules):
    """The id of a transfer is made of its amount, in its creation."""

    breaks = ("PAY-TRF-45", "PAY-IDEM-07", "PAY-IDEM-09", "PAY-CMP-19", "PAY-IDEM-01", "PAY-TRF-78")
    group = "state"

    def new_transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Show the id of the first transfer of that amount."""
        first = self.store.rows("transfer", "seq", 1, account=transfer["account"], amount=transfer["amount"])[0]
        return super().new_transfer_view(transfer) | {"id": first["id"]}


class QueryShowsNewestKey(PaymentsRules):
    """The query of a transfer shows the key of the newest one."""

    breaks = ("PAY-TRF-78",)
    group = "state"

    def transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Look at the wrong row."""
        newest = self.store.rows("transfer", "seq DESC", 1, account=transfer["account"])[0]
        return super().transfer_view(transfer) | {"pixKey": newest["pix_key"]}


class CompletesCanceled(PaymentsRules):
    """A transfer that was canceled for want of funds is completed all the same."""

    breaks = ("PAY-CMP-12",)
    group = "state"
    overdrawn_status = "canceled"
    transfer_incompletable = ("pending", "manual_analysis", "completed")
