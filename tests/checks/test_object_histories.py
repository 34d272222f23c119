"""History checks where several runs are right: races, events without an id, refused events; and what they read.

What they must find wrong is shown by the mutants of their requirements.
"""

import json
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from pix_conformance.checks.business.event_history import PAID
from pix_conformance.checks.business.event_history import Histories as ChargeHistories
from pix_conformance.checks.business.list_history import judged_by_omissions
from pix_conformance.checks.conclusion import Broken
from pix_conformance.checks.history import body_sent, named, waiting_since
from pix_conformance.checks.matchers import Matcher
from pix_conformance.checks.object_histories import has_one_order_of_current_states_with, judged_histories
from pix_conformance.checks.payments.event_history import Histories as PaymentHistories
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import Api, Role
from tests.support import exchanges

JSON = (("Content-Type", "application/json; charset=utf-8"),)
CHARGES, QRCODE = "http://127.0.0.1:8080/v1/business/pix-charges", "http://127.0.0.1:8080/api/v1/pix/in/qrcode"
MANY = 12
"""So many events that a missing one counts."""


def exchange(operation: str, at: float, url: str, answer: Any, body: dict[str, Any] | None = None) -> Exchange:
    """Return an accepted request of the merchant that began and ended at a time in seconds."""
    sends, api = ("POST" if body else "GET", url, JSON), Api.BUSINESS if url.startswith(CHARGES) else Api.PAYMENTS
    fields: dict[str, Any] = {"id": int(10 * at), "operation": operation, "started": at, "elapsed_ms": 0.0}
    return exchanges.exchange(answer, 200, body, sends, JSON, api=api, **fields)


def is_broken(judged: tuple[Exchange | Delivery, Matcher]) -> bool:
    """Return whether a message does not meet its matcher."""
    message, matcher = judged
    return isinstance(matcher.judge(message), Broken)


def test_a_request_body_is_read_if_it_is_labelled_as_json() -> None:
    plain = exchange("create_charge", 1, QRCODE, {}, {"amountInCents": 1050})
    assert body_sent(plain) == {"amountInCents": 1050}
    assert body_sent(replace(plain, request=replace(plain.request, headers=()))) == {}


@pytest.mark.parametrize("body", [b"", b"\xff", b"[1]", b"{", b'{"a": 1, "a": 2}'])
def test_a_body_that_is_not_an_object_reads_as_empty(body: bytes) -> None:
    """An object with a duplicate name is not read either, because parsers differ."""
    assert exchanges.exchange(body).json_object == {}


def test_ids_are_read_from_paths_without_their_encoding() -> None:
    assert "a/b" in named(exchange("pay_charge", 1, f"{QRCODE}/a%2Fb/pay", {"data": {"id": "a/b"}}))


def test_events_may_wait_since_the_newest_was_refused() -> None:
    """An event that was accepted later holds up nothing; of one that was refused twice the first attempt counts."""
    attempts = [("a", 500, 1.0), ("b", 500, 2.0), ("a", 200, 3.0), ("c", None, 4.0), ("c", 503, 9.0), ("d", 204, 10.0)]
    assert waiting_since(attempts) == 4.0
    assert waiting_since(attempts[:3]) == 2.0
    assert waiting_since([("a", 200, 1.0)]) is None


NAMES = ("charge-a", "charge-b", "charge-c")
CREATIONS = [exchange("create_charge", 100 + 10 * place, CHARGES, {"id": name}) for place, name in enumerate(NAMES)]
PAYMENTS = [
    exchange("get_charge", 130 + place, f"{CHARGES}/{name}", {"id": name, "status": "paid"})
    for place, name in enumerate(NAMES)
]
CANCEL = exchange("cancel_charge", 140, f"{CHARGES}/charge-b/cancel", {})


@pytest.mark.parametrize(
    ("second", "query", "names", "further", "lacking"),
    [
        (150, "", ("charge-c", "charge-a"), [], "charge-b,"),
        (150, "?status=paid", ("charge-c", "charge-a"), [], "charge-b, paid,"),
        (150, "", ("charge-c", "charge-b"), [], None),
        (133, "?status=paid", ("charge-c", "charge-a"), [], None),
        (150, "?status=pending", ("charge-c", "charge-a"), [], None),
        (150, "?status=paid", ("charge-c", "charge-a"), [CANCEL], None),
    ],
    ids=["between-two", "paid-between-two", "older", "paid-just-now", "no-longer-pending", "paid-and-canceled"],
)
def test_a_list_may_lack_older_charges_and_those_that_changed_just_now(
    second: float, query: str, names: tuple[str, str], further: list[Exchange], lacking: str | None
) -> None:
    listed = [{"id": name, "amount_cents": 1} for name in names]
    listing = exchange("list_charges", second, CHARGES + query, listed)
    ((subject, matcher),) = judged_by_omissions([*CREATIONS, *PAYMENTS, *further, listing])
    wrong = lacking and f"the list lacks the charge {lacking} but has charge-a, which was made before"
    assert matcher.mismatch(subject) == wrong


def ref(number: int) -> str:
    """Return an external_ref of the run."""
    return f"pix-conformance-{UUID(int=number)}"


