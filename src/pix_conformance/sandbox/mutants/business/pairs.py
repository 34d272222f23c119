"""Mutants of the business charge API that are wrong where two requests meet: at one moment, or on one connection."""

import asyncio
from typing import Any

from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.mutants.operators import *

GROUP = "concurrency"
PAID, CANCELED, CREATED = (f"business.pix.{name}" for name in ("paid", "canceled", "created"))


def charge_asked(rules: Any, call: Call) -> Row:
    row: Row = rules.owned(call)
    return row


def capture_last(rules: Any, right: Any, charge: Row) -> None:
    """Post a payment a moment later, with the amount of the last one."""
    rules.__dict__["last paid"] = charge

    async def post() -> None:
        await asyncio.sleep(TOGETHER_S)
        right({**charge, "amount": rules.__dict__["last paid"]["amount"]})

    rules.store.after_commit(lambda: rules.state.outbox.begin(post()))


async def note_payments(rules: Any, right: Any, call: Call) -> Answer:
    """Keep in mind that a payment is executed, for a moment."""
    paying = rules.__dict__.setdefault("paying", [])
    paying.append(call)
    try:
        await asyncio.sleep(TOGETHER_S)
        answer: Answer = await right(call)
        return answer
    finally:
        paying.remove(call)


async def capture_canceled(rules: Any, right: Any, call: Call) -> Answer:
    answer: Answer = await right(call)
    if rules.__dict__.get("paying"):
        rules.capture(rules.owned(call))
    return answer


MUTANTS = {
    "BUS-CHG-64/simultaneous-queries-joined": joins("get_charge"),
    "BUS-ISO-06/simultaneous-lists-joined": joins("list_charges"),
    "BUS-ISO-13/simultaneous-ledgers-joined": joins("get_finance"),
    "BUS-CHG-64/queried-for-last-account": executes_for_last_account("get_charge"),
    "BUS-ISO-13/ledger-of-last-account": executes_for_last_account("get_finance"),
    "BUS-ISO-06/list-of-last-account": executes_for_last_account("list_charges"),
    "BUS-ISO-01/created-for-last-account": executes_for_last_account("create_charge"),
    "BUS-CHG-56/created-of-last-body": executes_last_body("create_charge").also("BUS-CHG-58"),
    "BUS-EVT-02/names-last-payment": reports_with_last(PAID, "all name the last charge."),
    "BUS-EVT-01/names-last-creation": reports_with_last(CREATED, "all name the last charge."),
    "BUS-EVT-12/amount-of-last-payment": reports_with_last(PAID, "all have the amount of the last charge.", "amount"),
    "BUS-EVT-14/e2e-id-of-last-payment": reports_with_last(
        PAID, "all have the e2e_id of the last payment.", "end_to_end_id"),
    "BUS-PAY-15/posted-with-last-amount": overrides(
        "Payments of one moment are all posted with the amount of the last.", capture=capture_last),
    "BUS-STATE-16/captured-beside-payments": overrides(
        "A cancel captures its charge while other charges are being paid.",
        pay_charge=note_payments, cancel_charge=capture_canceled),
    "BUS-PAY-26/pending-written-back": writes_back("business_charge", "get_charge", "pending", charge_asked)
        .also("BUS-CAN-16"),
    "BUS-ISO-01/account-of-the-connection": keeps_account_of_connection(),
}  # fmt: skip
