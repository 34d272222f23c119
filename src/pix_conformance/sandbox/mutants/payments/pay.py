"""Mutants of PAY-PAYS and PAY-BAL: the simulation of a payment, and the balance."""

import asyncio
import struct
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from pix_conformance.reference import formats
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.mutants.operators import *

GROUP = "state"
GROUP_OF_AREA = {"PAY-BAL": "schema"}
OPEN_S = 0.05
"""Seconds between looking and acting: others come meanwhile."""


def pay_by_itself(rules: Any, charge: Row, _access: Access, _read: Any) -> Row:
    async def wait() -> None:
        await asyncio.sleep(0.3)
        claim_paid(rules, charge)

    rules.state.outbox.begin(wait())
    return charge


def paid_from_third_query(rules: Any, view: dict[str, Any], call: Call, charge: Row) -> dict[str, Any]:
    queries = rules.__dict__.setdefault("queries", Counter())
    queries[charge["id"]] += call.operation == "get_charge"
    return view | ({"status": "paid"} if queries[charge["id"]] > 2 else {})


def note_late(rules: Any, right: Callable[..., bool], charge: Row, changes: Row) -> bool:
    claimed = right(charge, changes)
    rules.__dict__.setdefault("late", []).extend([] if claimed else [charge])
    return claimed


def pay_late_in(rules: Any, right: Callable[..., Answer], call: Call, refusal: Refusal) -> Answer:
    late = rules.__dict__.get("late")
    if call.operation == "pay_charge" and late:
        rules.credit_payment(late.pop())
    return right(call, refusal)


def raises_wallet(wallet: str, cents_of: Callable[[int], int]) -> Difference:
    """Raise another wallet with each payment, beside the whole credit; the function gets the amount in cents."""

    def credit(rules: Any, _right: None, charge: Row) -> None:
        cents = cents_of(charge["amount"])
        rules.post(owner_of(charge), "charge.paid", charge["id"], ("acquirer", DEBIT, cents), (wallet, CREDIT, cents))

    sentence = f"A payment of 10.00 raises {wallet} by {cents_of(1_000)} cents, beside the whole credit."
    return changes_result(sentence, credit_payment=credit).of("state")


