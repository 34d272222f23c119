"""Conforming variants where PAY-BAL is silent: the balance."""

import asyncio
import random
import time
from contextlib import suppress
from typing import Any

from pix_conformance.proof.difference import changes_result, setting, variant
from pix_conformance.proof.variants.common.other_traffic import MORE_CENTS, OFTEN
from pix_conformance.reference import formats
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.payments.ownership import owner_of
from pix_conformance.reference.state import ROLES, ServerState
from pix_conformance.reference.store import Row

LAG_S = 1.5
SENT_MEANWHILE = (167, 179)
"""Amounts of transfers that the suite repeats."""
Moves = list[tuple[float, str, str, int]]

VARIANTS = {
    "PAY-BAL-08": {"decimal-comma": changes_result(
            "Balances have a decimal comma, as in Brazil: the separator is not stated (payments.md, lines 20 and 129).",
            money_text=lambda _rules, text, _: text.replace(".", ","))},
    "PAY-BAL-10": {
        "money-blocked": changes_result(
            "Money is blocked and in reserve: the wallets exist, and what fills them is not stated "
            "(payments.md, lines 134-135).",
            balance_view=lambda rules, view, _: view | {
                "reserve": rules.wallet_view(123456789), "pixBlocked": rules.wallet_view(5)}),
        "fees-are-all": setting(
            "The fees of a charge are its whole amount: how they are computed is not stated (payments.md, line 84).",
            charge_fees=lambda _rules, amount: amount),
    },
}  # fmt: skip


@variant("PAY-BAL-10/others-use-the-account")
class OthersUseTheAccount(PaymentsRules):
    """Charges and transfers that others create with the account send events too (payments.md, lines 316-330)."""

    def emit(self, event: str, kind: str, row: Row) -> None:
        super().emit(event, kind, row)
        theirs = row | {"amount": row["amount"] + MORE_CENTS, "postback_url": None}
        if event == "transaction_created" and random.random() < OFTEN:  # noqa: S311  # by chance, not a secret
            end_to_end_id = formats.end_to_end_id(self.clock.now())
            number = in_book_of(row, self.new_charge_id())
            theirs |= {"id": number, "payer_name": "Joana Lima", "end_to_end_id": end_to_end_id}
            self.keep("payments_charge", theirs | {"status": "refunded"})
            for name, status in (("created", "pending"), ("paid", "paid"), ("refunded", "refunded")):
                super().emit(f"transaction_{name}", kind, theirs | {"status": status})
        if event == "transfer_created":
            theirs |= {"id": in_book_of(row, self.new_transfer_id()), "status": "canceled"}
            self.keep("transfer", theirs)
            super().emit("transfer_canceled", kind, theirs)

    def keep(self, table: str, row: Row) -> None:
        self.store.insert(table, row)


def in_book_of(row: Row, number: str) -> str:
    """Give an id the prefix that ids have if each account or environment counts its own."""
    book, slash, _ = row["id"].rpartition("/")
    return f"{book}{slash}{number}"


@variant("PAY-BAL-10/others-use-the-account-with-lag")
class OthersUseTheAccountWithLag(OthersUseTheAccount):
    """Queries find what others create 1.5 s after its events: no sentence says how soon (payments.md, line 262)."""

    def keep(self, table: str, row: Row) -> None:
        self.store.after_commit(lambda: self.world.outbox.begin(self._keep_later(table, row)))

    async def _keep_later(self, table: str, row: Row) -> None:
        await asyncio.sleep(LAG_S)
        self.store.insert(table, row)


@variant("PAY-BAL-10/balances-lag")
class BalancesLag(PaymentsRules):
    """A balance is that of 1.5 s ago: of which moment it is, is not stated (payments.md, line 275)."""

    def enter(self, posting: Row, account: str, direction: str, amount: int) -> None:
        moves: Moves = self.__dict__.setdefault("moves", [])
        moves.append((time.monotonic(), posting["book"], account, amount if direction == CREDIT else -amount))
        super().enter(posting, account, direction, amount)

    def balance_view(self, access: Access) -> dict[str, Any]:
        since = time.monotonic() - LAG_S
        moves: Moves = self.__dict__.get("moves", [])
        young = sum(c for at, book, name, c in moves if at > since and (book, name) == (self.book(access), "pix"))
        return super().balance_view(access) | {"pix": self.wallet_view(self.balance_of(access, "pix") - young)}


@variant("PAY-BAL-10/booked-on-completion")
class BooksOnCompletion(PaymentsRules):
    """A transfer leaves the wallet on completion, its fee besides: neither is excluded (payments.md, line 198)."""

    def book_transfer(self, transfer: Row) -> None:
        pass

    def book_completion(self, transfer: Row) -> None:
        gross, fees = transfer["amount"], transfer["fees"]
        entries = ("pix", DEBIT, gross + fees), ("acquirer", CREDIT, gross), ("fees", CREDIT, fees)
        self.post(owner_of(transfer), "transfer.completed", transfer["id"], *entries)

    def new_transfer_view(self, transfer: Row) -> dict[str, Any]:
        return super().new_transfer_view(transfer) | {"netAmount": transfer["amount"]}


@variant("PAY-BAL-10/wallet-in-debt")
class WalletInDebt(PaymentsRules):
    """The account begins with less than nothing: its first balance is not stated (payments.md, line 133)."""

    def __init__(self, world: ServerState) -> None:
        super().__init__(world)
        self.post(ROLES["merchant"], "charge.back", "", ("pix", DEBIT, 99_999_999), ("acquirer", CREDIT, 99_999_999))


@variant("PAY-BAL-10/others-send-during-replays")
class OthersSendDuringReplays(PaymentsRules):
    """Others send the same amount meanwhile: an account may have several users (payments.md, line 306)."""

    def replay(self, call: Call, earlier: Row) -> Answer:
        self._send(call)
        return super().replay(call, earlier)

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        if refusal.kind == "key_conflict":
            self._send(call)
        return super().refused(call, refusal)

    def _send(self, call: Call) -> None:
        with suppress(Refusal, KeyError, TypeError):  # a body without an amount
            amount = self.json_body(call)["amount"]
            if amount in SENT_MEANWHILE:
                self.post(call.access, "transfer.created", "", ("pix", DEBIT, amount), ("in_flight", CREDIT, amount))
