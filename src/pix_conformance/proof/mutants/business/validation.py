"""Creations that are read too kindly, too strictly, or refused with another status than 422."""

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any, ClassVar

from pix_conformance.proof.mutants.business.tables import (
    ReadsOtherwise,
    RefusesOtherwise,
    a,
    body_of,
    reading,
    refusing,
    sketched,
)
from pix_conformance.proof.mutants.tabled import GONE, family
from pix_conformance.reference import formats
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.fields import Field

TEXTS = {"description": ("Description", "BUS-CHG-14"), "external_ref": ("Ref", "BUS-CHG-19")}
KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "Number": ((int, Decimal), "a number"),
    "Boolean": ((bool,), "a boolean"),
    "Array": ((list,), "an array"),
    "Object": ((dict,), "an object"),
}
OPTIONAL = {
    "description": "BUS-CHG-13 BUS-CHG-01",
    "external_ref": "BUS-CHG-18 BUS-CHG-01",
    "customer_email": "BUS-CHG-23 BUS-CHG-01",
    "expires_in_seconds": "BUS-CHG-27 BUS-CHG-01",
}


def is_digits(value: Any) -> bool:
    """Judge whether a text is a number in quotes."""
    return isinstance(value, str) and value.isdecimal()


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
    }),
    **family(__name__, "validation", ReadsOtherwise, {
        f"BusEmail{kind}Ignored": (
            f"A customer_email that is {words} is ignored.", "BUS-CHG-24", reading("customer_email", a(*types), None),
        )
        for kind, (types, words) in KINDS.items()
    }),
    **family(__name__, "validation", ReadsOtherwise, {
        "BusAmountDefaults": (
            "A creation without an amount is given one real.",
            "BUS-CHG-03",
            reading("amount_cents", lambda value: value is GONE, 100),
        ),
        "BusAmountNullDefaults": (
            "An amount of null is taken for one real.",
            "BUS-CHG-10",
            reading("amount_cents", lambda value: value is None, 100),
        ),
        "BusAmountDigitsAccepted": (
            "An amount given as a string of digits is converted.",
            "BUS-CHG-07",
            reading("amount_cents", is_digits, int),
        ),
        "BusAmountArrayAccepted": (
            "Of an array the first element is taken as the amount.",
            "BUS-CHG-07",
            reading("amount_cents", a(list), lambda value: value[0] if value else 0),
        ),
        "BusAmountCutOff": (
            "A fraction of a cent is cut off.",
            "BUS-CHG-08",
            reading("amount_cents", a(Decimal), int),
        ),
        "BusAmountRoundedUp": (
            "A fraction of a cent is rounded up.",
            "BUS-CHG-08",
            reading("amount_cents", a(Decimal), lambda value: int(value) + (value != int(value))),
        ),
        "BusAmountTrueAccepted": (
            "An amount of true is one cent.",
            "BUS-CHG-09",
            reading("amount_cents", a(bool), int),
        ),
        "BusAmountZeroBecomesOne": (
            "An amount of 0 is taken for the least amount.",
            "BUS-CHG-04",
            reading("amount_cents", lambda value: type(value) is int and value == 0, 1),
        ),
        "BusAmountSignDropped": (
            "A negative amount is taken without its sign.",
            "BUS-CHG-05",
            reading("amount_cents", lambda value: type(value) is int and value < 0, abs),
        ),
        "BusExpiryDigitsAccepted": (
            "An expires_in_seconds given as a string of digits is converted.",
            "BUS-CHG-28",
            reading("expires_in_seconds", is_digits, int),
        ),
        "BusExpiryMistypedIgnored": (
            "An expires_in_seconds of another type than a number is ignored.",
            "BUS-CHG-28",
            reading("expires_in_seconds", a(str, list, dict), None),
        ),
        "BusExpiryCutOff": (
            "A fraction of a second is cut off.",
            "BUS-CHG-29",
            reading("expires_in_seconds", a(Decimal), int),
        ),
        "BusExpiryFractionIgnored": (
            "An expires_in_seconds with a fraction is replaced by the default.",
            "BUS-CHG-29",
            reading("expires_in_seconds", a(Decimal), None),
        ),
        "BusEmailInvalidIgnored": (
            "A customer_email that is no address is ignored.",
            "BUS-CHG-26",
            reading("customer_email", lambda value: isinstance(value, str) and not formats.is_email(value), None),
        ),
    }),
)  # fmt: skip


class Requires(BusinessRules):
    """Insists on one field that may be left out."""

    name: ClassVar[str] = ""

    def is_required(self, key: str, field: Field) -> bool:
        """Judge it as if it had no default."""
        return key == self.name or super().is_required(key, field)


