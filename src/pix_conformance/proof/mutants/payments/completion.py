"""Mutants of PAY-CMP: the completion of a transfer."""

import asyncio
from typing import Any

from pix_conformance.proof.mutants.operators.payments.ids import ChokesOnIds, choking_on, is_huge
from pix_conformance.proof.mutants.operators.payments.refusals import RefusesOtherwise, answering, refusing
from pix_conformance.proof.mutants.operators.payments.responses import ChangesAnswers, in_answers, shapes
from pix_conformance.proof.mutants.operators.payments.time import LONG, YOUNG_S
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

APPROVAL = ("pending", "manual_analysis")


class CompletesNoCpf(PaymentsRules):
    """A transfer to a CPF as key cannot be completed in the sandbox."""

    breaks = ("PAY-CMP-01",)
    group = "state"

    def may_complete(self, transfer: Row) -> bool:
        """Look at the key."""
        return super().may_complete(transfer) and not self.is_cpf_key(transfer["pix_key"])


class OldTransferIncompletable(PaymentsRules):
    """A transfer older than 45 s cannot be completed, though it is not over."""

    breaks = ("PAY-CMP-01",)
    group = "time"

    def may_complete(self, transfer: Row) -> bool:
        """Look at its age."""
        return self.clock.now() - transfer["created_at"] < YOUNG_S and super().may_complete(transfer)


class DescribedNeverCompleted(PaymentsRules):
    """A transfer with a description cannot be completed in the sandbox."""

    breaks = ("PAY-CMP-01",)
    group = "state"

    def may_complete(self, transfer: Row) -> bool:
        """Look at the description."""
        return super().may_complete(transfer) and not transfer["description"]


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


globals().update(
    shapes(__name__, "Completion", "complete_transfer", {
        "success": ("PAY-CMP-02", "yes"),
        "message": ("PAY-CMP-03", 200),
        "data": ("PAY-CMP-04 PAY-CMP-01", lambda data: data["id"]),
        "data.id": ("PAY-CMP-05", 7),
        "data.status": ("PAY-CMP-06", None),
        "data.endToEndId": ("PAY-CMP-07", 7),
    })
)  # fmt: skip


globals().update(
    family(__name__, "state", ChangesAnswers, {
        "CompletionAnswersProcessing": ("The completion answers the status from before.", "PAY-CMP-06",
            in_answers("complete_transfer", "data.status", "processing")),
        "CompletionAnswersPaid": ("The completion answers the status of the callback: paid.", "PAY-CMP-06",
            in_answers("complete_transfer", "data.status", "paid")),
        "CompletionOfAnotherId": ("The completion answers the endToEndId as the id.", "PAY-CMP-08",
            in_answers("complete_transfer", "data", lambda data: data | {"id": data["endToEndId"]})),
        "CompletionWithoutMinute": ("The endToEndId of a transfer is a random text.", "PAY-CMP-09",
            in_answers("complete_transfer", "data.endToEndId", lambda text: "D" + text[1:])),
    })
)  # fmt: skip


class CompletionOfEmptyEndToEndId(PaymentsRules):
    """The endToEndId in the answer of a completion is an empty text."""

    breaks = ("PAY-CMP-07", "PAY-EVT-73", "PAY-TRF-69")
    group = "schema"

    def complete_view(self, transfer: Row) -> dict[str, Any]:
        """Leave it to the event."""
        return super().complete_view(transfer) | {"endToEndId": ""}


class DescribedCompletionUnderOtherId(PaymentsRules):
    """The completion of a transfer with a description answers another id."""

    group = "schema"
    breaks = ("PAY-CMP-08",)
    seen_in = ("PAY-EVT-46",)

    def complete_view(self, transfer: Row) -> dict[str, Any]:
        """Name another one."""
        view = super().complete_view(transfer)
        return view | {"id": view["id"][::-1]} if transfer["description"] else view


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


