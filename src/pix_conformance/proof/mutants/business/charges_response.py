"""Mutants of BUS-CHG: the fields of a charge in responses, and the texts of a request that its charge repeats."""

import html
import re
import uuid
from datetime import timedelta, timezone
from typing import Any

from pix_conformance.proof.difference import Difference, changes_result
from pix_conformance.proof.mutants.guards import in_status, on
from pix_conformance.proof.mutants.operators.changes import as_number, in_text, instant, later
from pix_conformance.proof.mutants.operators.json_values import GONE
from pix_conformance.proof.mutants.operators.responses import in_charge, in_response
from pix_conformance.reference.brcode import seal, template, tlv
from pix_conformance.reference.store import Row

GROUP = "schema"
BOTH = "create_charge get_charge"
BRASILIA = timezone(timedelta(hours=-3))


def in_brasilia(text: str) -> str:
    return instant(text).astimezone(BRASILIA).isoformat()


def last_description(rules: Any, row: Row, *_about: Any) -> Row:
    row["description"] = rules.__dict__["last"] = row["description"] or rules.__dict__.get("last")
    return row


def show_description(_rules: Any, charge: Row, *_about: Any) -> Row:
    text = template({"00": "com.example", "01": (charge["description"] or "")[:60]})
    return charge | {"qr_code": seal(charge["qr_code"][:-8] + tlv("80", text))}


def keeps(sentence: str, column: str, change: Any) -> Difference:
    """Keep another text of a new charge than the one that was sent."""
    return changes_result(
        sentence, new_charge=lambda _, charge, *_about: charge | {column: in_text(change)(charge[column])}
    )


MUTANTS = {
    "BUS-CHG-45": {"query-returns-charge-in-an-object": in_response("get_charge", "", lambda body: {"charge": body})
            .also("BUS-CHG-46", "BUS-CHG-47", "BUS-CHG-51", "BUS-CHG-53", "BUS-CHG-54", "BUS-CHG-55", "BUS-AUTH-12",
                  "BUS-CAN-16", "BUS-CHG-56", "BUS-CHG-57", "BUS-CHG-58", "BUS-CHG-59", "BUS-CHG-64", "BUS-EXP-01",
                  "BUS-EXP-03", "BUS-IDEM-15", "BUS-PAY-26", "BUS-PAY-10", "BUS-QR-01", "BUS-STATE-12")
            .says("A query returns the charge in an object of one field.")},
    "BUS-CHG-47": {"reais-in-query": in_response("get_charge", "amount_cents", lambda cents: cents / 100)
            .also("BUS-CHG-56", "BUS-GEN-01").says("A query shows the amount in reais, with a fraction.")},
    "BUS-CHG-52": {"number-when-paid": in_response("get_charge", "e2e_id", in_text(lambda text: int(text[9:21])))
            .also("BUS-PAY-11").says("The e2e_id of a paid charge is a number.")},
    "BUS-CHG-54": {"time-of-brasilia": in_response(BOTH, "expires_at", in_brasilia)
            .says("The expires_at is the time of Brasilia, with its offset.")},
    "BUS-CHG-55": {"time-of-brasilia": in_response(BOTH, "created_at", in_brasilia)
            .says("The created_at is the time of Brasilia, with its offset.")},
    "BUS-CHG-56": {
        "in-single-precision": in_response(
            BOTH, "amount_cents", lambda cents: cents if cents < 1 << 24 else cents & ~1)
            .says("The amount is kept in single precision: odd cents beyond 16777216 are lost."),
        "less-a-fee-when-paid": in_charge("amount_cents", lambda cents: int(cents * 0.99))
            .says("The amount is shown less a fee").when(in_status("paid")),
    },
    "BUS-CHG-57": {
        "missing": in_response(BOTH, "description", GONE),
        "that-of-the-charge-before": changes_result(
            "A charge without a description is given that of the charge before it.", new_charge=last_description)
            .seen_in("BUS-CHG-35"),
    },
    "BUS-CHG-58": {
        "missing-in-creation": in_response("create_charge", "external_ref", GONE),
        "cut-at-64": in_response(BOTH, "external_ref", in_text(lambda text: text[:64]))
            .says("The first 64 characters of an external_ref are returned."),
        "plus-is-blank-in-query": in_response(
            "get_charge", "external_ref", in_text(lambda text: text.replace("+", " ")))
            .says("A query shows a blank for a plus in the external_ref."),
        "escaped-in-query": in_response("get_charge", "external_ref", in_text(html.escape))
            .says("A query escapes the external_ref for HTML."),
        "leading-zeros-lost": keeps(
            "An external_ref of digits loses its leading zeros.",
            "external_ref", lambda text: text.lstrip("0") or "0" if text.isdigit() else text),
        "blank-is-null": keeps(
            "An external_ref of blanks is returned as null.",
            "external_ref", lambda text: text if text.strip() else None),
        "digits-as-number": in_charge("external_ref", as_number)
            .says("An external_ref of digits is returned as a number."),
        "null-when-canceled": in_charge("external_ref", None).when(in_status("canceled")),
    },
    "BUS-CHG-59": {
        "tag-lost": in_response(BOTH, "customer_email", in_text(lambda text: re.sub(r"\+[^@]*@", "@", text)))
            .says("The customer_email loses the tag behind a plus."),
        "in-lower-case": keeps("The customer_email is kept in lower case.", "customer_email", str.lower),
    },
    "BUS-CHG-62": {
        "a-day-ahead": in_charge("", lambda charge: charge | {
            name: later(charge[name], days=1) for name in ("created_at", "expires_at")})
            .says("The created_at and expires_at are a day ahead."),
        "three-hours-behind-without-zone": in_charge("", lambda charge: charge | {
            name: later(charge[name], hours=-3).removesuffix("Z") for name in ("created_at", "expires_at")})
            .also("BUS-CHG-71").says("The created_at and expires_at are the time of Brasilia, and name no zone."),
    },
    "BUS-CHG-86": {"seven-seconds-later-when-paid": in_charge("created_at", lambda text: later(text, seconds=7))
            .says("The created_at is seven seconds later").when(in_status("paid")).also("BUS-LIST-08")},
    "BUS-CHG-66": {
        "another-provider-in-query": in_response("get_charge", "provider", "fallback"),
        "new-code-in-each-query": changes_result(
            "A charge is shown with a new code.",
            charge_view=lambda rules, view, _call, charge: view | {
                "qr_code": rules.code(uuid.uuid4().hex, charge["amount"])})
            .when(on("get_charge")).also("BUS-CHG-69"),
        "empty-code-when-expired": in_charge("qr_code", "").when(in_status("expired")),
        "empty-code-when-canceled": in_charge("qr_code", "").when(in_status("canceled")),
    },
    "BUS-CHG-67": {"in-an-object-of-its-own": changes_result(
            "The code contains the description, for the payer's app to show.", new_charge=show_description)},
}  # fmt: skip
