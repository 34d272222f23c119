"""Conforming variants where PAY-KEY is silent: PIX keys."""

from __future__ import annotations

import re

from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference import formats
from pix_conformance.reference.formats import is_digits
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import ServerState
from pix_conformance.reference.store import Row

LONGEST_KEY = 77


def _cpf(value: str) -> bool:
    def digit(known: str) -> int:
        rest = sum(int(one) * weight for one, weight in zip(known, range(len(known) + 1, 1, -1), strict=True)) % 11
        return 0 if rest < 2 else 11 - rest  # the rule of the CPF

    return is_digits(value) and [digit(value[:9]), digit(value[:10])] == [int(value[9]), int(value[10])]


class CheckedKeys(PaymentsRules):
    """Whether the check digits of CPF and CNPJ keys are validated is not shown."""

    def is_cpf_key(self, value: str) -> bool:
        """Ask for right check digits too."""
        return super().is_cpf_key(value) and _cpf(value)


class KeysOfTheDirectory(PaymentsRules):
    """A service may take keys as the central bank's directory has them: check digits, mobiles, small letters."""

    def is_cpf_key(self, value: str) -> bool:
        """Check the digits."""
        return super().is_cpf_key(value) and formats.has_cpf_digits(value)

    def is_cnpj_key(self, value: str) -> bool:
        """Check the digits."""
        return super().is_cnpj_key(value) and formats.has_cnpj_digits(value)

    def is_email_key(self, value: str) -> bool:
        """Take short ones in small letters."""
        return super().is_email_key(value) and len(value) <= LONGEST_KEY and value == value.lower()

    def is_phone_key(self, value: str) -> bool:
        """Take mobiles."""
        return super().is_phone_key(value) and bool(re.fullmatch(r"\+55[1-9][1-9]9[0-9]{8}", value))

    def is_evp_key(self, value: str) -> bool:
        """Take small letters."""
        return super().is_evp_key(value) and value == value.lower()


class KnownKeysOnly(PaymentsRules):
    """A destination key is one that somebody has: a transfer to a key that nobody registered is refused."""

    def judge_pix_key(self, value: str) -> str | None:
        """Look it up once its form is right."""
        unknown = value != self.world.accounts.transfer_key
        return super().judge_pix_key(value) or ("is not registered" if unknown else None)


class NoKeyIsNamed(KnownKeysOnly):
    """No key that may receive transfers has to be named: none is, and those that nobody registered are refused."""

    def __init__(self, world: ServerState) -> None:
        """Name none."""
        world.accounts.transfer_key = ""
        super().__init__(world)


class KnownKeysLater(PaymentsRules):
    """A destination key is one that somebody has: the bank refuses a transfer to another one after its approval."""

    async def approve(self, transfer: Row) -> None:
        """Refuse it as soon as the bank has looked."""
        await super().approve(transfer)
        if transfer["pix_key"] != self.world.accounts.transfer_key:
            with self.store.transaction():
                now = self.store.find("transfer", id=transfer["id"]) or transfer
                changes = {"status": "refused", "updated_at": self.clock.now()}
                if now["status"] != "completed" and self.claim_transfer(now, changes):
                    self.emit("transfer_canceled", "transfer", now | changes)

    def may_complete(self, transfer: Row) -> bool:
        """Leave what was refused."""
        return transfer["status"] != "refused" and super().may_complete(transfer)


class NoKeyIsNamedLater(KnownKeysLater):
    """No key that may receive transfers has to be named: none is, and the bank refuses those that nobody registered."""

    def __init__(self, world: ServerState) -> None:
        """Name none."""
        world.accounts.transfer_key = ""
        super().__init__(world)


class PlainKeys(PaymentsRules):
    """A service may normalise keys."""

    def judge_pix_key(self, value: str) -> str | None:
        """Take blanks around, and a UUID without its hyphens."""
        text = value.strip()
        return None if re.fullmatch("[0-9A-Fa-f]{32}", text) else super().judge_pix_key(text)


class LetteredCompanies(PaymentsRules):
    """Today's law knows CNPJs with letters; the document wants digits."""

    def is_cnpj_key(self, value: str) -> bool:
        """Take both."""
        return formats.is_digits(value, 14) or bool(re.fullmatch("[0-9A-Z]{12}[0-9]{2}", value))


VARIANTS = [
    Variant("payments-keys", ("PAY-KEY-12",), {"checked": CheckedKeys}),
    Variant("payments-directory", ("PAY-KEY-12", "PAY-KEY-13"), {"strict": KeysOfTheDirectory}),
    Variant(
        "payments-lookup",
        ("PAY-KEY-12",),
        {"at-once": KnownKeysOnly, "none": NoKeyIsNamed, "later": KnownKeysLater, "none-later": NoKeyIsNamedLater},
    ),
    Variant("payments-spellings", ("PAY-KEY-13",), {"normalised": PlainKeys}),
    Variant("payments-letters", ("PAY-KEY-14",), {"taken": LetteredCompanies}),
]
