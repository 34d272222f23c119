"""Conforming variants where BUS-FIN is silent: balance and ledger."""

from __future__ import annotations

import asyncio
import random
from datetime import datetime, timedelta, timezone
from typing import Any

from pix_conformance.proof.variants.common.other_traffic import MORE_CENTS, OFTEN
from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.business.errors import owner_of
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.state import ROLES, ServerState
from pix_conformance.reference.store import Row

POSTED_S = 9.0
BATCH_S = 40
AT_ONCE = 2
LARGE = 100_000_000
LIVES_S = 86_400
MONTH_S = 30 * 86_400
OLD = 260
LEAST_RESERVED = 1_000_000
BRASILIA = timezone(timedelta(hours=-3))


class NullReserve(BusinessRules):
    """The reserve is shown if it applies to the account (business.md, line 52): null otherwise."""

    def finance_view(self, access: Access) -> dict[str, Any]:
        """Have none."""
        return super().finance_view(access) | {"reserve_cents": None}


class NoReserve(BusinessRules):
    """The reserve is shown if it applies to the account (business.md, line 52)."""

    def finance_view(self, access: Access) -> dict[str, Any]:
        """Leave it out."""
        view = super().finance_view(access)
        del view["reserve_cents"]
        return view


class ShowsOwnEntries(BusinessRules):
    """Which entries a posting shows is not stated: that of the merchant's account alone."""

    def capture(self, charge: Row) -> None:
        """Post one entry."""
        self.post(owner_of(charge), "pix.in", "", ("merchant_available", CREDIT, charge["amount"]))


class TwoPostings(BusinessRules):
    """How many postings a capture makes, and of which types, is not stated."""

    def capture(self, charge: Row) -> None:
        """Settle at once besides."""
        super().capture(charge)
        owner = Access(charge["account"], charge["environment"])
        pair = ("psp_clearing", CREDIT, charge["amount"]), ("settlement", DEBIT, charge["amount"])
        self.post(owner, "settlement", "settled", *pair)


class KeepsFees(BusinessRules):
    """Whether the balance moves by the gross or the net amount is not stated."""

    def capture_fee(self, amount: int) -> int:
        """Keep three per cent."""
        return amount * 3 // 100


