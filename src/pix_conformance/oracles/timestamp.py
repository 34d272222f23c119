"""Timestamps: ISO 8601 in UTC (BUS-CHG-54, BUS-CHG-55) and RFC 3339 date-time (PAY-TRF-60, PAY-WH-27).

Both parsers accept lower-case `t` and `z` (RFC 3339, section 5.6), any number of decimals (cut to microseconds) and a
leap second (read as :59). Neither accepts a space instead of `T`.
"""

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

_EXTENDED: Final = r"(\d{4})-(\d{2})-(\d{2})T(\d{2})(?::(\d{2})(?::(\d{2})(?:[.,](\d+))?)?)?"
_BASIC: Final = r"(\d{4})(\d{2})(\d{2})T(\d{2})(?:(\d{2})(?:(\d{2})(?:[.,](\d+))?)?)?"
# +0000 beside the extended form is not pure ISO 8601, but it is what strftime's %z writes.
_UTC: Final = r"(?:Z|[+-]00(?::?00)?)"
_NAMES_ZONE: Final = re.compile(r".*T.*(?:Z|[+-]\d{2}(?::?\d{2})?)", re.ASCII | re.IGNORECASE)
_FLAGS: Final = re.ASCII | re.IGNORECASE
_ISO: Final = (re.compile(_EXTENDED + _UTC, _FLAGS), re.compile(_BASIC + _UTC, _FLAGS))
_MONTHS: Final = "jan|feb|fev|mar|apr|abr|ma[iy]|jun|jul|aug|ago|sep|set|o[cu]t|nov|de[cz]"
_DATE: Final = re.compile(
    r"\d{8}|\d{4}-?(?:W\d{2}|\d{3})|\d{1,4}[-/. ]\d{1,2}[-/. ]\d{1,4}"
    rf"|\b(?:{_MONTHS})[a-z]*\b.*\d{{4}}|\d{{4}}.*\b(?:{_MONTHS})",
    _FLAGS | re.DOTALL,
)
_RFC_3339: Final = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))", _FLAGS
)
_LEAP_SECOND: Final = 60
_EPOCH: Final = re.compile(r"(\d{10})(\d{3}|\d{6}|\d{9})?(?:\.\d+)?", re.ASCII)
"""Seconds, or thousandths, millionths or billionths of them, of the years 2001 to 2286."""


def parse_utc(text: object) -> datetime:
    """Return the time of an ISO 8601 calendar timestamp that states UTC. Raises ValueError with the reason.

    Basic and extended form, reduced precision and zero offsets are accepted. Without a designator ISO 8601 means local
    time.

    >>> parse_utc("2026-11-20T12:00:00.5Z").isoformat()
    '2026-11-20T12:00:00.500000+00:00'
    """
    match = next(filter(None, (form.fullmatch(_text(text)) for form in _ISO)), None)
    if not match:
        raise ValueError(f"{text!r} is not an ISO 8601 timestamp in UTC")
    return _moment(match, UTC)


def read_utc(text: object) -> datetime:
    """Return the time of an ISO 8601 timestamp that a document states to be UTC. Raises ValueError with the reason.

    Like `parse_utc`, but the timestamp may lack the designator.

    >>> read_utc("2026-11-20T12:00:00") == read_utc("2026-11-20T12:00:00+00:00")
    True
    """
    named = not isinstance(text, str) or _NAMES_ZONE.fullmatch(text)
    try:
        return parse_utc(text if named else f"{text}Z")
    except ValueError:
        raise ValueError(f"{text!r} is not an ISO 8601 timestamp in UTC") from None


def parse_date_time(text: object) -> datetime:
    """Return the time of an RFC 3339 date-time, with its own offset. Raises ValueError with the reason.

    >>> parse_date_time("2026-11-20T09:00:00-03:00") == parse_utc("20261120T12Z")
    True
    """
    match = _RFC_3339.fullmatch(_text(text))
    if not match:
        raise ValueError(f"{text!r} is not an RFC 3339 date-time")
    sign, hours, minutes = match.groups()[7:]
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    return _moment(match, timezone(-offset if sign == "-" else offset))


def read_moment(value: object) -> datetime | None:
    """Return the time of ISO 8601 in any form, or of a number of epoch seconds; None for anything else.

    Without a zone where the value names none. What form a timestamp has to have, other functions say.

    >>> read_moment("2026-11-20T09:00:00-03:00") == read_moment(1795176000) == parse_utc("20261120T12Z")
    True
    """
    text = str(value)
    if epoch := _EPOCH.fullmatch(text):
        return datetime.fromtimestamp(int(epoch[1]), UTC)
    for read in (parse_utc, datetime.fromisoformat):
        with suppress(ValueError):
            return read(text)
    return None


def is_timestamp(text: str) -> bool:
    """Return whether a text contains a date or is a number of epoch seconds, in any form.

    >>> [is_timestamp(one) for one in ("02/01/2026 03:04", "Fri, 02 Jan 2026 03:04:05 GMT", "1795255380", "just now")]
    [True, True, True, False]
    """
    return _DATE.search(text) is not None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not text")  # noqa: TRY004 - callers expect ValueError only
    return value


def _moment(match: re.Match[str], zone: timezone) -> datetime:
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    micro = int((match[7] or "")[:6].ljust(6, "0"))
    if second == _LEAP_SECOND:
        second, micro = 59, 0
    try:
        return datetime(year, month, day, hour, minute, second, micro, zone)
    except ValueError as fault:
        raise ValueError(f"{match[0]!r} is not a time: {fault}") from None
