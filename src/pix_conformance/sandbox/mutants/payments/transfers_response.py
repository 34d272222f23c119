"""Mutants of PAY-TRF and PAY-CMP: responses of transfers, and their completion."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from pix_conformance.reference import formats
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.mutants.operators import *

GROUP = "state"
BOTH = "create_transfer get_transfer"
COMPLETED = in_status("completed")
PROCESSED_2_S_AGO = Guard(
    "its processedAt is more than 2.5 s old", lambda it: it.rules.clock.now() - it.row["processed_at"] > 2.5
)
PROCESSED_AT_ONCE = Guard(
    "it was processed within 2 s of its creation", lambda it: it.row["processed_at"] - it.row["created_at"] < 2
)


def queried(sentence: str, change: Callable[[Any, Any], dict[str, Any]]) -> Difference:
    """Answer the query of a transfer as if these columns had other values."""
    return changes_arguments(
        sentence, transfer_view=lambda rules, transfer: (transfer | change(rules, transfer),)).of("time")  # fmt: skip


def once_processed(moment: Callable[[Any, Any], float]) -> Callable[[Any, Any], dict[str, Any]]:
    return lambda rules, transfer: {"processed_at": transfer["processed_at"] and moment(rules, transfer)}


def newest_id(rules: Any, answer: Answer, call: Call) -> Answer:
    newest = rules.store.rows("transfer", "seq DESC", 1, account=call.access.account)[0]
    return Answer(200, answer.body | {"data": answer.body["data"] | {"id": newest["id"]}})


def find_charge(rules: Any, _: Refusal, call: Call) -> Answer | None:
    charge = rules.store.find("payments_charge", id=call.params["id"])
    if not charge or not rules.sees(call.access, owner_of(charge), "get_transfer"):
        return None
    return Answer(200, {"success": True, "data": rules.transfer_view(charge | {"pix_key": "", "processed_at": None})})


OPEN_S, SOON_S = 0.05, 0.005
"""How long a completion takes, and from when on another one is later, in seconds."""
LOOKS_EARLY = look_early(OPEN_S, "complete")
CLAIM_AGAIN = claims_in_any_status("transfer")


def complete(rules: Any, transfer: Row) -> None:
    rules.store.update("transfer", rules.completed_changes(transfer), id=transfer["id"])


def undo_after_commit(rules: Any, claimed: Any, transfer: Row, changes: Row) -> None:
    if changes["status"] == "completed":
        before = {name: transfer[name] for name in changes}
        rules.store.after_commit(lambda: rules.store.update("transfer", before, id=transfer["id"]))


async def approve_and_complete(rules: Any, right: Callable[[Row], Awaitable[None]], transfer: Row) -> None:
    await right(transfer)
    await asyncio.sleep(0.3)
    seen = rules.store.find("transfer", id=transfer["id"]) or transfer
    if rules.may_complete(seen):
        rules.claim_transfer(seen, rules.completed_changes(seen))


def debit_each(rules: Any, right: Callable[[Row], None], transfer: Row) -> None:
    right(transfer)
    booked: set[str] = rules.__dict__.setdefault("booked", set())
    if transfer["id"] in booked:
        rules.book_transfer(transfer)
    booked.add(transfer["id"])


async def note_start(rules: Any, right: Callable[..., Any], call: Call, place: str) -> None:
    if place == "complete":
        rules.__dict__.setdefault("starts", {}).setdefault(call.params["id"], time.monotonic())
    await LOOKS_EARLY(rules, right, call, place)


def complete_again_if_later(rules: Any, right: Callable[..., bool], transfer: Row, changes: Row) -> bool:
    since = time.monotonic() - rules.__dict__.get("starts", {}).get(transfer["id"], time.monotonic())
    return right(transfer, changes) or (since > OPEN_S + SOON_S and CLAIM_AGAIN(rules, right, transfer, changes))


def give_back(rules: Any, transfer: Row) -> None:
    amount, owner = transfer["amount"], owner_of(transfer)
    rules.post(owner, "transfer.released", transfer["id"], ("in_flight", DEBIT, amount), ("pix", CREDIT, amount))


MUTANTS = {
    "PAY-BAL-15/no-limit": setting("Transfers are accepted however far below zero the free balance is.",
        overdraft_limit=2**62),
    "PAY-TRF-33/number": changes_result("The id of a transfer is a number in the response to its creation.",
        new_transfer_id=lambda rules, _: str(int(rules.clock.now() * 1_000_000)),
        transfer_answer=lambda _rules, body, _call, _transfer: changed(body, "data.id", int))
        .also("PAY-CMP-08").of("schema"),
    "PAY-TRF-41/zero-in-replay": changes_result("A replay returns the first transfer with an amount of zero.",
        replay=lambda _rules, answer, _call, _earlier: Answer(
            answer.status, changed(answer.body, "data.amount", 0), answer.headers)).of("idempotency"),
    "PAY-TRF-42/masked": in_response("create_transfer", "data.pixKey", lambda key: "***" + key[-4:]).of("state")
        .says("The creation of a transfer masks the pixKey."),
    "PAY-TRF-43/off-by-one-without-fees": in_response(
        BOTH, "data", lambda data: data | {"fees": 0, "netAmount": data["amount"] - 1})
        .says("The netAmount of a transfer is one cent below the amount, and its fees are zero.")
        .also("PAY-TRF-76").of("state"),
    "PAY-TRF-45/same-for-same-amount": changes_result("Transfers of the same amount have the same id.",
        new_transfer_view=lambda rules, view, transfer: view | {"id": rules.store.rows(
            "transfer", "seq", 1, account=transfer["account"], amount=transfer["amount"])[0]["id"]})
        .also("PAY-IDEM-07", "PAY-IDEM-09", "PAY-CMP-01", "PAY-CMP-19", "PAY-IDEM-01", "PAY-TRF-78").of("state"),
    "PAY-TRF-50/returns-201": responds_with("get_transfer", 201),
    "PAY-TRF-50/to-cpf-not-found": does_not_find("get_transfer").when(to_key("cpf")),
    "PAY-TRF-50/to-cnpj-not-found": does_not_find("get_transfer").when(to_key("cnpj")),
    "PAY-TRF-50/to-email-not-found": does_not_find("get_transfer").when(to_key("email")),
    "PAY-TRF-50/to-phone-not-found": does_not_find("get_transfer").when(to_key("phone")),
    "PAY-TRF-50/not-found-after-40-s": does_not_find("get_transfer complete_transfer").says("A transfer is not found")
        .when(in_status("processing"), older_than(40)).seen_in("PAY-AUTH-10").of("time"),
    "PAY-TRF-63/newest": changes_result(
        "The query of a transfer returns the id of the newest one of its account.", get_transfer=newest_id),
    "PAY-TRF-63/prefixed-if-completed": in_response("get_transfer", "data.id", lambda text: f"pay_{text}")
        .says("The query of a transfer returns the id of its payment").when(COMPLETED),
    "PAY-TRF-64/zero": in_response("get_transfer", "data.amount", 0),
    "PAY-TRF-64/whole-reais-to-phone": in_response("get_transfer", "data.amount", lambda cents: cents // 100)
        .says("The query of a transfer returns its amount in whole reais").when(to_key("phone")).seen_in("PAY-CMP-01"),
    "PAY-TRF-65/other-fees": in_response(
        "get_transfer", "data", lambda data: data | {"fees": data["fees"] + 1, "netAmount": data["netAmount"] - 1})
        .says("The query of a transfer returns other fees than its creation."),
    "PAY-TRF-65/key-masked": in_response("get_transfer", "data.pixKey", lambda key: "***" + key[-4:])
        .says("The query of a transfer masks the pixKey."),
    "PAY-TRF-66/three-hours-less": queried("The createdAt of a transfer is three hours early.",
        lambda _, transfer: {"created_at": transfer["created_at"] - 3 * 3600}),
    "PAY-TRF-87/changed-by-completion": changes_result("The completion of a transfer changes its createdAt.",
        completed_changes=lambda _, right, transfer: right | {"created_at": transfer["created_at"] - 120}).of("time"),
    "PAY-TRF-67/before-creation": queried("The updatedAt of a transfer is a minute before its createdAt.",
        lambda _, transfer: {"updated_at": transfer["created_at"] - 60}),
    "PAY-TRF-68/always-null": in_response("get_transfer", "data.processedAt", None).of("state"),
    "PAY-TRF-86/null": in_response("get_transfer", "data.endToEndId", None),
    "PAY-TRF-69/another-if-described": in_response("get_transfer", "data.endToEndId", OTHER_PAYMENT)
        .when(COMPLETED, DESCRIBED).seen_in("PAY-CMP-01"),
    "PAY-TRF-70/unknown-returns-200": refused(
        "missing", "get_transfer", status=200, body={"success": True, "data": None})
        .also("PAY-ISO-03", "PAY-ENV-05", "PAY-TRF-52", "PAY-TRF-71", "PAY-TRF-77", "PAY-TRF-88"),
    "PAY-TRF-71/malformed-returns-400": refused("missing", "get_transfer", status=400, code="INVALID_REQUEST")
        .when(OF_MALFORMED_ID).also("PAY-TRF-88"),
    "PAY-TRF-77/long-id-returns-500": answers_ids("get_transfer", is_long).also("PAY-TRF-88", "PAY-ERR-12"),
    "PAY-TRF-72/charge-found": changes_refusal("The query of a transfer finds charges, too.", get_transfer=find_charge),
    "PAY-TRF-73/processing-by-replay": on_replay(
        "A replay makes its transfer processing again.", lambda rules, _, earlier: rules.store.update(
            "transfer", {"status": rules.transfer_approved_status}, id=id_in(earlier))).of("state"),
    "PAY-TRF-73/processing-if-completed-at-once": in_response("get_transfer", "data.status", "banking_processing")
        .when(COMPLETED, PROCESSED_2_S_AGO, PROCESSED_AT_ONCE).seen_in("PAY-CMP-01"),
    "PAY-TRF-75/set-at-creation": changes_result("A transfer has a processedAt from its creation on.",
        new_transfer=lambda rules, right, _access, _read: right | {"processed_at": rules.clock.now()}).of("time"),
    "PAY-TRF-76/no-fees": in_response("get_transfer", "data.fees", 0).also("PAY-TRF-65"),
    "PAY-TRF-76/net-off-by-one-if-large": in_response("get_transfer", "data.netAmount", lambda cents: cents - 1)
        .says("The netAmount in the query of a transfer lacks a cent").when(amount_from(10_00)).seen_in("PAY-CMP-01"),
    "PAY-TRF-78/zeros-lost": in_response(
        "create_transfer", "data.pixKey", lambda key: key.lstrip("0") if key.isdigit() else key).of("state")
        .says("The creation of a transfer returns a pixKey of digits without its first zeros."),
    "PAY-TRF-78/key-of-newest": changes_result(
        "The query of a transfer returns the pixKey of the newest one of its account.",
        transfer_view=lambda rules, view, transfer: view | {
            "pixKey": rules.store.rows("transfer", "seq DESC", 1, account=transfer["account"])[0]["pix_key"]}),
    "PAY-TRF-79/time-of-creation": queried("The processedAt of a completed transfer is its createdAt.",
        once_processed(lambda _, transfer: transfer["created_at"])),
    "PAY-TRF-80/time-of-query": queried("The processedAt of a completed transfer is the time of the query.",
        once_processed(lambda rules, _: rules.clock.now())),
    "PAY-TRF-81/time-of-creation": queried("The updatedAt of a transfer is always its createdAt.",
        lambda _, transfer: {"updated_at": transfer["created_at"]}),
    "PAY-CMP-09/time-of-brasilia": changes_result("The endToEndId of a completion has the time of Brasilia.",
        completed_changes=lambda rules, right, _: right | {
            "end_to_end_id": formats.end_to_end_id(rules.clock.now() - 10_800)}),
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
    "PAY-CMP-10/not-recorded": acts_after("A completion is answered right, and the transfer keeps its status.",
        claim_transfer=undo_after_commit).also("PAY-CMP-22"),
    "PAY-CMP-30/completed-shown-late": shows_before("completed", "get_transfer", "claim_transfer", 0.8)
        .seen_in("PAY-CMP-10").of("concurrency"),
    "PAY-CMP-11/refused-with-409": refused("state", "complete_transfer", status=409, code="CONFLICT"),
    "PAY-CMP-12/canceled-completed": setting("A transfer that was canceled for want of funds can be completed.",
        overdrawn_status="canceled", **completable_in("canceled")),
    "PAY-CMP-14/refused-with-403": refused("missing", "complete_transfer", status=403, code="FORBIDDEN")
        .also("PAY-CMP-27", "PAY-CMP-29", "PAY-ISO-04"),
    "PAY-CMP-18/all-succeed": overrides("Simultaneous completions of one transfer all succeed.",
        pause=LOOKS_EARLY, claim_transfer=CLAIM_AGAIN).also("PAY-CMP-22").of("concurrency"),
    "PAY-CMP-18/once-per-token": overrides("Simultaneous completions with different tokens all succeed.",
        pause=LOOKS_EARLY, claim_transfer=CLAIM_AGAIN, complete_transfer=in_turn_of_token).also("PAY-CMP-22")
        .of("concurrency"),
    "PAY-CMP-22/later-one-succeeds": overrides(
        "A completion some milliseconds after another one, which is in progress, succeeds with another endToEndId.",
        pause=note_start, claim_transfer=complete_again_if_later).also("PAY-CMP-18").of("concurrency"),
    "PAY-CMP-21/all-succeed-and-debit": overrides(
        "Simultaneous completions of one transfer all succeed with one endToEndId, and take the amount each.",
        pause=LOOKS_EARLY, claim_transfer=CLAIM_AGAIN, book_completion=debit_each,
        completed_changes=lambda _, right, transfer: right(transfer) | {
            "end_to_end_id": f"E00000000202611211000{transfer['id'].replace('-', '')[:11]}"})
        .also("PAY-CMP-18").of("concurrency"),
    "PAY-CMP-19/refused-and-completed": acts_though_refused("A completion is refused, and completes the transfer",
        "complete_transfer", "state", complete).when(in_status("pending")),
    "PAY-CMP-19/completed-by-itself": overrides(
        "A sandbox transfer is completed by itself after its approval.", approve=approve_and_complete),
    "PAY-CMP-20/constant": changes_result("All completed transfers have one endToEndId.",
        completed_changes=lambda _, right, _transfer: right | {"end_to_end_id": OTHER_PAYMENT}),
    "PAY-CMP-23/refused-and-debited": acts_after("A completion is refused, and takes the amount once more",
        not_completable=lambda rules, _, transfer: rules.book_transfer(transfer))
        .when(in_status("completed")).also("PAY-CMP-21"),
    "PAY-CMP-32/refused-and-given-back": acts_though_refused(
        "A second completion is refused, and the amount given back to the wallet.", "complete_transfer", "state",
        give_back),
    "PAY-CMP-27/huge-number-returns-500": answers_ids("complete_transfer", is_huge).also("PAY-ERR-12"),
    "PAY-CMP-28/long-id-returns-500": answers_ids("complete_transfer", is_long).also("PAY-ERR-12"),
    "PAY-CMP-29/long-id-returns-400": answers_ids(
        "complete_transfer", is_long, 400, error="INVALID_REQUEST", message="id"),
}  # fmt: skip
