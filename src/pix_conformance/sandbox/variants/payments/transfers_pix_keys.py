"""Conforming variants where PAY-KEY is silent: PIX keys."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

from pix_conformance.reference import formats
from pix_conformance.reference.state import ServerState
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.variants.common import *

LONGEST_KEY = 77


def normalized(_rules: Any, right: Callable[[str], str | None], value: str) -> str | None:
    return None if re.fullmatch("[0-9A-Fa-f]{32}", value.strip()) else right(value.strip())


def refuse_unregistered(rules: Any, right: Callable[[str], str | None], value: str) -> str | None:
    return right(value) or (None if value == rules.state.accounts.transfer_key else "is not registered")


async def refuse_later(rules: Any, right: Callable[[Row], Awaitable[None]], transfer: Row) -> None:
    await right(transfer)
    if transfer["pix_key"] != rules.state.accounts.transfer_key:
        with rules.store.transaction():
            now = rules.store.find("transfer", id=transfer["id"]) or transfer
            changes = {"status": "refused", "updated_at": rules.clock.now()}
            if now["status"] != "completed" and rules.claim_transfer(now, changes):
                rules.emit("transfer_canceled", "transfer", now | changes)


def is_not_refused(_rules: Any, right: Callable[[Row], bool], transfer: Row) -> bool:
    return transfer["status"] != "refused" and right(transfer)


def configure_no_key(_rules: Any, right: Callable[..., None], state: ServerState) -> None:
    state.accounts.transfer_key = ""
    right(state)


VARIANTS = {
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