class BooksWhatIsDue(BusinessRules):
    """What is posted beside a payment is not said: a new charge is due, and no longer so when it ends unpaid."""

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        """Post what is due."""
        answer = super().open_charge(call, read)
        self.due(call.access, "charge.created", ("receivable", "deferred"), read["amount_cents"])
        return answer

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Take it back."""
        claimed = super().claim_charge(charge, changes)
        if claimed and changes.get("status") in {"canceled", "expired"}:
            owner = Access(charge["account"], charge["environment"])
            self.due(owner, "charge.reversed", ("deferred", "receivable"), charge["amount"])
        return claimed

    def due(self, owner: Access, event_type: str, accounts: tuple[str, str], amount: int) -> None:
        """Post between two accounts."""
        debited, credited = accounts
        self.post(owner, event_type, "not yet paid", (debited, DEBIT, amount), (credited, CREDIT, amount))


class HoldsReserve(BusinessRules):
    """An amount is held as risk reserve, if applicable (business.md, line 52): a fifth of each payment."""

    def capture(self, charge: Row) -> None:
        """Share it out."""
        amount = charge["amount"]
        held = amount // 5
        shares = ("merchant_available", CREDIT, amount - held), ("merchant_reserve", CREDIT, held)
        self.post(owner_of(charge), "payment.captured", "", ("1.1.01", DEBIT, amount), *shares)


class PostsNet(BusinessRules):
    """Whether the ledger shows the gross or the net amount is not stated: the net, its fee apart."""

    def capture(self, charge: Row) -> None:
        """Keep one per cent."""
        fee = charge["amount"] // 100 + 1
        owner = Access(charge["account"], charge["environment"])
        net = charge["amount"] - fee
        self.post(owner, "payment.captured", "net", ("psp_clearing", DEBIT, net), ("merchant_available", CREDIT, net))
        self.post(owner, "payment.fee", "fee", ("psp_clearing", DEBIT, fee), ("service_fees", CREDIT, fee))


class PostsOnSettlement(BusinessRules):
    """When a payment is posted is not stated: on settlement, a day later."""

    def capture(self, charge: Row) -> None:
        """Leave the ledger as it is."""


class PostsLater(BusinessRules):
    """When a payment is posted is not stated: some seconds later."""

    def capture(self, charge: Row) -> None:
        """Post when others have had their turn."""
        asyncio.get_running_loop().call_later(random.random() * POSTED_S, super().capture, charge)  # noqa: S311  # jitter


class PostsInBatches(BusinessRules):
    """When a payment is posted is not stated: the first ones at once, later ones every 40 seconds."""

    def capture(self, charge: Row) -> None:
        """Post now or with the next batch."""
        posted = self.__dict__.setdefault("posted", [])
        posted.append(charge["id"])
        wait = 0.0 if len(posted) <= AT_ONCE else BATCH_S - self.clock.now() % BATCH_S
        asyncio.get_running_loop().call_later(wait, super().capture, charge)


class HoldsLargePayments(BusinessRules):
    """When a payment is posted is not stated: one of a million reais and more after a review."""

    def capture(self, charge: Row) -> None:
        """Leave it to the review."""
        if charge["amount"] < LARGE:
            super().capture(charge)


class BusinessColleagues(BusinessRules):
    """Others may use the account as well: they create, cancel and are paid charges, with and without a label."""

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        """Let some of theirs follow."""
        answer = super().open_charge(call, read)
        if random.random() < OFTEN:  # noqa: S311  # by chance, not a secret
            cents = read["amount_cents"] + MORE_CENTS
            paid = self._made(call.access, read | {"external_ref": None, "amount_cents": cents})
            changes = self.paid_changes(paid)
            self.claim_charge(paid, changes)
            self.capture(paid | changes)
            self.emit("business.pix.paid", paid | changes)
            lost = self._made(call.access, read | {"external_ref": "colleague", "amount_cents": cents + 1})
            self.claim_charge(lost, {"status": "canceled"})
            self.emit("business.pix.canceled", lost | {"status": "canceled"})
        return answer

    def _made(self, access: Access, read: dict[str, Any]) -> Row:
        charge = self.new_charge(access, read)
        self.store.insert("business_charge", charge)
        self.emit("business.pix.created", charge)
        return charge


class SettlesSoon(BusinessRules):
    """When an account is settled is not said: a moment after each payment all of it goes to the bank."""

    def capture(self, charge: Row) -> None:
        """Credit it, then settle."""
        super().capture(charge)
        asyncio.get_running_loop().call_later(random.random() * 0.3, self.settle, charge)  # noqa: S311  # jitter

    def settle(self, charge: Row) -> None:
        """Move it on."""
        amount, owner = charge["amount"], Access(charge["account"], charge["environment"])
        self.post(owner, "settlement", "to the bank", ("merchant_available", DEBIT, amount), ("bank", CREDIT, amount))


class StampsByEpoch(BusinessRules):
    """Of an event and a posting only a timestamp is said (business.md, lines 62 and 153): epoch seconds."""

    def posting_view(self, posting: Row) -> dict[str, Any]:
        """Write them as a string."""
        return super().posting_view(posting) | {"created_at": str(int(posting["created_at"]))}

    def event_payload(self, event: str, row: Row) -> dict[str, Any]:
        """Write them as a number."""
        return super().event_payload(event, row) | {"created_at": int(self.clock.now())}


class OldestPostingFirst(BusinessRules):
    """The order of the postings is not stated."""

    def finance_view(self, access: Access) -> dict[str, Any]:
        """Turn it round."""
        view = super().finance_view(access)
        return view | {"transactions": view["transactions"][::-1]}


class HasHistory(BusinessRules):
    """An account may have charges and postings of before, and be in debt."""

    def __init__(self, world: ServerState) -> None:
        """Fill the books."""
        super().__init__(world)
        owner = ROLES["merchant"]
        texts = {"description": "old", "external_ref": "old", "customer_email": None}
        for number in range(OLD):
            row = self.new_charge(owner, {"amount_cents": 100 + number, "expires_in_seconds": LIVES_S, **texts})
            status, ago = ("paid", "canceled", "expired")[number % 3], MONTH_S + OLD - number
            moments = {name: row[name] - ago for name in ("created_at", "expires_at")}
            self.store.insert("business_charge", row | moments | {"status": status})
            self.post(owner, "refund", "", ("merchant_available", DEBIT, 5000), ("psp_clearing", CREDIT, 5000))


class NumbersPostings(BusinessRules):
    """That a posting keeps its id is not stated: it is its place in the answer."""

    def finance_view(self, access: Access) -> dict[str, Any]:
        """Number them."""
        view = super().finance_view(access)
        return view | {"transactions": [one | {"id": str(at)} for at, one in enumerate(view["transactions"], 1)]}


class ReservesTheRest(BusinessRules):
    """What is held as reserve is not stated (business.md, line 52): all beyond ten thousand reais."""

    def available(self, access: Access) -> int:
        """Release no more."""
        return min(super().available(access), LEAST_RESERVED)

    def finance_view(self, access: Access) -> dict[str, Any]:
        """Show the rest as reserve."""
        reserved = max(0, super().available(access) - LEAST_RESERVED)
        return super().finance_view(access) | {"reserve_cents": reserved}


class DatesPostings(BusinessRules):
    """The form of a posting's created_at is not named (business.md, line 62): that of a Brazilian statement."""

    def posting_view(self, posting: Row) -> dict[str, Any]:
        """Write it in that form, in the time of Brasilia."""
        there = datetime.fromtimestamp(posting["created_at"], BRASILIA)
        return super().posting_view(posting) | {"created_at": there.strftime("%d/%m/%Y %H:%M:%S")}


