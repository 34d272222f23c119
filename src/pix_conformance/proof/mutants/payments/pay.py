"""Mutants of PAY-PAYS, the simulated payment of a charge."""

import asyncio
from collections import Counter
from functools import cached_property
from typing import Any

from pix_conformance.proof.difference import changes_result, mutant
from pix_conformance.proof.mutants.guards import (
    OF_COMPANY,
    in_status,
    older_than,
)
from pix_conformance.proof.mutants.operators.fields import requires_body
from pix_conformance.proof.mutants.operators.ids import answers_ids, is_long
from pix_conformance.proof.mutants.operators.ownership import does_not_find
from pix_conformance.proof.mutants.operators.refusals import refused, refuses_operation
from pix_conformance.proof.mutants.operators.responses import in_response
from pix_conformance.proof.mutants.operators.states import acts_though_refused
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

GROUP = "state"
OPEN_S = 0.05
"""Seconds between looking and acting: others come meanwhile."""


def pay(rules: Any, charge: Row) -> None:
    rules.claim_charge(charge, rules.paid_changes(charge))


def becomes(status: str) -> Any:
    return lambda rules, charge: rules.store.update("payments_charge", {"status": status}, id=charge["id"])


def pay_all(rules: Any, claimed: Any, charge: Row, _changes: Row) -> Any:
    rules.store.update("payments_charge", {"status": "paid"}, account=charge["account"], status="pending")
    return claimed


def pay_by_itself(rules: Any, charge: Row, _access: Access, _read: Any) -> Row:
    async def wait() -> None:
        await asyncio.sleep(0.3)
        pay(rules, charge)

    rules.world.outbox.begin(wait())
    return charge


MUTANTS = {
    "PAY-PAYS-01": {
        "requires-a-body": requires_body("pay_charge").of("state"),
        "not-of-company": refuses_operation("pay_charge").when(OF_COMPANY),
        "not-after-45-s": refuses_operation("pay_charge").when(older_than(45)).of("time"),
    },
    "PAY-PAYS-08": {
        "end-to-end-id": in_response("pay_charge", "data", lambda data: data | {"id": data["endToEndId"]}).of("state")
            .says("The pay returns the endToEndId as the id."),
    },
    "PAY-PAYS-09": {"uuid": changes_result(
            "The endToEndId of a payment is a UUID.",
            paid_changes=lambda rules, right, _: right | {"end_to_end_id": rules.new_charge_id()})},
    "PAY-PAYS-10": {"constant": changes_result(
            "All payments have one endToEndId.",
            paid_changes=lambda _, right, _charge: right | {"end_to_end_id": "E99999999202611211000abcdefghijk"})},
    "PAY-PAYS-11": {
        "never-shown": in_response("get_charge", "data.status", "pending").of("state"),
        "canceled-after-40-s": in_response("get_charge", "data.status", "canceled")
            .when(in_status("paid"), older_than(40)).seen_in("PAY-PAYS-01").of("time"),
        "not-found": does_not_find("get_charge").when(in_status("paid")),
    },
    "PAY-PAYS-12": {"refused-with-409": refused("state", "pay_charge", status=409, code="CONFLICT")},
    "PAY-PAYS-13": {
        "pending-again": acts_though_refused(
            "A second pay is refused, and leaves the charge pending.", "pay_charge", "state", becomes("pending"))
            .also("PAY-PAYS-11", "PAY-PAYS-18", "PAY-PAYS-20", "PAY-PAYS-21"),
        "refunded": acts_though_refused(
            "A second pay is refused, and leaves the charge refunded.", "pay_charge", "state", becomes("refunded")),
    },
    "PAY-PAYS-14": {"refused-with-404": refused("forbidden", "pay_charge", status=404, code="NOT_FOUND")},
    "PAY-PAYS-15": {
        "refused-with-403": refused("missing", "pay_charge", status=403, code="FORBIDDEN").also("PAY-ISO-02"),
    },
    "PAY-PAYS-19": {
        "pays-whole-account": changes_result(
            "The pay of one charge pays all pending ones of its account.", claim_charge=pay_all),
        "paid-by-itself": changes_result(
            "A charge is paid by itself a moment after its creation.", new_charge=pay_by_itself).also("PAY-PAYS-14"),
    },
    "PAY-PAYS-22": {"refused-and-paid-in": acts_though_refused(
            "A second pay is refused, and its amount paid in once more.", "pay_charge", "state",
            lambda rules, charge: rules.credit_payment(charge))},
    "PAY-PAYS-26": {"long-id-returns-500": answers_ids("pay_charge", is_long).also("PAY-ERR-12")},
}  # fmt: skip


@mutant("PAY-PAYS-19/paid-by-third-query")
class PaidByThirdQuery(PaymentsRules):
    """A charge is shown as paid from its third query on."""

    @cached_property
    def _queries(self) -> Counter[str]:
        return Counter()

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        self._queries[charge["id"]] += call.operation == "get_charge"
        paid = {"status": "paid"} if self._queries[charge["id"]] > 2 else {}
        return super().charge_view(call, charge) | paid


class LooksEarly(PaymentsRules):
    """Waits between its look at the charge and the payment."""

    async def pause(self, call: Call, place: str) -> None:
        await asyncio.sleep(OPEN_S if place == "pay" else 0)


@mutant("PAY-PAYS-18/none-succeeds", group="concurrency")
class NoneSucceeds(PaymentsRules):
    """Of simultaneous pays of one charge each is refused, because of the others."""

    async def pay_charge(self, call: Call) -> Answer:
        number = call.params["id"]
        self._waiting[number] += 1
        await asyncio.sleep(OPEN_S)
        crowded = self._waiting[number] > 1
        await asyncio.sleep(OPEN_S)
        self._waiting[number] -= 1
        if crowded:
            raise self.not_payable(self.owned(call, "payments_charge", number))
        return await super().pay_charge(call)

    @cached_property
    def _waiting(self) -> Counter[str]:
        return Counter()


@mutant("PAY-PAYS-20/refused-are-paid-in", group="concurrency")
class RefusedArePaidIn(LooksEarly):
    """Simultaneous pays are all paid in, though one succeeds only."""

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        claimed = super().claim_charge(charge, changes)
        self.__dict__.setdefault("late", []).extend([] if claimed else [charge])
        return claimed

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        late = self.__dict__.get("late")
        if call.operation == "pay_charge" and late:
            self.credit_payment(late.pop())
        return super().refused(call, refusal)
