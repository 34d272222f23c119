"""Mutants of PAY-CHG: what the creation of a charge accepts and refuses."""

from decimal import Decimal
from typing import Any

from pix_conformance.proof.mutants.operators.payments.fields import (
    CHARGE_BACK,
    CHARGE_TEXT,
    NULL,
    NUMBERS,
    Accepts,
    Requires,
    a,
    absent,
    is_fraction,
    passing,
)
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.fields import Field
from pix_conformance.reference.payments import PaymentsRules

LITTLE = Decimal("0.01")
CUSTOMER = {"documentType": "cpf", "document": "52998224725", "name": None, "email": None}
CUSTOMER |= {"phone": None, "billingAddress": None}


globals().update(
    family(__name__, "limits", Requires, {
        "RequiresName": ("A customer must have a name.", "PAY-CHG-01 PAY-ENV-02", {"key": "customer.name"}),
        "RequiresEmail": ("A customer must have an email.", "PAY-CHG-01 PAY-ENV-02", {"key": "customer.email"}),
        "RequiresPhone": ("A customer must have a phone.", "PAY-CHG-01 PAY-ENV-02", {"key": "customer.phone"}),
        "RequiresBilling": ("A customer must have an address.",
            "PAY-CHG-01 PAY-ENV-02", {"key": "customer.billingAddress"}),
        "RequiresDescription": ("A charge must have a description.", "PAY-CHG-01 PAY-ENV-02",
            {"key": "description", "rule": CHARGE_TEXT}),
        "RequiresPostback": ("A charge must have a postbackUrl.", "PAY-CHG-01 PAY-ENV-02",
            {"key": "postbackUrl", "rule": CHARGE_BACK}),
        "RequiresItems": ("A charge must have items.", "PAY-CHG-01 PAY-ENV-02", {"key": "items"}),
        "RequiresSplits": ("A charge must have splits.", "PAY-CHG-01 PAY-ENV-02", {"key": "splits"}),
    })
)  # fmt: skip


class MinimumInUnits(PaymentsRules):
    """The minimum of a charge is 100 units, not cents."""

    breaks = ("PAY-CHG-01", "PAY-ENV-02")
    group = "limits"
    minimum_charge = 10_000


class SplitsExcludeItems(PaymentsRules):
    """A charge has items or splits, not both."""

    breaks = ("PAY-CHG-01",)
    group = "validation"

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Refuse both."""
        read = super().read_charge(body)
        if body.get("items") and body.get("splits"):
            raise Refusal("invalid", "splits must not be given beside items")
        return read


class ChargeCreated201(PaymentsRules):
    """A charge is created with 201."""

    breaks = ("PAY-CHG-01",)
    group = "state"
    charge_created_status = 201


class AmountOfItems(PaymentsRules):
    """A charge with items needs no amount of its own: they are added up."""

    breaks = ("PAY-CHG-02",)
    group = "validation"

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Add them up."""
        if isinstance(body, dict) and body.get("items") and "amountInCents" not in body:
            body = {**body, "amountInCents": sum(one["amountInCents"] for one in body["items"])}
        return super().read_charge(body)


def _below(limit: int) -> Any:
    return lambda value: type(value) is int and value < limit


globals().update(
    family(__name__, "validation", Accepts, {
        "AmountOptional": ("A charge without amountInCents is created, of the minimum.", "PAY-CHG-02",
            passing("amountInCents", absent, 100)),
        "AmountOutOfArray": ("A charge's amount is taken out of an array of one number.", "PAY-CHG-03",
            passing("amountInCents", lambda value: isinstance(value, list) and value == [1050], 1050)),
        "AmountFromString": ("A charge's amount sent as a string is read as a number.", "PAY-CHG-03",
            passing("amountInCents", a(str), 1050)),
        "AmountFromBoolean": ("A charge's amount sent as true is taken for a number.", "PAY-CHG-03",
            passing("amountInCents", a(bool), 100)),
        "AmountNull": ("A charge's amount of null is taken for the minimum.", "PAY-CHG-03",
            passing("amountInCents", NULL, 100)),
        "AmountFromArray": ("A charge's amount sent in an array is taken out of it.", "PAY-CHG-03",
            passing("amountInCents", a(list), 1050)),
        "AmountFromObject": ("A charge's amount sent as an object is accepted.", "PAY-CHG-03",
            passing("amountInCents", a(dict), 1050)),
        "AmountAlmostWhole": ("A charge's amount may be a little more than a whole one.", "PAY-CHG-04",
            passing("amountInCents", lambda value: isinstance(value, Decimal) and value % 1 < LITTLE, 1050)),
        "AmountCut": ("A charge's amount with a fraction is cut to whole cents.", "PAY-CHG-04",
            passing("amountInCents", is_fraction, 1050)),
        "AmountAsUnits": ("A charge's amount of two decimals is taken for currency units.", "PAY-CHG-04",
            passing("amountInCents", lambda value: is_fraction(value) and value < 100, 1050)),
        "AmountZero": ("A charge of zero is created, for the payer to choose the amount.", "PAY-CHG-06",
            passing("amountInCents", lambda value: type(value) is int and value == 0, 0)),
        "AmountNegative": ("A charge of a negative amount is created.", "PAY-CHG-06",
            passing("amountInCents", _below(0), 100)),
        "CustomerOptional": ("A charge without customer is created.", "PAY-CHG-08",
            passing("customer", absent, CUSTOMER)),
        "CustomerNull": ("A charge whose customer is null is created.", "PAY-CHG-09",
            passing("customer", NULL, CUSTOMER)),
        "CustomerText": ("A customer that is a text is accepted.", "PAY-CHG-09",
            passing("customer", a(str), CUSTOMER)),
        "CustomerArray": ("A customer that is an array is accepted.", "PAY-CHG-09",
            passing("customer", a(list), CUSTOMER)),
        "CustomerNumber": ("A customer that is a number, as of a customer known before, is accepted.", "PAY-CHG-09",
            passing("customer", NUMBERS, CUSTOMER)),
        "ItemsFromObject": ("A single item without its array is accepted.", "PAY-CHG-21",
            passing("items", a(dict), [])),
        "ItemsFromText": ("Items that are a text are ignored.", "PAY-CHG-21",
            passing("items", a(str), [])),
        "ItemsFromNumber": ("Items that are a number are ignored.", "PAY-CHG-21",
            passing("items", a(int, Decimal, bool), [])),
        "SplitsFromObject": ("A single split without its array is accepted.", "PAY-CHG-23",
            passing("splits", a(dict), [])),
        "SplitsFromText": ("Splits that are a text are ignored.", "PAY-CHG-23",
            passing("splits", a(str), [])),
        "SplitsFromBoolean": ("Splits may be switched off by false.", "PAY-CHG-23",
            passing("splits", a(bool), [])),
    })
)  # fmt: skip


