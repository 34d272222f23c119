"""Tokens on the routes other than POST /api/auth."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle

import pytest

from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

DURING_MS = 15
"""Milliseconds after a login at which a request is sent that comes while it is executed."""
UNDONE = [row.name for row in operations.of(Api.PAYMENTS, Effect.CHANGES, Effect.REMOVES)]
"""The routes whose effect a later request shows."""


def effect_of(route: str) -> list[pytest.MarkDecorator]:
    """Return the mark of PAY-AUTH-29, for a route whose effect can be seen."""
    return [requirement("PAY-AUTH-29")] if route in UNDONE else []


MakeAuthorization = Callable[[Payments], Authorization]
REFUSED = [
    case("PAY-AUTH-11", lambda _: NO_AUTHORIZATION, id="no-token"),
    case(
        "PAY-AUTH-12",
        lambda payments: payments.bearer(never_issued_token(), "token never issued", f"Bearer {NEVER_ISSUED}"),
        id="never-issued",
    ),
    case("PAY-AUTH-14", lambda payments: payments.basic(), id="client-credentials"),
]
"""What no route but POST /api/auth takes for a token."""
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


ALTERED = [
    pytest.param(route, change, id=f"{what}-{route}", marks=effect_of(route))
    for route, (what, change) in zip(
        ROUTES, cycle([("another-payload", TAMPERED), ("algorithm-none", UNSIGNED)]), strict=False
    )
]
"""Each route with one of two changes of a valid token."""
on_every_route = pytest.mark.parametrize("route", [pytest.param(route, marks=effect_of(route)) for route in ROUTES])


def expect_refusal(routes: Routes, answer: Exchange, rule: str) -> None:
    """Expect 401 for a requirement, and that a payment, a completion or a DELETE behind it had no effect."""
    afterwards = routes.look_after(answer)
    expect(answer, status(401), of=rule)
    if afterwards:
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


@pytest.mark.parametrize("authorization", REFUSED)
@on_every_route
def test_a_request_without_a_valid_token_is_refused(
    payments: Payments, routes: Routes, rule: str, authorization: MakeAuthorization, route: str
) -> None:
    """A valid request returns 401 and has no effect without a token, with one never issued, with client credentials."""
    routes.accepted(route)
    expect_refusal(routes, routes.call(route, authorization(payments)), rule)


@requirement("PAY-AUTH-13")
@pytest.mark.parametrize(("route", "change"), ALTERED)
def test_an_altered_token_is_refused(payments: Payments, routes: Routes, route: str, change: Alteration) -> None:
    """A valid token returns 401 if its payload was changed on one half of the routes, its algorithm on the other."""
    routes.accepted(route)
    answer = routes.call(route, change(payments))
    expect_refusal(routes, answer, "PAY-AUTH-13")


@pytest.mark.parametrize("authorization", REFUSED_BY_BALANCE)
def test_an_authorization_that_is_no_valid_token_is_refused(
    payments: Payments, routes: Routes, authorization: MakeAuthorization
) -> None:
    """GET /api/v1/balance returns 401 to Bearer alone, to words, to a token after another word, to a changed one."""
    route = routes.reading
    precondition(routes.accepted(route))
    expect(routes.call(route, authorization(payments)), status(401))


@requirement("PAY-AUTH-29")
def test_a_webhook_of_an_altered_token_is_not_registered(
    payments: Payments, routes: Routes, webhook_body: WebhookBody
) -> None:
    """A POST /api/v1/webhook that returns 401 because its token was altered registers no webhook."""
    precondition(routes.accepted("create_webhook"))
    body, altered = webhook_body(), TAMPERED(payments)
    require_refusal(payments.create_webhook(body, authorization=altered), 401)
    listing = list_all_pages(payments)
    shown = [number for number, row in listing.rows.items() if row.get("url") == body["url"]]
    for number in shown:
        payments.delete_webhook(number)
    if not shown and not listing.complete:
        raise Inconclusive(f"not all pages of the list are to be had ({listing.first.evidence})")
    expect(listing.first, lists_no_url([body["url"]], listing.pages))


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


@requirement("PAY-AUTH-10")
@deferred(62, timely=True)
@pytest.mark.parametrize("account", ["other_payments", "live_payments"])
def test_a_token_of_another_account_or_of_production_ends_in_time(run: Run, account: str) -> Iterator[None]:
    """GET /api/v1/balance refuses a token of 62 s of the second account, and one of production, with 401."""
    client: Payments = run.clients.named(account)
    token = client.bearer(new_token(client))
    precondition(read_account(client, authorization=token))
    yield
    precondition(read_account(client))
    expect(read_account(client, authorization=token), status(401))


@requirement("PAY-AUTH-10")
@deferred(62)
@pytest.mark.parametrize(
    "route", [pytest.param(route, marks=effect_of(route)) for route in ROUTES if route != "get_balance"]
)
def test_an_expired_token_is_refused_on_every_route(
    payments: Payments, routes: Routes, early_token: str, route: str
) -> Iterator[None]:
    """A token that was issued at the start of the run returns 401 on each route once it is older than 60 s."""
    if route != "complete_transfer":  # its approval may take long
        routes.require_built(route)
    yield
    routes.accepted(route)
    answer = routes.call(route, payments.bearer(early_token))
    expect_refusal(routes, answer, "PAY-AUTH-10")
