"""Conforming variants where BUS-PAY and BUS-FIN are silent: the simulation of a payment, balance and ledger."""

import asyncio
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

from pix_conformance.model.states import states_of
from pix_conformance.model.vocabulary import Api
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.http import Operation
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.state import ROLES
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.variants.common import *

TRANSITION_S = 0.4
TURN_S = 0.01
LATER_S = 1.8
ENTERED_S = 0.1


async def serve_in_turn(rules: Any, right: Operation, call: Call) -> Answer:
    async with rules.__dict__.setdefault("turn", asyncio.Lock()):
        await asyncio.sleep(TURN_S)
        return await right(call)


async def confirm_later(rules: Any, right: Operation, call: Call) -> Answer:
    async def confirm() -> None:
        await asyncio.sleep(LATER_S)
        with suppress(Refusal):
            await right(accepted)

    if not (rules.may_simulate(call.access) and rules.may_pay(rules.expire_if_overdue(call, rules.owned(call)))):
        return await right(call)
    accepted = replace(call, has_gone=Call.has_gone)  # its client may go once it has the response
    rules.state.outbox.begin(confirm())
    return Answer(202, {"accepted": True})


def refused_with(status: Callable[[str], int]) -> Callable[..., Answer]:
    """Refuse a pay that is not possible with a status that depends on the message."""
    return lambda _, right, call, refusal: (
        Answer(status(refusal.message), right.body, right.headers)
        if call.operation == "pay_charge" and refusal.kind == "state"
        else right
    )


POSTED_WITHIN_S = 9.0
BATCH_S = 40
AT_ONCE = 2
REVIEWED_CENTS = 100_000_000
CHARGE = states_of(Api.BUSINESS)["charge"]
LIFE_S = 86_400
MONTH_S = 30 * 86_400
OLD_CHARGES = 260
RELEASED_CENTS = 1_000_000
BRASILIA = timezone(timedelta(hours=-3))
TEXTS = {"description": "old", "external_ref": "old"}
ENDED = [status for status in CHARGE.statuses if status != CHARGE.creation.target]
"""The statuses of earlier charges."""


def post_settlement(rules: Any, _: None, charge: Row) -> None:
    pair = ("psp_clearing", CREDIT, charge["amount"]), ("settlement", DEBIT, charge["amount"])
    rules.post(owner_of(charge), "settlement", "settled", *pair)


def post_unsettled(rules: Any, charge: Row) -> None:
    """Post a payment in two postings, neither of which raises the balance."""
    for kind, debited, credited in (("payment.captured", "psp_clearing", "due"), ("settlement.planned", "due", "open")):
        rules.post(owner_of(charge), kind, "", (debited, DEBIT, charge["amount"]), (credited, CREDIT, charge["amount"]))


def post_with_reserve(rules: Any, charge: Row) -> None:
    amount, held = charge["amount"], charge["amount"] // 5
    shares = ("merchant_available", CREDIT, amount - held), ("merchant_reserve", CREDIT, held)
    rules.post(owner_of(charge), "payment.captured", "", ("1.1.01", DEBIT, amount), *shares)


def post_net(rules: Any, charge: Row) -> None:
    owner, fee = owner_of(charge), charge["amount"] // 100 + 1
    net = charge["amount"] - fee
    rules.post(owner, "payment.captured", "net", ("psp_clearing", DEBIT, net), ("merchant_available", CREDIT, net))
    rules.post(owner, "payment.fee", "fee", ("psp_clearing", DEBIT, fee), ("service_fees", CREDIT, fee))


def post_due(rules: Any, answer: Answer, call: Call, read: dict[str, Any]) -> None:
    pair = ("receivable", DEBIT, read["amount_cents"]), ("deferred", CREDIT, read["amount_cents"])
    rules.post(call.access, "charge.created", "not yet paid", *pair)


def reverse_due(rules: Any, claimed: object, charge: Row, changes: Row) -> None:
    if claimed and changes.get("status") in {"canceled", "expired"}:
        pair = ("deferred", DEBIT, charge["amount"]), ("receivable", CREDIT, charge["amount"])
        rules.post(owner_of(charge), "charge.reversed", "not yet paid", *pair)


def later(longest_s: float, act: Callable[..., object], *about: Any) -> None:
    """Do something within so many seconds."""
    asyncio.get_running_loop().call_later(random.random() * longest_s, act, *about)  # noqa: S311  # jitter, not a secret


