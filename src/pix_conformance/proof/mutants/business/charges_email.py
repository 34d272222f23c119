"""Mutants of BUS-CHG: customer_email of a creation."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.business.fields import KINDS, Overlooks, ReadsOtherwise, a, reading
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference import formats
from pix_conformance.reference.business import BusinessRules

SHORT = 50


globals().update(
    family(__name__, "validation", Overlooks, {
        "BusEmptyEmailOfAnyType": (
            "A customer_email that is 0, false or empty passes for none, whatever its type.",
            "BUS-CHG-24",
            {"name": "customer_email"},
        ),
    })
)  # fmt: skip


globals().update(
    family(__name__, "validation", ReadsOtherwise, {
        f"BusEmail{kind}Ignored": (
            f"A customer_email that is {words} is ignored.", "BUS-CHG-24", reading("customer_email", a(*types), None),
        )
        for kind, (types, words) in KINDS.items()
    })
)  # fmt: skip


class Judges(BusinessRules):
    """Judges an e-mail address more strictly."""

    fits: ClassVar[Any]

    def judge_customer_email(self, value: str) -> str | None:
        """Ask for more."""
        return super().judge_customer_email(value) if self.fits(value) else "must be a valid e-mail"


globals().update(
    family(__name__, "validation", Judges, {
        "BusEmailOfSmallLetters": (
            "A customer_email with a capital letter is refused.", "BUS-CHG-25", {"fits": staticmethod(str.islower)},
        ),
        "BusEmailToFifty": (
            "A customer_email of more than 50 characters is refused.",
            "BUS-CHG-25",
            {"fits": staticmethod(lambda text: len(text) <= SHORT)},
        ),
    })
)  # fmt: skip


class BusEmailOfBrazilOnly(BusinessRules):
    """A customer_email has to end in .br."""

    group = "validation"
    breaks = ("BUS-CHG-25", "BUS-CHG-01")

    def judge_customer_email(self, value: str) -> str | None:
        """Refuse all others."""
        return None if value.endswith(".br") else "must be Brazilian"


class BusEmailWithoutTags(BusinessRules):
    """A customer_email with a dot or a plus before the @ is refused."""

    group = "validation"
    breaks = ("BUS-CHG-25",)

    def judge_customer_email(self, value: str) -> str | None:
        """Know letters and digits only."""
        return None if value.partition("@")[0].isalnum() else "must be a valid e-mail"


class BusEmailUnchecked(BusinessRules):
    """Any string is accepted as customer_email."""

    group = "validation"
    breaks = ("BUS-CHG-26",)

    def judge_customer_email(self, value: str) -> str | None:
        """Find nothing wrong."""
        del value
        return None


class BusEmailNeedsOnlyAt(BusinessRules):
    """Whatever has an @ is accepted as customer_email."""

    group = "validation"
    breaks = ("BUS-CHG-26",)

    def judge_customer_email(self, value: str) -> str | None:
        """Look for it."""
        return None if "@" in value else "must be a valid e-mail"


globals().update(
    family(__name__, "validation", ReadsOtherwise, {
        "BusEmailInvalidIgnored": (
            "A customer_email that is no address is ignored.",
            "BUS-CHG-26",
            reading("customer_email", lambda value: isinstance(value, str) and not formats.is_email(value), None),
        ),
    })
)  # fmt: skip
