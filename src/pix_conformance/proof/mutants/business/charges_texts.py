"""Mutants of BUS-CHG: description and external_ref of a creation."""

import json
from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.business.fields import (
    KINDS,
    Overlooks,
    ReadsLive,
    ReadsOtherwise,
    a,
    reading,
)
from pix_conformance.proof.mutants.operators.business.refusals import RefusesOtherwise, limit_of, refusing
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.fields import Field

TEXTS = {"description": ("Description", "BUS-CHG-14"), "external_ref": ("Ref", "BUS-CHG-19")}
OPTIONAL = {
    "description": "BUS-CHG-13 BUS-CHG-01",
    "external_ref": "BUS-CHG-18 BUS-CHG-01",
    "customer_email": "BUS-CHG-23 BUS-CHG-01",
    "expires_in_seconds": "BUS-CHG-27 BUS-CHG-01",
}


class Requires(BusinessRules):
    """Insists on one field that may be left out."""

    name: ClassVar[str] = ""

    def is_required(self, key: str, field: Field) -> bool:
        """Judge it as if it had no default."""
        return key == self.name or super().is_required(key, field)


globals().update(
    family(__name__, "validation", Requires, {
        f"BusRequires{''.join(part.capitalize() for part in name.split('_'))}": (
            f"The {name} may not be left out.", ids, {"name": name},
        )
        for name, ids in OPTIONAL.items()
    })
)  # fmt: skip


globals().update(
    family(__name__, "validation", Overlooks, {
        "BusEmptyDescriptionOfAnyType": (
            "A description that is 0, false or empty passes for none, whatever its type.",
            "BUS-CHG-14",
            {"name": "description"},
        ),
    })
)  # fmt: skip


def written(value: Any) -> str:
    """Write any value as a text."""
    return json.dumps(value, default=str)


globals().update(
    family(__name__, "validation", ReadsOtherwise, {
        f"Bus{label}{kind}Accepted": (
            f"A {name} that is {words} is written as a text and kept.", ids, reading(name, a(*types), written),
        )
        for name, (label, ids) in TEXTS.items()
        for kind, (types, words) in KINDS.items()
    })
)  # fmt: skip


globals().update(
    family(__name__, "limits", BusinessRules, {
        "BusDescriptionTo299": (
            "A description of 300 is refused.",
            "BUS-CHG-15 BUS-CHG-17",
            {"description_limit": 299},
        ),
        "BusDescriptionTo255": ("A description ends at 255.", "BUS-CHG-15 BUS-CHG-17", {"description_limit": 255}),
        "BusDescriptionTo301": ("A description of 301 is accepted.", "BUS-CHG-16", {"description_limit": 301}),
        "BusDescriptionEndless": ("A description has no limit.", "BUS-CHG-16", {"description_limit": 1 << 20}),
        "BusRefTo119": ("An external_ref of 120 is refused.", "BUS-CHG-20 BUS-CHG-22", {"external_ref_limit": 119}),
        "BusRefTo64": ("An external_ref ends at 64.", "BUS-CHG-20 BUS-CHG-22", {"external_ref_limit": 64}),
        "BusRefTo121": ("An external_ref of 121 is accepted.", "BUS-CHG-21", {"external_ref_limit": 121}),
        "BusRefTo300": ("An external_ref may be as long as a description.", "BUS-CHG-21", {"external_ref_limit": 300}),
    })
)  # fmt: skip


class Counts(BusinessRules):
    """Counts other characters than those that a text has."""

    count: ClassVar[Any]

    def judge_description(self, value: str) -> str | None:
        """Judge what it counts."""
        return super().judge_description(self.count(value))

    def judge_external_ref(self, value: str) -> str | None:
        """Judge what it counts."""
        return super().judge_external_ref(self.count(value))


globals().update(
    family(__name__, "limits", Counts, {
        "BusCountsTrimmed": (
            "Blanks at the ends of a text do not count.",
            "BUS-CHG-16 BUS-CHG-21",
            {"count": staticmethod(str.strip)},
        ),
        "BusCountsAsciiOnly": (
            "Letters beyond ASCII do not count.",
            "BUS-CHG-16 BUS-CHG-21",
            {"count": staticmethod(lambda text: text.encode("ascii", "ignore").decode())},
        ),
    })
)  # fmt: skip


def longer_than(limit: int) -> Any:
    """Make a judge of texts beyond a limit."""
    return lambda value: isinstance(value, str) and len(value) > limit


globals().update(
    family(__name__, "limits", ReadsOtherwise, {
        "BusLongDescriptionIsCut": (
            "A description that is too long is cut instead of refused.",
            "BUS-CHG-16",
            reading("description", longer_than(300), lambda text: text[:300]),
        ),
        "BusLongRefIsCut": (
            "An external_ref that is too long is cut instead of refused.",
            "BUS-CHG-21",
            reading("external_ref", longer_than(120), lambda text: text[:120]),
        ),
    })
)  # fmt: skip


class BusLiveDescriptionUnlimited(ReadsLive):
    """In production a description may have any length."""

    group = "limits"
    breaks = ("BUS-CHG-16",)
    field = "description"


class BusDescriptionInBytes(BusinessRules):
    """The limit of the description counts bytes of UTF-8."""

    breaks = ("BUS-CHG-17",)
    group = "limits"

    def judge_description(self, value: str) -> str | None:
        """Count them."""
        return super().judge_description("x" * len(value.encode()))


class BusAccentsCountTwice(BusinessRules):
    """The description is decomposed before it is counted."""

    breaks = ("BUS-CHG-17",)
    group = "limits"

    def judge_description(self, value: str) -> str | None:
        """Count an accent as a letter."""
        return super().judge_description(value + "".join(one for one in value if "\u00c0" <= one <= "\u024f"))


class BusDescriptionAsciiOnly(BusinessRules):
    """A description with a letter outside ASCII is refused."""

    group = "validation"
    breaks = ("BUS-CHG-17",)

    def judge_description(self, value: str) -> str | None:
        """Look for one."""
        return super().judge_description(value) if value.isascii() else "must be ASCII"


globals().update(
    family(__name__, "validation", RefusesOtherwise, {
        "BusLongRefIs413": (
            "An external_ref that is too long is answered with 413.",
            "BUS-CHG-21",
            refusing("invalid", "create_charge", 413, limit_of("external_ref")),
        ),
    })
)  # fmt: skip


class BusRefInBytes(BusinessRules):
    """The limit of the external_ref counts bytes of UTF-8."""

    breaks = ("BUS-CHG-22",)
    group = "limits"

    def judge_external_ref(self, value: str) -> str | None:
        """Count them."""
        return super().judge_external_ref("x" * len(value.encode()))
