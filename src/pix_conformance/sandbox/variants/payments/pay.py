"""Conforming variants where PAY-PAYS and PAY-BAL are silent: the simulation of a payment, and the balance."""

import asyncio
import random
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from pix_conformance.model.operations import Effect, of, query_of
from pix_conformance.model.vocabulary import Api
from pix_conformance.reference import formats
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.http import Operation
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import ROLES
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.variants.common import *

LAG_S = 0.8
SERVED_S = 0.05
"""How long a simulation takes: requests that are sent at the same time overlap."""


async def take_time(_rules: Any, right: Callable[..., Any], call: Call, place: str) -> None:
    await asyncio.sleep(SERVED_S if place in {"pay", "complete"} else 0)
    await right(call, place)


async def repeat_own_answer(rules: Any, right: Operation, call: Call) -> Answer:
    begun, done = time.monotonic(), rules.__dict__.setdefault("done", {})
    number, simulation = call.params["id"], (call.operation, call.params["id"])
    try:
        answer = await right(call)
    except Refusal as refusal:
        if refusal.kind != "state" or done.get(simulation, 0.0) < begun:
            raise
        if call.operation == "pay_charge":
            return Answer(200, rules.pay_answer(call, rules.owned(call, "payments_charge", number)))
        return Answer(200, rules.complete_answer(call, rules.owned(call, "transfer", number)))
    done[simulation] = time.monotonic()
    return answer


QUERIES = {row.status: query_of(Api.PAYMENTS, str(row.kind)).name for row in of(Api.PAYMENTS, Effect.CHANGES)}
"""By status after a change, the operation that shows it."""


def keep_before(rules: Any, claimed: object, row: Row, changes: Row) -> object:
    if claimed and (query := QUERIES.get(changes.get("status"))):
        rules.__dict__.setdefault("before", {})[query, row["id"]] = (time.monotonic() + LAG_S, row)
    return claimed


def as_before(rules: Any, row: Row, call: Call, *_: Any) -> Row:
    ends, before = rules.__dict__.get("before", {}).get((call.operation, row["id"]), (0.0, row))
    return before if time.monotonic() < ends else row


BALANCE_LAG_S = 1.5
SENT_MEANWHILE = (167, 179)
"""Amounts of transfers that the suite repeats."""
Moves = list[tuple[float, str, str, int]]


def book_with_fee(rules: Any, _right: Any, transfer: Row) -> None:
    gross, fees = transfer["amount"], transfer["fees"]
    entries = ("pix", DEBIT, gross + fees), ("acquirer", CREDIT, gross), ("fees", CREDIT, fees)
    rules.post(owner_of(transfer), "transfer.completed", transfer["id"], *entries)


def send_same(rules: Any, answer: Answer, call: Call, earlier: Row | Refusal) -> Answer:
    """Take the amount of a repeated request from the wallet once more."""
    if isinstance(earlier, Refusal) and earlier.kind != "key_conflict":
        return answer
    with suppress(Refusal, KeyError, TypeError):  # a body without an amount
        amount = rules.json_body(call)["amount"]
        if amount in SENT_MEANWHILE:
            rules.post(call.access, "transfer.created", "", ("pix", DEBIT, amount), ("in_flight", CREDIT, amount))
    return answer


def hold_a_tenth(rules: Any, _right: None, charge: Row) -> None:
    held = (charge["amount"] - charge["fees"]) // 10
    rules.post(owner_of(charge), "charge.reserved", charge["id"], ("pix", DEBIT, held), ("reserve", CREDIT, held))


VARIANTS = {
    **listed_under("PAY-PAYS-29", SIMULTANEOUS, "PAY-CMP-30"),
    "PAY-PAYS-11/queries-lag": changes_result("A query shows a payment or completion after 0.8 s: no time is stated.",
        claim_charge=keep_before, claim_transfer=keep_before, owned=as_before).also("PAY-CMP-10"),
    "PAY-PAYS-16/other-codes": setting("Sandbox refusals have the codes INVALID_REQUEST and SANDBOX_ONLY: "
        "their codes are not shown.",
        error_codes={**PaymentsRules.error_codes, "state": "INVALID_REQUEST", "forbidden": "SANDBOX_ONLY"})
        .also("PAY-CMP-16"),
    "PAY-PAYS-18/overlapping-simulations-succeed": overrides(
        "All overlapping simulations return the one payment or completion: no rule is stated.",
        pause=take_time, pay_charge=repeat_own_answer, complete_transfer=repeat_own_answer).also("PAY-CMP-18"),
    "PAY-BAL-08/decimal-comma": changes_result(
        "Balances have a decimal comma, as in Brazil: the separator is not stated.",
        money_text=lambda _rules, text, _: text.replace(".", ",")),
    "PAY-BAL-12/rolling-reserve": changes_result(
        "A tenth of each payment is in reserve: how much awaits settlement is not stated.",
        credit_payment=hold_a_tenth),
    "PAY-BAL-10/money-blocked": changes_result(
        "Money is blocked and in reserve: the wallets exist, and what fills them is not stated.",
        balance_view=lambda rules, view, _: view | {
            "reserve": rules.wallet_view(123456789), "pixBlocked": rules.wallet_view(5)}),
    "PAY-BAL-10/booked-on-completion": overrides(
        "A transfer leaves the wallet on completion, its fee besides: neither is excluded.",
        book_transfer=lambda _rules, _right, _transfer: None, book_completion=book_with_fee,
        new_transfer_view=lambda _, right, transfer: right(transfer) | {"netAmount": transfer["amount"]}),
    "PAY-BAL-10/wallet-in-debt": starts("The account begins with less than nothing: its first balance is not stated.",
        lambda rules: rules.post(
            ROLES["merchant"], "charge.back", "", ("pix", DEBIT, 99_999_999), ("acquirer", CREDIT, 99_999_999))),
    "PAY-BAL-10/others-send-during-replays": changes_result(
        "Others send the same amount meanwhile: an account may have several users.",
        replay=send_same, refused=send_same),
    "PAY-BAL-10/fees-are-all": setting(
        "The fees of a charge are its whole amount: how they are computed is not stated (PAY-CHG-38).",
        charge_fees=lambda _rules, amount: amount),
}  # fmt: skip


@variant("PAY-BAL-10/others-use-the-account")
class OthersUseTheAccount(PaymentsRules):
    """Charges and transfers that others create with the account send events too."""

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
    """Queries find what others create 1.5 s after its events: no sentence says how soon."""

    def keep(self, table: str, row: Row) -> None:
        self.store.after_commit(lambda: self.state.outbox.begin(self._keep_later(table, row)))

    async def _keep_later(self, table: str, row: Row) -> None:
        await asyncio.sleep(BALANCE_LAG_S)
        self.store.insert(table, row)


@variant("PAY-BAL-10/balances-lag")
class BalancesLag(PaymentsRules):
    """A balance is that of 1.5 s ago: of which moment it is, is not stated."""

    def enter(self, posting: Row, account: str, direction: str, amount: int) -> None:
        moves: Moves = self.__dict__.setdefault("moves", [])
        moves.append((time.monotonic(), posting["book"], account, amount if direction == CREDIT else -amount))
        super().enter(posting, account, direction, amount)

    def balance_view(self, access: Access) -> dict[str, Any]:
        since = time.monotonic() - BALANCE_LAG_S
        moves: Moves = self.__dict__.get("moves", [])
        young = sum(c for at, book, name, c in moves if at > since and (book, name) == (self.book(access), "pix"))
        return super().balance_view(access) | {"pix": self.wallet_view(self.balance_of(access, "pix") - young)}
