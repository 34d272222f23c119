"""Conforming variants where BUS-LIST is silent: the list of charges."""

import random
from typing import Any

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.http import Operation
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.variants.common import *

LISTED_AFTER_S = 0.8


def listed_later(rules: Any, call: Call, charges: list[Row]) -> tuple[Any, ...]:
    shown_until = rules.clock.now() - LISTED_AFTER_S
    return call, [charge for charge in charges if charge["created_at"] <= shown_until]


def clocks_apart(_rules: Any, charge: Row, *_: Any) -> Row:
    apart = random.random() * 0.3  # noqa: S311  # skew, not a secret
    return charge | {name: charge[name] - apart for name in ("created_at", "expires_at")}


def brief(_rules: Any, view: dict[str, Any], call: Call, _: Row) -> dict[str, Any]:
    shown = ("id", "status", "amount_cents") if call.operation == "list_charges" else view
    return {name: view[name] for name in shown}


def after_other_arrays(rules: Any, listed: Any, _: Call, charges: list[Row]) -> dict[str, Any]:
    counts = [{"status": status, "count": len(charges)} for status in rules.list_statuses]
    return {"accounts": [{"id": "acc_1", "status": "active"}], "counts": counts, "items": listed, "next": None}


def known_status(rules: Any, call: Call) -> str | None:
    sent = call.query.get("status") or [""]
    return sent[-1] if sent[-1] in rules.list_statuses else None


async def list_page(rules: Any, right: Operation, call: Call) -> Answer:
    number = int(call.query.get("page", ["1"])[-1])
    if number == 1:
        return await right(call)
    rows = rules.store.rows("business_charge", rules.list_order(), -1, account=call.access.account,
        environment=call.access.environment)  # fmt: skip
    size = rules.list_limit
    return Answer(200, rules.list_view(call, rows[size * (number - 1) : size * number]))


async def ledger_page(rules: Any, right: Operation, call: Call) -> Answer:
    number, answer = int(call.query.get("page", ["1"])[-1]), await right(call)
    size = rules.postings_limit
    rows = rules.postings(call.access, -1)[size * (number - 1) : size * number]
    return Answer(200, answer.body | {"transactions": [rules.posting_view(row) for row in rows]})


VARIANTS = {
    "BUS-LIST-01/listed-after-a-moment": changes_arguments(
        "A new charge is listed after 0.8 s: how soon it is, is not stated.",
        list_view=listed_later).also("BUS-LIST-10"),
    "BUS-LIST-08/clocks-apart": changes_result(
        "created_at is up to 0.3 s early, as of several machines: how exact it is, is not stated.",
        new_charge=clocks_apart).also("BUS-LIST-10"),
    "BUS-LIST-11/brief-rows": changes_result(
        "A charge in a list has three fields: the table is that of create and query.", charge_view=brief),
    "BUS-LIST-12/list-in-data": changes_result("The list is in data, with a total: the envelope is not shown.",
        list_view=lambda _rules, listed, _call, charges: {"data": listed, "total": len(charges)}),
    "BUS-LIST-12/list-two-levels-down": changes_result("The list is two levels down: the envelope is not shown.",
        list_view=lambda _rules, listed, *_: {
            "result": {"page": {"size": BusinessRules.list_limit}, "pix_charges": listed}, "ok": True}),
    "BUS-LIST-12/list-after-other-arrays": changes_result(
        "Other arrays of objects precede the list: the envelope is not shown.", list_view=after_other_arrays),
    "BUS-LIST-12/empty-list-is-null": changes_result("A list without charges is null: the envelope is not shown.",
        list_view=lambda _rules, listed, _call, charges: {"charges": listed or None, "count": len(charges)}),
    "BUS-LIST-13/unknown-status-ignored": setting("An unknown status is ignored: the response to one is not stated.",
        list_filter=known_status),
    "BUS-LIST-23/pages": overrides(
        "A parameter page leads to older charges and postings: how they are seen is not stated.",
        list_charges=list_page, get_finance=ledger_page).also("BUS-FIN-27"),
    "BUS-LIST-15/fifty-charges": setting("The list has at most 50 charges: it may have fewer than its limit.",
        list_limit=50),
    "BUS-LIST-15/filter-of-newest": overrides(
        "A filter chooses among the newest charges, as many as the list may have.",
        find_charges=lambda _, right, access, status: [
            charge for charge in right(access, None) if status in {None, charge["status"]}]),
    "BUS-LIST-16/unknown-status-fails": changes_result(
        "An unknown status returns 500: no sentence excludes a server error.",
        respond=lambda _, right, call, _answer: (
            Answer(500, right.body) if call.operation == "list_charges" and right.status == 422 else right)),
}  # fmt: skip
