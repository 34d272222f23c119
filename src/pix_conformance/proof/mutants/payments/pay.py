"""Mutants of PAY-PAYS, the simulated payment of a charge."""

import asyncio
from collections import Counter
from functools import cached_property
from typing import Any

from pix_conformance.proof.difference import changes_result, mutant, setting
from pix_conformance.proof.mutants.guards import (
    DESCRIBED,
    OF_COMPANY,
    WITH_SPLITS,
    amount_from,
    in_status,
    older_than,
)
from pix_conformance.proof.mutants.operators.fields import requires_body
from pix_conformance.proof.mutants.operators.ids import answers_ids, is_long
from pix_conformance.proof.mutants.operators.ownership import does_not_find
from pix_conformance.proof.mutants.operators.refusals import refused, refuses_operation
from pix_conformance.proof.mutants.operators.responses import in_response, responds_with
from pix_conformance.proof.mutants.operators.states import acts_though_refused
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

GROUP = "state"
OPEN_S = 0.05
"""Seconds between looking and acting: others come meanwhile."""


def paid_as_before(rules: Any, charge: Row) -> Answer:
    return Answer(200, {"success": True, "message": "payment simulated", "data": rules.pay_view(charge)})


def pay(rules: Any, charge: Row) -> None:
    rules.claim_charge(charge, rules.paid_changes(charge))


def becomes(status: str) -> Any:
    return lambda rules, charge: rules.store.update("payments_charge", {"status": status}, id=charge["id"])


def becomes_after_commit(status: str) -> Any:
    def change(rules: Any, claimed: Any, charge: Row, _changes: Row) -> Any:
        rules.store.after_commit(lambda: becomes(status)(rules, charge))
        return claimed

    return change


def pay_all(rules: Any, claimed: Any, charge: Row, _changes: Row) -> Any:
    rules.store.update("payments_charge", {"status": "paid"}, account=charge["account"], status="pending")
    return claimed


def pay_once_queried(rules: Any, answer: Answer, call: Call) -> Answer:
    charge = rules.store.find("payments_charge", id=call.params["id"], environment="sandbox", status="pending")
    if charge:
        pay(rules, charge)
    return answer


def pay_by_itself(rules: Any, charge: Row, _access: Access, _read: Any) -> Row:
    async def wait() -> None:
        await asyncio.sleep(0.3)
        pay(rules, charge)

    rules.world.outbox.begin(wait())
    return charge


