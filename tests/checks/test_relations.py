"""Relations where other traffic or rounding leaves several answers right, and where nothing can be judged.

What a relation must refuse is shown by the mutants of its requirement.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from pix_conformance.checks.business import charges, ledger, list_contents
from pix_conformance.checks.business.events import dated_within_lifetime_of, dated_within_ten_minutes_of
from pix_conformance.checks.conclusion import Broken, Holds, Unknown
from pix_conformance.checks.matchers import Matcher, read
from pix_conformance.checks.payments import balance, transfers
from pix_conformance.checks.relation import Relation
from pix_conformance.checks.relations import is_dated, is_raised_by_one_amount, shows_one_was_accepted
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import Api, Secret
from pix_conformance.model.why import Why
from tests.support.conclusions import mismatch, unknown
from tests.support.exchanges import exchange

NOON = 1_767_268_800.0
"""2026-01-01T12:00:00Z."""


answer = partial(exchange, api=Api.BUSINESS, operation="get_charge", elapsed_ms=0.0)
"""An exchange of the business API with this body, status and sent body."""


def payment(status: int = 200, sent: Any = None, **data: Any) -> Exchange:
    """Return an exchange with these fields as data."""
    return answer({"data": data}, status, sent)


def charge(name: str, minute: int = 0, **more: Any) -> dict[str, Any]:
    """Return a charge that was created in a minute of one hour."""
    created = f"2026-01-01T10:{minute:02}:00Z"
    return {"id": name, "status": "pending", "external_ref": f"ref-{name}", "created_at": created, **more}


A, B, FORBIDDEN = answer(charge("a", 1)), answer(charge("b", 2)), answer({"detail": "no"}, 409)
ONLY_NEWER = answer([charge("b", 2)])


@pytest.mark.parametrize(
    ("subject", "relation", "why"),
    [
        (ONLY_NEWER, list_contents.holds_charge(A), Why.PRECONDITION),
        (answer([]), list_contents.holds_only("pending"), Why.PRECONDITION),
        (FORBIDDEN, list_contents.holds_charge(A), Why.PRECONDITION),
        (ONLY_NEWER, list_contents.holds_own_charge_only(A, B), Why.PRECONDITION),
        (ONLY_NEWER, list_contents.holds_no_ref(["ref-c"], A, []), Why.PRECONDITION),
        (answer([charge("a"), charge("b")]), list_contents.newest_first([]), Why.PRECONDITION),
        (ONLY_NEWER, list_contents.holds_charge_if_not_full(A, ONLY_NEWER), Why.NOT_SHOWN),
        (ONLY_NEWER, list_contents.shows_sent_value(answer(charge("b")), "description"), Why.NOT_SHOWN),
        (A, charges.ends_in_one_status(FORBIDDEN, FORBIDDEN, A), Why.PRECONDITION),
        (A, charges.names_one_payment([A]), Why.PRECONDITION),
        (answer([]), charges.created_one_charge(["ref-a"], [FORBIDDEN]), Why.PRECONDITION),
        (payment(), shows_one_was_accepted([payment(), payment(429)]), Why.PRECONDITION),
        (payment(409), transfers.is_the_one_transfer_of([payment(409)]), Why.PRECONDITION),
        (payment(amount=456, netAmount=456), transfers.has_net_amount_less_fees(), Why.PRECONDITION),
        (payment(processedAt=None), is_dated("processedAt", NOON), Why.NOT_SHOWN),
    ],
)
def test_what_cannot_be_seen_is_not_judged(subject: Exchange, relation: Matcher, why: Why) -> None:
    assert unknown(relation, subject).why is why


def test_a_timestamp_may_be_rounded() -> None:
    rounded = answer(charge("a", created_at="2026-01-01T10:01:00.400Z"))
    assert mismatch(charges.unchanged_since(rounded, "created_at"), A) is None
    assert mismatch(charges.unchanged_since(B, "created_at"), A)


PAID, CONTROL = 700, 900
CAPTURED, SETTLED = "payment.captured", "settlement"


def a_ledger(*postings: tuple[str, int]) -> Exchange:
    """Return a ledger with postings of these kinds and amounts, in cents."""
    rows = [{"event_type": kind, "entries": [{"amount_cents": cents}]} for kind, cents in postings]
    return answer({"transactions": rows})


@pytest.mark.parametrize(
    ("later", "wrong"),
    [
        ([(CAPTURED, PAID), (CAPTURED, CONTROL)], None),
        ([(CAPTURED, PAID), (CAPTURED, PAID), (CAPTURED, CONTROL)], "the ledger has 1 x payment.captured more"),
        ([(CAPTURED, PAID), (SETTLED, PAID), (CAPTURED, CONTROL)], None),
        ([*[(CAPTURED, PAID)] * 2, *[(CAPTURED, CONTROL)] * 2], None),
    ],
    ids=["once", "twice", "the control is not settled yet", "the control is posted again later"],
)
def test_a_payment_leaves_no_more_postings_than_the_control(later: list[tuple[str, int]], wrong: str | None) -> None:
    problem = mismatch(ledger.captured_once(PAID, (a_ledger((CAPTURED, CONTROL)), CONTROL)), a_ledger(*later))
    assert (problem or "").startswith(wrong or "")
    assert bool(problem) == bool(wrong)


def a_balance(cents: int, *, reserve: int = 0, blocked: int = 0) -> Exchange:
    """Return an answer with these cents in the three wallets."""
    wallets = {"pix": cents, "reserve": reserve, "pixBlocked": blocked}
    shown: dict[str, Any] = {name: {"balance": f"{cents / 100:.2f}"} for name, cents in wallets.items()}
    return payment(200, None, **shown)


@pytest.mark.parametrize(
    ("cents", "rises", "conclusion"),
    [
        (20_000_001, (27_947, 27_947, 27_947), Holds),
        (20_000_002, (29_714, 29_716, 29_714), Broken),
        (20_000_002, (27_946, 27_948, 27_946), Broken),
        (20_000_002, (27_947, 27_948, 27_947), Unknown),
        (20_000_002, (0, 0, 0), Unknown),
        (20_000_002, (29_715, 0, 29_715), Unknown),
    ],
    ids=["less fees", "float", "float less fees", "a fee that is rounded", "not at once", "not alike"],
)
def test_equal_payments_raise_a_large_balance_alike_or_show_nothing(
    cents: int, rises: tuple[int, ...], conclusion: type
) -> None:
    assert isinstance(is_raised_by_one_amount(cents, rises, [29_715]).judge(A), conclusion)


def available(cents: int) -> Exchange:
    """Return a ledger with these available_cents."""
    return answer({"available_cents": cents})


def test_a_sum_of_some_payments_is_wrong_and_any_other_rise_shows_nothing() -> None:
    relation = ledger.credited_for_each([30, 50], available(0), 70, (available(0), available(70)))
    assert mismatch(relation, available(80)) is None
    assert [bool(mismatch(relation, available(rise))) for rise in (30, 50, 100, 60)] == [True] * 4
    assert [unknown(relation, available(rise)).why for rise in (0, 90)] == [Why.NOT_SHOWN] * 2
    late = ledger.credited_for_each([30, 50], available(0), 70, (available(0), available(0)))
    assert "raised available_cents by 0" in unknown(late, available(30)).sentence


MORNING = charge("a", 1)


@pytest.mark.parametrize("created_at", ["2026-01-01T07:01:30.423-03:00", 1_767_261_690, "1767261690423"])
def test_the_moment_of_an_event_is_compared_in_any_form(created_at: object) -> None:
    creation = answer(MORNING, started=1_767_261_660.0)
    event = Delivery(1, "/", "POST", 1_767_261_700.0, (), json.dumps({"created_at": created_at}).encode(), 200)
    later = replace(event, body=json.dumps({"created_at": "2026-01-02T07:01:30-03:00"}).encode())
    local = replace(event, body=json.dumps({"created_at": "2026-01-01T07:01:30"}).encode())
    for relation in (dated_within_lifetime_of(creation), dated_within_ten_minutes_of(creation)):
        assert mismatch(relation, event) is None
        assert "2026-01-02" in str(mismatch(relation, later))
        assert "time zone" in unknown(relation, local).sentence


BEFORE, CREATED, FREE = a_balance(10_000), payment(fees=37), payment(fees=0)


@pytest.mark.parametrize(
    ("relation", "right", "wrong"),
    [
        (balance.is_counted_in_units(BEFORE, CREATED, 1_237), (1_237, 1_200, 0), (123_700, 120_000)),
        (balance.is_credited_once(BEFORE, CREATED, 1_237), (1_237, 1_200, 1_274, 0, 500), (2_474, 2_400, 2_437)),
        (balance.is_debited_once(BEFORE, CREATED, 1_237), (-1_237, -1_200, 0), (-2_474, -2_400, -2_437)),
        (balance.is_not_debited(BEFORE, CREATED, 1_237), (0, 1_237, -500), (-1_237, -1_200, -1_274)),
        (balance.counts_the_cents(BEFORE, FREE, 1_237), (1_237, 0), (1_200,)),
        (balance.is_credited_once(BEFORE, FREE, 100, requests=5), (0, 50, 100, 150, 600), (200, 300, 400, 500)),
    ],
)  # fmt: skip
def test_a_balance_is_moved_as_it_should_be_or_by_others(
    relation: Matcher, right: tuple[int, ...], wrong: tuple[int, ...]
) -> None:
    assert [cents for cents in right if mismatch(relation, a_balance(10_000 + cents))] == []
    assert [cents for cents in wrong if not mismatch(relation, a_balance(10_000 + cents))] == []


Wallets = list[tuple[int, int, int]]
"""What each payment added to the free, the reserved and the blocked money by its end."""


@pytest.mark.parametrize(
    ("relation", "right", "wrong"),
    [
        (
            balance.blocks_nothing,
            [[(0, 0, 0)] * 3, [(0, 0, 618), (0, 0, 641), (0, 0, 0)], [(0, 0, -5)] * 3],
            [[(0, 0, 618), (0, 0, 641), (0, 0, 1_236)], [(0, 0, 5)] * 3],
        ),
        (
            balance.adds_no_more_than_was_paid,
            [
                [(1_237, 0, 0), (2_473, 0, 0)],
                [(1_080, 120, 0), (2_200, 236, 0)],
                [(0, 1_200, 0), (0, 0, 0)],
                [(2_000, 0, 0), (2_473, 0, 0)],
            ],
            [[(1_200, 1_237, 0), (2_436, 2_473, 0)], [(1_274, 5, 0), (2_510, 5, 0)]],
        ),
    ],
)
def test_wallets_hold_what_was_paid(
    relation: Callable[..., Matcher], right: list[Wallets], wrong: list[Wallets]
) -> None:
    def problem(moved: Wallets) -> str | None:
        afters = [a_balance(10_000 + free, reserve=held, blocked=blocked) for free, held, blocked in moved]
        amounts = (1_237, 2_473) if len(moved) == 2 else (1_237, 1_283, 2_473)
        paid = [payment(sent={"amountInCents": amount}, fees=37) for amount in amounts]
        return mismatch(relation([BEFORE] * len(moved), afters, paid), afters[-1])

    assert [moved for moved in right if problem(moved)] == []
    assert [moved for moved in wrong if not problem(moved)] == []


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        *(("0.00", 0), ("10.50", 1050), ("-0.07", -7), ("1234567890123.45", 123456789012345), ("10.5", 1050)),
        *(("10,50", 1050), ("10", None), ("10.500", None), (".50", None), ("+1.00", None), ("1.00\n", None)),
        *(("R$ 1.00", None), ("", None)),
    ],
)
def test_a_balance_is_read_in_cents_with_a_point_or_a_comma(text: str, cents: int | None) -> None:
    assert balance.free_cents(payment(pix={"balance": text})) == cents


FIRST = replace(payment(id="t-1"), id=7)


@pytest.mark.parametrize("value", [None, "x", 1, ("a", FIRST), {"a": FIRST}])
def test_an_argument_of_any_kind_is_read_back_from_a_recording(value: Any) -> None:
    relation = Relation("relations.creates_no_second_transfer", "", {"first": value})
    assert read(json.loads(json.dumps(relation.to_dict())), {"exchange 7": FIRST}.__getitem__) == relation


@pytest.mark.parametrize(
    "name", ["relations.no_such_function", "no_such_module.any", "relations.moment", "os", "..os.path"]
)
def test_a_name_that_is_no_relation_is_refused(name: str) -> None:
    with pytest.raises(KeyError):
        read({"matcher": "relation", "name": name, "words": "", "arguments": {}})


@pytest.mark.parametrize("first", [FIRST, Secret("abc")], ids=["not in the recording", "secret"])
def test_what_was_not_recorded_cannot_be_compared_with(first: Any) -> None:
    recorded = Relation("relations.creates_no_second_transfer", "", {"first": first}).to_dict()
    assert "abc" not in json.dumps(recorded)
    with pytest.raises(KeyError):
        read(recorded)
