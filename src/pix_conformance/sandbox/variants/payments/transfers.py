"""Conforming variants where PAY-TRF, PAY-CMP and PAY-KEY are silent: transfers and PIX keys."""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from typing import Any

from pix_conformance.reference import formats
from pix_conformance.reference.call import Access
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import ServerState
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.variants.common import *

NO_MONEY = "exceeds the available balance"
"""How the reference refuses a transfer."""
STEPS = ("pending_analysis", "queued", "processing", "banking_processing")
STEP_S = 0.15
HELD_S = 2


async def stay(_rules: Any, _transfer: Row) -> None:
    """Approve nothing."""


def hold(rules: Any, right: Callable[[Row], None], charge: Row) -> None:
    owner = owner_of(charge)
    before = rules.balance_of(owner, "pix")
    right(charge)
    held = rules.__dict__.setdefault("held", [])
    held.append((time.monotonic() + HELD_S, owner, rules.balance_of(owner, "pix") - before))


def less_held(rules: Any, right: Callable[..., int], access: Access, account: str) -> int:
    holds = rules.__dict__.get("held", [])
    held: int = sum(cents for ends, owner, cents in holds if owner == access and ends > time.monotonic())
    return right(access, account) + held * {"pix": -1, "reserve": 1}.get(account, 0)


LONGEST_KEY = 77


def normalized(_rules: Any, right: Callable[[str], str | None], value: str) -> str | None:
    return None if re.fullmatch("[0-9A-Fa-f]{32}", value.strip()) else right(value.strip())


def refuse_unregistered(rules: Any, right: Callable[[str], str | None], value: str) -> str | None:
    return right(value) or (None if value == rules.state.accounts.transfer_key else "is not registered")


async def refuse_later(rules: Any, right: Callable[[Row], Awaitable[None]], transfer: Row) -> None:
    await right(transfer)
    if transfer["pix_key"] != rules.state.accounts.transfer_key:
        now = rules.store.find("transfer", id=transfer["id"]) or transfer
        if now["status"] != "completed":
            rules.change_transfer(now, "refused")


def is_not_refused(_rules: Any, right: Callable[[Row], bool], transfer: Row) -> bool:
    return transfer["status"] != "refused" and right(transfer)


def configure_no_key(_rules: Any, right: Callable[..., None], state: ServerState) -> None:
    state.accounts.transfer_key = ""
    right(state)


