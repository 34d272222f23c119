"""Mutants of BUS-CHG: the texts of a request that its charge repeats."""

import html
import re
import unicodedata
from typing import Any

from pix_conformance.proof.difference import changes_result, mutant
from pix_conformance.proof.mutants.guards import in_status
from pix_conformance.proof.mutants.operators.changes import as_number, in_text
from pix_conformance.proof.mutants.operators.json_values import GONE
from pix_conformance.proof.mutants.operators.responses import in_charge, in_response
from pix_conformance.reference.brcode import seal, template, tlv
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access
from pix_conformance.reference.store import Row

GROUP = "schema"
BOTH = "create_charge get_charge"


def without_accents(text: str) -> str:
    return "".join(one for one in unicodedata.normalize("NFD", text) if not unicodedata.combining(one))


def shows_description(_rules: Any, charge: Row, *_about: Any) -> Row:
    text = template({"00": "com.example", "01": (charge["description"] or "")[:60]})
    return charge | {"qr_code": seal(charge["qr_code"][:-8] + tlv("80", text))}


def keeps(sentence: str, column: str, change: Any) -> Any:
    """Keep another text of a new charge than the one that was sent."""
    return changes_result(
        sentence, new_charge=lambda _, charge, *_about: charge | {column: in_text(change)(charge[column])}
    )


MUTANTS = {
    "BUS-CHG-57": {"missing": in_response(BOTH, "description", GONE)},
    "BUS-CHG-58": {
        "missing-in-creation": in_response("create_charge", "external_ref", GONE),
        "cut-at-64": in_response(BOTH, "external_ref", in_text(lambda text: text[:64]))
            .says("The first 64 characters of an external_ref are returned."),
        "plus-is-blank-in-query": in_response(
            "get_charge", "external_ref", in_text(lambda text: text.replace("+", " ")))
            .says("A query shows a blank for a plus in the external_ref."),
        "escaped-in-query": in_response("get_charge", "external_ref", in_text(html.escape))
            .says("A query escapes the external_ref for HTML."),
        "accents-lost": in_response(BOTH, "external_ref", in_text(without_accents))
            .says("The external_ref loses its accents."),
        "leading-zeros-lost": keeps(
            "An external_ref of digits loses its leading zeros.",
            "external_ref", lambda text: text.lstrip("0") or "0" if text.isdigit() else text),
        "blank-is-null": keeps(
            "An external_ref of blanks is returned as null.",
            "external_ref", lambda text: text if text.strip() else None),
        "digits-as-number": in_charge("external_ref", as_number)
            .says("An external_ref of digits is returned as a number."),
        "null-when-canceled": in_charge("external_ref", None).when(in_status("canceled")),
        "cut-at-16-in-list": in_response("list_charges", "*.external_ref", in_text(lambda text: text[:16]))
            .says("The list shows the first 16 characters of an external_ref."),
    },
    "BUS-CHG-59": {
        "tag-lost": in_response(BOTH, "customer_email", in_text(lambda text: re.sub(r"\+[^@]*@", "@", text)))
            .says("The customer_email loses the tag behind a plus."),
        "in-lower-case": keeps("The customer_email is kept in lower case.", "customer_email", str.lower),
    },
    "BUS-CHG-67": {"in-an-object-of-its-own": changes_result(
            "The code contains the description, for the payer's app to show.", new_charge=shows_description)},
}  # fmt: skip


@mutant("BUS-CHG-57/that-of-the-charge-before", seen_in=("BUS-CHG-35",))
class DescriptionOfChargeBefore(BusinessRules):
    """A charge without a description is given that of the charge before it."""

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        row = super().new_charge(access, read)
        row["description"] = self.__dict__["last"] = row["description"] or self.__dict__.get("last")
        return row
