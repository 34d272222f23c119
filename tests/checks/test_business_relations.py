"""Relations of charges, lists and races: what is wrong, what is right, and what cannot be judged."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pix_conformance.checks.business.charges import (
    expires_after,
    has_its_own,
    is_not_the_charge_of,
    same_response_as,
    unchanged_since,
)
from pix_conformance.checks.business.ledger import captured_once
from pix_conformance.checks.business.list_contents import (
    holds_charge,
    holds_charge_if_not_full,
    holds_no_ref,
    holds_only,
    holds_own_charge_only,
    holds_ref_once,
    newest_first,
    shows_as,
    shows_sent_value,
)
from pix_conformance.checks.business.races import created_one_charge, ends_in_one_status, names_one_payment
from pix_conformance.checks.matchers import Matcher
from pix_conformance.model.exchange import Exchange, Request, Response
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.model.why import Why
from tests.support.conclusions import mismatch, unknown


def answer(body: Any, status: int = 200, sent: Any = None) -> Exchange:
    """An exchange of the business API."""
    content = json.dumps(body).encode()
    request = Request("POST", "http://localhost/v1", (), json.dumps(sent).encode())
    response = Response(status, (), content, len(content))
    return Exchange(1, Api.BUSINESS, Role.MERCHANT, "get_charge", "t", 0.0, 0.0, request, response)


def charge(name: str, minute: int = 0, **more: Any) -> dict[str, Any]:
    """A charge that was created in a minute of one hour, and expires at its end."""
    times = {"created_at": f"2026-01-01T10:{minute:02}:00Z", "expires_at": "2026-01-01T11:00:00Z"}
    return {"id": name, "status": "pending", "amount_cents": 1050, "external_ref": f"ref-{name}", **times, **more}


A, B = answer(charge("a", 1)), answer(charge("b", 2))
BOTH = answer([charge("b", 2), charge("a", 1)])
ONLY_NEWER = answer([charge("b", 2)])
FORBIDDEN = answer({"detail": "no"}, 409)


@pytest.mark.parametrize(
    ("subject", "relation"),
    [
        (A, expires_after(3540, A)),
        (A, unchanged_since(answer(charge("a", 1, created_at="2026-01-01T10:01:00.400Z")), "created_at")),
        (A, same_response_as(A)),
        (A, is_not_the_charge_of(B)),
        (A, has_its_own("id", [B])),
        (BOTH, holds_charge(A)),
        (BOTH, holds_charge_if_not_full(A, BOTH)),
        (BOTH, holds_only("pending")),
        (BOTH, holds_no_ref(["ref-c"], A, [])),
        (BOTH, holds_no_ref(["ref-c"], A, [B, A])),
        (BOTH, holds_ref_once("ref-a", [])),
        (BOTH, newest_first([])),
        (BOTH, shows_as(A, "status", "description")),
        (ONLY_NEWER, holds_own_charge_only(B, A)),
        (BOTH, created_one_charge(["ref-a"], [A, FORBIDDEN])),
        (
            answer(charge("a", status="paid")),
            ends_in_one_status(answer({}), FORBIDDEN, answer(charge("a", status="paid"))),
        ),
    ],
)
def test_a_relation_that_holds_finds_nothing_wrong(subject: Exchange, relation: Matcher) -> None:
    assert mismatch(relation, subject) is None


@pytest.mark.parametrize(
    ("subject", "relation"),
    [
        (A, expires_after(3600, A)),
        (A, unchanged_since(answer(charge("a", 2)), "created_at")),
        (A, same_response_as(answer(charge("a", 1, further=1)))),
        (A, is_not_the_charge_of(A)),
        (A, has_its_own("id", [B, A])),
        (answer([charge("a", 1)]), holds_charge(B)),
        (ONLY_NEWER, holds_charge_if_not_full(A, BOTH)),
        (BOTH, holds_only("paid")),
        (BOTH, holds_no_ref(["ref-b"], A, [])),
        (BOTH, holds_no_ref(["ref-b"], A, [B, A])),
        (answer([charge("a"), charge("c", external_ref="ref-a")]), holds_ref_once("ref-a", [])),
        (answer([charge("a", 1), charge("b", 2)]), newest_first([])),
        (BOTH, shows_as(answer(charge("a", 1, status="paid")), "status")),
        (answer([charge("a")]), shows_sent_value(answer(charge("a"), sent={"amount_cents": 1}), "amount_cents")),
        (BOTH, holds_own_charge_only(B, A)),
        (BOTH, created_one_charge(["ref-a", "ref-b"], [A])),
        (answer(charge("a", e2e_id="E2")), names_one_payment([answer(charge("a", e2e_id="E1"))])),
        (A, ends_in_one_status(answer({}), FORBIDDEN, A)),
        (
            answer(charge("a", status="paid")),
            ends_in_one_status(FORBIDDEN, answer({}), answer(charge("a", status="canceled"))),
        ),
    ],
)
def test_a_relation_that_does_not_hold_says_what_is_wrong(subject: Exchange, relation: Matcher) -> None:
    assert mismatch(relation, subject)


@pytest.mark.parametrize(
    ("subject", "relation"),
    [
        (ONLY_NEWER, holds_charge(A)),
        (answer([]), holds_only("pending")),
        (FORBIDDEN, holds_charge(A)),
        (ONLY_NEWER, holds_own_charge_only(A, B)),
        (ONLY_NEWER, holds_no_ref(["ref-c"], A, [])),
        (answer([charge("a"), charge("b")]), newest_first([])),
        (A, ends_in_one_status(FORBIDDEN, FORBIDDEN, A)),
        (A, names_one_payment([A])),
        (answer([]), created_one_charge(["ref-a"], [FORBIDDEN])),
    ],
)
def test_what_cannot_be_seen_is_inconclusive(subject: Exchange, relation: Matcher) -> None:
    assert unknown(relation, subject).why is Why.PRECONDITION


@pytest.mark.parametrize(
    "relation", [holds_charge_if_not_full(A, ONLY_NEWER), shows_sent_value(answer(charge("b")), "description")]
)
def test_what_a_list_need_not_show_is_not_applicable(relation: Matcher) -> None:
    assert unknown(relation, ONLY_NEWER).why is Why.NOT_SHOWN


PAID, CONTROL = 700, 900
CAPTURED, SETTLED = "payment.captured", "settlement"


def a_ledger(*postings: tuple[str, int]) -> Exchange:
    """A ledger with postings of these kinds and amounts, cents."""
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
    problem = mismatch(captured_once(PAID, (a_ledger((CAPTURED, CONTROL)), CONTROL)), a_ledger(*later))
    assert (problem or "").startswith(wrong or "")
    assert bool(problem) == bool(wrong)