VARIANTS = {
    "PAY-TRF-10/funds-needed": setting("An amount above the free balance is refused: no rule is stated.",
        refuses_without_funds=True),
    "PAY-TRF-10/settled-funds-needed": overrides(
        "A payment is in reserve for 2 s, and cannot be transferred: it awaits settlement (PAY-BAL-12).",
        credit_payment=hold, balance_of=less_held).with_settings(refuses_without_funds=True),
    "PAY-TRF-10/refused-unless-settled": overrides(
        "A payment is in reserve for 2 s, and a transfer above the free balance is created and refused.",
        credit_payment=hold, balance_of=less_held).with_settings(overdrawn_status="refused"),
    "PAY-TRF-10/insufficient-funds-code": changes_result(
        "An amount above the free balance is refused with a code of its own: no rule is stated.",
        error_message=lambda _, text, refusal: "no money" if NO_MONEY in refusal.message else text,
        error_code=lambda _, code, refusal: "INSUFFICIENT_FUNDS" if NO_MONEY in refusal.message else code)
        .with_settings(refuses_without_funds=True),
    "PAY-TRF-10/overdrawn-is-canceled": setting(
        "A transfer above the free balance is created and canceled: no rule is stated.",
        overdrawn_status="canceled").also("PAY-TRF-89", "PAY-TRF-90"),
    "PAY-TRF-10/overdrawn-is-refused": setting(
        "A transfer above the free balance is created and refused: no rule is stated.", overdrawn_status="refused"),
    "PAY-BAL-15/lends-what-is-asked": setting(
        "A transfer is accepted at any balance, in a sandbox without a check of funds: no rule is stated.",
        overdraft_limit=2**62).also("PAY-TRF-10", "PAY-TRF-27"),
    "PAY-BAL-15/lends-five-million": setting(
        "A transfer may overdraw the balance by 5,000,000.00: how much may be lent is not stated.",
        overdraft_limit=500_000_000).also("PAY-TRF-10"),
    "PAY-TRF-15/currency-in-lower-case": changes_arguments("The currency may be brl: its case is not stated.",
        judge_currency=lambda _rules, value: (value.upper(),)),
    "PAY-TRF-40/begins-in-manual-analysis": setting(
        "A transfer is in manual_analysis for 0.6 s, then in banking_processing: the approval flow is not shown.",
        transfer_first_status="manual_analysis", transfer_approved_status="banking_processing",
        approval_seconds=0.6).also("PAY-TRF-74"),
    "PAY-TRF-40/approved-at-once": setting("A transfer is queued, and at once in processing: "
        "the approval flow is not shown.", transfer_first_status="queued", transfer_approved_status="processing",
        approval_seconds=0.0).also("PAY-TRF-74"),
    "PAY-TRF-40/awaits-analysis": setting(
        "A transfer goes from banking_processing to pending_analysis, and completion ends that: "
        "the approval flow is not shown.",
        transfer_first_status="banking_processing", transfer_approved_status="pending_analysis"),
    "PAY-TRF-40/stays-in-processing": setting("A transfer is in processing until it is completed: "
        "the approval flow is not shown.", transfer_first_status="processing", approve=stay),
    "PAY-TRF-43/fees-on-payment": changes_result(
        "The fees of a charge are zero until it is paid: when they are known is not stated (PAY-CHG-38).",
        charge_view=lambda _rules, view, _call, charge: view if charge["status"] == "paid" else view | {"fees": 0}),
    "PAY-TRF-43/fees-on-completion": changes_result(
        "The fees of a transfer are zero until it is completed: when they are known is not stated.",
        new_transfer_view=lambda _rules, view, row: view if row["status"] == "completed" else view | {
            "fees": 0, "netAmount": row["amount"]}),
    "PAY-TRF-43/flat-fee-besides": changes_result(
        "A transfer costs 80 cents besides, a charge nothing: fees are not stated.", transfer_fees=lambda *_: 80,
        charge_fees=lambda *_: 0, new_transfer_view=lambda _, view, transfer: view | {"netAmount": transfer["amount"]}),
    "PAY-TRF-43/net-of-tax": changes_result(
        "netAmount is less by a tax of one cent: no sentence relates it to amount and fees.",
        new_transfer_view=lambda _rules, view, _: view | {"netAmount": max(0, view["netAmount"] - 1)})
        .also("PAY-TRF-76"),
    "PAY-TRF-43/net-with-rebate": changes_result(
        "netAmount is more by a rebate of two cents: no sentence relates it to amount and fees.",
        new_transfer_view=lambda _rules, view, _: view | {"netAmount": view["netAmount"] + 2}).also("PAY-TRF-76"),
    "PAY-TRF-68/never-processed": changes_result(
        "processedAt is always null: no sentence says that a simulated completion sets it.",
        transfer_view=lambda _rules, view, _: view | {"processedAt": None}).also("PAY-TRF-75", "PAY-TRF-79"),
    "PAY-TRF-68/processed-on-approval": changes_arguments(
        "processedAt is the end of processing, a status before completion.",
        claim_transfer=lambda rules, transfer, changes: (
            transfer, changes | {"processed_at": transfer["processed_at"] or rules.clock.now()}))
        .also("PAY-TRF-75", "PAY-TRF-79"),
    "PAY-TRF-68/processed-on-creation": changes_result(
        "processedAt is set from creation on: from when it is, is not stated.",
        new_transfer=lambda rules, transfer, *_: transfer | {"processed_at": rules.clock.now()},
        completed_changes=lambda _, changes, transfer: changes | {"processed_at": transfer["processed_at"]})
        .also("PAY-TRF-75", "PAY-TRF-79"),
    "PAY-TRF-86/end-to-end-id-not-shown": changes_result(
        "endToEndId of a query is always null: no sentence says that a completion sets it.",
        transfer_view=lambda _rules, view, _: view | {"endToEndId": None}).also("PAY-TRF-91"),
    "PAY-TRF-74/approved-after-2-s": setting("The approval takes 2 s: how long it does is not stated.",
        approval_seconds=2.0).also("PAY-TRF-40"),
    "PAY-TRF-74/approved-after-6-s": setting("The approval takes 6 s: how long it does is not stated.",
        approval_seconds=6.0).also("PAY-TRF-40"),
    "PAY-TRF-74/approved-after-15-s": setting("The approval takes 15 s: how long it does is not stated.",
        approval_seconds=15.0).also("PAY-TRF-40"),
    "PAY-TRF-74/never-approved": setting("The approval takes an hour, and a pending transfer can be completed: "
        "neither is stated.",
        approval_seconds=3_600.0, transfer_incompletable=("completed", "canceled")).also("PAY-TRF-40"),
    "PAY-TRF-74/ends-in-banking-error": setting(
        "The approval ends in banking_error, and the transfer can be completed: the approval flow is not shown.",
        transfer_approved_status="banking_error").also("PAY-TRF-40"),
    "PAY-TRF-81/updated-by-edits-only": changes_arguments(
        "updatedAt stays that of creation: whether a change of status is an update is not stated.",
        transfer_view=lambda _rules, row: (row | {"updated_at": row["created_at"]},)),
    "PAY-CMP-15/pending-is-completed": setting(
        "A pending transfer is completed: the response is not stated, only that one should wait.",
        transfer_incompletable=("completed", "canceled")),
    "PAY-KEY-12/cpf-digits-validated": changes_result(
        "A CPF with wrong check digits is refused: whether they count is not stated.",
        is_cpf_key=lambda _rules, right, value: right and formats.has_cpf_digits(value)),
    "PAY-KEY-12/directory-forms": changes_result(
        "Keys have the forms of the central bank's directory, with check digits, mobile phones and lower case: "
        "no more is stated of them.", is_cpf_key=lambda _rules, right, value: right and formats.has_cpf_digits(value),
        is_cnpj_key=lambda _rules, right, value: right and formats.has_cnpj_digits(value),
        is_email_key=lambda _rules, right, value: right and len(value) <= LONGEST_KEY and value == value.lower(),
        is_phone_key=lambda _rules, right, value: right and bool(re.fullmatch(r"\+55[1-9][1-9]9[0-9]{8}", value)),
        is_evp_key=lambda _rules, right, value: right and value == value.lower()).also("PAY-KEY-13"),
    "PAY-KEY-12/unregistered-keys-refused": overrides(
        "A transfer to a key that is not registered is refused: a destination must exist (PAY-KEY-17).",
        judge_pix_key=refuse_unregistered),
    "PAY-KEY-12/unregistered-keys-refused-none-configured": overrides(
        "Unregistered keys are refused, and no registered key is configured: none must be.",
        judge_pix_key=refuse_unregistered, __init__=configure_no_key),
    "PAY-KEY-12/unregistered-keys-refused-later": overrides(
        "The bank refuses a transfer to an unregistered key after its approval.",
        approve=refuse_later, may_complete=is_not_refused).also("PAY-KEY-17"),
    "PAY-KEY-12/unregistered-keys-refused-later-none-configured": overrides(
        "The bank refuses unregistered keys, and no registered key is configured: none must be.",
        approve=refuse_later, may_complete=is_not_refused, __init__=configure_no_key),
    "PAY-KEY-16/phone-of-any-length": setting(
        "A phone number is +55 and digits, however many: their number is not stated.",
        is_phone_key=lambda _rules, value: bool(re.fullmatch(r"\+55[0-9]+", value))).also("PAY-KEY-11"),
    "PAY-KEY-13/keys-normalized": overrides(
        "Blanks around a key and a UUID without hyphens are accepted: neither is excluded.", judge_pix_key=normalized),
    "PAY-KEY-14/letters-in-cnpj": setting(
        "A CNPJ with letters is accepted, as the law has it: the document wants digits.",
        is_cnpj_key=lambda _rules, value: formats.is_digits(value, 14) or bool(
            re.fullmatch("[0-9A-Z]{12}[0-9]{2}", value))),
}  # fmt: skip


@variant("PAY-TRF-74/four-steps", "PAY-TRF-40")
class FourSteps(PaymentsRules):
    """The approval has more statuses, each with an event: the approval flow is not shown."""

    async def approve(self, transfer: Row) -> None:
        for status in STEPS:
            await asyncio.sleep(STEP_S)
            changed = self.change_transfer(transfer, status)
            if changed is None:
                return
            transfer = changed
