"""Mutants that take an external_ref for the name of one charge: several charges may have it."""

import hashlib
from collections.abc import Callable
from typing import Any

from pix_conformance.reference.call import Call, Refusal
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.mutants.operators import *

GROUP = "state"


def post_once(rules: Any, right: Callable[[Row], None], charge: Row) -> None:
    posted = shared(rules, "posted labels", set)
    payment = owner_of(charge), charge["external_ref"], charge["amount"]
    if charge["external_ref"] is None or payment not in posted:
        right(charge)
    posted.add(payment)


def id_of_label(_rules: Any, right: str, event: str, row: Row) -> str:
    about = f"{row['account']} {event} {row['external_ref']}"
    return f"evt_{hashlib.sha256(about.encode()).hexdigest()[:32]}" if row["external_ref"] else right


def amount_of_first(rules: Any, data: dict[str, Any], event: str, row: Row) -> dict[str, Any]:
    if event != "business.pix.paid" or row["external_ref"] is None:
        return data
    like = {name: row[name] for name in ("account", "environment", "external_ref")}
    return data | {"amount_cents": rules.store.rows("business_charge", "seq", 1, **like)[0]["amount"]}


def found_by_label(rules: Any, _: Refusal, call: Call) -> Row | None:
    like = {"external_ref": call.params["id"], "environment": call.access.environment}
    row: Row | None = rules.store.find("business_charge", **like)
    return row


MUTANTS = {
    "BUS-PAY-15/once-for-label-and-amount": overrides(
        "A payment is not posted if one of the same amount and external_ref was.", capture=post_once),
    "BUS-EVT-18/id-of-label": changes_result(
        "The events of one name about charges of one external_ref have one id.", event_id=id_of_label).of("events"),
    "BUS-EVT-12/amount-of-first-of-label": changes_result(
        "business.pix.paid has the amount of the first charge of the external_ref.", event_data=amount_of_first)
        .seen_in("BUS-PAY-15").of("events"),
    "BUS-ISO-01/found-by-label": changes_refusal(
        "A charge is found by its external_ref, also that of another account.", owned=found_by_label).of("isolation"),
}  # fmt: skip
