"""Conforming variants where BUS-FIN is silent: balance and ledger."""

import asyncio
import random
from datetime import datetime, timedelta, timezone
from typing import Any

from pix_conformance.proof.difference import changes_result, setting, variant
from pix_conformance.proof.variants.common.other_traffic import MORE_CENTS, OFTEN
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.business.errors import owner_of
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.state import ROLES, ServerState
from pix_conformance.reference.store import Row

POSTED_WITHIN_S = 9.0
BATCH_S = 40
AT_ONCE = 2
REVIEWED_CENTS = 100_000_000
LIFE_S = 86_400
MONTH_S = 30 * 86_400
OLD_CHARGES = 260
RELEASED_CENTS = 1_000_000
BRASILIA = timezone(timedelta(hours=-3))
TEXTS = {"description": "old", "external_ref": "old", "customer_email": None}


def post_own_entry(rules: Any, charge: Row) -> None:
    rules.post(owner_of(charge), "pix.in", "", ("merchant_available", CREDIT, charge["amount"]))


def post_settlement(rules: Any, _: None, charge: Row) -> None:
    pair = ("psp_clearing", CREDIT, charge["amount"]), ("settlement", DEBIT, charge["amount"])
    rules.post(owner_of(charge), "settlement", "settled", *pair)


def post_with_reserve(rules: Any, charge: Row) -> None:
    amount, held = charge["amount"], charge["amount"] // 5
    shares = ("merchant_available", CREDIT, amount - held), ("merchant_reserve", CREDIT, held)
    rules.post(owner_of(charge), "payment.captured", "", ("1.1.01", DEBIT, amount), *shares)


def post_net(rules: Any, charge: Row) -> None:
    owner, fee = owner_of(charge), charge["amount"] // 100 + 1
    net = charge["amount"] - fee
    rules.post(owner, "payment.captured", "net", ("psp_clearing", DEBIT, net), ("merchant_available", CREDIT, net))
    rules.post(owner, "payment.fee", "fee", ("psp_clearing", DEBIT, fee), ("service_fees", CREDIT, fee))


def numbered(_rules: Any, view: dict[str, Any], _: Access) -> dict[str, Any]:
    return view | {"transactions": [one | {"id": str(at)} for at, one in enumerate(view["transactions"], 1)]}


def dated_as_statement(_rules: Any, view: dict[str, Any], posting: Row) -> dict[str, Any]:
    there = datetime.fromtimestamp(posting["created_at"], BRASILIA)
    return view | {"created_at": there.strftime("%d/%m/%Y %H:%M:%S")}


