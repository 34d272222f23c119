"""Operators of states, for both APIs: a transition that is not made, or made although it is refused."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.difference import Difference, changes_result, overrides
from pix_conformance.sandbox.guards import Situation


def becomes(status: str, table: str = "business_charge") -> Callable[[Any, Row], object]:
    """Set the status of a row; for `acts_though_refused`."""
    return lambda rules, row: rules.store.update(table, {"status": status}, id=row["id"])


def claims_in_any_status(table: str) -> Callable[[Any, Any, Row, Row], bool]:
    """Change a row also if another request has changed its status meanwhile."""
    return lambda rules, _right, row, changes: bool(rules.store.update(table, changes, id=row["id"]) == 1)


def completable_in(status: str) -> dict[str, Any]:
    """Return the setting of a reference that completes a transfer in this status too; for `setting`."""
    return {"transfer_incompletable": tuple(other for other in PaymentsRules.transfer_incompletable if other != status)}


def claim_paid(rules: Any, charge: Row) -> None:
    rules.claim_charge(charge, rules.paid_changes(charge))


def claim_completed(rules: Any, transfer: Row) -> None:
    rules.claim_transfer(transfer, rules.completed_changes(transfer))


def twice(_rules: Any, right: Callable[[Row], object], row: Row) -> None:
    """Do to an object twice what is right once."""
    right(row)
    right(row)


def shows_before(status: str, query: str, claim: str, seconds: float) -> Difference:
    """Let queries show an object as it was for some seconds after a request has led it to a status."""

    def keep(rules: Any, claimed: object, row: Row, changes: Row) -> object:
        if claimed and changes.get("status") == status:
            rules.__dict__.setdefault(f"before {status}", {})[row["id"]] = (time.monotonic() + seconds, row)
        return claimed

    def show(rules: Any, row: Row, call: Call, *_: Any) -> Row:
        ends, before = rules.__dict__.get(f"before {status}", {}).get(row["id"], (0.0, row))
        return before if call.operation == query and time.monotonic() < ends else row

    sentence = f"Queries do not show {status} until {seconds} s after the response that has led to it."
    changes: dict[str, Callable[..., Any]] = {claim: keep, "owned": show}
    return changes_result(sentence, **changes)


def payable_since_query(seconds: float) -> Difference:
    """Let a query that shows a charge as pending keep that, for some seconds, for the payments that come then."""

    def owned(rules: Any, right: Row, call: Call, *_: Any) -> Row:
        if call.operation == "get_charge" and right["status"] == "pending":
            rules.__dict__.setdefault("pending", {})[right["id"]] = time.monotonic() + seconds
        return right

    def may_pay(rules: Any, right: object, charge: Row) -> bool:
        return bool(right) or time.monotonic() < rules.__dict__.get("pending", {}).get(charge["id"], 0.0)

    sentence = f"A charge can be paid, more than once too, for {seconds} s after a query that shows it as pending."
    return changes_result(sentence, owned=owned, may_pay=may_pay).of("concurrency")


def last_write_wins(wallet: str, capture: str, place: str = "pay", **more: Callable[..., Any]) -> Difference:
    """Read the balance before a payment or a transfer is processed, and write it with its amount after that.

    `more` overrides further members, as `overrides` does.
    """

    async def read_balance(rules: Any, right: Callable[..., Any], call: Call, at: str) -> None:
        await right(call, at)
        if at == place:
            rules.__dict__.setdefault("read", {})[asyncio.current_task()] = rules.balance_of(call.access, wallet)
            await asyncio.sleep(0.05)

    def write_balance(rules: Any, right: Callable[..., object], row: Row) -> None:
        owner = owner_of(row)
        before = rules.balance_of(owner, wallet)
        right(row)
        amount = rules.__dict__["read"].pop(asyncio.current_task()) + rules.balance_of(owner, wallet) - before
        rules.store.put("balance", {"book": rules.book(owner), "account_code": wallet, "amount": amount})

    changes: dict[str, Callable[..., Any]] = {"pause": read_balance, capture: write_balance}
    sentence = f"Of simultaneous requests the last one overwrites the balance of the others ({capture})."
    return overrides(sentence, **changes, **more)


def look_early(seconds: float, *places: str) -> Callable[..., Any]:
    """Make a `pause` between the look at an object and its change ("pay", "cancel"): other requests come meanwhile."""

    async def pause(_rules: Any, right: Callable[..., Any], call: Call, place: str) -> None:
        await right(call, place)
        await asyncio.sleep(seconds if place in places else 0)

    return pause


def acts_though_refused(sentence: str, operation: str, kind: str, act: Callable[[Any, Row], object]) -> Difference:
    """Do something to the charge or transfer of a refused operation; what `act` returns is the answer, if it is one.

    Guards choose the objects: `.when(in_status("paid"))`.
    """

    def refuse(rules: Any, right: Answer, call: Call, refusal: Refusal) -> Answer:
        if call.operation != operation or refusal.kind != kind:
            return right
        try:
            row = Situation(rules, (call,)).row
        except LookupError:  # nothing has the id
            return right
        answer = act(rules, row)
        return answer if isinstance(answer, Answer) else right

    return changes_result(sentence, refused=refuse).of("state")


def no_transition_to(status: str) -> Difference:
    """Answer the transition of a charge to a status without making it."""
    return overrides(
        f"A charge does not become {status}, though the response says so.",
        claim_charge=lambda _, right, charge, changes: changes["status"] == status or right(charge, changes),
    ).of("state")


def shows_status(right: str, wrong: str) -> Difference:
    """Show the charges of one status with another one."""
    return changes_result(
        f"A charge that is {right} is shown as {wrong}.",
        charge_view=lambda _, view, *_about: view | {"status": wrong if view["status"] == right else view["status"]},
    ).of("state")


def charge_of(rules: Any, call: Call) -> Row | None:
    """Find the charge of the path, of any account."""
    rows = (rules.store.find(table, id=call.params["id"]) for table in ("payments_charge", "business_charge"))
    return next(filter(None, rows), None)


def capture_if_expired(rules: Any, result: Row, _: Call, charge: Row) -> None:
    """Post the payment of a charge whose expiry is detected; for `acts_after`."""
    if result["status"] == "expired":
        rules.capture(charge)
