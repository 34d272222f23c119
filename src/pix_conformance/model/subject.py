"""What a matcher can judge: a status, headers and a JSON body."""

import json
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Protocol

DEEPEST = 100
"""The greatest depth of nesting that is parsed (RFC 8259, section 9, permits a limit)."""


class Missing:
    """The value of a field that is absent."""

    def __repr__(self) -> str:
        return "missing"

    def __bool__(self) -> bool:
        return False


MISSING = Missing()


class Subject(Protocol):
    """An exchange or a delivery."""

    @property
    def status(self) -> int | None:
        """The status code of the response; None without one."""

    @property
    def body(self) -> bytes:
        """The raw body that was received."""

    @property
    def parsed_body(self) -> Any:
        """The parsed body; MISSING if it is not JSON."""

    def header(self, name: str) -> str | None:
        """Return the value of a header, in upper or lower case."""


def parsed(body: bytes) -> Any:
    """Parse a JSON body. MISSING if it is not JSON in UTF-8 (RFC 8259, section 8.1), or deeper than DEEPEST."""
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=no_number)
    except (ValueError, RecursionError):
        return MISSING
    return MISSING if _deeper(value, DEEPEST) else value


def json_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object of a body; empty if it is not one, or has a name twice."""
    with suppress(ValueError):
        value = json.loads(body.decode("utf-8"), object_pairs_hook=_without_duplicates)
        return value if isinstance(value, dict) else {}
    return {}


def _without_duplicates(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    fields = list(pairs)
    if len(dict(fields)) < len(fields):
        raise ValueError("a name occurs twice")
    return dict(fields)


def no_number(name: str) -> None:
    """Refuse NaN and Infinity, which Python parses although JSON does not have them."""
    raise ValueError(name)


def _deeper(value: Any, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        nested = [node for node in level if isinstance(node, dict | list)]
        if not nested:
            return False
        level = [child for parent in nested for child in (parent.values() if isinstance(parent, dict) else parent)]
    return bool(level)


def at(value: Any, path: str) -> Any:
    """Return the value at a path such as `data.pix.emv` or `items.0.title` in parsed JSON; MISSING if there is none."""
    for name in filter(None, path.split(".")):
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        else:
            return MISSING
    return value


def shown(value: Any, limit: int = 120) -> str:
    """Return a value as text for a failure, cut to `limit` characters."""
    text = repr(value) if isinstance(value, Missing) else json.dumps(value, ensure_ascii=True, default=repr)
    return text if len(text) <= limit else f"{text[:limit]}..."
