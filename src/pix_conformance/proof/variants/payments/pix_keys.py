"""Conforming variants where PAY-KEY is silent: PIX keys."""

import re

from pix_conformance.proof.difference import changes_result, setting, variant
from pix_conformance.reference import formats
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import ServerState
from pix_conformance.reference.store import Row

LONGEST_KEY = 77

VARIANTS = {
    "PAY-KEY-12": {
        "cpf-digits-validated": changes_result(
            "A CPF with wrong check digits is refused: whether they count is not stated (payments.md, line 100).",
            is_cpf_key=lambda _rules, right, value: right and formats.has_cpf_digits(value)),
        "directory-forms": changes_result(
            "Keys have the forms of the central bank's directory, with check digits, mobile phones and lower case: "
            "no more is stated of them (payments.md, lines 100-104).",
            is_cpf_key=lambda _rules, right, value: right and formats.has_cpf_digits(value),
            is_cnpj_key=lambda _rules, right, value: right and formats.has_cnpj_digits(value),
            is_email_key=lambda _rules, right, value: right and len(value) <= LONGEST_KEY and value == value.lower(),
            is_phone_key=lambda _rules, right, value: right and bool(
                re.fullmatch(r"\+55[1-9][1-9]9[0-9]{8}", value)),
            is_evp_key=lambda _rules, right, value: right and value == value.lower()).also("PAY-KEY-13"),
    },
    "PAY-KEY-14": {"letters-in-cnpj": setting(
            "A CNPJ with letters is accepted, as the law has it: the document wants digits (payments.md, line 101).",
            is_cnpj_key=lambda _rules, value: formats.is_digits(value, 14) or bool(
                re.fullmatch("[0-9A-Z]{12}[0-9]{2}", value)))},
}  # fmt: skip


@variant("PAY-KEY-12/unregistered-keys-refused")
class RefusesUnregistered(PaymentsRules):
    """A transfer to a key that nobody has registered is refused: a destination must exist (payments.md, line 90)."""

    def judge_pix_key(self, value: str) -> str | None:
        unknown = value != self.world.accounts.transfer_key
        return super().judge_pix_key(value) or ("is not registered" if unknown else None)


@variant("PAY-KEY-12/unregistered-keys-refused-none-configured")
class RefusesAll(RefusesUnregistered):
    """Unregistered keys are refused, and no registered key is configured: none must be (payments.md, line 90)."""

    def __init__(self, world: ServerState) -> None:
        world.accounts.transfer_key = ""
        super().__init__(world)


@variant("PAY-KEY-12/unregistered-keys-refused-later")
class RefusesUnregisteredLater(PaymentsRules):
    """The bank refuses a transfer to an unregistered key after its approval (payments.md, lines 90, 192 and 328)."""

    async def approve(self, transfer: Row) -> None:
        await super().approve(transfer)
        if transfer["pix_key"] != self.world.accounts.transfer_key:
            with self.store.transaction():
                now = self.store.find("transfer", id=transfer["id"]) or transfer
                changes = {"status": "refused", "updated_at": self.clock.now()}
                if now["status"] != "completed" and self.claim_transfer(now, changes):
                    self.emit("transfer_canceled", "transfer", now | changes)

    def may_complete(self, transfer: Row) -> bool:
        return transfer["status"] != "refused" and super().may_complete(transfer)


@variant("PAY-KEY-12/unregistered-keys-refused-later-none-configured")
class RefusesAllLater(RefusesUnregisteredLater):
    """The bank refuses unregistered keys, and no registered key is configured: none must be (payments.md, line 90)."""

    def __init__(self, world: ServerState) -> None:
        world.accounts.transfer_key = ""
        super().__init__(world)


@variant("PAY-KEY-13/keys-normalized")
class NormalizesKeys(PaymentsRules):
    """Blanks around a key and a UUID without hyphens are accepted: neither is excluded (payments.md, line 104)."""

    def judge_pix_key(self, value: str) -> str | None:
        text = value.strip()
        return None if re.fullmatch("[0-9A-Fa-f]{32}", text) else super().judge_pix_key(text)
