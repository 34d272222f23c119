"""Mutants of BUS-CHG: the id of a charge, its query, and charges of the same external_ref."""

import asyncio
import re
from collections.abc import Callable
from typing import Any

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.mutants.operators import *

GROUP = "schema"
Creation = tuple[Call, dict[str, Any]]
OPEN_S = 0.05
"""Seconds between counting and writing: others come meanwhile."""


def refuse_label_of_paid(rules: Any, call: Call, read: dict[str, Any]) -> Creation:
    same = {"external_ref": read["external_ref"], "account": call.access.account, "status": "paid"}
    if read["external_ref"] and rules.store.find("business_charge", environment=call.access.environment, **same):
        raise Refusal("state", "external_ref is taken")
    return call, read


def pay_all_of_label(rules: Any, done: Any, charge: Row, changes: Row) -> Any:
    if done and changes["status"] == "paid" and charge["external_ref"] is not None:
        same = {name: charge[name] for name in ("external_ref", "account", "environment")}
        rules.store.update("business_charge", changes, status="pending", **same)
    return done


def cancel_earlier(rules: Any, call: Call, read: dict[str, Any]) -> Creation:
    if read["external_ref"] is not None:
        same = {"external_ref": read["external_ref"], "account": call.access.account, "status": "pending"}
        rules.store.update("business_charge", {"status": "canceled"}, **same)
    return call, read


def delete_oldest(rules: Any, answer: Answer, call: Call, _read: Any) -> Answer:
    where = {"account": call.access.account, "environment": call.access.environment}
    for row in rules.store.rows("business_charge", rules.list_order(), -1, **where)[rules.list_limit :]:
        rules.store.delete("business_charge", id=row["id"])
    return answer


def find_by_beginning(rules: Any, right: Callable[[Call], Row], call: Call) -> Row:
    beginning = call.params["id"]
    where = {"account": call.access.account, "environment": call.access.environment}
    rows = [row for row in rules.store.rows("business_charge", **where) if row["id"].startswith(beginning)]
    return rows[0] if rows and len(beginning) > 12 else right(call)


def is_of_other_form(number: str) -> bool:
    return not re.fullmatch("chg_[0-9a-f]{32}", number)


MUTANTS = {
    "BUS-CHG-44/paid-label-refused": changes_arguments(
        "A creation with the external_ref of a paid charge is refused with 409.",
        open_charge=refuse_label_of_paid).of("state"),
    "BUS-CHG-44/earlier-of-label-canceled": changes_arguments(
        "A creation cancels the pending charges of its external_ref.", open_charge=cancel_earlier).of("state"),
    "BUS-CHG-44/all-of-label-paid": changes_result(
        "All pending charges of an external_ref become paid with the first of them.",
        claim_charge=pay_all_of_label).of("state"),
    "BUS-CHG-44/case-of-key-ignored": key_read(
        "The case of an idempotency key is ignored.", lambda key, _: key and key.lower()),
    "BUS-CHG-44/first-64-of-key-count": key_read(
        "Only the first 64 characters of an idempotency key count.", lambda key, _: key and key[:64]),
    "BUS-CHG-64/not-found": does_not_find("get_charge").of("schema"),
    "BUS-CHG-64/newest-kept": changes_result(
        "Only as many charges of an account are kept as a list shows.", open_charge=delete_oldest)
        .also("BUS-LIST-15").of("limits"),
    "BUS-CHG-65/returns-403": refused("missing", "get_charge", status=403).when(OF_UNKNOWN_CHARGE)
        .also("BUS-CHG-85").of("isolation"),
    "BUS-CHG-65/other-form-returns-422": answers_ids("get_charge", is_of_other_form, 422, detail="id is malformed")
        .also("BUS-CHG-85").says("A query by an id that is not chg_ and 32 hexadecimal digits returns 422."),
    "BUS-CHG-65/found-by-beginning-of-id": overrides(
        "A charge is found by the beginning of its id.", owned=find_by_beginning).of("state"),
    "BUS-CHG-65/huge-number-returns-500": answers_ids("get_charge", is_huge).also("BUS-GEN-03")
        .says("A query by a number beyond 64 bits returns 500."),
    "BUS-CHG-70/long-id-returns-500": answers_ids("get_charge", is_long).also("BUS-GEN-03")
        .says("A query by an id of more than 100 characters returns 500."),
    "BUS-CHG-85/long-id-returns-422": answers_ids("get_charge", is_long, 422, detail="id is too long")
        .says("A query by an id of more than 100 characters returns 422."),
}  # fmt: skip


@mutant("BUS-CHG-63/simultaneous-charges-share-id", "BUS-CHG-56", "BUS-CHG-58", group="concurrency")
class SimultaneousChargesShareId(BusinessRules):
    """The id of a charge is the number of those before it: of several at one moment only the last is kept."""

    number = 0

    async def create_charge(self, call: Call) -> Answer:
        call.params = {"number": str(len(self.store.rows("business_charge")))}
        await asyncio.sleep(OPEN_S)
        return await super().create_charge(call)

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        self.number = int(call.params["number"])
        self.store.delete("business_charge", id=self.new_charge_id())
        return super().open_charge(call, read)

    def new_charge_id(self) -> str:
        return f"chg_{self.number}"
