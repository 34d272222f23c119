"""Mutants of BUS-STATE, BUS-CAN and BUS-EXP, the states of a charge."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from pix_conformance.reference import formats
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.mutants.operators import *
from pix_conformance.sandbox.variants.business.pay import post_unsettled

GROUP = "state"
GROUP_OF_AREA = {"BUS-EXP": "time"}

PAID = "business.pix.paid"
BEING_PAID_S, SOON_S = 0.08, 0.005
"""How long a payment takes, and from when on another request is a later one, in seconds."""
READ_EARLY_S = 0.1
LATER_S = 1.0
"""Seconds after a payment from which on another one is a late one."""
LOOKS_EARLY = look_early(0.3, "pay", "cancel")


def credit(rules: Any, charge: Row, share: int = 1) -> None:
    """Raise the balance by the amount of a charge, and post nothing."""
    key = {"book": rules.book(owner_of(charge)), "account_code": "merchant_available"}
    held = rules.balance_of(owner_of(charge), "merchant_available")
    rules.store.put("balance", key | {"amount": held + share * charge["amount"]})


def refund(rules: Any, charge: Row) -> None:
    entries = ("merchant_available", DEBIT, charge["amount"]), ("psp_clearing", CREDIT, charge["amount"])
    rules.post(owner_of(charge), "refund.reversal", "canceled", *entries)


def paid_anew(rules: Any, charge: Row) -> Answer:
    other = {"end_to_end_id": formats.end_to_end_id(rules.clock.now())}
    return Answer(200, rules.charge_view(None, charge | other))


def expire_if_overdue(rules: Any, charge: Row, *_: Any) -> Row:
    if rules.is_overdue(charge):
        becomes("expired")(rules, charge)
        return charge | {"status": "expired"}
    return charge


def changes_last(status: str, before: str = "") -> Callable[..., bool]:
    """Change a charge to a status from any status, or from one."""

    def claim(rules: Any, right: Callable[..., bool], charge: Row, changes: Row) -> bool:
        now = rules.store.find("business_charge", id=charge["id"])["status"]
        last = changes["status"] == status and before in {"", now}
        return bool(rules.store.update("business_charge", changes, id=charge["id"])) if last else right(charge, changes)

    return claim


def claims_again(status: str) -> Callable[..., bool]:
    """Report the change to a status again, and change nothing."""

    def claim(rules: Any, right: Callable[..., bool], charge: Row, changes: Row) -> bool:
        now = rules.store.find("business_charge", id=charge["id"])["status"]
        return right(charge, changes) or now == changes["status"] == status

    return claim


def capture_once(rules: Any, right: Callable[..., None], charge: Row) -> None:
    if not rules.store.find("posting", description=f"PIX charge {charge['id']}"):
        right(charge)


def capture_again_later(rules: Any, charge: Row) -> None:
    posting = rules.store.find("posting", description=f"PIX charge {charge['id']}")
    if posting and rules.clock.now() - posting["created_at"] > LATER_S:
        rules.capture(charge)


def note_loser(rules: Any, right: Callable[..., bool], charge: Row, changes: Row) -> bool:
    done = right(charge, changes)
    if not done:
        rules.__dict__.setdefault("turns", {})[charge["id"]] = 0
    return done


def show_in_turns(rules: Any, right: Callable[..., Any], call: Call, charge: Row) -> Any:
    view, turns = right(call, charge), rules.__dict__.get("turns", {})
    if call is None or call.operation != "get_charge" or charge["id"] not in turns:
        return view
    turns[charge["id"]] += 1
    return view | {"status": ("paid", "canceled")[turns[charge["id"]] % 2]}


def cancel_instead(rules: Any, result: Row, call: Call, charge: Row) -> Row:
    if call.operation == "pay_charge" and (charge["status"], result["status"]) == ("pending", "expired"):
        becomes("canceled")(rules, charge)
        return charge | {"status": "canceled"}
    return result


MUTANTS = {
    "BUS-STATE-01/set-by-body": changes_result("A creation that names a status creates a charge of that status.",
        read_charge=lambda _, read, body: read | ({"status": str(body["status"])} if body.get("status") else {}),
        new_charge=lambda _, row, _access, read: row | ({"status": read["status"]} if "status" in read else {})),
    "BUS-STATE-02/expired-shown-as-timed-out": shows_status("expired", "timed_out").also("BUS-EXP-01", "BUS-EXP-06"),
    "BUS-STATE-03/pending-after-query": acts_after("A paid charge becomes pending once a query has shown it.",
        get_charge=lambda rules, _, call: rules.store.update(
            "business_charge", {"status": "pending"}, id=call.params["id"], status="paid")),
    "BUS-STATE-03/expires-when-paid-again": changes_result("A charge after its expires_at becomes expired",
        owned=expire_if_overdue).when(on("pay_charge"), in_status("paid")).of("time"),
    "BUS-STATE-03/simultaneous-cancel-overwrites": overrides(
        "A cancel succeeds after a simultaneous pay, and overwrites it.",
        pause=LOOKS_EARLY, claim_charge=changes_last("canceled")).also("BUS-STATE-18")
        .seen_in("BUS-STATE-12").of("concurrency"),
    "BUS-STATE-03/cancel-overwrites-within-3-ms": overrides(
        "A cancel that comes within 3 ms of a pay succeeds too, and overwrites it.",
        pause=look_early(0.003, "pay", "cancel"), claim_charge=changes_last("canceled")).also("BUS-STATE-18")
        .seen_in("BUS-STATE-12").of("concurrency"),
    "BUS-STATE-04/expires-when-paid": changes_result("A charge after its expires_at becomes expired",
        owned=expire_if_overdue).when(on("pay_charge"), in_status("canceled")).of("time"),
    "BUS-STATE-05/payable": setting("An expired charge can be paid.", payable=("pending", "expired"))
        .also("BUS-EXP-02"),
    "BUS-STATE-05/canceled-by-refused-cancel": acts_though_refused(
        "A cancel is refused, and the charge becomes canceled", "cancel_charge", "state", becomes("canceled"))
        .when(in_status("expired")),
    "BUS-STATE-06/pay-overwrites": overrides("A pay succeeds after a simultaneous pay or cancel, and overwrites it.",
        pause=LOOKS_EARLY, claim_charge=changes_last("paid")).also("BUS-STATE-12", "BUS-STATE-18").of("concurrency"),
    "BUS-STATE-06/unsettled-captured-each": overrides(
        "Simultaneous pays all succeed, and each leaves two postings, neither of which raises the balance.",
        pause=LOOKS_EARLY, claim_charge=claims_again("paid"), emit=emit_once,
        capture=lambda rules, _, charge: post_unsettled(rules, charge)).of("concurrency"),
    "BUS-STATE-07/shown-in-turns": overrides(
        "A charge that lost a simultaneous pay or cancel is shown as paid and as canceled in turns.",
        pause=LOOKS_EARLY, claim_charge=note_loser, charge_view=show_in_turns).of("concurrency"),
    "BUS-STATE-08/payable": setting("A paid charge can be paid again.", payable=("pending", "paid"))
        .also("BUS-STATE-13", "BUS-STATE-14", "BUS-EVT-28", "BUS-EVT-14"),
    "BUS-STATE-08/payable-since-query": payable_since_query(2),
    "BUS-STATE-08/credited-by-refused-pay": acts_though_refused(
        "A pay is refused, and raises the balance", "pay_charge", "state", credit).when(in_status("paid")),
    "BUS-STATE-08/captured-by-late-pay": acts_though_refused(
        "A pay more than a second after the payment is refused, and posted again", "pay_charge", "state",
        capture_again_later).when(in_status("paid")),
    "BUS-STATE-09/last-pay-gives-e2e-id": overrides(
        "Simultaneous pays all succeed, are posted and sent once, and the last one gives the e2e_id.",
        pause=LOOKS_EARLY, claim_charge=changes_last("paid"), capture=capture_once, emit=emit_once).of("concurrency"),
    "BUS-STATE-10/each-pay-sends-event": overrides(
        "Simultaneous pays all succeed, are posted once, and send an event each.",
        pause=LOOKS_EARLY, claim_charge=claims_again("paid"), capture=capture_once).of("concurrency"),
    "BUS-STATE-11/credited-twice": changes_result(
        "A payment raises the balance by twice its amount, and is posted once.",
        available=lambda _, cents, _access: 2 * cents),
    "BUS-STATE-12/simultaneous-pay-overwrites": overrides(
        "A pay succeeds after a simultaneous cancel, and overwrites it.",
        pause=LOOKS_EARLY, claim_charge=changes_last("paid", "canceled")).also("BUS-STATE-18").of("concurrency"),
    "BUS-STATE-12/pay-overwrites-within-3-ms": overrides(
        "A pay that comes within 3 ms of a cancel succeeds too, and overwrites it.",
        pause=look_early(0.003, "pay", "cancel"), claim_charge=changes_last("paid", "canceled")).also("BUS-STATE-18")
        .of("concurrency"),
    "BUS-STATE-19/paid-shown-late": shows_before("paid", "get_charge", "claim_charge", 0.8)
        .seen_in("BUS-PAY-26").of("concurrency"),
    "BUS-STATE-19/canceled-shown-late": shows_before("canceled", "get_charge", "claim_charge", 0.8)
        .seen_in("BUS-CAN-16").of("concurrency"),
    "BUS-STATE-13/second-pay-returns-another-e2e-id": acts_though_refused(
        "A pay returns 200 and another e2e_id, which no query shows", "pay_charge", "state", paid_anew)
        .when(in_status("paid")),
    "BUS-STATE-14/second-pay-sends-event": sends_though_refused(PAID, "pay_charge", "state", charge_of)
        .when(in_status("paid")).also("BUS-EVT-19"),
    "BUS-STATE-15/refunded-by-refused-cancel": acts_though_refused(
        "A cancel is refused, and the payment posted back", "cancel_charge", "state", refund).when(in_status("paid")),
    "BUS-STATE-16/debited-by-cancel": acts_after("A cancel lowers the balance by the amount, which was never paid.",
        cancel_charge=lambda rules, _, call: credit(rules, rules.owned(call), -1)),
    "BUS-STATE-17/captured-when-detected": acts_after("The query that detects the expiry of a charge posts its payment",
        expire_if_overdue=capture_if_expired).when(on("get_charge"), in_status("pending")),
    "BUS-CAN-01/never": refuses_operation("cancel_charge"),
    "BUS-CAN-01/not-with-description": refuses_operation("cancel_charge").when(DESCRIBED),
    "BUS-CAN-01/not-in-last-30-s": refuses_operation("cancel_charge").when(near_expiry(30)).of("time"),
    "BUS-CAN-16/without-effect": no_transition_to("canceled"),
    "BUS-CAN-02/body-required": requires_body("cancel_charge")
        .also("BUS-CAN-01", "BUS-CAN-04", "BUS-CAN-06", "BUS-ENV-08", "BUS-ENV-10", "BUS-ISO-02"),
    "BUS-CAN-04/paid-is-cancelable": setting("A paid charge can be canceled.", cancelable=("pending", "paid"))
        .also("BUS-STATE-03"),
    "BUS-CAN-04/of-paid-returns-400": refused("state", "cancel_charge", status=400).when(in_status("paid")),
    "BUS-CAN-05/canceled-is-cancelable": setting(
        "A canceled charge can be canceled.", cancelable=("pending", "canceled")).also("BUS-EVT-28"),
    "BUS-CAN-06/late-pay-leaves-pending": overrides(
        "A payment after the expiry is refused, and the charge can be canceled all the same.",
        expire_if_overdue=lambda rules, right, call, charge: (charge | {"status": "expired"}
            if call.operation == "pay_charge" and charge["status"] == "pending" and rules.is_overdue(charge)
            else right(call, charge))).of("time"),
    "BUS-CAN-08/of-unknown-returns-409": refused("missing", "cancel_charge", status=409).when(OF_UNKNOWN_CHARGE)
        .of("isolation"),
    "BUS-CAN-17/each-of-simultaneous-succeeds": overrides("Simultaneous cancels all return 2xx, and send one event.",
        pause=look_early(0.3, "cancel"), claim_charge=claims_again("canceled"), emit=emit_once).of("concurrency"),
    "BUS-CAN-18/id-with-dots-returns-422": answers_ids(
        "cancel_charge", contains(".", "a dot"), 422, detail="id is malformed"),
    "BUS-CAN-15/long-id-returns-500": answers_ids("cancel_charge", is_long).also("BUS-GEN-03"),
    "BUS-EXP-02/not-by-a-pay": setting("A pay does not detect the expiry of a charge, a query does.",
        detects_expiry=lambda _, operation: operation in {"get_charge", "list_charges"}),
    "BUS-EXP-06/canceled-by-late-pay": changes_result(
        "A pay after the expiry of a charge, which no request has noticed, cancels it.",
        expire_if_overdue=cancel_instead),
    "BUS-EXP-07/posted-by-late-pay": acts_after("The pay that detects the expiry of a charge posts its payment.",
        expire_if_overdue=capture_if_expired).when(on("pay_charge"), in_status("pending")),
    "BUS-EXP-03/half-a-minute-early": setting("A charge expires 30 s before its expires_at.",
        is_overdue=lambda rules, charge: rules.clock.now() >= charge["expires_at"] - 30),
}  # fmt: skip


@mutant("BUS-STATE-04/expiry-overwrites-last-cancel")
class ExpiryOverwritesLastCancel(BusinessRules):
    """The expiry reads a charge 100 ms before its expires_at, and overwrites a cancel that comes meanwhile."""

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        if changes["status"] == "canceled" and 0 < charge["expires_at"] - self.clock.now() < READ_EARLY_S:
            self.__dict__.setdefault("read", set()).add(charge["id"])
        return super().claim_charge(charge, changes)

    def owned(self, call: Call) -> Row:
        charge = super().owned(call)
        return expire_if_overdue(self, charge) if charge["id"] in self.__dict__.get("read", ()) else charge


@mutant("BUS-EXP-01/prolonged-by-queries", seen_in=("BUS-EXP-03",))
class ProlongedByQueries(BusinessRules):
    """A query of a pending charge prolongs its life by its whole length."""

    def is_overdue(self, charge: Row) -> bool:
        return self.clock.now() >= float(self.__dict__.get(f"end of {charge['id']}") or charge["expires_at"])

    def expire_if_overdue(self, call: Call, charge: Row) -> Row:
        result = super().expire_if_overdue(call, charge)
        if result["status"] == "pending" and call.operation == "get_charge":
            life = charge["expires_at"] - charge["created_at"]
            self.__dict__[f"end of {charge['id']}"] = self.clock.now() + life
        return result


@mutant("BUS-STATE-18/cancel-of-a-charge-that-is-being-paid", "BUS-STATE-12", seen_in=("BUS-STATE-07",))
class CanceledWhilePaid(BusinessRules):
    """A cancel that comes some milliseconds after a payment that is being processed succeeds, and so does that."""

    async def pause(self, call: Call, place: str) -> None:
        if place == "pay":
            self.__dict__.setdefault("being paid", {})[call.params["id"]] = time.monotonic()
            await asyncio.sleep(BEING_PAID_S)
        await super().pause(call, place)

    async def cancel_charge(self, call: Call) -> Answer:
        since = time.monotonic() - self.__dict__.get("being paid", {}).get(call.params["id"], 0.0)
        if SOON_S < since < BEING_PAID_S:
            return Answer(200, self.cancel_view(call, self.owned(call) | {"status": "canceled"}))
        return await super().cancel_charge(call)
