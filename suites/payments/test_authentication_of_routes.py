"""Tokens on the routes other than POST /api/auth."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from _pytest.mark.structures import ParameterSet

from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

DURING_MS = 15
"""Milliseconds after a login at which a request is sent that comes while it is executed."""
UNDONE = [row.name for row in operations.of(Api.PAYMENTS, Effect.CHANGES, Effect.REMOVES)]
"""The routes whose effect a later request shows."""


MakeAuthorization = Callable[[Payments], Authorization]
WRONG: dict[str, MakeAuthorization] = {
    "PAY-AUTH-11": lambda _: NO_AUTHORIZATION,
    "PAY-AUTH-12": lambda payments: payments.bearer(
        never_issued_token(), "token never issued", f"Bearer {NEVER_ISSUED}"
    ),
}
"""What every route but POST /api/auth is asked to refuse."""
WRONG_OF_SOME: dict[str, MakeAuthorization] = {
    "PAY-AUTH-13": UNSIGNED,
    "PAY-AUTH-14": lambda payments: payments.basic(),
}
"""What one half of the routes is asked to refuse too; the other half a token of another payload."""
REFUSED_BY_BALANCE = [
    case("PAY-AUTH-11", lambda _: Authorization("Bearer", "Bearer", "Bearer"), id="no-token", quick=True),
    case(
        "PAY-AUTH-12",
        lambda payments: payments.bearer("not-a-token", "words as token", "Bearer not-a-token"),
        id="no-jwt",
        quick=True,
    ),
    case("PAY-AUTH-13", WITH_OTHER_SIGNATURE, id="one-character-of-the-signature"),
    case("PAY-AUTH-13", REHEADED, id="another-header"),
    case("PAY-AUTH-13", WITHOUT_SIGNATURE, id="no-signature"),
    *(case("PAY-AUTH-13", change, id=f"algorithm-{name}") for name, change in UNSIGNED_OTHERWISE.items()),
    case("PAY-AUTH-13", WITH_LONGER_SIGNATURE, id="a-longer-signature"),
    case("PAY-AUTH-13", WITH_FOURTH_PART, id="a-fourth-part"),
    case("PAY-AUTH-13", TRUNCATED, id="half-a-signature"),
    case(
        "PAY-AUTH-28",
        lambda payments: Authorization(f"Digest {current_token(payments)}", "a valid token as Digest", "Digest $TOKEN"),
        id="another-scheme",
    ),
    case(
        "PAY-AUTH-30",
        lambda payments: Authorization(
            f"xBearer {current_token(payments)}", "a valid token as xBearer", "xBearer $TOKEN"
        ),
        id="text-before-the-scheme",
    ),
]


def wrong_on(route: str) -> dict[str, MakeAuthorization]:
    """Return what a route is asked to refuse, by requirement; tests of their own ask more of two routes."""
    if route == "get_balance":
        return {"PAY-AUTH-11": WRONG["PAY-AUTH-11"]}
    altered = WRONG_OF_SOME if ROUTES.index(route) % 2 else {"PAY-AUTH-13": TAMPERED}
    return WRONG | (altered if route != "create_webhook" else {})


def route_case(route: str, *rules: str) -> ParameterSet:
    """Return the row of a route; it decides PAY-AUTH-29 too, where a later request shows an effect."""
    return case((*rules, *(["PAY-AUTH-29"] if route in UNDONE else [])), route, id=route)


def expect_401(routes: Routes, answers: dict[str, Exchange]) -> None:
    """Expect 401 for each requirement, and that a payment, a completion or a DELETE behind it had no effect.

    If one of them is accepted, the effect may be that of this one.
    """
    afterwards = routes.look_after(next(iter(answers.values())))
    for rule, answer in answers.items():
        expect(answer, status(401), of=rule)
    if afterwards and not any(answer.ok for answer in answers.values()):
        for answer in answers.values():
            expect(answer, has_no_effect(afterwards), of="PAY-AUTH-29")


@quick
@requirement("PAY-AUTH-08")
def test_a_new_token_is_accepted(payments: Payments) -> None:
    """GET /api/v1/balance accepts a token that POST /api/auth has just issued, at once on several connections."""
    token = payments.bearer(new_token(payments))
    for answer in repeat_concurrently(4, partial(read_account, payments, authorization=token, group="new-token")):
        expect(answer, accepts_the_token())


@requirement("PAY-AUTH-21")
def test_a_token_stays_valid_when_a_second_one_is_issued(payments: Payments) -> None:
    """GET /api/v1/balance accepts a token while POST /api/auth issues another one, and once that was used too."""
    first = payments.bearer(new_token(payments))
    login, during = send_concurrently(
        partial(payments.authenticate, group="second-login"),
        partial(read_account, payments, authorization=first, group="second-login"),
        apart_ms=DURING_MS,
    )
    second = payments.bearer(str(precondition(login, has("token")).at("token")))
    precondition(read_account(payments, authorization=second))
    expect(during, accepts_the_token())
    expect(read_account(payments, authorization=first), accepts_the_token())


@requirement("PAY-AUTH-21")
@pytest.mark.concurrent
def test_tokens_that_are_issued_at_once_are_both_valid(payments: Payments) -> None:
    """GET /api/v1/balance accepts each of two tokens that POST /api/auth issued at the same time."""
    logins = repeat_concurrently(2, partial(payments.authenticate, group="logins"))
    tokens = [payments.bearer(str(precondition(login, has("token")).at("token"))) for login in logins]
    answers = [read_account(payments, authorization=token) for token in tokens]
    for answer in answers:
        expect(answer, accepts_the_token())


@pytest.mark.parametrize("route", [route_case(route, *wrong_on(route)) for route in ROUTES])
def test_a_request_without_a_valid_token_is_refused(payments: Payments, routes: Routes, route: str) -> None:
    """A valid request returns 401 and has no effect without a token, and with one never issued or altered.

    A token is altered in its payload on one half of the routes, in its algorithm on the other, which is also asked to
    refuse client credentials.
    """
    routes.called(route)
    expect_401(routes, {rule: routes.call(route, make(payments)) for rule, make in wrong_on(route).items()})


@pytest.mark.parametrize("authorization", REFUSED_BY_BALANCE)
def test_an_authorization_that_is_no_valid_token_is_refused(
    payments: Payments, routes: Routes, authorization: MakeAuthorization
) -> None:
    """GET /api/v1/balance returns 401 to Bearer alone, to words, to a token after another word, to a changed one."""
    route = routes.reading
    precondition(routes.called(route))
    expect(routes.call(route, authorization(payments)), status(401))


@requirement("PAY-AUTH-13", "PAY-AUTH-29")
def test_a_webhook_of_an_altered_token_is_not_registered(
    payments: Payments, routes: Routes, webhook_body: WebhookBody
) -> None:
    """A POST /api/v1/webhook returns 401 if the payload of its token was altered, and registers no webhook."""
    precondition(routes.called("create_webhook"))
    body = webhook_body()
    refused = payments.create_webhook(body, authorization=TAMPERED(payments))
    listing = list_all_pages(payments)
    shown = [number for number, row in listing.rows.items() if row.get("url") == body["url"]]
    for number in shown:
        payments.delete_webhook(number)
    expect(refused, status(401), of="PAY-AUTH-13")
    require_refusal(refused, 401)
    if not shown and not listing.complete:
        raise Inconclusive(f"not all pages of the list are to be had ({listing.first.evidence})")
    expect(listing.first, lists_no_url([body["url"]], listing.pages), of="PAY-AUTH-29")


@requirement("PAY-AUTH-09")
@deferred(55, timely=True)
def test_a_token_is_accepted_shortly_before_its_end(payments: Payments, clock: Clock) -> Iterator[None]:
    """GET /api/v1/balance accepts a token that is 57.5 s old when the response comes; a slow target is asked sooner."""
    issued, token = clock.now(), payments.bearer(new_token(payments))
    response_s = min(2.5, precondition(read_account(payments, authorization=token)).elapsed_ms / 1000)
    yield
    clock.wait_until_aged(issued, 57.5 - response_s)
    if clock.now() - issued > 58.3:  # the run is late: a newer token is taken and awaited
        issued, token = clock.now(), payments.bearer(new_token(payments))
        precondition(read_account(payments, authorization=token))
        clock.wait_until_aged(issued, 57.5 - response_s)
    answer = read_account(payments, authorization=token)
    if clock.now() - issued > 58.9:  # too near the 60 s to be sure of the target's clock
        raise Inconclusive(f"the answer came too late to show whether the token was still valid ({answer.evidence})")
    if answer.status == 401 and later_token_ends_earlier_one(payments):
        raise Inconclusive("a new token ends the earlier one (PAY-AUTH-21), so none becomes 57.5 s old")
    expect(answer, accepts_the_token())


@requirement("PAY-AUTH-09", "PAY-AUTH-10")
@deferred(58.3, timely=True)
@pytest.mark.concurrent
def test_a_token_ends_in_time_and_a_later_one_does_not_end_with_it(payments: Payments, clock: Clock) -> Iterator[None]:
    """GET /api/v1/balance refuses a token of 62 s, used at the time of its renewal, and accepts the one issued then."""
    issued, first = clock.now(), payments.bearer(new_token(payments))
    precondition(read_account(payments, authorization=first))
    yield
    group = "renewal"
    use, login = send_concurrently(
        partial(read_account, payments, authorization=first, group=group), partial(payments.authenticate, group=group)
    )
    is_in_time = clock.now() - issued < 58.9  # else it is too near the 60 s to be sure of the target's clock
    second = payments.bearer(str(precondition(login, has("token")).at("token")))
    if is_in_time and is_decided(use):
        expect(use, accepts_the_token(), of="PAY-AUTH-09")
    clock.wait_until_aged(issued, 62)
    expect(read_account(payments, authorization=second), accepts_the_token(), of="PAY-AUTH-09")
    expect(read_account(payments, authorization=first), status(401), of="PAY-AUTH-10")


@requirement("PAY-AUTH-09", "PAY-AUTH-10")
@deferred(62, between=20, timely=True)
def test_a_token_lives_60_s_from_its_login(payments: Payments, clock: Clock) -> Iterator[None]:
    """GET /api/v1/balance refuses a token of 62 s that was first used at 20 s, and accepts one that was issued then."""
    issued, first = clock.now(), payments.bearer(new_token(payments))
    yield
    use = read_account(payments, authorization=first)
    issued_later, second = clock.now(), payments.bearer(new_token(payments))
    precondition(read_account(payments, authorization=second))
    yield
    clock.wait_until_aged(issued, 62)
    answer = read_account(payments, authorization=second)
    if clock.now() - issued_later > 55:
        raise Inconclusive(f"the answer came too late to show whether the token was still valid ({answer.evidence})")
    if answer.status == 401 and later_token_ends_earlier_one(payments):
        raise Inconclusive("a new token ends the earlier one (PAY-AUTH-21), so none becomes 42 s old")
    expect(answer, accepts_the_token(), of="PAY-AUTH-09")
    if issued_later - issued > 57:
        raise NotApplicable("the run was too late to use the first token before its end")
    precondition(use)
    expect(read_account(payments, authorization=first), status(401), of="PAY-AUTH-10")


@requirement("PAY-AUTH-10")
@deferred(62, timely=True)
@pytest.mark.parametrize("account", ["other_payments", "live_payments"])
def test_a_token_of_another_account_or_of_production_ends_in_time(run: Run, account: str) -> Iterator[None]:
    """GET /api/v1/balance refuses a token of 62 s of the second account, and one of production, with 401."""
    client: Payments = run.clients.named(account)
    token = client.bearer(new_token(client))
    precondition(read_account(client, authorization=token))
    yield
    expect(read_account(client, authorization=token), status(401))


@deferred(62)
@pytest.mark.parametrize("route", [route_case(route, "PAY-AUTH-10") for route in ROUTES if route != "get_balance"])
def test_an_expired_token_is_refused_on_every_route(
    payments: Payments, routes: Routes, early_token: str, route: str
) -> Iterator[None]:
    """A token that was issued at the start of the run returns 401 on each route once it is older than 60 s."""
    if route != "complete_transfer":  # its approval may take long
        routes.require_built(route)
    yield
    routes.called(route)
    expect_401(routes, {"PAY-AUTH-10": routes.call(route, payments.bearer(early_token))})
