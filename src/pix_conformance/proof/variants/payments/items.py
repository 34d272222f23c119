"""Conforming variants where PAY-ITEM is silent: the items of a charge."""

from collections.abc import Callable
from typing import Any

from pix_conformance.proof.difference import changes_arguments
from pix_conformance.proof.variants.common.checks import checks_result, refuses_values
from pix_conformance.reference.fields import Field

LINES = tuple(Field(one, "string", required=True) for one in ("line1", "line2", "postcode"))


def read_other_address(_rules: Any, holder: dict[str, Any], field: Field, where: str) -> tuple[Any, ...]:
    address = Field(field.name, field.kind, fields=LINES)
    return holder, address if field.name == "shippingAddress" else field, where


def add_up(rules: Any, read: dict[str, Any], amount: Callable[[dict[str, Any]], int]) -> None:
    items = read["items"] or []
    if items and sum(map(amount, items)) != read["amountInCents"]:
        raise rules.invalid("items", "must add up to amountInCents")


VARIANTS = {
    "PAY-ITEM-14": {"other-shipping-address": changes_arguments(
            "shippingAddress has two lines and a postcode: its fields are not shown (payments.md, line 60).",
            read_field=read_other_address)},
    "PAY-ITEM-15": {"zero-refused": refuses_values(
            "A quantity or amount of an item below 1 is refused: no limit is stated (payments.md, lines 56-57).",
            lambda key, value: key in {"items[].quantity", "items[].amountInCents"} and value < 1)},
    "PAY-ITEM-16": {
        "pieces-add-up": checks_result(
            "Items whose quantities times amounts are not the amount of the charge are refused: "
            "whether they must add up is not stated (payments.md, lines 36 and 57).",
            read_charge=lambda rules, read, _: add_up(rules, read, lambda one: one["quantity"] * one["amountInCents"])),
        "lines-add-up": checks_result(
            "Items whose amounts are not the amount of the charge are refused: "
            "whether an amount is that of one piece or of all is not stated (payments.md, line 57).",
            read_charge=lambda rules, read, _: add_up(rules, read, lambda one: one["amountInCents"])),
    },
}  # fmt: skip
