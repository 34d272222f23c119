"""Refused requests of the payments API, and what shows that they had no effect."""

from pix_conformance.checks.conclusion import Problem, not_tested
from pix_conformance.checks.relation import relation
from pix_conformance.model.exchange import NO_ROUTE, Exchange
from pix_conformance.model.operations import Effect, of
from pix_conformance.model.vocabulary import Api

EFFECTS = {row.name: row.status for row in of(Api.PAYMENTS, Effect.CHANGES)}
"""The status that an object has after one of these operations."""
REMOVALS = {row.name for row in of(Api.PAYMENTS, Effect.REMOVES)}
SANDBOX_PAYMENT = "PAY-PAYS-01"
"""The requirement that the sandbox route pays a new charge of a credential pair that was given for the sandbox."""
NOT_FOUND = 404
BY_ID = {row.name for row in of(Api.PAYMENTS) if row.id_parameter}
"""Operations on an object that their path names."""


@relation("the request has no effect")
def has_no_effect(refused: Exchange, afterwards: Exchange) -> str | None:
    """Expect a refused request to have done nothing.

    `afterwards` is the GET of the charge or transfer, or a second DELETE of the webhook.
    """
    if refused.operation in REMOVALS:
        return "the webhook is gone" if afterwards.status == NOT_FOUND else None
    effect = EFFECTS.get(str(refused.operation))
    return f"data.status is {effect}" if effect and afterwards.at("data.status") == effect else None


@relation("the route exists")
def is_not_an_unknown_path(answer: Exchange) -> str | None:
    """Expect a request, whether valid or not, to be answered by the route itself."""
    missing = answer.status in NO_ROUTE
    return f"the request is answered {answer.status}, as if there were no such route" if missing else None


@relation("the route exists and accepts a valid request")
def accepts_a_valid_request(answer: Exchange) -> Problem:
    """Expect a route to exist; Unknown if it refuses the request, or answers 404, which may mean the object."""
    if answer.status in NO_ROUTE and not (answer.status == NOT_FOUND and answer.operation in BY_ID):
        return f"a valid request is answered {answer.status}, as if there were no such route"
    if not answer.ok or not isinstance(answer.json, dict) or not answer.json:
        return not_tested(answer)
    return None