MUTANTS = {
    "PAY-PAYS-01": {
        "returns-202": responds_with("pay_charge", 202).of("state"),
        "requires-a-body": requires_body("pay_charge").of("state"),
        "not-of-company": refuses_operation("pay_charge").when(OF_COMPANY),
        "not-with-splits": refuses_operation("pay_charge").when(WITH_SPLITS),
        "not-after-45-s": refuses_operation("pay_charge").when(older_than(45)).of("time"),
    },
    "PAY-PAYS-08": {
        "end-to-end-id": in_response("pay_charge", "data", lambda data: data | {"id": data["endToEndId"]}).of("state")
            .says("The pay returns the endToEndId as the id."),
        "another-if-large": in_response("pay_charge", "data.id", lambda text: text[::-1])
            .says("The pay returns another id").when(amount_from(1_000_00)),
    },
    "PAY-PAYS-09": {
        "uuid": changes_result(
            "The endToEndId of a payment is a UUID.",
            paid_changes=lambda rules, right, _: right | {"end_to_end_id": rules.new_charge_id()}),
        "with-seconds": changes_result(
            "The minute in the endToEndId of a payment is followed by seconds.",
            paid_changes=lambda _, right, _charge: right | {
                "end_to_end_id": f"{right['end_to_end_id'][:21]}59{right['end_to_end_id'][21:]}"}),
    },
    "PAY-PAYS-10": {
        "constant": changes_result(
            "All payments have one endToEndId.",
            paid_changes=lambda _, right, _charge: right | {"end_to_end_id": "E99999999202611211000abcdefghijk"}),
    },
    "PAY-PAYS-11": {
        "never-shown": in_response("get_charge", "data.status", "pending").of("state"),
        "not-shown-if-large": in_response("get_charge", "data.status", "pending").when(amount_from(1_000_00))
            .of("state"),
        "not-shown-if-described": in_response("get_charge", "data.status", "pending").when(DESCRIBED).of("state"),
        "canceled-after-40-s": in_response("get_charge", "data.status", "canceled")
            .when(in_status("paid"), older_than(40)).seen_in("PAY-PAYS-01").of("time"),
        "not-recorded": changes_result(
            "A pay is answered right, and the charge stays pending.", claim_charge=becomes_after_commit("pending")),
        "recorded-as-canceled": changes_result(
            "A pay is answered right, and the charge becomes canceled.", claim_charge=becomes_after_commit("canceled")),
        "not-found": does_not_find("get_charge").when(in_status("paid")),
    },
    "PAY-PAYS-12": {
        "paid-again": setting("A paid charge can be paid again.", may_pay=lambda _, _charge: True),
        "paid-again-if-large": setting("A paid charge can be paid again.", may_pay=lambda _, _charge: True)
            .when(amount_from(1_000_00)),
        "paid-again-if-described": setting("A paid charge can be paid again.", may_pay=lambda _, _charge: True)
            .when(DESCRIBED),
        "answered-as-the-first": acts_though_refused(
            "A second pay is answered like the first, and does nothing.", "pay_charge", "state", paid_as_before),
        "refused-with-403": refused("state", "pay_charge", status=403, code="FORBIDDEN"),
        "refused-with-404": refused("state", "pay_charge", status=404, code="NOT_FOUND"),
        "refused-with-409": refused("state", "pay_charge", status=409, code="CONFLICT"),
        "refused-with-422": refused("state", "pay_charge", status=422, code="INVALID_REQUEST"),
    },
    "PAY-PAYS-13": {
        "pending-again": acts_though_refused(
            "A second pay is refused, and leaves the charge pending.", "pay_charge", "state", becomes("pending"))
            .also("PAY-PAYS-11", "PAY-PAYS-18", "PAY-PAYS-20", "PAY-PAYS-21"),
        "refunded": acts_though_refused(
            "A second pay is refused, and leaves the charge refunded.", "pay_charge", "state", becomes("refunded")),
    },
    "PAY-PAYS-14": {
        "paid": setting(
            "A production charge is paid by the simulation.",
            may_simulate=lambda _, owner, operation: owner.is_sandbox or operation == "pay_charge").of("isolation"),
        "refused-and-paid": acts_though_refused(
            "The pay of a production charge is refused, and pays it.", "pay_charge", "forbidden", pay)
            .of("isolation"),
        "refused-with-400": refused("forbidden", "pay_charge", status=400, code="INVALID_REQUEST"),
        "refused-with-401": refused("forbidden", "pay_charge", status=401, code="UNAUTHORIZED"),
        "refused-with-404": refused("forbidden", "pay_charge", status=404, code="NOT_FOUND"),
    },
    "PAY-PAYS-15": {
        "refused-with-400": refused("missing", "pay_charge", status=400, code="INVALID_REQUEST")
            .also("PAY-ISO-02", "PAY-ENV-14", "PAY-ENV-15"),
        "refused-with-403": refused("missing", "pay_charge", status=403, code="FORBIDDEN").also("PAY-ISO-02"),
        "refused-with-500": refused("missing", "pay_charge", status=500, code="INTERNAL")
            .also("PAY-ISO-02", "PAY-ERR-12", "PAY-ENV-14", "PAY-ENV-15"),
    },
    "PAY-PAYS-19": {
        "pays-whole-account": changes_result(
            "The pay of one charge pays all pending ones of its account.", claim_charge=pay_all),
        "paid-by-itself": changes_result(
            "A charge is paid by itself a moment after its creation.", new_charge=pay_by_itself).also("PAY-PAYS-14"),
        "paid-by-first-query": changes_result("A sandbox charge is paid by its first query.",
            get_charge=pay_once_queried).also("PAY-PAYS-01"),
    },
    "PAY-PAYS-22": {
        "refused-and-paid-in": acts_though_refused(
            "A second pay is refused, and its amount paid in once more.", "pay_charge", "state",
            lambda rules, charge: rules.credit_payment(charge)),
    },
    "PAY-PAYS-26": {
        "long-id-returns-500": answers_ids("pay_charge", is_long).also("PAY-ERR-12"),
    },
}  # fmt: skip


@mutant("PAY-PAYS-01/not-with-billing-address")
class NotWithBillingAddress(PaymentsRules):
    """A charge whose customer has a billingAddress cannot be paid."""

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        charge = super().new_charge(access, read)
        self.__dict__.setdefault("billed", {})[charge["id"]] = read["customer"]["billingAddress"]
        return charge

    def may_pay(self, charge: Row) -> bool:
        return super().may_pay(charge) and not self.__dict__["billed"][charge["id"]]


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


@mutant("PAY-PAYS-18/all-succeed", "PAY-PAYS-20", "PAY-PAYS-21", group="concurrency")
class AllSucceed(LooksEarly):
    """Simultaneous pays of one charge all succeed."""

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        return self.store.update("payments_charge", changes, id=charge["id"]) == 1


@mutant("PAY-PAYS-18/all-succeed-and-pay-in-once", "PAY-PAYS-21", group="concurrency")
class AllSucceedAndPayInOnce(AllSucceed):
    """Simultaneous pays of one charge all succeed, each with its own endToEndId, and pay in once."""

    def credit_payment(self, charge: Row) -> None:
        settled: set[str] = self.__dict__.setdefault("settled", set())
        if charge["id"] not in settled:
            super().credit_payment(charge)
        settled.add(charge["id"])


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