def of_type(message: str) -> bool:
    """Judge whether a refusal is about a type."""
    return "must be of type" in message


def of_limit(message: str) -> bool:
    """Judge whether a refusal is about a limit."""
    return any(words in message for words in ("greater than", "at least", "at most"))


def limit_of(name: str) -> Callable[[str], bool]:
    """Make a judge of refusals that are about the limit of one field."""
    return lambda message: message.startswith(f"{name} ") and of_limit(message)


TYPES = "BUS-CHG-07 BUS-CHG-08 BUS-CHG-09 BUS-CHG-14 BUS-CHG-19 BUS-CHG-24 BUS-CHG-28 BUS-CHG-29"
LIMITS = "BUS-CHG-04 BUS-CHG-05 BUS-CHG-16 BUS-CHG-21 BUS-CHG-31 BUS-CHG-33"
ALL = f"BUS-CHG-03 BUS-CHG-10 BUS-CHG-26 BUS-CHG-40 BUS-CHG-41 {TYPES} {LIMITS}"

globals().update(
    family(__name__, "validation", Requires, {
        f"BusRequires{''.join(part.capitalize() for part in name.split('_'))}": (
            f"The {name} may not be left out.", ids, {"name": name},
        )
        for name, ids in OPTIONAL.items()
    }),
    **family(__name__, "validation", RefusesOtherwise, {
        "BusInvalidIs400": (
            "Whatever is invalid in a creation is answered with 400.",
            ALL,
            refusing("invalid", "create_charge", 400),
        ),
        "BusMissingFieldIs400": (
            "A field that is missing is answered with 400.",
            "BUS-CHG-03 BUS-CHG-10",
            refusing("invalid", "create_charge", 400, lambda message: message.endswith("is required")),
        ),
        "BusMistypedIs400": (
            "A field of the wrong type is answered with 400.",
            TYPES,
            refusing("invalid", "create_charge", 400, of_type),
        ),
        "BusLimitIs400": (
            "A value beyond its limit is answered with 400.",
            LIMITS,
            refusing("invalid", "create_charge", 400, of_limit),
        ),
        "BusLongRefIs413": (
            "An external_ref that is too long is answered with 413.",
            "BUS-CHG-21",
            refusing("invalid", "create_charge", 413, limit_of("external_ref")),
        ),
        "BusExpiryIs409": (
            "An expires_in_seconds beyond its limits is answered with 409.",
            "BUS-CHG-31 BUS-CHG-33",
            refusing("invalid", "create_charge", 409, limit_of("expires_in_seconds")),
        ),
        "BusMalformedIs400": (
            "A body that is no JSON is answered with 400.",
            "BUS-CHG-40",
            refusing("invalid", "create_charge", 400, lambda message: message == "body is not valid JSON"),
        ),
        "BusMalformedIs500": (
            "A body that is no JSON is answered with 500.",
            "BUS-CHG-40 BUS-GEN-03",
            refusing("invalid", "create_charge", 500, lambda message: message == "body is not valid JSON"),
        ),
        "BusNoObjectIs400": (
            "A JSON body that is no object is answered with 400.",
            "BUS-CHG-41",
            refusing("invalid", "create_charge", 400, lambda message: message == "body must be an object"),
        ),
        "BusNoObjectIs500": (
            "A JSON body that is no object is answered with 500.",
            "BUS-CHG-41 BUS-GEN-03",
            refusing("invalid", "create_charge", 500, lambda message: message == "body must be an object"),
        ),
    }),
)  # fmt: skip


class KeepsRefused(BusinessRules):
    """Leaves a charge of a creation that it refused as invalid."""

    about: ClassVar[str] = ""

    async def create_charge(self, call: Call) -> Answer:
        """Write first, judge afterwards."""
        try:
            return await super().create_charge(call)
        except Refusal as refusal:
            if refusal.kind == "invalid" and refusal.message.startswith(self.about):
                self.store.insert("business_charge", sketched(self, call.access, body_of(call)))
            raise


globals().update(
    family(__name__, "validation", KeepsRefused, {
        "BusInvalidIsKept": ("A creation refused as invalid leaves a charge.", "BUS-CHG-43", {"about": ""}),
        **{
            f"Bus{label}InvalidIsKept": (
                f"A creation refused for its {name} leaves a charge.", "BUS-CHG-43", {"about": f"{name} "},
            )
            for name, label in {
                "amount_cents": "Amount",
                "description": "Description",
                "customer_email": "Email",
                "expires_in_seconds": "Expiry",
            }.items()
        },
    })
)  # fmt: skip