class MinimumAboveHundred(PaymentsRules):
    """A charge of 100 is refused: the limit excludes itself."""

    breaks = ("PAY-CHG-05", "PAY-ENV-02")
    group = "limits"
    minimum_charge = 101


class InvalidAmount422(PaymentsRules):
    """A charge below the minimum is refused with 422; all else with 400."""

    breaks = ("PAY-CHG-06",)
    group = "error bodies"

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Change that one status."""
        answer = super().respond(call, answer)
        below = answer.status == 400 and "at least 100" in str(answer.body)
        return Answer(422, answer.body, answer.headers) if below else answer


class MinimumNinetyNine(PaymentsRules):
    """A charge of 99 cents is accepted: the limit is off by one."""

    breaks = ("PAY-CHG-06",)
    group = "limits"
    minimum_charge = 99


class MinimumOfOne(PaymentsRules):
    """A charge has the minimum of a transfer: one cent."""

    breaks = ("PAY-CHG-06",)
    group = "limits"
    minimum_charge = 1


class MinimumWithoutItems(PaymentsRules):
    """The minimum of a charge holds for those without items only."""

    breaks = ("PAY-CHG-06",)
    group = "limits"

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Raise an amount that is too low, and put it back."""
        amount = body.get("amountInCents") if isinstance(body, dict) and body.get("items") else None
        low = type(amount) is int and 0 < amount < self.minimum_charge
        read = super().read_charge({**body, "amountInCents": self.minimum_charge} if low else body)
        return read | ({"amountInCents": amount} if low else {})


class LoneItem(PaymentsRules):
    """The items may be one item without an array."""

    breaks = ("PAY-CHG-21",)
    group = "validation"
    lone = "items"

    def has_kind(self, key: str, value: Any, kind: str) -> bool:
        """Take it."""
        return (key == self.lone and isinstance(value, dict)) or super().has_kind(key, value, kind)

    def inside(self, value: Any, field: Field, path: str) -> Any:
        """Read it as the only one."""
        alone = field.name == self.lone and isinstance(value, dict)
        return super().inside([value] if alone else value, field, path)


class LoneSplit(LoneItem):
    """The splits may be one split without an array."""

    breaks = ("PAY-CHG-23",)
    group = "validation"
    lone = "splits"


class CreatesFromNoJson(PaymentsRules):
    """A charge body that is no JSON is read as a form, and a charge created."""

    breaks = ("PAY-CHG-25",)
    group = "validation"

    def json_body(self, call: Call) -> Any:
        """Stand in for what cannot be read."""
        try:
            return super().json_body(call)
        except Refusal:
            if call.operation == "create_charge" and call.body:
                return {"amountInCents": 1050, "customer": CUSTOMER}
            raise


class BodyOutOfArray(PaymentsRules):
    """A body in an array is taken out of it."""

    breaks = ("PAY-CHG-26", "PAY-TRF-26", "PAY-WH-17")
    group = "validation"

    def json_body(self, call: Call) -> Any:
        """Read its first element."""
        body = super().json_body(call)
        return body[0] if isinstance(body, list) and body else body


class CreatesFromArray(PaymentsRules):
    """A charge body that is a JSON array is accepted."""

    breaks = ("PAY-CHG-26",)
    group = "validation"

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Stand in for its element."""
        right = {"amountInCents": 1050, "customer": CUSTOMER}
        return super().read_charge(right if isinstance(body, list) else body)


class CreatesFromNothing(PaymentsRules):
    """A charge without any body is created, of the minimum."""

    breaks = ("PAY-CHG-26",)
    group = "validation"

    def json_body(self, call: Call) -> Any:
        """Stand in for an empty body."""
        empty = call.operation == "create_charge" and not call.body
        return {"amountInCents": 100, "customer": CUSTOMER} if empty else super().json_body(call)