def post_in_batches(rules: Any, right: Callable[[Row], None], charge: Row) -> None:
    posted = rules.__dict__.setdefault("posted", [])
    posted.append(charge["id"])
    wait = 0.0 if len(posted) <= AT_ONCE else BATCH_S - rules.clock.now() % BATCH_S
    asyncio.get_running_loop().call_later(wait, right, charge)


def post_to_bank(rules: Any, charge: Row) -> None:
    pair = ("merchant_available", DEBIT, charge["amount"]), ("bank", CREDIT, charge["amount"])
    rules.post(owner_of(charge), "settlement", "to the bank", *pair)


def make_history(rules: Any) -> None:
    owner = ROLES["merchant"]
    for number in range(OLD_CHARGES):
        body = {"amount_cents": 100 + number, "expires_in_seconds": LIFE_S, **TEXTS}
        row = rules.new_charge(owner, rules.read_charge(body))
        status, ago = ENDED[number % len(ENDED)], MONTH_S + OLD_CHARGES - number
        moments = {name: row[name] - ago for name in ("created_at", "expires_at")}
        rules.store.insert("business_charge", row | moments | {"status": status})
        rules.post(owner, "refund", "", ("merchant_available", DEBIT, 5000), ("psp_clearing", CREDIT, 5000))


def dated_as_statement(_rules: Any, view: dict[str, Any], posting: Row) -> dict[str, Any]:
    moment = datetime.fromtimestamp(posting["created_at"], BRASILIA)
    return view | {"created_at": moment.strftime("%d/%m/%Y %H:%M:%S")}


def enter_later(rules: Any, right: Callable[..., None], posting: Row, *entry: Any) -> None:
    """Enter a credit a moment later; entries are account, direction and cents."""

    async def work() -> None:
        await asyncio.sleep(ENTERED_S)
        right(posting, *entry)

    if entry[1] == CREDIT:
        rules.state.outbox.begin(work())
    else:
        right(posting, *entry)


