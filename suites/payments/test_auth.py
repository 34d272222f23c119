"""Getting a token, and what every route does without a right one (payments.md, lines 210, 226-231 and 304-312)."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Callable

import pytest

from fixtures.payments import tokens
from fixtures.payments.routes import ROUTES, done, plain_answer
from pix_conformance.checks.matchers import computed, has, status
from pix_conformance.harness.clients.client import NO_AUTHORIZATION, Authorization
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.clock import Clock
from pix_conformance.harness.deferred import PreparedToAge, deferred, prepare
from pix_conformance.harness.expect import expect, not_applicable, precondition
from pix_conformance.harness.requirement import requirement

EVERY_ROUTE = [
    pytest.param(route, make, marks=requirement(rule), id=f"{route}-{name}")
    for name, (rule, make) in tokens.ON_EVERY_ROUTE.items()
    for route in ROUTES
]
ONE_ROUTE = [
    pytest.param("get_balance", make, marks=requirement(rule), id=name)
    for name, (rule, make) in tokens.ON_ONE_ROUTE.items()
]
MALFORMED: dict[str, Callable[[str], str]] = {
    "scheme-alone": lambda _: "Basic",
    "no-base64": lambda _: "Basic !!!",
    "no-colon": lambda client_id: f"Basic {base64.b64encode(client_id.encode()).decode()}",
}
"""Headers of no pair, made of the right client id."""

NEARLY: dict[str, Callable[[str], str]] = {
    "cut": lambda secret: secret[:-1],
    "longer": lambda secret: f"{secret}x",
    "exchanged-capitals": lambda secret: f"{secret}X" if secret.swapcase() == secret else secret.swapcase(),
}
"""Wrong secrets and client ids, made of the right ones."""


@prepare("payments", "clock", timely=True)
def an_early_token(payments: Payments, clock: Clock) -> tuple[str, float]:
    """A token of the run's beginning that has worked, and when it was asked for."""
    return _used(payments, clock)


@prepare("other_payments", "clock", timely=True)
def an_early_token_of_another(other_payments: Payments, clock: Clock) -> tuple[str, float]:
    """Another account's, likewise."""
    return _used(other_payments, clock)


@prepare("live_payments", "clock", timely=True)
def an_early_token_of_production(live_payments: Payments, clock: Clock) -> tuple[str, float]:
    """The production pair's, likewise."""
    return _used(live_payments, clock)


def _used(payments: Payments, clock: Clock) -> tuple[str, float]:
    asked, token = clock.now(), tokens.a_token(payments)
    precondition(payments.get_balance(authorization=payments.bearer(token)))
    return token, asked


def _pair(client_id: str, secret: str) -> Authorization:
    return Authorization(f"Basic {base64.b64encode(f'{client_id}:{secret}'.encode()).decode()}", "a wrong pair")


@requirement("PAY-AUTH-01")
def test_right_credentials_get_a_token(payments: Payments) -> None:
    """By Basic authentication, without a body."""
    expect(payments.authenticate(), status(200), has("token"))


@requirement("PAY-AUTH-08")
@pytest.mark.parametrize("route", ["get_balance", "list_webhooks"])
def test_a_fresh_token_opens_a_route(payments: Payments, route: str) -> None:
    """It is sent as bearer."""
    answer = ROUTES[route](payments, payments.bearer(tokens.a_token(payments)))
    expect(answer, computed("a fresh token is accepted", tokens.refusal(answer)))


@requirement("PAY-AUTH-21")
def test_a_second_token_does_not_end_the_first(payments: Payments) -> None:
    """Each lives for its own 60 seconds."""
    first, second = tokens.a_token(payments), tokens.a_token(payments)
    precondition(payments.get_balance(authorization=payments.bearer(second)))
    answer = payments.get_balance(authorization=payments.bearer(first))
    expect(answer, computed("the older token is accepted", tokens.refusal(answer)))


@requirement("PAY-AUTH-22")
def test_the_claims_of_a_token_agree_with_its_lifetime(payments: Payments) -> None:
    """Where exp and iat can be read."""
    granted = precondition(payments.authenticate(), has("token"))
    expect(granted, computed("exp and iat agree with expiresIn", tokens.lifetime_problem(granted)))