globals().update(
    family(__name__, "state", RefusesOtherwise, {
        "SecondCompletionConflict": ("A second completion is refused with 409.", "PAY-CMP-11",
            refusing("state", "complete_transfer", answering(409, "CONFLICT"))),
        "SecondCompletionUnprocessable": ("A second completion is refused with 422.", "PAY-CMP-11",
            refusing("state", "complete_transfer", answering(422))),
        "SecondCompletionNotFound": ("A completed transfer is no longer found by the completion.", "PAY-CMP-11",
            refusing("state", "complete_transfer", answering(404, "NOT_FOUND"))),
        "UnknownCompletionBadRequest": ("The completion of an unknown transfer is refused with 400.",
            "PAY-CMP-14 PAY-ENV-13 PAY-ISO-04",
            refusing("missing", "complete_transfer", answering(400))),
        "UnknownCompletionForbidden": ("The completion of an unknown transfer is refused with 403.",
            "PAY-CMP-14 PAY-ISO-04",
            refusing("missing", "complete_transfer", answering(403, "FORBIDDEN"))),
    })
)  # fmt: skip


class CompletesAgain(PaymentsRules):
    """A completed transfer can be completed again."""

    breaks = ("PAY-CMP-11",)
    group = "state"
    transfer_incompletable = ("pending", "manual_analysis", "canceled")


class CompletesCanceled(PaymentsRules):
    """A transfer that was canceled for want of funds is completed all the same."""

    breaks = ("PAY-CMP-12",)
    group = "state"
    overdrawn_status = "canceled"
    transfer_incompletable = ("pending", "manual_analysis", "completed")


class CompletesTwiceAtOnce(PaymentsRules):
    """Several completions of one transfer at the same time are all accepted."""

    breaks: tuple[str, ...] = ("PAY-CMP-18", "PAY-CMP-22")
    group = "concurrency"

    async def pause(self, call: Call, place: str) -> None:
        """Wait after the look."""
        del call
        await asyncio.sleep(LONG if place == "complete" else 0)

    def claim_transfer(self, transfer: Row, changes: Row) -> bool:
        """Act without looking again."""
        return self.store.update("transfer", changes, id=transfer["id"]) == 1


class CompletionsAtOnceDebit(CompletesTwiceAtOnce):
    """Several completions of one transfer at the same time take its amount each, and name one endToEndId."""

    breaks = ("PAY-CMP-18", "PAY-CMP-21")
    group = "concurrency"

    def completed_changes(self, transfer: Row) -> Row:
        """Give each the same."""
        sequence = transfer["id"].replace("-", "")[:11]
        return super().completed_changes(transfer) | {"end_to_end_id": f"E00000000202611211000{sequence}"}

    def book_completion(self, transfer: Row) -> None:
        """Take it again but for the first."""
        super().book_completion(transfer)
        booked: set[str] = self.__dict__.setdefault("booked", set())
        if transfer["id"] in booked:
            self.book_transfer(transfer)
        booked.add(transfer["id"])


class RefusedCompletionCompletes(PaymentsRules):
    """A completion that is refused for the approval takes effect all the same."""

    breaks = ("PAY-CMP-19",)
    group = "state"

    async def complete_transfer(self, call: Call) -> Answer:
        """Complete it beside the refusal."""
        transfer = self.owned(call, "transfer", call.params["id"])
        if transfer["status"] in APPROVAL:
            self.store.update("transfer", self.completed_changes(transfer), id=transfer["id"])
            raise self.not_completable(transfer)
        return await super().complete_transfer(call)


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


class SameTransferEndToEndId(PaymentsRules):
    """All completed transfers have one endToEndId."""

    breaks = ("PAY-CMP-20",)
    group = "state"

    def completed_changes(self, transfer: Row) -> Row:
        """Give each the same."""
        return super().completed_changes(transfer) | {"end_to_end_id": "E99999999202611211000abcdefghijk"}


class CompletedAgainDebits(PaymentsRules):
    """A second completion is refused, and its amount taken once more."""

    breaks = ("PAY-CMP-23",)
    group = "state"

    def not_completable(self, transfer: Row) -> Refusal:
        """Book it before the status is looked at."""
        if transfer["status"] == "completed":
            self.book_transfer(transfer)
        return super().not_completable(transfer)


globals().update(
    family(__name__, "schema", ChangesAnswers, {
        "CompleteMessageEmpty": ("The message of the response to a simulated completion is empty.", "PAY-CMP-24",
            in_answers("complete_transfer", "message", "")),
    })
)  # fmt: skip


globals().update(
    family(__name__, "schema", ChokesOnIds, {
        "HugeNumberBreaksCompletion": ("The completion of a transfer by a number beyond 64 bits ends in a 500.",
            "PAY-CMP-27 PAY-ERR-12", choking_on("complete_transfer", is_huge)),
    })
)  # fmt: skip
