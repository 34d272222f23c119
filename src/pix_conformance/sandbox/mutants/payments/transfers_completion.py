"""Mutants of PAY-CMP, the simulated completion of a transfer."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from pix_conformance.reference.call import Refusal
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.mutants.operators import *

GROUP = "state"
LOOKS_EARLY = look_early(0.05, "complete")


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


async def approve_and_complete(rules: Any, right: Callable[[Row], Awaitable[None]], transfer: Row) -> None:
    await right(transfer)
    await asyncio.sleep(0.3)
    seen = rules.store.find("transfer", id=transfer["id"]) or transfer
    if rules.may_complete(seen):
        rules.claim_transfer(seen, rules.completed_changes(seen))


def complete_again(rules: Any, _right: Any, transfer: Row, changes: Row) -> bool:
    return bool(rules.store.update("transfer", changes, id=transfer["id"]) == 1)


def debit_each(rules: Any, right: Callable[[Row], None], transfer: Row) -> None:
    right(transfer)
    booked: set[str] = rules.__dict__.setdefault("booked", set())
    if transfer["id"] in booked:
        rules.book_transfer(transfer)
    booked.add(transfer["id"])


MUTANTS = {
    "PAY-CMP-01/not-to-a-cpf": changes_result("A transfer whose pixKey is a CPF cannot be completed.",
        may_complete=lambda rules, right, transfer: right and not rules.is_cpf_key(transfer["pix_key"])),
    "PAY-CMP-01/not-if-described": refuses_operation("complete_transfer").when(DESCRIBED),
    "PAY-CMP-01/not-after-45-s": refuses_operation("complete_transfer").when(older_than(45)).of("time"),
    "PAY-CMP-08/end-to-end-id": in_response("complete_transfer", "data", lambda data: data | {"id": data["endToEndId"]})
        .says("The completion returns the endToEndId as the id."),
    "PAY-CMP-08/another-if-described": in_response("complete_transfer", "data.id", lambda text: text[::-1])
        .says("The completion returns another id").when(DESCRIBED).seen_in("PAY-EVT-46"),
    "PAY-CMP-09/begins-with-d": in_response("complete_transfer", "data.endToEndId", lambda text: f"D{text[1:]}")
        .says("The endToEndId of a completed transfer begins with D."),
    "PAY-CMP-10/not-recorded": changes_result(
        "A completion is answered right, and the transfer keeps its status.", claim_transfer=undo_after_commit)
        .also("PAY-CMP-22"),
    "PAY-CMP-11/refused-with-409": refused("state", "complete_transfer", status=409, code="CONFLICT"),
    "PAY-CMP-12/canceled-completed": setting("A transfer that was canceled for want of funds can be completed.",
        overdrawn_status="canceled", transfer_incompletable=("pending", "manual_analysis", "completed")),
    "PAY-CMP-14/refused-with-403": refused("missing", "complete_transfer", status=403, code="FORBIDDEN")
        .also("PAY-CMP-27", "PAY-CMP-29", "PAY-ISO-04"),
    "PAY-CMP-18/all-succeed": overrides(
        "Simultaneous completions of one transfer all succeed.", pause=LOOKS_EARLY, claim_transfer=complete_again)
        .also("PAY-CMP-22").of("concurrency"),
    "PAY-CMP-18/all-succeed-and-debit": overrides(
        "Simultaneous completions of one transfer all succeed with one endToEndId, and take the amount each.",
        pause=LOOKS_EARLY, claim_transfer=complete_again, book_completion=debit_each,
        completed_changes=lambda _, right, transfer: right(transfer) | {
            "end_to_end_id": f"E00000000202611211000{transfer['id'].replace('-', '')[:11]}"})
        .also("PAY-CMP-21").of("concurrency"),
    "PAY-CMP-19/refused-and-completed": acts_though_refused(
        "A completion is refused, and completes the transfer", "complete_transfer", "state", complete)
        .when(in_status("pending")),
    "PAY-CMP-19/completed-by-itself": overrides(
        "A sandbox transfer is completed by itself after its approval.", approve=approve_and_complete),
    "PAY-CMP-20/constant": changes_result("All completed transfers have one endToEndId.",
        completed_changes=lambda _, right, _transfer: right | {"end_to_end_id": "E99999999202611211000abcdefghijk"}),
    "PAY-CMP-23/refused-and-debited": changes_result(
        "A completion is refused, and takes the amount once more", not_completable=debit_again)
        .when(in_status("completed")).also("PAY-CMP-21"),
    "PAY-CMP-27/huge-number-returns-500": answers_ids("complete_transfer", is_huge).also("PAY-ERR-12"),
    "PAY-CMP-28/long-id-returns-500": answers_ids("complete_transfer", is_long)
        .says("The completion by an id of more than 100 characters returns 500.").also("PAY-ERR-12"),
    "PAY-CMP-29/long-id-returns-400": answers_ids(
        "complete_transfer", is_long, 400, error="INVALID_REQUEST", message="id"),
}  # fmt: skip
