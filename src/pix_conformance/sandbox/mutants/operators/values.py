"""Values that operators are given: judges of a value that was sent, and changes of a value."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

Judge = Callable[[Any], object]
TYPES: dict[str, list[type]] = {
    "string": [str],
    "number": [int, Decimal],
    "boolean": [bool],
    "array": [list],
    "object": [dict],
    "null": [type(None)],
}
"""The types of JSON, with those of a parsed value."""


@dataclass(frozen=True)
class Kind:
    """A judge whose `words` follow "it is" in the sentence of an operator."""

    words: str
    judge: Judge

    def __call__(self, value: Any) -> object:
        return self.judge(value)


def is_a(*names: str) -> Kind:
    """Make a judge of the type of a value, by the names of JSON: `is_a("array", "object")`. true is no number."""
    words = [name if name == "null" else f"{'an' if name[0] in 'ao' else 'a'} {name}" for name in names]
    types = [kind for name in names for kind in TYPES[name]]
    return Kind(" or ".join(words), lambda value: type(value) in types)


is_absent = Kind("missing", lambda value: value is GONE)
is_present = Kind("sent at all", lambda value: value is not GONE)
is_no_json = Kind("not JSON", lambda value: isinstance(value, bytes))
has_accents = Kind("a text with a letter outside ASCII", lambda text: not text.isascii())
is_empty = Kind("empty", lambda value: value == "")
is_fraction = Kind(
    "a number with a fraction", lambda value: isinstance(value, Decimal) and value != value.to_integral_value()
)


def matches(pattern: str) -> Judge:
    """Make a judge of texts that match a pattern as a whole."""
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None


def is_digits(length: int) -> Kind:
    """Make a judge of texts of so many digits."""
    return Kind(f"of {length} digits", matches(rf"\d{{{length}}}"))


def begins_with_zero(length: int) -> Kind:
    """Make a judge of texts of so many characters, the first of which is a zero."""
    return Kind(f"of {length} digits, the first a zero", matches(rf"0.{{{length - 1}}}"))


GONE: Any = object()
"""As a new value: the field is left out. As a value that was sent: the field was not."""

OTHER_PAYMENT = "E99999999202611211000abcdefghijk"
"""An endToEndId of no payment."""


def changed(body: Any, where: str, change: Any) -> Any:
    """Return a copy with the value at a path changed (`data.splits.*.email`; "" is the body): `*` is every element.

    The change is a function of the old value, a new value, or GONE. What is not there stays away.
    """
    return _changed(body, where.split("."), change)


def _changed(node: Any, names: list[str], change: Any) -> Any:
    if names in ([], [""]):
        return node if node is GONE else change(node) if callable(change) else change
    first, rest = names[0], names[1:]
    if first == "*":
        return [_changed(item, rest, change) for item in node]
    if not isinstance(node, dict) or (rest and first not in node):
        return node
    new = _changed(node.get(first, GONE), rest, change)
    others = {name: value for name, value in node.items() if name != first or new is not GONE}
    return others | ({} if new is GONE else {first: new})


def in_words(change: Any) -> str:
    """Say what a change makes of a value; a function needs a sentence of its own (`says`)."""
    if change is GONE:
        return "is missing"
    return "is wrong" if callable(change) else f"is {json.dumps(change, ensure_ascii=False)}"


def in_text(change: Callable[[str], Any]) -> Callable[[Any], Any]:
    """Change texts only: null stays null."""
    return lambda value: change(value) if isinstance(value, str) else value


def in_whole_reais(cents: int) -> int:
    """Return an amount in reais if it is whole, else in cents."""
    return cents if cents % 100 else cents // 100


def as_number(text: str | None) -> Any:
    """Return a text of digits that does not begin with 0 as a number, and other texts as they are."""
    return int(text) if text and text.isascii() and text.isdigit() and text[0] != "0" else text


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def later(text: str, **more: float) -> str:
    """Shift a timestamp of the reference: `later(text, hours=-3)`."""
    return (instant(text) + timedelta(**more)).astimezone(UTC).isoformat().replace("+00:00", "Z")