VARIANTS = [
    Variant("business-no-reserve", ("BUS-FIN-06",), {"null": NullReserve}),
    Variant("business-reserve", ("BUS-FIN-06",), {"absent": NoReserve}),
    Variant("business-entries", ("BUS-FIN-19",), {"own": ShowsOwnEntries}),
    Variant("business-capture", ("BUS-FIN-19", "BUS-FIN-20"), {"two": TwoPostings, "fees": KeepsFees}),
    Variant("business-accruals", ("BUS-FIN-19", "BUS-FIN-20"), {"due": BooksWhatIsDue}),
    Variant("business-risk", ("BUS-FIN-19", "BUS-FIN-20"), {"reserve": HoldsReserve}),
    Variant(
        "business-ledger",
        ("BUS-FIN-19", "BUS-FIN-20"),
        {"net": PostsNet, "settlement": PostsOnSettlement, "later": PostsLater},
    ),
    Variant("business-posting-moments", ("BUS-FIN-19",), {"batches": PostsInBatches, "review": HoldsLargePayments}),
    Variant("business-colleagues", ("BUS-FIN-20",), {"charges": BusinessColleagues}),
    Variant("business-settlement", ("BUS-FIN-20",), {"soon": SettlesSoon}),
    Variant("business-stamps", ("BUS-FIN-21",), {"epoch": StampsByEpoch}),
    Variant("business-posting-order", ("BUS-FIN-21",), {"oldest": OldestPostingFirst}),
    Variant("business-history", ("BUS-FIN-21",), {"long": HasHistory}),
    Variant("business-posting-ids", ("BUS-FIN-24",), {"places": NumbersPostings}),
    Variant("business-reserve-of-rest", ("BUS-FIN-25",), {"rest": ReservesTheRest}),
    Variant("business-posting-times", ("BUS-FIN-26",), {"statement": DatesPostings}),
]
