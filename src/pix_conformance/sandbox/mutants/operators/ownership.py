"""Operators of ownership, for both APIs: who is served, and what belongs to another account or environment is shown."""

from collections.abc import Callable
from typing import Any

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Call
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.difference import Difference, changes_refusal, changes_result, overrides, setting


def lets_in(sentence: str, who: Callable[[Any, Call], Access | None]) -> Difference:
    """Serve requests without a right credential as those of the account that a function names, if it names one."""
    return changes_refusal(sentence, authorize=lambda rules, _, call: who(rules, call))


def sees_others(operations: str, crosses: Callable[[Access, Access], object], whose: str) -> Difference:
    """Let some operations see objects whose owner a function of caller and owner accepts; `whose` says it in words."""

    def owned(rules: Any, right: Callable[..., Row], call: Call, *about: Any) -> Row:
        table, number = about or ("business_charge", call.params["id"])
        row: Row | None = rules.store.find(table, id=number)
        crossed = row and call.operation in operations.split() and crosses(call.access, owner_of(row))
        return row if row and crossed else right(call, *about)

    return overrides(f"{' and '.join(operations.split())} finds what belongs to {whose}.", owned=owned).of("isolation")


def lists_others(crosses: Callable[[Access, Access], object], whose: str, *statuses: str) -> Difference:
    """Show in the list of business charges those whose owner a function accepts, or only those of some statuses."""

    def find(rules: Any, access: Access, status: str | None) -> list[Row]:
        def is_shown(row: Row) -> bool:
            of_these = row["status"] in (statuses or BusinessRules.list_statuses)
            return access == owner_of(row) or (of_these and bool(crosses(access, owner_of(row))))

        return [row for row in stored_charges(rules, rules.list_order(), status) if is_shown(row)][: rules.list_limit]

    kind = f"{' and '.join(statuses)} charges" if statuses else "charges"
    return setting(f"The list holds {kind} of {whose}.", find_charges=find).of("isolation")


def stored_charges(rules: Any, order: str, status: str | None, **owner: str) -> list[Row]:
    """Return all business charges of an owner, in an order of SQL, or only those of a status."""
    wanted = owner if status is None else owner | {"status": status}
    rows: list[Row] = rules.store.rows("business_charge", order, **wanted)
    return rows


def of_another_account(caller: Access, owner: Access) -> bool:
    """Judge whether an object of the same environment belongs to another account."""
    return caller.account != owner.account and caller.environment == owner.environment


def from_production(caller: Access, owner: Access) -> bool:
    """Judge whether a caller of production meets an object of the same account's sandbox."""
    return of_the_other_environment(caller, owner) and owner.is_sandbox


def from_sandbox(caller: Access, owner: Access) -> bool:
    """Judge whether a caller of the sandbox meets an object of the same account's production."""
    return of_the_other_environment(caller, owner) and caller.is_sandbox


def of_the_other_environment(caller: Access, owner: Access) -> bool:
    """Judge whether an object of the same account belongs to the other environment."""
    return caller.account == owner.account and caller.environment != owner.environment


def does_not_find(operations: str) -> Difference:
    """Answer some operations as if there were no object of the id."""

    def owned(rules: Any, row: Row, call: Call, *_about: Any) -> Row:
        if call.operation in operations.split():
            raise rules.not_found(call)
        return row

    sentence = f"{' and '.join(operations.split())} does not find what is the caller's."
    return changes_result(sentence, owned=owned).of("state")


def pays_into(second: Access) -> Difference:
    """Pay each payment of the payments API into another wallet as well, which held 5.00 before."""

    def credit(rules: Any, _right: None, charge: Row) -> None:
        if owner_of(charge) != second:
            net = charge["amount"] - charge["fees"]
            rules.post(second, "charge.paid", charge["id"], ("acquirer", DEBIT, net), ("pix", CREDIT, net))

    return changes_result(
        f"A payment is paid into the wallet of {second.book} as well.",
        credit_payment=credit,
        balance_of=lambda _, cents, access, _account: cents + (500 if access == second else 0),
    ).of("isolation")


def raises_balance(payee: Access, second: Access) -> Difference:
    """Raise the balance of another account or environment with each payment of one, without a posting there."""

    def capture(rules: Any, _right: None, charge: Row) -> None:
        if owner_of(charge) == payee:
            held = rules.balance_of(second, "merchant_available") + charge["amount"]
            row = {"book": rules.book(second), "account_code": "merchant_available", "amount": held}
            rules.store.put("balance", row)

    sentence = f"A payment to {payee.book} raises the balance of {second.book} as well."
    return changes_result(sentence, capture=capture).of("isolation")


def transfers_from(payer: Access) -> Difference:
    """Take the money of each transfer from another wallet, which held 10,000.00 before."""

    def book(rules: Any, _right: Any, transfer: Row) -> None:
        entries = ("pix", DEBIT, transfer["amount"]), ("in_flight", CREDIT, transfer["amount"])
        rules.post(payer, "transfer.created", transfer["id"], *entries)

    return overrides(
        f"A transfer is paid from the wallet of {payer.book}.",
        book_transfer=book,
        balance_of=lambda _, right, access, account: right(access, account) + (1_000_000 if access == payer else 0),
    ).of("isolation")
