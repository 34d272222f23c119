"""Conforming variants where PAY-ITEM is silent: the items of a charge."""

from __future__ import annotations

from typing import Any

from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.fields import Field
from pix_conformance.reference.payments import PaymentsRules


class ShipsElsewhere(PaymentsRules):
    """The fields of shippingAddress are not shown: other ones than those of billingAddress."""

    def read_field(self, holder: dict[str, Any], field: Field, where: str) -> Any:
        """Want two lines and a code."""
        if field.name == "shippingAddress":
            inner = tuple(Field(one, "string", required=True) for one in ("line1", "line2", "postcode"))
            field = Field(field.name, field.kind, fields=inner)
        return super().read_field(holder, field, where)


class PositiveItems(PaymentsRules):
    """No limit of an item's numbers is stated, and none is ruled out."""

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Refuse what is no merchandise."""
        wrong = key in {"items[].quantity", "items[].amountInCents"} and value < 1
        return "must be at least 1" if wrong else super().complaint(key, value, field)


class AddsItemsUp(PaymentsRules):
    """Whether the items must add up to the charge is not shown."""

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Reckon."""
        read = super().read_charge(body)
        items = read["items"] or []
        if items and sum(one["quantity"] * one["amountInCents"] for one in items) != read["amountInCents"]:
            raise self.invalid("items", "must add up to amountInCents")
        return read


class AddsLinesUp(PaymentsRules):
    """Whether an item's amount is that of one piece or of the whole line is not shown, nor whether it must fit."""

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Add the lines up."""
        read = super().read_charge(body)
        items = read["items"] or []
        if items and sum(one["amountInCents"] for one in items) != read["amountInCents"]:
            raise self.invalid("items", "must add up to amountInCents")
        return read


VARIANTS = [
    Variant("payments-shipping", ("PAY-ITEM-14",), {"other": ShipsElsewhere}),
    Variant("payments-items", ("PAY-ITEM-15",), {"positive": PositiveItems}),
    Variant("payments-sums", ("PAY-ITEM-16",), {"exact": AddsItemsUp, "lines": AddsLinesUp}),
]