@pytest.mark.parametrize(("route", "credential"), EVERY_ROUTE + ONE_ROUTE)
def test_a_route_is_closed_to(payments: Payments, route: str, credential: tokens.Credential) -> None:
    """All else about the request is right."""
    plain_answer(payments, route)
    who = credential(payments)
    answer = ROUTES[route](payments, who)
    expect(answer, status(401), computed("the request has no effect", done(payments, answer, look=who.value is None)))


@requirement("PAY-AUTH-15")
@pytest.mark.parametrize("secret", [secrets.token_urlsafe(24), ""], ids=["other", "empty"])
def test_a_wrong_secret_is_refused(payments: Payments, secret: str) -> None:
    """The client id is right."""
    payments.authorization()
    expect(payments.authenticate(_pair(payments.pair.client_id, secret)), status(401))


@requirement("PAY-AUTH-15")
@pytest.mark.parametrize("change", NEARLY.values(), ids=NEARLY)
def test_a_secret_that_is_nearly_right_is_refused(payments: Payments, change: Callable[[str], str]) -> None:
    """All but one character, one more, or capitals and small letters exchanged; a right server compares the whole."""
    payments.authorization()
    wrong = change(payments.pair.client_secret.reveal())
    expect(payments.authenticate(_pair(payments.pair.client_id, wrong)), status(401))


@requirement("PAY-AUTH-15")
def test_the_secret_of_another_client_is_refused(payments: Payments, other_payments: Payments) -> None:
    """Both halves are right, but not of one pair."""
    payments.authorization()
    pair = _pair(payments.pair.client_id, other_payments.pair.client_secret.reveal())
    expect(payments.authenticate(pair), status(401))


def _halves(payments: Payments) -> set[tuple[str, str]]:
    pair = payments.pair
    return {("id", pair.client_id), ("secret", pair.client_secret.reveal())}


@requirement("PAY-AUTH-15")
def test_the_secret_of_the_other_environment_is_refused(payments: Payments, live_payments: Payments) -> None:
    """Sandbox and production have a pair each, though the account may be one."""
    payments.authorization()
    if _halves(live_payments) & _halves(payments):
        raise not_applicable("the pairs of the two environments have a half in common")
    pair = _pair(payments.pair.client_id, live_payments.pair.client_secret.reveal())
    expect(payments.authenticate(pair), status(401))


@requirement("PAY-AUTH-15")
def test_a_wrong_secret_in_production_is_refused(live_payments: Payments) -> None:
    """As in the sandbox."""
    live_payments.authorization()
    pair = _pair(live_payments.pair.client_id, secrets.token_urlsafe(24))
    expect(live_payments.authenticate(pair), status(401))


@requirement("PAY-AUTH-16")
def test_an_unknown_client_is_refused(payments: Payments) -> None:
    """The secret is one that exists."""
    payments.authorization()
    pair = _pair(f"pix-conformance-{secrets.token_hex(8)}", payments.pair.client_secret.reveal())
    expect(payments.authenticate(pair), status(401))


@requirement("PAY-AUTH-16")
@pytest.mark.parametrize("change", [NEARLY["cut"], NEARLY["longer"]], ids=["cut", "longer"])
def test_a_client_id_that_is_nearly_right_is_refused(payments: Payments, change: Callable[[str], str]) -> None:
    """All but one character, or one more; a right server compares the whole."""
    payments.authorization()
    pair = _pair(change(payments.pair.client_id), payments.pair.client_secret.reveal())
    expect(payments.authenticate(pair), status(401))


@requirement("PAY-AUTH-17")
def test_no_credentials_get_no_token(payments: Payments) -> None:
    """No Authorization header at all."""
    payments.authorization()
    expect(payments.authenticate(NO_AUTHORIZATION), status(401))


