"""What a matcher can judge: a status, headers and a JSON body."""

import codecs
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
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
TOO_DEEP = f"is nested more than {DEEPEST} levels deep"
MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
"""The byte order marks, each with the encoding of what follows it."""


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

    @property
    def unreadable(self) -> str | None:
        """Why the body cannot be read although it is JSON."""

    def header(self, name: str) -> str | None:
        """Return the value of a header, in upper or lower case."""


class UnreadableBodyError(ValueError):
    """A body is JSON in a form that a client may not be able to read; the message says in which."""


def parsed(body: bytes) -> Any:
    """Parse a JSON body. MISSING if it is not JSON, or in a form that `why_unreadable` names."""
    return parsed_or_why(body)[0]


def why_unreadable(body: bytes) -> str | None:
    r"""Return why a body that is JSON cannot be read as JSON; None if it can be, and if it is none at all.

    It may have another encoding than UTF-8, a byte order mark, NaN (RFC 8259, sections 6 and 8.1), a name twice with
    different values, or be deeper than DEEPEST (sections 4 and 9 leave open what a client makes of these).

    >>> why_unreadable(b'\xef\xbb\xbf{"id": 1}')
    'begins with a byte order mark (EF BB BF)'
    >>> why_unreadable(b'{"id": NaN}'), why_unreadable(b'{"id": 1}'), why_unreadable(b"<html>")
    ('has NaN, which JSON has not', None, None)
    """
    return parsed_or_why(body)[1]


def parsed_or_why(body: bytes) -> tuple[Any, str | None]:
    """Return the value of a JSON body, and why it cannot be read: see `parsed` and `why_unreadable`."""
    try:
        return _read(body), None
    except UnreadableBodyError as reason:
        return MISSING, str(reason)
    except RecursionError:
        return MISSING, TOO_DEEP
    except ValueError:
        return MISSING, None


def guessed(body: bytes) -> Any:
    """Parse a body that `why_unreadable` names as a lenient client would, to guess what it is about; MISSING if none.

    No rule is judged by this.
    """
    for encoding in (*MARKS.values(), json.detect_encoding(body), "latin-1"):
        with suppress(ValueError, RecursionError):
            return json.loads(body.decode(encoding).removeprefix("\ufeff"))
    return MISSING


def _read(body: bytes) -> Any:
    """Parse a JSON body. Raises UnreadableBodyError for JSON in another form, ValueError for what is no JSON."""
    if reason := _unreadable_encoding(body):
        raise UnreadableBodyError(reason)
    value = json.loads(body.decode("utf-8"), parse_constant=no_number, object_pairs_hook=_without_duplicates)
    if body.count(b"{") + body.count(b"[") > DEEPEST and _deeper(value, DEEPEST):
        raise UnreadableBodyError(TOO_DEEP)
    return value


def _unreadable_encoding(body: bytes) -> str | None:
    """Return in which form the bytes of a JSON text are, if not in UTF-8."""
    for mark, name in MARKS.items():
        if body.startswith(mark) and _is_json(body[len(mark) :], name):
            return f"begins with a byte order mark ({mark.hex(' ').upper()})"
    encoding = json.detect_encoding(body)
    if encoding != "utf-8":
        return f"is in {encoding.upper()}, not in UTF-8" if _is_json(body, encoding) else None
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return "is not in UTF-8" if _is_json(body, "latin-1") else None
    return None


def _is_json(body: bytes, encoding: str) -> bool:
    try:
        json.loads(body.decode(encoding))
    except (ValueError, RecursionError):
        return False
    return True


def _without_duplicates(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) == len(pairs):
        return fields
    fields = {}
    for name, value in pairs:
        if name in fields and repr(fields[name]) != repr(value):
            raise UnreadableBodyError(f"has the name `{name[:40]}` twice")
        fields[name] = value
    return fields


def no_number(name: str) -> None:
    """Refuse NaN and Infinity, which Python parses although JSON does not have them."""
    raise UnreadableBodyError(f"has {name}, which JSON has not")


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
    for name in _names_in(path):
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        else:
            return MISSING
    return value


@lru_cache(1_024)
def _names_in(path: str) -> tuple[str, ...]:
    """Return the names that a path consists of."""
    return tuple(filter(None, path.split(".")))


def shown(value: Any, limit: int = 120) -> str:
    """Return a value as text for a failure, cut to `limit` characters."""
    text = repr(value) if isinstance(value, Missing) else json.dumps(value, ensure_ascii=True, default=repr)
    return text if len(text) <= limit else f"{text[:limit]}..."


def changed_members(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return the members in which two JSON objects differ, those of the first one first.

    >>> changed_members({"amount": 1, "key": "a"}, {"amount": 2, "key": "a", "text": None})
    ['amount', 'text']
    """
    return [name for name in {**before, **after} if before.get(name, MISSING) != after.get(name, MISSING)]