MUTANTS = {
    "PAY-PAYS-01/requires-a-body": requires_body("pay_charge").of("state"),
    "PAY-PAYS-01/not-of-company": refuses_operation("pay_charge").when(OF_COMPANY),
    "PAY-PAYS-01/not-after-45-s": refuses_operation("pay_charge").when(older_than(45)).of("time"),
    "PAY-PAYS-08/end-to-end-id": in_response("pay_charge", "data", lambda data: data | {"id": data["endToEndId"]})
        .of("state").says("The pay returns the endToEndId as the id."),
    "PAY-PAYS-09/uuid": changes_result("The endToEndId of a payment is a UUID.",
        paid_changes=lambda rules, right, _: right | {"end_to_end_id": rules.new_charge_id()}),
    "PAY-PAYS-09/time-of-brasilia": changes_result("The endToEndId of a payment has the time of Brasilia.",
        paid_changes=lambda rules, right, _: right | {
            "end_to_end_id": formats.end_to_end_id(rules.clock.now() - 10_800)}),
    "PAY-PAYS-09/no-such-day": changes_result("The endToEndId of a payment is of 30 February.",
        paid_changes=lambda _, right, _charge: right | {
            "end_to_end_id": f"{right['end_to_end_id'][:13]}0230{right['end_to_end_id'][17:]}"}),
    "PAY-PAYS-10/one-in-a-second": changes_result("Payments of one second have one endToEndId.",
        paid_changes=lambda rules, right, _: right | {
            "end_to_end_id": f"{right['end_to_end_id'][:21]}{int(rules.clock.now()):011d}"})
        .seen_in("PAY-BAL-16").of("concurrency"),
    "PAY-PAYS-10/constant": changes_result("All payments have one endToEndId.",
        paid_changes=lambda _, right, _charge: right | {"end_to_end_id": OTHER_PAYMENT}),
    "PAY-PAYS-11/never-shown": in_response("get_charge", "data.status", "pending").of("state"),
    "PAY-PAYS-11/canceled-after-40-s": in_response("get_charge", "data.status", "canceled")
        .when(in_status("paid"), older_than(40)).seen_in("PAY-PAYS-01").of("time"),
    "PAY-PAYS-11/not-found": does_not_find("get_charge").when(in_status("paid")),
    "PAY-PAYS-29/paid-shown-late": shows_before("paid", "get_charge", "claim_charge", 0.8)
        .seen_in("PAY-PAYS-11").of("concurrency"),
    "PAY-PAYS-12/canceled-paid": setting("A charge that was canceled, as it was not paid, can be paid.",
        unpaid_status="canceled", charge_payable=("pending", "canceled")),
    "PAY-PAYS-12/payable-since-query": payable_since_query(2),
    "PAY-PAYS-12/refused-with-409": refused("state", "pay_charge", status=409, code="CONFLICT"),
    "PAY-PAYS-13/pending-again": acts_though_refused(
        "A second pay is refused, and leaves the charge pending.", "pay_charge", "state",
        becomes("pending", "payments_charge")).also("PAY-PAYS-11", "PAY-PAYS-18", "PAY-PAYS-20", "PAY-PAYS-21"),
    "PAY-PAYS-13/refunded": acts_though_refused("A second pay is refused, and leaves the charge refunded.",
        "pay_charge", "state", becomes("refunded", "payments_charge")),
    "PAY-PAYS-14/refused-with-404": refused("forbidden", "pay_charge", status=404, code="NOT_FOUND"),
    "PAY-PAYS-15/refused-with-403": refused("missing", "pay_charge", status=403, code="FORBIDDEN")
        .also("PAY-ISO-02", "PAY-PAYS-26", "PAY-PAYS-28"),
    "PAY-PAYS-19/pays-whole-account": acts_after("The pay of one charge pays all pending ones of its account.",
        claim_charge=lambda rules, _, charge, _changes: rules.store.update(
            "payments_charge", {"status": "paid"}, account=charge["account"], status="pending")),
    "PAY-PAYS-19/paid-by-third-query": changes_result(
        "A charge is shown as paid from its third query on.", charge_view=paid_from_third_query),
    "PAY-PAYS-19/paid-by-itself": changes_result(
        "A charge is paid by itself a moment after its creation.", new_charge=pay_by_itself),
    "PAY-PAYS-20/refused-are-paid-in": overrides("Simultaneous pays are all paid in, though one succeeds only.",
        pause=look_early(OPEN_S, "pay"), claim_charge=note_late, refused=pay_late_in).of("concurrency"),
    "PAY-PAYS-21/once-per-token": overrides("Simultaneous pays with different tokens are all paid in.",
        pause=look_early(OPEN_S, "pay"), claim_charge=claims_in_any_status("payments_charge"),
        pay_charge=in_turn_of_token).also("PAY-PAYS-18", "PAY-PAYS-20").of("concurrency"),
    "PAY-PAYS-22/refused-and-paid-in": acts_though_refused("A second pay is refused, and its amount paid in once more.",
        "pay_charge", "state", lambda rules, charge: rules.credit_payment(charge)).also("PAY-PAYS-20"),
    "PAY-PAYS-26/huge-number-returns-500": answers_ids("pay_charge", is_huge).also("PAY-ERR-12"),
    "PAY-PAYS-27/long-id-returns-500": answers_ids("pay_charge", is_long).also("PAY-ERR-12"),
    "PAY-PAYS-28/long-id-returns-400": answers_ids("pay_charge", is_long, 400, error="INVALID_REQUEST", message="id"),
    "PAY-BAL-01/returns-203": responds_with("get_balance", 203),
    "PAY-BAL-07/cents-lost": setting(
        "Balances lose their cents.", money_text=lambda _, cents: f"{cents // 100}.00").of("limits"),
    "PAY-BAL-08/thousands-separated": in_response("get_balance", "data.reserve.balance", "1,234.50"),
    "PAY-BAL-08/written-as-in-brazil": changes_result("Balances are written 1.234,56, as in Brazil.",
        money_text=lambda _rules, text, _: f"{Decimal(text):,}".translate(str.maketrans(".,", ",."))),
    "PAY-BAL-09/wallets-exchanged": in_response(
        "get_balance", "data", lambda data: data | {"pix": data["pixBlocked"], "pixBlocked": data["pix"]})
        .says("The free balance is shown as the blocked one, and the other way round."),
    "PAY-BAL-09/half-blocked": raises_wallet("pix_blocked", lambda cents: cents // 2),
    "PAY-BAL-09/five-cents-blocked": raises_wallet("pix_blocked", lambda _: 5),
    "PAY-BAL-11/cents-with-decimals": setting(
        "Balances count cents, with two decimals behind them.", money_text=lambda _, cents: f"{cents}.00"),
    "PAY-BAL-12/free-is-reserved": in_response("get_balance", "data", lambda data: data | {"reserve": data["pix"]})
        .says("What is free is shown in reserve as well.").of("state"),
    "PAY-BAL-12/half-reserved-besides": raises_wallet("reserve", lambda cents: cents // 2),
    "PAY-BAL-18/float-of-32-bits": setting("Balances are kept as floating-point numbers of 32 bits.",
        money_text=lambda _, cents: f"{struct.unpack('f', struct.pack('f', cents / 100))[0]:.2f}").of("limits"),
    "PAY-BAL-13/paid-in-twice": overrides("A payment is paid in twice.",
        credit_payment=twice).also("PAY-PAYS-20").of("state"),
    "PAY-BAL-16/last-write-wins": last_write_wins("pix", "credit_payment").also("PAY-BAL-17").of("concurrency"),
    "PAY-BAL-17/last-transfer-wins": last_write_wins("pix", "book_transfer", "once").of("concurrency"),
    "PAY-BAL-14/completion-debits-again": changes_result(
        "A transfer takes its amount when it is created, and again when it is completed.",
        book_completion=lambda rules, _, transfer: rules.book_transfer(transfer)).also("PAY-CMP-21").of("state"),
}  # fmt: skip


@mutant("PAY-PAYS-18/none-succeeds", group="concurrency")
class NoneSucceeds(PaymentsRules):
    """Of simultaneous pays of one charge each is refused, because of the others."""

    async def pay_charge(self, call: Call) -> Answer:
        number, waiting = call.params["id"], self.__dict__.setdefault("waiting", Counter())
        waiting[number] += 1
        await asyncio.sleep(OPEN_S)
        crowded = waiting[number] > 1
        await asyncio.sleep(OPEN_S)
        waiting[number] -= 1
        if crowded:
            raise self.not_payable(self.owned(call, "payments_charge", number))
        return await super().pay_charge(call)