VARIANTS = {
    "BUS-PAY-03/slow-transitions": pauses("A cancel or pay takes 0.4 s: no time is stated.",
        lambda place: TRANSITION_S if place in {"pay", "cancel"} else 0),
    "BUS-PAY-03/one-request-at-a-time": overrides(
        "Requests are served one after the other: how many are served at once is not stated.", serve=serve_in_turn),
    "BUS-PAY-03/confirmed-later": overrides(
        "A payment is confirmed after 1.8 s: the client polls until the status changes (BUS-PAY-26).",
        pay_charge=confirm_later),
    "BUS-PAY-05/returns-200": changes_refusal(
        "A pay that is not possible returns 200 with the charge: it has no effect.",
        pay_charge=lambda rules, refusal, call: (
            Answer(200, rules.charge_view(call, rules.owned(call))) if refusal.kind == "state" else None))
        .also("BUS-PAY-06", "BUS-PAY-07"),
    "BUS-PAY-05/returns-422": changes_result("A pay that is not possible returns 422: its refusal is not stated.",
        refused=refused_with(lambda _: 422)).also("BUS-PAY-06", "BUS-PAY-07"),
    "BUS-PAY-05/returns-410-or-403": changes_result(
        "A pay of an expired charge returns 410, of another 403: no refusal is stated.",
        refused=refused_with(lambda message: 410 if "expired" in message else 403)).also("BUS-PAY-06"),
    "BUS-FIN-06/reserve-is-null": changes_result("reserve_cents is null: it applies to some accounts only.",
        finance_view=lambda _rules, view, _: view | {"reserve_cents": None}),
    "BUS-FIN-06/reserve-is-absent": changes_result("reserve_cents is absent: it applies to some accounts only.",
        finance_view=lambda _rules, view, _: {name: view[name] for name in view if name != "reserve_cents"}),
    "BUS-FIN-19/own-entry-only": setting(
        "A posting has the entry of the merchant only: which entries it has is not stated.",
        capture=lambda rules, charge: rules.post(
            owner_of(charge), "pix.in", "", ("merchant_available", CREDIT, charge["amount"]))),
    "BUS-FIN-19/settled-at-once": changes_result(
        "A payment makes a second posting, of its settlement: how many it makes is not stated.",
        capture=post_settlement).also("BUS-FIN-20"),
    "BUS-FIN-19/settled-next-day": setting(
        "A payment leaves a posting of its capture and one of the settlement that is due a day later: both are silent.",
        capture=post_unsettled).also("BUS-FIN-20"),
    "BUS-FIN-19/posted-in-batches": overrides(
        "Two payments are posted at once, later ones every 40 s: no time is stated.", capture=post_in_batches)
        .also("BUS-FIN-25").alone_in("capture"),
    "BUS-FIN-19/credit-entered-later": overrides(
        "The credit of a posting is entered 0.1 s after its debit: which entries it has when is not stated.",
        enter=enter_later),
    "BUS-FIN-19/large-payments-reviewed": overrides(
        "A payment of a million reais or more awaits a review: no time of posting is stated.",
        capture=lambda _, right, charge: right(charge) if charge["amount"] < REVIEWED_CENTS else None),
    "BUS-FIN-19/due-amounts-posted": acts_after(
        "A new charge is posted as due, and reversed if it ends unpaid: other postings are open.",
        open_charge=post_due, claim_charge=reverse_due).also("BUS-FIN-20"),
    "BUS-FIN-19/fifth-in-reserve": setting("A fifth of each payment is held as reserve, if that applies (BUS-FIN-05).",
        capture=post_with_reserve).also("BUS-FIN-20"),
    "BUS-FIN-20/fee-of-three-percent": setting(
        "The balance rises by the payment less three per cent: gross or net is not stated.",
        capture_fee=lambda _rules, amount: amount * 3 // 100).also("BUS-FIN-19"),
    "BUS-FIN-20/net-and-fee": setting(
        "A payment is posted net, its fee in another posting: gross or net is not stated.",
        capture=post_net).also("BUS-FIN-19"),
    "BUS-FIN-20/posted-later": overrides("A payment is posted within 9 s: when it is, is not stated.",
        capture=lambda _, right, charge: later(POSTED_WITHIN_S, right, charge)).also("BUS-FIN-19"),
    "BUS-FIN-20/settled-soon": changes_result(
        "A payment goes from the balance to the bank within 0.3 s: no time is stated.",
        capture=lambda rules, _, charge: later(0.3, post_to_bank, rules, charge)),
    "BUS-FIN-20/posted-on-settlement": setting(
        "A payment is posted on settlement, a day later: when it is, is not stated.",
        capture=lambda _rules, _charge: None).also("BUS-FIN-19"),
    "BUS-FIN-21/oldest-first": changes_result("The oldest posting comes first: their order is not stated.",
        finance_view=lambda _rules, view, _: view | {"transactions": view["transactions"][::-1]}),
    "BUS-FIN-21/epoch-seconds": changes_result(
        "created_at of events and postings is epoch seconds: it is called a timestamp (BUS-FIN-18, BUS-EVT-07).",
        posting_view=lambda _, view, posting: view | {"created_at": str(int(posting["created_at"]))},
        event_payload=lambda rules, payload, *_: payload | {"created_at": int(rules.clock.now())}),
    "BUS-FIN-21/account-with-history": starts(
        "The account has earlier charges and postings, and debts: it need not be new.", make_history),
    "BUS-FIN-24/ids-are-places": changes_result(
        "The id of a posting is its place in the response: that it stays is not stated.",
        finance_view=lambda _rules, view, _: view | {
            "transactions": [entry | {"id": str(at)} for at, entry in enumerate(view["transactions"], 1)]}),
    "BUS-FIN-25/rest-in-reserve": overrides(
        "All beyond 10,000.00 is held as reserve: what is held is not stated (BUS-FIN-05).",
        available=lambda _, right, access: min(right(access), RELEASED_CENTS),
        finance_view=lambda rules, right, access: right(access) | {
            "reserve_cents": max(0, rules.balance_of(access, "merchant_available") - RELEASED_CENTS)}),
    "BUS-FIN-26/dated-as-statement": changes_result(
        "created_at of a posting has the form of a statement of Brazil: its form is not stated.",
        posting_view=dated_as_statement),
}  # fmt: skip


@variant("BUS-FIN-20/others-use-the-account")
class OthersUseTheAccount(BusinessRules):
    """Others create charges with the account, and are paid: it may have several users."""

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        answer = super().open_charge(call, read)
        if random.random() < OFTEN:  # noqa: S311  # by chance, not a secret
            cents = read["amount_cents"] + MORE_CENTS
            paid = self._created(call.access, read | {"external_ref": None, "amount_cents": cents})
            changes = self.paid_changes(paid)
            self.claim_charge(paid, changes)
            self.capture(paid | changes)
            self.emit("business.pix.paid", paid | changes)
            charge = self._created(call.access, read | {"external_ref": "colleague", "amount_cents": cents + 1})
            self.claim_charge(charge, {"status": "canceled"})
            self.emit("business.pix.canceled", charge | {"status": "canceled"})
        return answer

    def _created(self, access: Access, read: dict[str, Any]) -> Row:
        charge = self.new_charge(access, read)
        self.store.insert("business_charge", charge)
        self.emit("business.pix.created", charge)
        return charge
