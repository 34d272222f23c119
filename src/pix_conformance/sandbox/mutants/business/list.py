"""Mutants of BUS-LIST, the list of charges."""

import asyncio
from collections.abc import Callable
from typing import Any

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.mutants.operators import *

GROUP = "state"
CREATED_IN_S = 0.06


def lists(sentence: str, change: Callable[[list[Row]], list[Row]]) -> Difference:
    """List other charges than those that were found, or list them in another order."""
    return changes_arguments(sentence, list_view=lambda _, call, rows: (call, change(rows)))


def leaves_out(sentence: str, is_lost: Callable[[Row], object]) -> Difference:
    """Leave charges out of the list."""
    return lists(sentence, lambda rows: [row for row in rows if not is_lost(row)])


def stored(rules: Any, order: str, status: str | None, **owner: str) -> list[Row]:
    return stored_charges(rules, order, status, **owner)[: rules.list_limit]


def refuse_empty(_rules: Any, view: Any, _call: Call, charges: list[Row]) -> None:
    if not charges:
        raise Refusal("missing", "there is no such charge")


MUTANTS = {
    "BUS-LIST-01/number-for-a-list": changes_result("A list is returned as the number of its charges.",
        list_view=lambda _, _view, _call, charges: {"count": len(charges)}),
    "BUS-LIST-17/in-reais": in_response("list_charges", "*.amount_cents", lambda cents: cents // 100)
        .says("The list shows whole reais for amount_cents.").of("schema"),
    "BUS-LIST-18/cut-at-8": in_response("list_charges", "*.description", in_text(lambda text: text[:8]))
        .says("The list shows the first 8 characters of a description.").of("schema"),
    "BUS-LIST-19/cut-at-16": in_response("list_charges", "*.external_ref", in_text(lambda text: text[:16]))
        .says("The list shows the first 16 characters of an external_ref.").of("schema"),
    "BUS-LIST-20/domain-alone": in_response(
        "list_charges", "*.customer_email", in_text(lambda text: text.partition("@")[2]))
        .says("The list shows the domain of a customer_email.").of("schema"),
    "BUS-LIST-21/lower-case": in_response("list_charges", "*.e2e_id", in_text(str.lower))
        .says("The list shows each e2e_id in lower case.").of("schema"),
    "BUS-LIST-22/empty": lists("The list is always empty.", lambda _: []),
    "BUS-LIST-02/not-found-if-empty": acts_after("A list without charges is refused with 404.",
        list_view=refuse_empty).also("BUS-LIST-01"),
    "BUS-LIST-02/filter-ignored-if-expired": setting("The status parameter is not read.", list_filter=lambda *_: None)
        .when(filtered_by("expired")),
    "BUS-LIST-02/filter-ignored-in-production": setting("The status parameter is not read.",
        list_filter=lambda *_: None).when(IN_PRODUCTION).of("isolation"),
    "BUS-LIST-02/expired-among-pending": changes_arguments(
        "A list of the pending has the expired too.", list_view=lambda rules, call, rows: (
            call, [*rows, *rules.find_charges(call.access, "expired")][: rules.list_limit]))
        .when(filtered_by("pending")),
    "BUS-LIST-02/final-shown-as-expired": changes_result(
        "The list shows each charge after its expires_at as expired, also paid and canceled ones.",
        charge_view=lambda rules, view, _, row: view | ({"status": "expired"} if rules.is_overdue(row) else {}))
        .when(on("list_charges")),
    "BUS-LIST-03/filter-finds-none": lists("A list of the pending is empty", lambda _: []).when(filtered_by("pending")),
    "BUS-LIST-03/each-charge-twice": lists("The list has each charge twice",
        lambda rows: [copy for row in rows for copy in (row, row)][: BusinessRules.list_limit])
        .when(FILTERED).also("BUS-LIST-04", "BUS-LIST-06"),
    "BUS-LIST-04/filter-finds-none": lists("A list of the paid is empty", lambda _: []).when(filtered_by("paid")),
    "BUS-LIST-05/filter-finds-none": lists("A list of the expired is empty", lambda _: []).when(filtered_by("expired")),
    "BUS-LIST-05/expiry-not-stored": no_transition_to("expired").also("BUS-CAN-06", "BUS-STATE-05", "BUS-LIST-07").of(
        "time").says("A query shows an expiry without storing it: for list and cancel the charge is still pending."),
    "BUS-LIST-06/filter-finds-none": lists("A list of the canceled is empty", lambda _: [])
        .when(filtered_by("canceled")),
    "BUS-LIST-06/described-missing": leaves_out("The list lacks charges with a description",
        lambda row: row["description"] is not None).when(filtered_by("canceled")).seen_in("BUS-CHG-57"),
    "BUS-LIST-07/paid-missing": leaves_out("The list lacks paid charges", lambda row: row["status"] == "paid")
        .when(UNFILTERED),
    "BUS-LIST-07/least-missing": leaves_out(
        "The list lacks charges of the least amount.", lambda row: row["amount"] == BusinessRules.minimum_charge)
        .seen_in("BUS-PAY-01"),
    "BUS-LIST-07/expired-shown-as-pending": shows_status("expired", "pending").when(on("list_charges"), UNFILTERED),
    "BUS-LIST-07/limit-counts-other-environment": changes_result(
        "The list has what is of its environment among the newest charges of the account in both.",
        find_charges=lambda rules, _, access, status: [
            row for row in stored(rules, "seq DESC", status, account=access.account) if owner_of(row) == access])
        .of("limits"),
    "BUS-LIST-08/oldest-first-if-expired": lists("The list is from the oldest to the newest", lambda rows: rows[::-1])
        .when(filtered_by("expired")).seen_in("BUS-EXP-01"),
    "BUS-LIST-08/oldest-first-within-a-second": setting("Of the charges of one second the list has the oldest first.",
        list_order=lambda _: "CAST(created_at AS INTEGER) DESC, seq"),
    "BUS-LIST-09/one-more": setting(
        "The list may have one charge too many.", list_limit=BusinessRules.list_limit + 1).of("limits"),
    "BUS-LIST-10/oldest-kept": changes_result(
        "Of more charges than it may have the list has the oldest, beginning with the newest of them.",
        find_charges=lambda rules, _, access, status: stored(
            rules, "seq", status, account=access.account, environment=access.environment)[::-1]).of("limits"),
    "BUS-LIST-11/no-qr-code": in_response("list_charges", "*.qr_code", GONE).of("schema"),
    "BUS-LIST-15/one-fewer": setting(
        "A full list has one charge too few.", list_limit=BusinessRules.list_limit - 1).of("limits"),
}  # fmt: skip


@mutant("BUS-LIST-15/without-newest-during-a-creation", group="concurrency")
class WithoutNewestDuringCreation(BusinessRules):
    """A list that is asked for while a charge is being created lacks the newest charge."""

    async def create_charge(self, call: Call) -> Answer:
        self.__dict__["creations"] = self.__dict__.get("creations", 0) + 1
        try:
            await asyncio.sleep(CREATED_IN_S)
            return await super().create_charge(call)
        finally:
            self.__dict__["creations"] -= 1

    def find_charges(self, access: Access, status: str | None) -> list[Row]:
        return super().find_charges(access, status)[1 if self.__dict__.get("creations") else 0 :]