def paid_charge(number: int, **body: Any) -> list[Exchange]:
    """Return the creation of a charge, and the query that shows it as paid a second later."""
    shown = {"id": f"chg_{number}", "status": "paid"}
    return [
        exchange("create_charge", 10.0 * number, CHARGES, {"id": shown["id"]}, body),
        exchange("get_charge", 10.0 * number + 1, f"{CHARGES}/{shown['id']}", shown),
    ]


def paid_event(number: int, data: dict[str, Any], **members: Any) -> Delivery:
    """Return a paid event that arrives a second after that query."""
    body = json.dumps({"type": PAID, "data": data} | members).encode()
    return Delivery(number, "/business", "POST", 10.0 * number + 2, JSON, body, 200, api="business")


def run(*lacking: str) -> tuple[list[Exchange], list[Delivery]]:
    """Return paid charges and their events, which lack some fields: the id, or the amount_cents in data."""
    exchanges, deliveries = list[Exchange](), list[Delivery]()
    for number in range(1, MANY + 1):
        exchanges += paid_charge(number, external_ref=ref(number), amount_cents=100)
        data = {"external_ref": ref(number)} | ({} if "amount_cents" in lacking else {"amount_cents": 100})
        deliveries.append(paid_event(number, data, **({} if "id" in lacking else {"id": f"evt_{number}"})))
    return exchanges, deliveries


@pytest.mark.parametrize(("amount", "is_judged"), [(700, True), (-700, False), ("", False), (699.999, False)])
def test_the_amount_of_an_event_is_held_against_a_valid_request(amount: object, *, is_judged: bool) -> None:
    """Which amount a charge has that should have been refused is not known."""
    creation, _ = paid_charge(1, external_ref=ref(1), amount_cents=amount)
    event = paid_event(1, {"external_ref": ref(1), "amount_cents": 701}, id="evt_1")
    assert any(map(is_broken, ChargeHistories([creation], [event]).amounts())) == is_judged


@pytest.mark.parametrize(("arrived", "is_missing"), [(1, True), (2, False)])
def test_events_without_an_id_are_counted_one_by_one(arrived: int, *, is_missing: bool) -> None:
    """Two charges of one external_ref, both paid, have two events."""
    exchanges, deliveries = run("id")
    for number in (-2, -1):
        exchanges += paid_charge(number, external_ref=ref(0), amount_cents=100)
    deliveries += [paid_event(number, {"external_ref": ref(0), "amount_cents": 100}) for number in (-2, -1)[:arrived]]
    assert any(map(is_broken, ChargeHistories(exchanges, deliveries).changes(PAID))) == is_missing


@pytest.mark.parametrize(("lacking", "is_missing"), [((), True), (("amount_cents",), False)])
def test_an_event_without_an_amount_may_be_that_of_a_charge_without_external_ref(
    lacking: tuple[str, ...], *, is_missing: bool
) -> None:
    """Such a charge is known by its amount alone."""
    exchanges, deliveries = run(*lacking)
    exchanges += paid_charge(0, amount_cents=777)
    assert any(map(is_broken, ChargeHistories(exchanges, deliveries).changes(PAID))) == is_missing


def created_event(number: int, answered: int) -> Delivery:
    """Return the event of a payments charge, a second after its creation, and what the receiver answered."""
    body = json.dumps({"type": "transaction", "event": "transaction_created", "transaction": {"id": str(number)}})
    return Delivery(number, "/hook", "POST", 10.0 * number + 1, JSON, body.encode(), answered, api="payments")


@pytest.mark.parametrize(("answered", "is_held_up"), [(200, False), (500, True)])
def test_a_refused_event_of_any_charge_may_hold_up_a_missing_one(answered: int, *, is_held_up: bool) -> None:
    """Also one of a charge whose id two accounts have, which is not judged itself."""
    exchanges = [
        exchange("create_charge", 10.0 * number, QRCODE, {"data": {"id": str(number)}}, {"amountInCents": 100})
        for number in (*range(1, 9), 3)
    ]
    exchanges[-1] = replace(exchanges[-1], role=Role.LIVE_MERCHANT)
    events = [*(created_event(number, 200) for number in (1, 2, 5, 6, 7, 8)), created_event(3, answered)]
    missing = PaymentHistories(exchanges, events).change_without_event("transaction_created", events, 0.0)
    assert missing
    assert (missing.cause.at("data.id"), missing.in_line) == ("4", is_held_up)


def test_a_payment_that_is_accepted_only_has_led_to_no_status_yet() -> None:
    """A 202 without a status may be followed by a query that shows what was; a 200, or a status of paid, may not."""

    def history(status: int, shown: dict[str, Any]) -> list[Exchange]:
        created = exchange("create_charge", 1, CHARGES, {"id": "a", "status": "pending"}, {"amount_cents": 100})
        paid = replace(exchange("pay_charge", 2, f"{CHARGES}/a/pay", shown, {}), operation="pay_charge")
        assert paid.response
        query = exchange("get_charge", 3, f"{CHARGES}/a", {"id": "a", "status": "pending"})
        return [created, replace(paid, response=replace(paid.response, status=status)), query]

    def is_current(code: int, **shown: object) -> bool:
        judged = judged_histories(history(code, shown), Api.BUSINESS, "charge", has_one_order_of_current_states_with)
        return not any(map(is_broken, judged))

    assert is_current(202, accepted=True)
    assert not is_current(200, accepted=True)
    assert not is_current(202, status="paid")