VARIANTS = {
    "BUS-FIN-06": {
        "reserve-is-null": changes_result(
            "reserve_cents is null: it applies to some accounts only (business.md, line 52).",
            finance_view=lambda _rules, view, _: view | {"reserve_cents": None}),
        "reserve-is-absent": changes_result(
            "reserve_cents is absent: it applies to some accounts only (business.md, line 52).",
            finance_view=lambda _rules, view, _: {name: view[name] for name in view if name != "reserve_cents"}),
    },
    "BUS-FIN-19": {
        "own-entry-only": setting(
            "A posting has the entry of the merchant only: which entries it has is not stated (business.md, line 63).",
            capture=post_own_entry),
        "settled-at-once": changes_result(
            "A payment makes a second posting, of its settlement: how many it makes is not stated "
            "(business.md, lines 60 and 79).", capture=post_settlement).also("BUS-FIN-20"),
        "fifth-in-reserve": setting(
            "A fifth of each payment is held as reserve, if that applies (business.md, line 52).",
            capture=post_with_reserve).also("BUS-FIN-20"),
    },
    "BUS-FIN-20": {
        "fee-of-three-percent": setting(
            "The balance rises by the payment less three per cent: gross or net is not stated "
            "(business.md, lines 51 and 79).",
            capture_fee=lambda _rules, amount: amount * 3 // 100).also("BUS-FIN-19"),
        "net-and-fee": setting(
            "A payment is posted net, its fee in another posting: gross or net is not stated "
            "(business.md, lines 51 and 60-63).", capture=post_net).also("BUS-FIN-19"),
        "posted-on-settlement": setting(
            "A payment is posted on settlement, a day later: when it is, is not stated (business.md, lines 51-53).",
            capture=lambda _rules, _charge: None).also("BUS-FIN-19"),
    },
    "BUS-FIN-21": {"oldest-first": changes_result(
            "The oldest posting comes first: their order is not stated (business.md, line 53).",
            finance_view=lambda _rules, view, _: view | {"transactions": view["transactions"][::-1]})},
    "BUS-FIN-24": {"ids-are-places": changes_result(
            "The id of a posting is its place in the response: that it stays is not stated (business.md, line 59).",
            finance_view=numbered)},
    "BUS-FIN-26": {"dated-as-statement": changes_result(
            "created_at of a posting has the form of a statement of Brazil: its form is not stated "
            "(business.md, line 62).", posting_view=dated_as_statement)},
}  # fmt: skip


@variant("BUS-FIN-19/due-amounts-posted", "BUS-FIN-20")
class PostsDueAmounts(BusinessRules):
    """A new charge is posted as due, and reversed if it ends unpaid: other postings are open (business.md, line 60)."""

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        answer = super().open_charge(call, read)
        self.post_due(call.access, "charge.created", ("receivable", "deferred"), read["amount_cents"])
        return answer

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        claimed = super().claim_charge(charge, changes)
        if claimed and changes.get("status") in {"canceled", "expired"}:
            self.post_due(owner_of(charge), "charge.reversed", ("deferred", "receivable"), charge["amount"])
        return claimed

    def post_due(self, owner: Access, event_type: str, accounts: tuple[str, str], amount: int) -> None:
        """Post between two accounts."""
        debited, credited = accounts
        self.post(owner, event_type, "not yet paid", (debited, DEBIT, amount), (credited, CREDIT, amount))


@variant("BUS-FIN-20/posted-later", "BUS-FIN-19")
class PostsLater(BusinessRules):
    """A payment is posted within 9 s: when it is, is not stated (business.md, lines 51-53)."""

    def capture(self, charge: Row) -> None:
        wait = random.random() * POSTED_WITHIN_S  # noqa: S311  # jitter, not a secret
        asyncio.get_running_loop().call_later(wait, super().capture, charge)


@variant("BUS-FIN-19/posted-in-batches")
class PostsInBatches(BusinessRules):
    """Two payments are posted at once, later ones every 40 s: no time is stated (business.md, lines 51-53)."""

    def capture(self, charge: Row) -> None:
        posted = self.__dict__.setdefault("posted", [])
        posted.append(charge["id"])
        wait = 0.0 if len(posted) <= AT_ONCE else BATCH_S - self.clock.now() % BATCH_S
        asyncio.get_running_loop().call_later(wait, super().capture, charge)


@variant("BUS-FIN-19/large-payments-reviewed")
class ReviewsLargePayments(BusinessRules):
    """A payment of a million reais or more awaits a review: no time of posting is stated (business.md, lines 51-53)."""

    def capture(self, charge: Row) -> None:
        if charge["amount"] < REVIEWED_CENTS:
            super().capture(charge)


@variant("BUS-FIN-20/others-use-the-account")
class OthersUseTheAccount(BusinessRules):
    """Others create charges with the account, and are paid: it may have several users (business.md, line 138)."""

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        answer = super().open_charge(call, read)
        if random.random() < OFTEN:  # noqa: S311  # by chance, not a secret
            cents = read["amount_cents"] + MORE_CENTS
            paid = self._created(call.access, read | {"external_ref": None, "amount_cents": cents})
            changes = self.paid_changes(paid)
            self.claim_charge(paid, changes)
            self.capture(paid | changes)
            self.emit("business.pix.paid", paid | changes)
            lost = self._created(call.access, read | {"external_ref": "colleague", "amount_cents": cents + 1})
            self.claim_charge(lost, {"status": "canceled"})
            self.emit("business.pix.canceled", lost | {"status": "canceled"})
        return answer

    def _created(self, access: Access, read: dict[str, Any]) -> Row:
        charge = self.new_charge(access, read)
        self.store.insert("business_charge", charge)
        self.emit("business.pix.created", charge)
        return charge


@variant("BUS-FIN-20/settled-soon")
class SettlesSoon(BusinessRules):
    """A payment goes from the balance to the bank within 0.3 s: no time is stated (business.md, line 60)."""

    def capture(self, charge: Row) -> None:
        super().capture(charge)
        asyncio.get_running_loop().call_later(random.random() * 0.3, self.settle, charge)  # noqa: S311  # jitter

    def settle(self, charge: Row) -> None:
        """Post the settlement."""
        pair = ("merchant_available", DEBIT, charge["amount"]), ("bank", CREDIT, charge["amount"])
        self.post(owner_of(charge), "settlement", "to the bank", *pair)


@variant("BUS-FIN-21/epoch-seconds")
class EpochSeconds(BusinessRules):
    """created_at of events and postings is epoch seconds: it is called a timestamp (business.md, lines 62 and 153)."""

    def posting_view(self, posting: Row) -> dict[str, Any]:
        return super().posting_view(posting) | {"created_at": str(int(posting["created_at"]))}

    def event_payload(self, event: str, row: Row) -> dict[str, Any]:
        return super().event_payload(event, row) | {"created_at": int(self.clock.now())}


@variant("BUS-FIN-21/account-with-history")
class HasHistory(BusinessRules):
    """The account has earlier charges and postings, and debts: it need not be new (business.md, line 53)."""

    def __init__(self, world: ServerState) -> None:
        super().__init__(world)
        owner = ROLES["merchant"]
        for number in range(OLD_CHARGES):
            row = self.new_charge(owner, {"amount_cents": 100 + number, "expires_in_seconds": LIFE_S, **TEXTS})
            status, ago = ("paid", "canceled", "expired")[number % 3], MONTH_S + OLD_CHARGES - number
            moments = {name: row[name] - ago for name in ("created_at", "expires_at")}
            self.store.insert("business_charge", row | moments | {"status": status})
            self.post(owner, "refund", "", ("merchant_available", DEBIT, 5000), ("psp_clearing", CREDIT, 5000))


@variant("BUS-FIN-25/rest-in-reserve")
class ReservesTheRest(BusinessRules):
    """All beyond 10,000.00 is held as reserve: what is held is not stated (business.md, line 52)."""

    def available(self, access: Access) -> int:
        return min(super().available(access), RELEASED_CENTS)

    def finance_view(self, access: Access) -> dict[str, Any]:
        reserved = max(0, super().available(access) - RELEASED_CENTS)
        return super().finance_view(access) | {"reserve_cents": reserved}
