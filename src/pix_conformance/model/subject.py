"""What a matcher may look at, whoever recorded it."""

from __future__ import annotations

import json
from typing import Any, Protocol

DEEPEST = 100
"""Levels of nesting; a parser may set a limit (RFC 8259, section 9), and those who walk the value need one."""


class Missing:
    """The value of a field that is not there."""

    def __repr__(self) -> str:
        """Read as a word in a mismatch."""
        return "missing"

    def __bool__(self) -> bool:
        """Be false, as any absent value."""
        return False


MISSING = Missing()


class Subject(Protocol):
    """An exchange or a delivery: a status (of an answer), a body, headers."""

    @property
    def status(self) -> int | None:
        """Status code of the answer; None where there is none."""

    @property
    def body(self) -> bytes:
        """The raw body that came."""

    def header(self, name: str) -> str | None:
        """Return the value of a header, whatever its case."""


def parsed(body: bytes) -> Any:
    """Parse a JSON body; MISSING if it is not JSON in UTF-8 (RFC 8259, section 8.1), or deeper than DEEPEST."""
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError):
        return MISSING
    return MISSING if _deeper(value, DEEPEST) else value


def _no_number(name: str) -> None:
    """Refuse NaN and Infinity, which Python reads and JSON does not have."""
    raise ValueError(name)


def _deeper(value: Any, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        nested = [one for one in level if isinstance(one, dict | list)]
        level = [one for each in nested for one in (each.values() if isinstance(each, dict) else each)]
    return bool(level)


def at(value: Any, path: str) -> Any:
    """Look up `data.pix.emv` or `items.0.title` in parsed JSON; MISSING where it leads nowhere."""
    for name in filter(None, path.split(".")):
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        else:
            return MISSING
    return value


def shown(value: Any, limit: int = 120) -> str:
    """Write a value for a mismatch sentence, cut to `limit` characters."""
    text = repr(value) if isinstance(value, Missing) else json.dumps(value, ensure_ascii=True, default=repr)
    return text if len(text) <= limit else f"{text[:limit]}..."
