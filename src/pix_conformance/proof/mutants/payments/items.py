"""Mutants of PAY-ITEM: the items of a charge."""

from typing import Any

from pix_conformance.proof.mutants.operators.payments.fields import (
    NOT_THE_FIRST,
    NULL,
    NUMBERS,
    Accepts,
    Refuses,
    Requires,
    a,
    absent,
    anything,
    failing,
    is_fraction,
    passing,
)
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.fields import Field
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

ITEM = {"title": "x", "tangible": False, "quantity": 1, "amountInCents": 1, "shippingAddress": None}


globals().update(
    family(__name__, "limits", Refuses, {
        "TitleOfAscii": ("An item's title has letters of ASCII only.", "PAY-ITEM-01",
            failing("items[].title", lambda text: not text.isascii())),
        "RefusesItems": ("A charge with items is refused.", "PAY-ITEM-01", failing("items", len)),
        "RefusesIntangible": ("Only things that can be sent may be items.", "PAY-ITEM-01",
            failing("items[].tangible", lambda value: not value)),
        "RefusesShipping": ("An item with a shippingAddress is refused.", "PAY-ITEM-12",
            failing("items[].shippingAddress", anything)),
    })
)  # fmt: skip


globals().update(
    family(__name__, "limits", Requires, {
        "RequiresShipping": ("An item must have a shippingAddress.", "PAY-ITEM-01",
            {"key": "items[].shippingAddress"}),
    })
)  # fmt: skip


class JudgesFirstItem(PaymentsRules):
    """Of several items only the first is looked at."""

    breaks = (
        "PAY-ITEM-02",
        "PAY-ITEM-03",
        "PAY-ITEM-04",
        "PAY-ITEM-05",
        "PAY-ITEM-06",
        "PAY-ITEM-07",
        "PAY-ITEM-08",
        "PAY-ITEM-09",
        "PAY-ITEM-10",
        "PAY-ITEM-13",
    )
    group = "validation"

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Leave the others out."""
        items = body.get("items") if isinstance(body, dict) else None
        return super().read_charge({**body, "items": items[:1]} if isinstance(items, list) else body)


globals().update(
    family(__name__, "validation", Accepts, {
        "ItemAny": ("An item that is no object is accepted.", "PAY-ITEM-02",
            passing("items[]", lambda value: not isinstance(value, dict), ITEM)),
        "ItemText": ("An item may be its title alone.", "PAY-ITEM-02", passing("items[]", a(str), ITEM)),
        "TitleOptional": ("An item without title is accepted.", "PAY-ITEM-03",
            passing("items[].title", absent, "x")),
        "TitleFromNumber": ("An item's title that is a number is written out.", "PAY-ITEM-04",
            passing("items[].title", NUMBERS, "7")),
        "TitleNull": ("An item's title may be null.", "PAY-ITEM-04", passing("items[].title", NULL, "x")),
        "TangibleOptional": ("An item without tangible is taken for a thing.", "PAY-ITEM-05",
            passing("items[].tangible", absent, True)),  # noqa: FBT003 - a value in JSON, no flag
        "TangibleFromText": ("An item's tangible may be the word true.", "PAY-ITEM-06",
            passing("items[].tangible", a(str), True)),  # noqa: FBT003 - a value in JSON, no flag
        "TangibleFromNumber": ("An item's tangible may be 0 or 1.", "PAY-ITEM-06",
            passing("items[].tangible", NUMBERS, True)),  # noqa: FBT003 - a value in JSON, no flag
        "QuantityOptional": ("An item without quantity is one.", "PAY-ITEM-07",
            passing("items[].quantity", absent, 1)),
        "QuantityFromText": ("An item's quantity may be a string of digits.", "PAY-ITEM-08",
            passing("items[].quantity", a(str), 1)),
        "QuantityFraction": ("An item's quantity may have a fraction.", "PAY-ITEM-08",
            passing("items[].quantity", is_fraction, 1)),
        "QuantityBoolean": ("An item's quantity of true is one.", "PAY-ITEM-08",
            passing("items[].quantity", a(bool), 1)),
        "ItemAmountOptional": ("An item without amountInCents is free.", "PAY-ITEM-09",
            passing("items[].amountInCents", absent, 0)),
        "ItemAmountFromText": ("An item's amount may be a string.", "PAY-ITEM-10",
            passing("items[].amountInCents", a(str), 1)),
        "ItemAmountNull": ("An item's amount may be null.", "PAY-ITEM-10",
            passing("items[].amountInCents", NULL, 1)),
        "ItemAmountFraction": ("An item's amount with a fraction is rounded.", "PAY-ITEM-11",
            passing("items[].amountInCents", is_fraction, 1)),
        "ShippingText": ("A shippingAddress in one line of text is accepted.", "PAY-ITEM-13",
            passing("items[].shippingAddress", a(str), None)),
        "ShippingNumber": ("A shippingAddress that is a number, as of a known address, is accepted.", "PAY-ITEM-13",
            passing("items[].shippingAddress", NUMBERS, None)),
    })
)  # fmt: skip


class FirstItemComplete(PaymentsRules):
    """Only the first of several items needs its required fields."""

    breaks = ("PAY-ITEM-03", "PAY-ITEM-05", "PAY-ITEM-07", "PAY-ITEM-09")
    group = "validation"

    def read_field(self, holder: Row, field: Field, where: str) -> Any:
        """Look at the place."""
        left_out = NOT_THE_FIRST.match(where) and field.name not in holder
        return None if left_out else super().read_field(holder, field, where)


class JudgesLastItem(PaymentsRules):
    """Of several items only the last is looked at."""

    breaks = ("PAY-ITEM-08",)
    group = "validation"

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Leave the others out."""
        items = body.get("items") if isinstance(body, dict) else None
        return super().read_charge({**body, "items": items[-1:]} if isinstance(items, list) else body)
