"""Tokens of the payments API: what their claims say, and whether a route accepts one (PAY-AUTH)."""

import base64
import json
from collections.abc import Iterator, Sequence
from typing import Any

from pix_conformance.checks.conclusion import Problem, Unknown, not_tested
from pix_conformance.checks.relation import Relation, relation
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import MISSING
from pix_conformance.model.vocabulary import Api
from pix_conformance.model.why import Why

UNAUTHORIZED = 401
SURELY_ALIVE_S = 50.0
"""Age of a token below which no clock and no way of rounding lets it have expired."""
ROUNDING_S = 1
"""Seconds that are lost where exp and iat are cut to whole seconds."""


def claims_of(token: str) -> dict[str, Any]:
    """Read the claims of a token; none where it is encrypted or no JWT."""
    try:
        payload = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    except (IndexError, ValueError):
        return {}
    return claims if isinstance(claims, dict) else {}


@relation("exp and iat of the token agree with expiresIn")
def claims_agree_with_lifetime(granted: Exchange) -> Problem:
    """Expect `exp` less `iat` to be expiresIn (PAY-AUTH-22); Unknown without both claims."""
    claims, lifetime_ms = claims_of(str(granted.at("token"))), granted.at("expiresIn")
    numbers = [claims.get("exp"), claims.get("iat"), lifetime_ms]
    if not all(isinstance(number, int | float) and not isinstance(number, bool) for number in numbers):
        return Unknown(Why.NOT_SHOWN, "the token has no readable exp and iat beside an expiresIn")
    seconds = claims["exp"] - claims["iat"]
    if abs(seconds - lifetime_ms / 1000) <= ROUNDING_S:
        return None
    return f"exp is {seconds} s after iat, expiresIn is {lifetime_ms} ms"


@relation("the token is accepted")
def accepts_the_token(answer: Exchange) -> Problem:
    """Expect a request not to be refused for its token; Unknown if it is neither accepted nor answered 401."""
    if answer.status == UNAUTHORIZED:
        return f"the token is refused: status is {answer.status}"
    if not answer.ok or not isinstance(answer.at("data"), dict):
        return not_tested(answer)
    return None


def uses_of_valid_tokens(exchanges: Sequence[Exchange]) -> Iterator[tuple[Exchange, Relation]]:
    """Yield the requests of GET /api/v1/balance, and before them those of the run that a valid token did not let in.

    A client sent those again with a new token, and they were let in. A token is valid that is the newest of its
    credential pair, as far as the run knows (PAY-AUTH-21), and younger than 50 s.
    """
    by_id = {exchange.id: exchange for exchange in exchanges if exchange.api == Api.PAYMENTS}
    logins = [exchange for exchange in by_id.values() if exchange.operation == "authenticate" and exchange.ok]

    def was_valid(use: Exchange) -> bool:
        login = by_id.get(use.request.login)
        return (
            login is not None
            and not any(other.role == login.role and login.started < other.started < use.ended for other in logins)
            and use.ended - login.started < SURELY_ALIVE_S
        )

    repeated = [again for again in by_id.values() if again.request.refused_before and again.status != UNAUTHORIZED]
    refused = [by_id[again.request.refused_before] for again in repeated if again.request.refused_before in by_id]
    accepted = [exchange for exchange in by_id.values() if exchange.operation == "get_balance" and exchange.ok]
    yield from ((exchange, accepts_the_token()) for exchange in (*filter(was_valid, refused), *accepted))


@relation("the login is refused with a 4xx and no token")
def refuses_a_token(answer: Exchange) -> str | None:
    """Expect a login to be answered with a 4xx, and without a token."""
    if answer.status not in range(400, 500):
        return f"status is {answer.status}, not 4xx"
    return "the refusal holds a token" if answer.at("token") not in {MISSING, None, ""} else None
