"""What the ledgers of a run say together of payments of one amount, also where newer postings displace older ones."""

from typing import Any

import pytest

from pix_conformance.checks.business.ledger_history import PaymentsOfCharge, captures, judged_by_captures
from pix_conformance.checks.conclusion import Broken
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import Api
from tests.support.exchanges import exchange

CENTS, LEAST = 70_000, 20_000
Posting = dict[str, Any]


def posting(name: str, cents: int = CENTS, kind: str = "payment.captured", time: str = "") -> Posting:
    """Return a posting; its time, unless given, is its own as well."""
    entries = [{"account_code": "1", "direction": "debit", "amount_cents": cents}]
    return {"id": name, "event_type": kind, "created_at": time or f"time of {name}", "entries": entries}


def ledger(started: float, *rows: Posting) -> Exchange:
    """Return a ledger that was read at that second of the run."""
    return exchange(
        {"transactions": list(rows)},
        sends=("GET", "http://localhost/v1/business/finance", ()),
        api=Api.BUSINESS, operation="get_finance", started=started, id=int(started * 10),
    )  # fmt: skip


def creation(started: float, name: str, cents: int = CENTS) -> Exchange:
    """Return the creation of a charge."""
    body = {"amount_cents": cents}
    return exchange(body | {"id": name}, sent=body, api=Api.BUSINESS, started=started, id=int(started * 10))


def payment(started: float, name: str, elapsed_ms: float = 1.0) -> Exchange:
    """Return a payment of a charge."""
    sends = ("POST", f"http://localhost/v1/business/pix-charges/{name}/pay", ())
    return exchange(
        {}, sends=sends, api=Api.BUSINESS, operation="pay_charge", started=started, elapsed_ms=elapsed_ms,
        id=int(started * 10),
    )  # fmt: skip


A, B, SETTLED = posting("a"), posting("b"), posting("s", kind="settlement")


@pytest.mark.parametrize(
    ("ledgers", "most"),
    [
        ([[A]], 1),
        ([[A], [A, SETTLED], [SETTLED]], 1),
        ([[A, B]], 2),
        ([[posting("x"), posting("x")]], 2),
        ([[A], [], [B]], 2),
        ([[A], [], [A]], 1),
        ([[A], [posting("new", time="time of a")]], 1),
        ([[A], [], [posting("new", time="time of a")]], 1),
        ([[A], [], [posting("a", time="another")]], 1),
        ([[A], [posting("1", time="now"), posting("2", time="now")]], 2),
        ([[posting("other", cents=CENTS + 1)]], 0),
    ],
    ids=[
        "once", "settled", "twice", "one id for all", "again after it is displaced", "displaced and shown again",
        "new ids", "new ids after it is displaced", "new times", "the second with new ids", "of another amount",
    ],
)  # fmt: skip
def test_a_capture_is_counted_once(ledgers: list[list[Posting]], most: int) -> None:
    read = [ledger(float(second), *rows) for second, rows in enumerate([[], *ledgers])]
    assert max(captures(read, CENTS).values(), default=0) == most


def test_a_posting_that_was_there_before_the_charge_is_not_its_own() -> None:
    assert not captures([ledger(0, A), ledger(1, A)], CENTS)


def outcomes(exchanges: list[Exchange], sent: PaymentsOfCharge) -> list[bool]:
    """Return for each amount that is judged whether it is captured too often."""
    judged = judged_by_captures(exchanges, sent, LEAST)
    return [isinstance(matcher.judge(subject), Broken) for subject, matcher in judged]


ONCE = [creation(3, "once", LEAST), payment(4, "once"), ledger(5, posting("o", LEAST))]
BEFORE, CREATED, TWICE = ledger(1), creation(10, "c"), ledger(20, A, B)


@pytest.mark.parametrize(
    ("exchanges", "sent"),
    [
        ([CREATED, payment(11, "c")], PaymentsOfCharge.ONCE),
        ([CREATED, payment(11, "c", 500.0), payment(11.2, "c")], PaymentsOfCharge.AT_ONCE),
        ([CREATED, payment(11, "c"), payment(15, "c")], PaymentsOfCharge.LATER),
    ],
    ids=["once", "at once", "later"],
)
def test_more_captures_than_charges_are_found_by_when_they_were_paid(
    exchanges: list[Exchange], sent: PaymentsOfCharge
) -> None:
    run = [BEFORE, *ONCE, *exchanges, TWICE]
    assert {other: any(outcomes(run, other)) for other in PaymentsOfCharge} == {
        other: other is sent for other in PaymentsOfCharge
    }


@pytest.mark.parametrize(
    "exchanges",
    [
        [BEFORE, CREATED, creation(10.5, "d"), payment(11, "c"), payment(15, "c"), TWICE],
        [CREATED, payment(11, "c"), payment(15, "c"), TWICE],
        [BEFORE, creation(10, "c", 100), payment(11, "c"), payment(15, "c"), ledger(20, *[posting("f", 100)] * 2)],
        [BEFORE, CREATED, payment(11, "c"), payment(15, "c"), ledger(20, A, posting("r", kind="refund"))],
        [BEFORE, *ONCE[:2], ledger(5, *[posting("o", LEAST)] * 2), CREATED, *map(payment, (11, 15), "cc"), TWICE],
    ],
    ids=["two charges", "no ledger before", "the amount of a fee", "another kind", "every payment is posted twice"],
)
def test_charges_that_are_paid_again_are_not_captured_too_often(exchanges: list[Exchange]) -> None:
    assert not any(outcomes(exchanges, PaymentsOfCharge.LATER))
