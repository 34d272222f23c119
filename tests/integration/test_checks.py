"""What the rules of an integration say of one request or delivery."""

from dataclasses import replace
from typing import Any

import pytest

from pix_conformance.checks import client_requests as rules
from pix_conformance.checks.conclusion import Broken, Holds, Unknown
from pix_conformance.checks.credits import accepted, answered_within, credited
from pix_conformance.checks.matchers import Matcher
from pix_conformance.harness.outcomes import Inconclusive
from pix_conformance.integration.driver import Order
from pix_conformance.integration.event_form import OrderCharge
from pix_conformance.model.exchange import DELIVERS_EVENT, NOT_AWAITED, Exchange, Request, Response
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.recording.curl import curl

KEY = "0f5fdaf0-5b0c-4c55-9d0a-0d0c35b8d7c1"


def sent(body: str = "", *, number: int = 1, status: int = 200, started: float = 0, **headers: str) -> Exchange:
    given = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    request = Request("POST", "http://h/api/v1/pix/out/pixkey", given, body.encode())
    response = Response(status, (), b"", 0)
    return Exchange(number, Api.PAYMENTS, Role.MERCHANT, "create_transfer", None, started, 10, request, response)


@pytest.mark.parametrize(
    ("body", "matcher", "kind"),
    [
        ('{"amount": 100}', rules.sends_integer("amount", 1), Holds),
        ('{"amount": 100.0}', rules.sends_integer("amount", 1), Holds),
        ('{"amount": 10.5}', rules.sends_integer("amount", 1), Broken),
        ('{"amount": "100"}', rules.sends_integer("amount", 1), Broken),
        ('{"amount": true}', rules.sends_integer("amount", 1), Broken),
        ("{}", rules.sends_integer("amount", 1), Broken),
        ("{}", rules.sends_integer("seconds", 60, 86_400), Unknown),
        ('{"seconds": 59}', rules.sends_integer("seconds", 60, 86_400), Broken),
        ('{"amount": 1050}', rules.asks_for("amount", 1050), Holds),
        ('{"amount": 105000}', rules.asks_for("amount", 1050), Broken),
        ("{}", rules.sends_text("description", 3), Unknown),
        ('{"description": "abcd"}', rules.sends_text("description", 3), Broken),
        ('{"description": "\\ud83d\\ude00bc"}', rules.sends_text("description", 3), Holds),
        ('{"currency": "USD"}', rules.sends_form("currency", "BRL", "BRL"), Broken),
        ("{}", rules.sends_form("currency", "BRL", "BRL"), Unknown),
        ('{"pixKey": "+5511987654321"}', rules.sends_pix_key("pixKey"), Holds),
        ('{"pixKey": "11987654321x"}', rules.sends_pix_key("pixKey"), Broken),
        ('{"splits": [{"email": "a@b.co", "percentage": 50}, {"email": "c@d.co", "percentage": 50.0}]}',
         rules.sends_splits(), Holds),
        ('{"splits": [{"email": "a@b.co", "percentage": 100.5}]}', rules.sends_splits(), Broken),
        ('{"items": [{"title": "a", "tangible": true, "quantity": 1, "amountInCents": 1.5}]}',
         rules.sends_items(), Broken),
        ('{"events": []}', rules.sends_event_names(["paid"]), Broken),
        ('{"a": 1}', rules.sends_no_body(), Broken),
        ("", rules.sends_no_body(), Holds),
    ],
)  # fmt: skip
def test_a_body_is_judged(body: str, matcher: Matcher, kind: type[Any]) -> None:
    assert isinstance(matcher.judge(sent(body)), kind)


