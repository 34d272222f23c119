"""Histories by hand, half of them explainable: charges that are paid and canceled, keys, and a balance."""

import time
from collections.abc import Iterable

import pytest

from pix_conformance.oracles.linearizability import StateMachine, TimedOperation

LONGEST_S = 1.0


def charge(state: str, operation: TimedOperation) -> Iterable[str]:
    """Follow a charge: a refusal `no` says that it is not pending, `get` sees its status."""
    if operation.changes_nothing:
        return {state} if operation.seen in {None, state} else ()
    if operation.seen == "no":
        return {state} - {"pending"}
    return {"paid" if operation.sent == "pay" else "canceled"} if state == "pending" else ()


def key(state: str, operation: TimedOperation) -> Iterable[str]:
    """Follow a key: the first body creates an object; a second body is refused with `no`."""
    first = f"{operation.sent}={operation.seen}"
    if operation.seen == "no":
        return {state} if state and not state.startswith(f"{operation.sent}=") else ()
    return {state or first} if state in {"", first} or operation.end is None else ()


def balance(state: int, operation: TimedOperation) -> Iterable[int]:
    """Follow a balance: `get` sees it, another operation adds its cents."""
    if operation.changes_nothing:
        return {state} if operation.seen in {None, str(state)} else ()
    return {state + int(str(operation.sent))}


MODELS: dict[str, StateMachine[str] | StateMachine[int]] = {
    "charge": StateMachine("pending", charge),
    "key": StateMachine("", key),
    "balance": StateMachine(0, balance),
}


def read(text: str) -> list[TimedOperation]:
    """Read `sent start end seen | ...`; an end of `-` is that of a lost answer."""
    rows = (row.split() for row in text.split("|"))
    return [
        TimedOperation(
            str(number), float(start), None if end == "-" else float(end), sent, "".join(seen) or None, sent == "get"
        )
        for number, (sent, start, end, *seen) in enumerate(rows)
    ]


EXPLAINED = [
    ("charge", "pay 0 2 ok | cancel 1 3 no | get 4 5 paid"),
    ("charge", "pay 0 2 no | cancel 1 3 ok | get 4 5 canceled"),
    ("charge", "pay 0 9 ok | get 1 2 pending | get 3 4 paid | cancel 5 6 no"),
    ("charge", "pay 0 - | get 1 2 pending | get 8 9 paid"),
    ("charge", "pay 0 - | cancel 1 2 ok | get 3 4 canceled"),
    ("charge", "pay 0 - | cancel 0 - | get 1 2 canceled | get 3 4 canceled"),
    ("key", "a 0 3 x | a 1 4 x | b 2 5 no"),
    ("key", "a 0 - | b 1 2 y | a 3 4 no"),
    ("balance", "5 0 3 | 7 1 4 | get 2 3 5 | get 5 6 12"),
    ("balance", "5 0 9 | 7 0 9 | get 1 2 0 | get 3 4 7 | get 5 6 12"),
]
UNEXPLAINED = [
    ("charge", "pay 0 2 ok | cancel 1 3 ok | get 4 5 paid", "0 1"),
    ("charge", "pay 0 2 ok | get 3 4 pending", "0 1"),
    ("charge", "pay 0 9 ok | get 1 2 paid | get 3 4 pending", "1 2"),
    ("charge", "get 0 1 pending | cancel 2 3 ok | get 4 5 pending | pay 6 7 no", "1 2"),
    ("charge", "pay 5 - | get 1 2 paid", "1"),
    ("charge", "pay 0 1 ok | pay 2 3 ok | get 4 5 paid", "0 1"),
    ("key", "a 0 3 x | a 1 4 y | b 2 5 no", "0 1"),
    ("key", "a 0 1 x | b 2 3 y", "0 1"),
    ("balance", "5 0 3 | 7 1 4 | get 5 6 7", "0 2"),
    ("balance", "5 0 9 | 7 0 9 | get 1 2 5 | get 3 4 7", "2 3"),
]


@pytest.mark.parametrize(("name", "text"), EXPLAINED)
def test_a_history_with_an_order_is_explained(name: str, text: str) -> None:
    assert MODELS[name].is_explained(read(text))
    assert MODELS[name].unexplained(read(text)) == []


@pytest.mark.parametrize(("name", "text", "part"), UNEXPLAINED)
def test_the_shortest_part_of_a_history_without_an_order_is_found(name: str, text: str, part: str) -> None:
    assert MODELS[name].is_explained(read(text)) is False
    assert " ".join(operation.name for operation in MODELS[name].unexplained(read(text))) == part


def long_history(name: str, last: str) -> list[TimedOperation]:
    """Make a history of 60 operations, each at the same time as nine others, which ends with a query."""
    of_key = [f"a {number // 10} {number // 10 + 1}.5 x" for number in range(59)]
    rows = {
        "charge": [f"pay {number // 10} - " for number in range(59)],
        "key": of_key,
        "balance": [f"1 {number // 10} {number // 10 + 1}.5" for number in range(59)],
    }
    return read(" | ".join([*rows[name], last]))


@pytest.mark.parametrize(
    ("name", "last", "is_right"),
    [
        ("charge", "get 9 10 paid", True),
        ("charge", "get 9 10 canceled", False),
        ("key", "b 9 10 no", True),
        ("key", "b 9 10 y", False),
        ("balance", "get 9 10 59", True),
        ("balance", "get 9 10 58", False),
    ],
)
def test_sixty_operations_are_judged_within_a_second(name: str, last: str, is_right: bool) -> None:  # noqa: FBT001 - a column
    history, began = long_history(name, last), time.process_time()
    assert MODELS[name].is_explained(history) is is_right
    assert time.process_time() - began < LONGEST_S


def test_a_search_of_too_many_orders_is_given_up() -> None:
    """Thirty different amounts at once have 2**30 sums of some of them."""
    history = read(" | ".join([*(f"{2**number} 0 1" for number in range(30)), "get 2 3 1"]))
    began = time.process_time()
    assert MODELS["balance"].is_explained(history) is None
    assert MODELS["balance"].unexplained(history) == []
    assert time.process_time() - began < 4 * LONGEST_S
