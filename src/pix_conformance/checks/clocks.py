"""By how much the clock of the target is ahead of this machine's, as the Date headers of its responses show it."""

from collections.abc import Iterable
from email.utils import parsedate_to_datetime
from statistics import median

from pix_conformance.checks.conclusion import Problem, Unknown
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.why import Why

NOTEWORTHY_S = 30.0
"""Seconds. A smaller difference may be that of the seconds to which a Date header is cut, or of a slow response."""


def seconds_ahead(exchange: Exchange) -> float | None:
    """Return by how many seconds the Date header of a response is ahead of this machine; None without a date."""
    try:
        return parsedate_to_datetime(exchange.header("date") or "").timestamp() - exchange.ended
    except (ValueError, TypeError, OverflowError):
        return None


def clock_ahead(exchanges: Iterable[Exchange]) -> float:
    """Return by how many seconds the target's clock is ahead by most Date headers; 0 if that is not worth a note."""
    offsets = [ahead for exchange in exchanges if (ahead := seconds_ahead(exchange)) is not None]
    ahead = median(offsets) if offsets else 0.0
    return ahead if abs(ahead) >= NOTEWORTHY_S else 0.0


def doubt(problem: str, apart: float, ahead: float | None, tolerance: float) -> Unknown | None:
    """Return why a time that is `apart` seconds ahead of this machine's proves nothing; None if it is wrong.

    The Date headers are ahead by nearly as much (`tolerance`, in seconds): then the target may be right, and this
    machine's clock wrong.
    """
    if ahead is None or abs(ahead) < NOTEWORTHY_S or abs(apart - ahead) > tolerance:
        return None
    words = f"the Date headers are {in_words(ahead)} as well: one of the two clocks is wrong"
    return Unknown(Why.PRECONDITION, f"{problem}; {words}")


def off_clock(name: str, apart: float, answer: Exchange, tolerance: float) -> Problem:
    """Say that a time is not that of its request, seconds `apart`; Unknown where the Date header is as far off."""
    if abs(apart) <= tolerance:
        return None
    problem = f"{name} is {after_or_before(apart)} the request"
    return doubt(problem, apart, seconds_ahead(answer), tolerance) or problem


def in_words(ahead: float) -> str:
    """Return `600 s ahead` or `600 s behind`."""
    return f"{abs(ahead):.0f} s {'ahead' if ahead > 0 else 'behind'}"


def after_or_before(seconds: float) -> str:
    """Return `5 s after` or `5 s before`."""
    return f"{abs(seconds):.0f} s {'after' if seconds > 0 else 'before'}"