def test_a_repetition_has_the_same_key_and_body() -> None:
    first = sent('{"amount": 1}', x_idempotency_key=KEY)
    assert isinstance(rules.repeats(first).judge(sent('{ "amount": 1 }', number=2, x_idempotency_key=KEY)), Holds)
    other = rules.repeats(first).judge(sent('{"amount": 2, "currency": "BRL"}', number=2, x_idempotency_key=KEY))
    assert isinstance(other, Broken)
    assert "key of exchange 1, which was answered 200, and another body: amount was 1, and is 2; " in other.sentence
    assert other.sentence.endswith('currency was missing, and is "BRL"')
    assert isinstance(rules.repeats(first).judge(sent('{"amount": 1}', number=2, x_idempotency_key=KEY[::-1])), Broken)
    assert isinstance(rules.repeats(sent("{}")).judge(sent("{}", number=2)), Broken)


def test_a_key_stands_for_one_body() -> None:
    first, other = sent('{"amount": 1}', x_idempotency_key=KEY), sent('{"amount": 2}', number=2, x_idempotency_key=KEY)
    assert isinstance(rules.has_key_of_its_body([first]).judge(other), Broken)
    assert isinstance(rules.has_key_of_its_body([]).judge(other), Holds)
    assert isinstance(rules.has_key_of_its_body([first]).judge(sent("{}")), Unknown)


def test_a_uuid_of_another_form_is_none() -> None:
    assert isinstance(rules.has_uuid("x-idempotency-key").judge(sent(x_idempotency_key=KEY.upper())), Holds)
    assert isinstance(rules.has_uuid("x-idempotency-key").judge(sent(x_idempotency_key=f"t-{KEY}")), Broken)


def test_a_pause_is_measured_from_the_answer() -> None:
    limited = sent(status=429)
    assert isinstance(rules.is_followed_by_a_pause([sent(number=2, started=0.5)], 1).judge(limited), Broken)
    assert isinstance(rules.is_followed_by_a_pause([sent(number=2, started=1.5)], 1).judge(limited), Holds)
    assert isinstance(rules.is_followed_by_a_pause([], 1).judge(limited), Holds)


TWICE = "its payment (the endpoint answered 500), then the same event (the endpoint answered 204)"


@pytest.mark.parametrize(
    ("expected", "after", "words"),
    [
        (10, 0, f"the order is not credited: 0 cents, not 10, after {TWICE}"),
        (10, 20, f"the order is credited twice: 20 cents, not 10, after {TWICE}"),
        (10, 30, f"the order is credited 3 times: 30 cents, not 10, after {TWICE}"),
        (10, 9, f"the order is credited with another amount: 9 cents, not 10, after {TWICE}"),
        (0, 10, f"the order is credited, and should not be: 10 cents, not 0, after {TWICE}"),
    ],
)
def test_credits_are_compared_with_what_they_should_be(expected: int, after: int, words: str) -> None:
    events = [sent(status=500), sent(status=204)]
    wrong = credited(expected, 0, after, ["its payment", "the same event"], events=events).judge(events[-1])
    assert isinstance(wrong, Broken)
    assert wrong.sentence == words
    assert isinstance(credited(after, 0, after, ["its payment"]).judge(sent()), Holds)


def test_a_missing_credit_says_how_long_it_was_waited_for() -> None:
    wrong = credited(10, 0, 0, ["its payment"], events=[sent()], within_s=2.5).judge(sent())
    assert isinstance(wrong, Broken)
    assert wrong.sentence.startswith(
        "the order is not credited within 2.5 s (--within): 0 cents, not 10, after its payment"
    )


def test_a_missing_credit_names_the_event_of_a_payment_that_credited_another_order() -> None:
    wrong = credited(10, 0, 0, ["its payment"], events=[sent()], control=sent(number=3)).judge(sent())
    assert isinstance(wrong, Broken)
    assert wrong.sentence.endswith("; the event of a payment alone does credit an order (exchange 3)")


def test_an_answer_that_was_not_awaited_is_unknown() -> None:
    event = replace(sent(), response=None, fault=NOT_AWAITED)
    assert isinstance(accepted(["its payment"]).judge(event), Unknown)
    assert isinstance(answered_within(10).judge(event), Unknown)