@requirement("PAY-AUTH-18")
@pytest.mark.parametrize("make", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_basic_header_is_refused(payments: Payments, make: Callable[[str], str]) -> None:
    """The route lists no 400."""
    payments.authorization()
    header = make(payments.pair.client_id)
    expect(payments.authenticate(Authorization(header, "a malformed Basic header")), status(401))


@requirement("PAY-AUTH-19")
@pytest.mark.parametrize("scheme", ["Bearer", "Digest"])
def test_the_pair_under_another_scheme_is_refused(payments: Payments, scheme: str) -> None:
    """What follows the scheme's name is right for Basic."""
    payments.authorization()
    coded = str(payments.basic().value).removeprefix("Basic ")
    expect(payments.authenticate(Authorization(f"{scheme} {coded}", f"the pair as {scheme}")), status(401))


@requirement("PAY-AUTH-19")
def test_a_token_gets_no_further_token(payments: Payments) -> None:
    """Only the pair does."""
    expect(payments.authenticate(payments.bearer(tokens.a_token(payments))), status(401))


@deferred(tokens.ASKED_AT_S)
@requirement("PAY-AUTH-09")
def test_a_token_lives_for_nearly_its_minute(payments: Payments, clock: Clock) -> None:
    """Asked at 57.5 s, for round trip, whole seconds and clocks."""
    token, asked = an_early_token.after_age(tokens.ASKED_AT_S)
    answer = tokens.used_near_its_end(payments, clock, token, asked)
    expect(answer, computed("a token of nearly 58 s is accepted", tokens.refusal(answer)))


@deferred(tokens.LATE_S)
@requirement("PAY-AUTH-09")
def test_a_token_does_not_end_with_an_older_one(payments: Payments) -> None:
    """Asked for shortly before the other's end, it has a minute of its own."""
    an_early_token.after_age(tokens.ASKED_AT_S)
    token = payments.bearer(tokens.a_token(payments))
    an_early_token.after_age(62)
    answer = payments.get_balance(authorization=token)
    expect(answer, computed("the younger token is accepted", tokens.refusal(answer)))


@deferred(62)
@requirement("PAY-AUTH-10")
def test_a_token_does_not_outlive_its_minute(payments: Payments) -> None:
    """Asked at 62 s, for round trip and clocks; its use shortly before its end does not prolong its life."""
    token = payments.bearer(an_early_token.after_age(tokens.ASKED_AT_S)[0])
    payments.get_balance(authorization=token)
    an_early_token.after_age(62)
    precondition(payments.get_balance())
    expect(payments.get_balance(authorization=token), status(401))


def expect_expired(payments: Payments, early: PreparedToAge[tuple[str, float]]) -> None:
    """Hold a token of 62 s to be refused, where a younger one is not."""
    token, _ = early.after_age(62)
    precondition(payments.get_balance())
    expect(payments.get_balance(authorization=payments.bearer(token)), status(401))


@deferred(62)
@requirement("PAY-AUTH-10")
def test_no_token_of_another_account_outlives_its_minute(other_payments: Payments) -> None:
    """Nor does another account's."""
    expect_expired(other_payments, an_early_token_of_another)


@deferred(62)
@requirement("PAY-AUTH-10")
def test_no_production_token_outlives_its_minute(live_payments: Payments) -> None:
    """It is as short-lived as one of the sandbox."""
    expect_expired(live_payments, an_early_token_of_production)


@deferred(62)
@requirement("PAY-AUTH-10")
@pytest.mark.parametrize("route", [one for one in ROUTES if one != "get_balance"])
def test_an_expired_token_opens_no_other_route(payments: Payments, route: str) -> None:
    """Each asks for a living one."""
    token, _ = an_early_token.after_age(62)
    plain_answer(payments, route)
    answer = ROUTES[route](payments, payments.bearer(token))
    expect(answer, status(401), computed("the request has no effect", done(payments, answer, look=True)))


@deferred(62)
@requirement("PAY-AUTH-09")
def test_a_token_in_use_is_not_refused(payments: Payments) -> None:
    """None that the run worked with was, before it was to be renewed: a token is good for any number of requests."""
    answer, dropped = precondition(payments.get_balance()), payments.dropped
    early = f"{len(dropped)} requests were refused, and accepted with a new token" if dropped else None
    expect(dropped[0] if dropped else answer, computed("no token is refused while it is young", early))
