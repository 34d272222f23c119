"""Mutants of PAY-CMP, the simulated completion of a transfer."""

import asyncio
from typing import Any

from pix_conformance.proof.difference import changes_result, mutant, setting
from pix_conformance.proof.mutants.guards import DESCRIBED, in_status, older_than
from pix_conformance.proof.mutants.operators.ids import answers_ids, is_huge
from pix_conformance.proof.mutants.operators.refusals import refused, refuses_operation
from pix_conformance.proof.mutants.operators.responses import in_response
from pix_conformance.proof.mutants.operators.states import acts_though_refused
from pix_conformance.reference.call import Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

GROUP = "state"
OPEN_S = 0.05
"""Seconds between looking and acting: others come meanwhile."""


def complete(rules: Any, transfer: Row) -> None:
    rules.store.update("transfer", rules.completed_changes(transfer), id=transfer["id"])


def undo_after_commit(rules: Any, claimed: Any, transfer: Row, changes: Row) -> Any:
    if changes["status"] == "completed":
        before = {name: transfer[name] for name in changes}
        rules.store.after_commit(lambda: rules.store.update("transfer", before, id=transfer["id"]))
    return claimed


def debit_again(rules: Any, refusal: Refusal, transfer: Row) -> Refusal:
    rules.book_transfer(transfer)
    return refusal


MUTANTS = {
    "PAY-CMP-01": {
        "not-to-a-cpf": changes_result(
            "A transfer whose pixKey is a CPF cannot be completed.",
            may_complete=lambda rules, right, transfer: right and not rules.is_cpf_key(transfer["pix_key"])),
        "not-if-described": refuses_operation("complete_transfer").when(DESCRIBED),
        "not-after-45-s": refuses_operation("complete_transfer").when(older_than(45)).of("time"),
    },
    "PAY-CMP-08": {
        "end-to-end-id": in_response("complete_transfer", "data", lambda data: data | {"id": data["endToEndId"]})
            .says("The completion returns the endToEndId as the id."),
        "another-if-described": in_response("complete_transfer", "data.id", lambda text: text[::-1])
            .says("The completion returns another id").when(DESCRIBED).seen_in("PAY-EVT-46"),
    },
    "PAY-CMP-09": {"begins-with-d": in_response("complete_transfer", "data.endToEndId", lambda text: f"D{text[1:]}")
            .says("The endToEndId of a completed transfer begins with D.")},
    "PAY-CMP-10": {"not-recorded": changes_result(
            "A completion is answered right, and the transfer keeps its status.", claim_transfer=undo_after_commit)},
    "PAY-CMP-11": {"refused-with-409": refused("state", "complete_transfer", status=409, code="CONFLICT")},
    "PAY-CMP-12": {"canceled-completed": setting(
            "A transfer that was canceled for want of funds can be completed.",
            overdrawn_status="canceled", transfer_incompletable=("pending", "manual_analysis", "completed"))},
    "PAY-CMP-14": {
        "refused-with-403": refused("missing", "complete_transfer", status=403, code="FORBIDDEN").also("PAY-ISO-04"),
    },
    "PAY-CMP-19": {"refused-and-completed": acts_though_refused(
            "A completion is refused, and completes the transfer", "complete_transfer", "state", complete)
            .when(in_status("pending"))},
    "PAY-CMP-20": {"constant": changes_result(
            "All completed transfers have one endToEndId.",
            completed_changes=lambda _, right, _transfer: right | {
                "end_to_end_id": "E99999999202611211000abcdefghijk"})},
    "PAY-CMP-23": {"refused-and-debited": changes_result(
            "A completion is refused, and takes the amount once more", not_completable=debit_again)
            .when(in_status("completed"))},
    "PAY-CMP-27": {
        "huge-number-returns-500": answers_ids("complete_transfer", is_huge).also("PAY-ERR-12").of("schema"),
    },
}  # fmt: skip


@mutant("PAY-CMP-19/completed-by-itself")
class CompletedByItself(PaymentsRules):
    """A sandbox transfer is completed by itself after its approval."""

    async def approve(self, transfer: Row) -> None:
        await super().approve(transfer)
        await asyncio.sleep(0.3)
        seen = self.store.find("transfer", id=transfer["id"]) or transfer
        if self.may_complete(seen):
            self.claim_transfer(seen, self.completed_changes(seen))


@mutant("PAY-CMP-18/all-succeed", "PAY-CMP-22", group="concurrency")
class AllSucceed(PaymentsRules):
    """Simultaneous completions of one transfer all succeed."""

    async def pause(self, call: Call, place: str) -> None:
        await asyncio.sleep(OPEN_S if place == "complete" else 0)

    def claim_transfer(self, transfer: Row, changes: Row) -> bool:
        return self.store.update("transfer", changes, id=transfer["id"]) == 1


@mutant("PAY-CMP-18/all-succeed-and-debit", "PAY-CMP-21", group="concurrency")
class AllSucceedAndDebit(AllSucceed):
    """Simultaneous completions of one transfer all succeed with one endToEndId, and take the amount each."""

    def completed_changes(self, transfer: Row) -> Row:
        sequence = transfer["id"].replace("-", "")[:11]
        return super().completed_changes(transfer) | {"end_to_end_id": f"E00000000202611211000{sequence}"}

    def book_completion(self, transfer: Row) -> None:
        super().book_completion(transfer)
        booked: set[str] = self.__dict__.setdefault("booked", set())
        if transfer["id"] in booked:
            self.book_transfer(transfer)
        booked.add(transfer["id"])
