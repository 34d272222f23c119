"""The clock of the target, as the Date headers of its responses show it: times that it names are compared with it."""

from collections.abc import Iterable
from email.utils import parsedate_to_datetime
from statistics import median

from pix_conformance.model.exchange import Exchange

NOTEWORTHY_S = 30.0
"""Seconds. A smaller difference may be that of the seconds to which a Date header is cut, or of a slow response."""


def seconds_ahead(exchange: Exchange) -> float | None:
    """Return by how many seconds the Date header of a response is ahead of this machine; None without a date."""
    sent = _epoch(exchange.header("date") or "")
    return None if sent is None else sent - exchange.ended


def clock_ahead(exchanges: Iterable[Exchange]) -> float:
    """Return by how many seconds the target's clock is ahead by most Date headers; 0 if that is not worth a note."""
    offsets = [ahead for exchange in exchanges if (ahead := seconds_ahead(exchange)) is not None]
    ahead = median(offsets) if offsets else 0.0
    return ahead if abs(ahead) >= NOTEWORTHY_S else 0.0


def is_of_target(apart: float, ahead: float | None, tolerance: float) -> bool:
    """Return whether a time is right by the target's own clock, which its Date headers show to be `ahead`.

    The time is `apart` seconds ahead of this machine's, `tolerance` is in seconds. Which of the clocks is wrong is no
    question of the documents; the report says that they differ.
    """
    return ahead is not None and abs(ahead) >= NOTEWORTHY_S and abs(apart - ahead) <= tolerance


def off_clock(name: str, apart: float, answer: Exchange, tolerance: float) -> str | None:
    """Say that a time is not that of its request, seconds `apart`, by this machine and by the Date of its response."""
    if abs(apart) <= tolerance or is_of_target(apart, seconds_ahead(answer), tolerance):
        return None
    return f"{name} is {after_or_before(apart)} the request"


def wanted_wait(answer: Exchange, ahead: float = 0.0) -> float | None:
    """Return the seconds that Retry-After asks for (RFC 9110, section 10.2.3); None without one that can be read.

    A date is compared with the Date of the same response; without one, with this machine's clock, of which the target's
    is `ahead`.
    """
    text = (answer.header("retry-after") or "").strip()
    if text.isascii() and text.isdecimal():
        return float(text)
    until, sent = _epoch(text), _epoch(answer.header("date") or "")
    if until is None:
        return None
    return until - (answer.ended + ahead if sent is None else sent)


def _epoch(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


def in_words(ahead: float) -> str:
    """Return `600 s ahead` or `600 s behind`."""
    return f"{abs(ahead):.0f} s {'ahead' if ahead > 0 else 'behind'}"


def after_or_before(seconds: float) -> str:
    """Return `5 s after` or `5 s before`."""
    return f"{abs(seconds):.0f} s {'after' if seconds > 0 else 'before'}"