def test_an_event_whose_connection_the_suite_closed_has_no_answer() -> None:
    cut = replace(sent(), response=None, fault="the suite closed the connection before the answer")
    silent = replace(sent(), response=None, fault="the endpoint did not answer within 10 s")
    wrong = credited(10, 0, 20, ["a broken one", "the same"], events=[cut, silent]).judge(silent)
    assert isinstance(wrong, Broken)
    assert wrong.sentence.endswith("20 cents, not 10, after a broken one, then the same (the endpoint did not answer)")


def test_an_event_that_is_not_accepted_is_named_with_those_before() -> None:
    deliveries = ["its payment", "the same event"]
    assert isinstance(accepted(deliveries).judge(sent(status=204)), Holds)
    refused = accepted(deliveries, "it verifies nothing").judge(sent(status=409))
    words = "it verifies nothing: the answer is 409, not a 2xx, to the last of these events: its payment, then the same"
    assert refused == Broken(f"{words} event")
    silent = replace(sent(), response=None, fault="the endpoint did not answer within 1 s")
    assert accepted(["its creation"]).judge(silent) == Broken(f"{silent.fault}, to its creation")


def test_a_client_whose_token_has_expired_logs_in_and_goes_on() -> None:
    login = sent(number=1)
    assert isinstance(rules.goes_on_with_a_token([login]).judge(sent(number=2)), Holds)
    sentences = [rules.goes_on_with_a_token(logins).judge(sent(number=2, status=401)) for logins in ([], [login])]
    begins = "the token had expired, as the run has turned the sandbox's clock: the client"
    assert sentences == [
        Broken(f"{begins} did not log in again, and its request was answered 401"),
        Broken(f"{begins} logged in again, but its last request was answered 401"),
    ]


def test_an_answer_that_does_not_come_is_too_late() -> None:
    assert isinstance(answered_within(10).judge(sent()), Holds)
    late = Exchange(1, Api.PAYMENTS, Role.MERCHANT, DELIVERS_EVENT, None, 0, 10_000, Request("POST", "http://h", ()))
    assert isinstance(answered_within(10).judge(late), Broken)


def test_the_lines_of_an_event_sign_it_again() -> None:
    headers = (("Content-Type", "application/json"), ("Service-Signature", "t=1,v1=ab"))
    request = Request("POST", "http://h/hook", headers, b'{"id": "it\'s"}', formula="T=1\nV1=2")
    event = Exchange(1, Api.PAYMENTS, Role.MERCHANT, DELIVERS_EVENT, None, 0, 1, request, by_integration=True)
    assert curl(event, "http://other").splitlines()[1:] == [
        "T=1",
        "V1=2",
        (
            "curl -sS -i -X POST http://h/hook -H 'Content-Type: application/json' "
            '-H "Service-Signature: t=$T,v1=$V1" --data-raw "$BODY"'
        ),
    ]


@pytest.mark.parametrize(
    ("price", "charged", "credited_cents", "due"),
    [(70, 70, 70, 70), (70, 70, 0, 70), (70, 70, 33, 70), (70, 69, 70, 70), (70, 69, 69, 69), (70, 69, 140, 70)],
)
def test_an_order_is_due_its_charge_or_its_price(price: int, charged: int, credited_cents: int, due: int) -> None:
    assert Order("1", OrderCharge(Api.BUSINESS, "c", charged, "1"), None, price).due(credited_cents) == due


@pytest.mark.parametrize("credited_cents", [0, 33])
def test_a_charge_of_another_amount_may_be_why_its_order_is_not_credited(credited_cents: int) -> None:
    order = Order("1", OrderCharge(Api.BUSINESS, "c", 69, "1"), None, 70)
    with pytest.raises(Inconclusive, match="the charge of an order of 70 cents is of 69 cents"):
        order.due(credited_cents)
