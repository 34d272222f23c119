"""Mutants of BUS-CHG: the fields of a charge in responses."""

import uuid
from datetime import timedelta, timezone
from typing import Any

from pix_conformance.proof.difference import changes_result
from pix_conformance.proof.mutants.guards import in_status, on
from pix_conformance.proof.mutants.operators.changes import in_text, instant, later
from pix_conformance.proof.mutants.operators.responses import in_charge, in_response

GROUP = "schema"
BOTH = "create_charge get_charge"
BRASILIA = timezone(timedelta(hours=-3))


def in_brasilia(text: str) -> str:
    return instant(text).astimezone(BRASILIA).isoformat()


def both_later(**more: float) -> Any:
    return lambda charge: charge | {name: later(charge[name], **more) for name in ("created_at", "expires_at")}


MUTANTS = {
    "BUS-CHG-45": {
        "number": changes_result(
            "The id of a charge is a number.",
            new_charge_id=lambda rules, _: str(int(rules.clock.now() * 1_000_000)),
            charge_view=lambda _rules, view, *_: view | {"id": int(view["id"])}),
        "query-returns-charge-in-an-object": in_response("get_charge", "", lambda body: {"charge": body})
            .also("BUS-CHG-46", "BUS-CHG-47", "BUS-CHG-51", "BUS-CHG-53", "BUS-CHG-54", "BUS-CHG-55", "BUS-AUTH-12",
                  "BUS-CAN-01", "BUS-CHG-56", "BUS-CHG-57", "BUS-CHG-58", "BUS-CHG-59", "BUS-CHG-64", "BUS-EXP-03",
                  "BUS-IDEM-05", "BUS-PAY-01", "BUS-PAY-10", "BUS-QR-01", "BUS-STATE-07")
            .says("A query returns the charge in an object of one field."),
    },
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
    "BUS-CHG-62": {
        "a-day-ahead": in_charge("", both_later(days=1)).says("The created_at and expires_at are a day ahead."),
        "three-hours-behind-without-zone": in_charge("", lambda charge: charge | {
            name: later(charge[name], hours=-3).removesuffix("Z") for name in ("created_at", "expires_at")})
            .also("BUS-CHG-71").says("The created_at and expires_at are the time of Brasilia, and name no zone."),
        "seven-seconds-later-when-paid": in_charge("created_at", lambda text: later(text, seconds=7))
            .says("The created_at is seven seconds later").when(in_status("paid")).also("BUS-LIST-08"),
    },
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
}  # fmt: skip
