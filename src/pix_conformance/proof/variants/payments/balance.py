"""Conforming variants where PAY-BAL is silent: the balance."""

from __future__ import annotations

import asyncio
import random
import time
from typing import Any, ClassVar

from pix_conformance.proof.variants.common.other_traffic import MORE_CENTS, OFTEN
from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference import formats
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.payments.ownership import owner_of
from pix_conformance.reference.state import ROLES, ServerState
from pix_conformance.reference.store import Row

QUERY_LAG_S = 1.5
LATE_S = 1.5


class DecimalComma(PaymentsRules):
    """The separator of the two decimals is not named: a comma, as Brazil writes it."""

    def money_text(self, cents: int) -> str:
        """Write it so."""
        return super().money_text(cents).replace(".", ",")


def _in_book_of(row: Row, number: str) -> str:
    """Return an id with the prefix that other variants give to ids of one account or environment, if any."""
    book, slash, _ = row["id"].rpartition("/")
    return f"{book}{slash}{number}"


class PaymentsColleagues(PaymentsRules):
    """Others may use the account as well: events of their charges and transfers come to its webhooks."""

    def emit(self, event: str, kind: str, row: Row) -> None:
        """Let some of theirs follow."""
        super().emit(event, kind, row)
        theirs = row | {"amount": row["amount"] + MORE_CENTS, "postback_url": None}
        if event == "transaction_created" and random.random() < OFTEN:  # noqa: S311  # by chance, not a secret
            theirs |= {
                "id": _in_book_of(row, self.new_charge_id()),
                "payer_name": "Joana Lima",
                "end_to_end_id": self._e2e(),
            }
            self.keep("payments_charge", theirs | {"status": "refunded"})
            for name, status in (("created", "pending"), ("paid", "paid"), ("refunded", "refunded")):
                super().emit(f"transaction_{name}", kind, theirs | {"status": status})
        if event == "transfer_created":
            theirs |= {"id": _in_book_of(row, self.new_transfer_id()), "status": "canceled"}
            self.keep("transfer", theirs)
            super().emit("transfer_canceled", kind, theirs)

    def keep(self, table: str, row: Row) -> None:
        """Let queries find it."""
        self.store.insert(table, row)

    def _e2e(self) -> str:
        return formats.end_to_end_id(self.clock.now())


class PaymentsLateColleagues(PaymentsColleagues):
    """Others may use the account as well: a query finds what they made a moment after its events."""

    def keep(self, table: str, row: Row) -> None:
        """Wait with it."""
        self.store.after_commit(lambda: self.world.outbox.begin(self._keep_later(table, row)))

    async def _keep_later(self, table: str, row: Row) -> None:
        await asyncio.sleep(QUERY_LAG_S)
        self.store.insert(table, row)


class BlockedBalance(PaymentsRules):
    """Money may be blocked or in reserve; a wallet may be in debt."""

    def balance_view(self, access: Access) -> dict[str, Any]:
        """Show some of each."""
        return super().balance_view(access) | {
            "reserve": self.wallet_view(123456789),
            "pixBlocked": self.wallet_view(5),
        }


class ShowsBalancesLate(PaymentsRules):
    """Of which moment a balance is, is not said: of 1.5 s ago."""

    def enter(self, posting: Row, account: str, direction: str, amount: int) -> None:
        """Remember when."""
        moves: list[tuple[float, str, str, int]] = self.__dict__.setdefault("moves", [])
        moves.append((time.monotonic(), posting["book"], account, amount if direction == CREDIT else -amount))
        super().enter(posting, account, direction, amount)

    def balance_view(self, access: Access) -> dict[str, Any]:
        """Take away what is young."""
        since = time.monotonic() - LATE_S
        moves: list[tuple[float, str, str, int]] = self.__dict__.get("moves", [])
        young = sum(c for at, book, name, c in moves if at > since and (book, name) == (self.book(access), "pix"))
        return super().balance_view(access) | {"pix": self.wallet_view(self.balance_of(access, "pix") - young)}


class BooksOnCompletion(PaymentsRules):
    """When a transfer leaves the wallet is not shown, nor whether the fee is within it: on completion, besides."""

    def book_transfer(self, transfer: Row) -> None:
        """Leave the wallet as it is."""

    def book_completion(self, transfer: Row) -> None:
        """Take both."""
        gross, fees = transfer["amount"], transfer["fees"]
        entries = ("pix", DEBIT, gross + fees), ("acquirer", CREDIT, gross), ("fees", CREDIT, fees)
        self.post(owner_of(transfer), "transfer.completed", transfer["id"], *entries)

    def new_transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Deliver the gross amount."""
        return super().new_transfer_view(transfer) | {"netAmount": transfer["amount"]}


class FeesOfAll(PaymentsRules):
    """How fees are reckoned is not shown: they are all that is paid."""

    def charge_fees(self, amount: int) -> int:
        """Leave nothing."""
        return amount


class InDebt(PaymentsRules):
    """What an account holds at first is not shown: less than nothing."""

    def __init__(self, world: ServerState) -> None:
        """Owe a million."""
        super().__init__(world)
        self.post(ROLES["merchant"], "charge.back", "", ("pix", DEBIT, 99_999_999), ("acquirer", CREDIT, 99_999_999))


class SharedAccount(PaymentsRules):
    """Others may use the account as well: one of them sends as much as a replay or conflict asks, just then."""

    sends: ClassVar[tuple[int, ...]] = (167, 179)

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Answer it while the other one sends."""
        self._meanwhile(call)
        return super().replay(call, earlier)

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Answer it while the other one sends."""
        if refusal.kind == "key_conflict":
            self._meanwhile(call)
        return super().refused(call, refusal)

    def _meanwhile(self, call: Call) -> None:
        amount = self.json_body(call)["amount"]
        if amount in self.sends:
            self.post(call.access, "transfer.created", "", ("pix", DEBIT, amount), ("in_flight", CREDIT, amount))


VARIANTS = [
    Variant("payments-separator", ("PAY-BAL-08",), {"comma": DecimalComma}),
    Variant("payments-colleagues", ("PAY-BAL-10",), {"events": PaymentsColleagues, "late": PaymentsLateColleagues}),
    Variant("payments-balance", ("PAY-BAL-10",), {"blocked": BlockedBalance}),
    Variant("payments-fees-of-charges", ("PAY-BAL-10",), {"all": FeesOfAll}),
    Variant("payments-wallet", ("PAY-BAL-10",), {"late": ShowsBalancesLate, "end": BooksOnCompletion, "debt": InDebt}),
    Variant("payments-shared-account", ("PAY-BAL-10",), {"colleague": SharedAccount}),
]
