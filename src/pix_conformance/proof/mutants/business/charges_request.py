"""Mutants of BUS-CHG: what the creation of a charge accepts and refuses."""

import json
from decimal import Decimal
from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.business.fields import (
    REAL,
    ReadsLive,
    ReadsOtherwise,
    a,
    body_of,
    is_digits,
    reading,
    sketched,
)
from pix_conformance.proof.mutants.operators.business.refusals import RefusesOtherwise, of_limit, refusing
from pix_conformance.proof.mutants.operators.business.responses import FAILED, ChangesAnswers, in_answers
from pix_conformance.proof.mutants.operators.json_values import GONE
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.fields import Field

THOUSAND = 1_000
CLOSE = 0.01
TYPES = "BUS-CHG-07 BUS-CHG-08 BUS-CHG-09 BUS-CHG-14 BUS-CHG-19 BUS-CHG-24 BUS-CHG-28 BUS-CHG-29"
LIMITS = "BUS-CHG-04 BUS-CHG-05 BUS-CHG-16 BUS-CHG-21 BUS-CHG-31 BUS-CHG-33"
ALL = f"BUS-CHG-03 BUS-CHG-10 BUS-CHG-26 BUS-CHG-40 BUS-CHG-41 {TYPES} {LIMITS}"


globals().update(
    family(__name__, "schema", ChangesAnswers, {
        "BusCreationJsonText": (
            "A creation answers the charge as a string of JSON.",
            "BUS-CHG-01",
            in_answers("create_charge", "", json.dumps),
        ),
    })
)  # fmt: skip


class BusCreationEmpty(BusinessRules):
    """A creation answers 204, without the charge."""

    group = "schema"
    breaks = ("BUS-CHG-01",)

    async def create_charge(self, call: Call) -> Answer:
        """Say nothing of what was made."""
        await super().create_charge(call)
        return Answer(204, None)

    def encode(self, call: Call, body: Any) -> bytes:
        """Send no bytes where there is nothing to say."""
        return b"" if call.operation == "create_charge" and body is None else super().encode(call, body)


class BusCreationFails(BusinessRules):
    """A creation makes the charge and then fails with 500."""

    group = "schema"
    breaks = ("BUS-CHG-01",)

    async def create_charge(self, call: Call) -> Answer:
        """Break after the effect."""
        await super().create_charge(call)
        return Answer(FAILED, {"detail": "internal error"})


def is_fraction(value: Any) -> bool:
    """Judge whether a number has a fraction."""
    return isinstance(value, float | Decimal) and value != int(value)


globals().update(
    family(__name__, "validation", ReadsOtherwise, {
        "BusAmountDefaults": (
            "A creation without an amount is given one real.",
            "BUS-CHG-03",
            reading("amount_cents", lambda value: value is GONE, 100),
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
        "BusReaisAsText": (
            "An amount written in reais, as a text with a point, is read as such.",
            "BUS-CHG-07",
            reading(
                "amount_cents",
                lambda one: isinstance(one, str) and "." in one,
                lambda one: int(one.replace(".", "")),
            ),
        ),
        "BusAmountEmptyTextDefaults": (
            "An amount that is an empty text is taken for one real.",
            "BUS-CHG-07",
            reading("amount_cents", lambda value: value == "", REAL),
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
        "BusLargeFractionCut": (
            "The fraction of an amount above a thousand cents is cut off.",
            "BUS-CHG-08",
            reading("amount_cents", lambda one: is_fraction(one) and one > THOUSAND, int),
        ),
        "BusAlmostWholeAmount": (
            "An amount that is a whole number but for a hundredth passes for it.",
            "BUS-CHG-08",
            reading("amount_cents", lambda one: is_fraction(one) and abs(one - round(one)) < CLOSE, round),
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
        "BusAmountNullDefaults": (
            "An amount of null is taken for one real.",
            "BUS-CHG-10",
            reading("amount_cents", lambda value: value is None, 100),
        ),
    })
)  # fmt: skip


def of_type(message: str) -> bool:
    """Judge whether a refusal is about a type."""
    return "must be of type" in message


globals().update(
    family(__name__, "validation", RefusesOtherwise, {
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
        "BusLimitIs400": (
            "A value beyond its limit is answered with 400.",
            LIMITS,
            refusing("invalid", "create_charge", 400, of_limit),
        ),
        "BusMistypedIs400": (
            "A field of the wrong type is answered with 400.",
            TYPES,
            refusing("invalid", "create_charge", 400, of_type),
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
    })
)  # fmt: skip


class BusKeylessUnchecked(BusinessRules):
    """A creation without an idempotency key is not held to the limits of its fields."""

    group = "validation"
    breaks = ("BUS-CHG-04", "BUS-CHG-16", "BUS-CHG-21", "BUS-CHG-31")

    async def create_charge(self, call: Call) -> Answer:
        """Note whether there is a key."""
        self.__dict__["keyless"] = self.idempotency_key(call) is None
        return await super().create_charge(call)

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Find nothing wrong."""
        return None if self.__dict__["keyless"] else super().complaint(key, value, field)


globals().update(
    family(__name__, "limits", BusinessRules, {
        "BusAmountFromZero": ("An amount of 0 is accepted.", "BUS-CHG-04", {"minimum_charge": 0}),
        "BusAmountAnyInteger": (
            "No amount is too low.",
            "BUS-CHG-04 BUS-CHG-05",
            {"minimum_charge": -(10**12), "code_amount": lambda *_: "0.00"},
        ),
        "BusAmountFromTwo": ("The least amount is 2 cents.", "BUS-CHG-06", {"minimum_charge": 2}),
        "BusAmountFromOneReal": ("The least amount is one real.", "BUS-CHG-06", {"minimum_charge": 100}),
    })
)  # fmt: skip


class BusLiveAmountOfNothing(ReadsLive):
    """In production an amount may be nothing."""

    group = "limits"
    breaks = ("BUS-CHG-04",)
    field = "amount_cents"


class BusReadsFirstJson(BusinessRules):
    """What follows the JSON value of a body is not read."""

    group = "validation"
    breaks = ("BUS-CHG-40",)

    def json_body(self, call: Call) -> Any:
        """Cut the body after its first value."""
        try:
            text = call.body.decode() if call.body else ""
            call.body = text[: json.JSONDecoder().raw_decode(text)[1]].encode()
        except ValueError:
            pass
        return super().json_body(call)


class BusMalformedIsMended(BusinessRules):
    """A body that is no JSON makes a charge of one real."""

    group = "validation"
    breaks = ("BUS-CHG-40",)

    def json_body(self, call: Call) -> Any:
        """Go on with a body of its own."""
        try:
            return super().json_body(call)
        except Refusal:
            return {"amount_cents": 100}


class BusArrayIsUnwrapped(BusinessRules):
    """Of a JSON array the first object makes a charge."""

    group = "validation"
    breaks = ("BUS-CHG-41",)

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Take it out."""
        return super().read_charge(body[0] if isinstance(body, list) and body else body)


class BusTextIsParsed(BusinessRules):
    """A JSON string that holds a JSON object makes a charge."""

    group = "validation"
    breaks = ("BUS-CHG-41",)

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Parse it once more."""
        return super().read_charge(json.loads(body) if isinstance(body, str) and body.startswith("{") else body)


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
