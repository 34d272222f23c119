"""Mutants of PAY-ITEM, the items of a charge."""

from pix_conformance.proof.mutants.operators.fields import accepts, reads, refuses
from pix_conformance.proof.mutants.operators.values import is_a, is_absent, is_fraction, is_present

GROUP = "validation"
ITEM = {"title": "x", "tangible": False, "quantity": 1, "amountInCents": 1, "shippingAddress": None}

MUTANTS = {
    "PAY-ITEM-01": {
        "title-with-accents-refused": refuses("items[].title", lambda text: not text.isascii())
            .says("An item's title with a letter outside ASCII is refused."),
        "intangible-item-refused": refuses("items[].tangible", lambda value: not value)
            .says("An item that is not tangible is refused."),
    },
    "PAY-ITEM-02": {"item-is-a-string": accepts("items[]", is_a("string"), ITEM).says("An item may be a string.")},
    "PAY-ITEM-03": {"title-missing": accepts("items[].title", is_absent, "x")},
    "PAY-ITEM-04": {"title-number": accepts("items[].title", is_a("number"), "7")},
    "PAY-ITEM-05": {"tangible-missing": accepts("items[].tangible", is_absent, stand_in=True)},
    "PAY-ITEM-06": {"tangible-string": accepts("items[].tangible", is_a("string"), stand_in=True)},
    "PAY-ITEM-07": {"quantity-missing": accepts("items[].quantity", is_absent, 1)},
    "PAY-ITEM-08": {
        "quantity-fraction": accepts("items[].quantity", is_fraction, 1),
        "only-last-item-judged": reads("items", is_a("array"), lambda items: items[-1:])
            .says("Of several items only the last is judged."),
    },
    "PAY-ITEM-09": {"amount-missing": accepts("items[].amountInCents", is_absent, 0)},
    "PAY-ITEM-10": {"amount-string": accepts("items[].amountInCents", is_a("string"), 1)},
    "PAY-ITEM-11": {"amount-fraction": accepts("items[].amountInCents", is_fraction, 1)},
    "PAY-ITEM-12": {"shipping-address-refused": refuses("items[].shippingAddress", is_present)},
    "PAY-ITEM-13": {"shipping-address-string": accepts("items[].shippingAddress", is_a("string"), None)},
}  # fmt: skip
