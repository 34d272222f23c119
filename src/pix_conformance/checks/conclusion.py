"""What a check concludes of a message, as a value: the message is right, it is wrong, or the check cannot decide.

Also why a response decides nothing of its request, with what helps: the one sentence that every test says of it.
"""

from dataclasses import dataclass

from pix_conformance.model.exchange import Exchange
from pix_conformance.model.undecided import TOO_MANY, answer_in_words, is_of_gateway
from pix_conformance.model.why import Why


@dataclass(frozen=True)
class Holds:
    """The message is right."""


@dataclass(frozen=True)
class Broken:
    """The message is wrong, and in what."""

    sentence: str


@dataclass(frozen=True)
class Unknown:
    """The check cannot decide whether the message is right; why it cannot, and the sentence that says so."""

    why: Why
    sentence: str


Conclusion = Holds | Broken | Unknown
Problem = str | Unknown | None
"""What the function of a check returns: a sentence that says what is wrong, Unknown, or None if nothing is."""


class Undecided(Exception):  # noqa: N818  # a state of the target, not an error of ours
    """What a check needs cannot be read, or a response decides nothing."""

    def __init__(self, why: Why, sentence: str) -> None:
        super().__init__(sentence)
        self.unknown = Unknown(why, sentence)


def why_undecided(exchange: Exchange, waited: str = "") -> Unknown | None:
    """Return why a request has no decision: no response, a rate limit, a gateway; None if it has one.

    `waited` says for how long a run waits for the rate limit, and what helps.
    """
    route, place = _route(exchange), f"({exchange.evidence})"
    if exchange.status is None:
        return Unknown(Why.NO_ANSWER, f"{route} had no response {place}: {exchange.fault}; see the log of the target")
    if exchange.status == TOO_MANY:
        return Unknown(Why.RATE_LIMITED, f"{route} was rate-limited {place}: {waited or 'a lower --rate helps'}")
    if is_of_gateway(exchange):
        words = f"{route} was answered {answer_in_words(exchange)} by a gateway {place}"
        return Unknown(Why.GATEWAY, f"{words}; see the log of the gateway")
    return None


def not_tested(exchange: Exchange, *problems: str) -> Unknown:
    """Return why a request that is not what a test is about keeps it from being asked."""
    words = "; ".join([f"status is {exchange.status}", *problems])
    failed = Unknown(Why.PRECONDITION, f"not tested: {_route(exchange)} ({exchange.evidence}): {words}")
    return why_undecided(exchange) or failed


def _route(exchange: Exchange) -> str:
    return exchange.operation or exchange.request.method
