"""Values that operators are given, and operators of the fields of a request: accepted, refused, read in a wrong way.

A key names a field by its path (`amountInCents`, `items[].title`); a rule tells fields of the same key in two requests
apart, by the method that judges them (`judge_charge_description`).
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from pix_conformance.reference.call import Call, Refusal
from pix_conformance.reference.fields import Field
from pix_conformance.sandbox.difference import Difference, changes_arguments, changes_result, overrides

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


def key_of(where: str, name: str = "") -> str:
    """Return the key of a field, or of an element of an array, at a path."""
    return re.sub(r"\[\d+\]", "[]", f"{where}.{name}" if where and name else where or name)


def accepts(key: str, passes: Judge, stand_in: Any, rule: str = "") -> Difference:
    """Accept values of a field that must be refused, as if another value had been sent."""

    def read_field(_rules: Any, right: Callable[..., Any], holder: dict[str, Any], field: Field, where: str) -> Any:
        meant = key_of(where, field.name) == key and rule in {"", field.rule}
        return stand_in if meant and passes(holder.get(field.name, GONE)) else right(holder, field, where)

    def read_element(_rules: Any, right: Callable[..., Any], element: Any, field: Field, path: str) -> Any:
        return dict(stand_in) if key_of(path) == key and passes(element) else right(element, field, path)

    sentence = f"A wrong {key} is accepted, as if it were {in_words(stand_in)[3:]}."
    if isinstance(passes, Kind):
        sentence = f"{key} is accepted though it is {passes.words}."
    return overrides(sentence, read_field=read_field, read_element=read_element).of("validation")


def refuses(key: str, fails: Judge, rule: str = "") -> Difference:
    """Refuse values of a field that must be accepted."""

    def complaint(_rules: Any, right: str | None, where: str, value: Any, field: Field) -> str | None:
        return "is not supported" if where == key and rule in {"", field.rule} and fails(value) else right

    sentence = f"{key} is refused if it is {fails.words}." if isinstance(fails, Kind) else f"A right {key} is refused."
    return changes_result(sentence, complaint=complaint).of("validation")


def requires(key: str, rule: str = "") -> Difference:
    """Refuse a request without a field that may be left out."""
    return changes_result(
        f"A request without {key} is refused.",
        is_required=lambda _, right, where, field: right or (where == key and rule in {"", field.rule}),
    ).of("validation")


def accepts_body(operation: str, passes: Kind, stand_in: dict[str, Any]) -> Difference:
    """Accept bodies that must be refused; what is not JSON is judged as bytes, no body as GONE."""

    def json_body(_rules: Any, right: Callable[[Call], Any], call: Call) -> Any:
        if call.operation != operation:
            return right(call)
        try:
            sent = right(call)
        except Refusal:
            if not passes(call.body or GONE):
                raise
            return dict(stand_in)
        return dict(stand_in) if passes(sent) else sent

    return overrides(f"{operation} accepts a body that is {passes.words}.", json_body=json_body).of("validation")


def requires_body(operation: str) -> Difference:
    """Refuse an operation without a JSON body, though it takes none."""

    def authorize(rules: Any, access: Any, call: Call) -> Any:
        if call.operation == operation:
            rules.json_body(call)
        return access

    return changes_result(f"{operation} without a JSON body is refused.", authorize=authorize).of("validation")


def reads(name: str, fits: Judge, change: Any) -> Difference:
    """Read some values of a field of the body as another value, or as what a function makes of them."""

    def read_body(_rules: Any, body: Any, fields: tuple[Field, ...]) -> tuple[Any, ...]:
        if not isinstance(body, dict) or all(field.name != name for field in fields) or not fits(body.get(name, GONE)):
            return body, fields
        return body | {name: change(body.get(name, GONE)) if callable(change) else change}, fields

    sentence = f"Some values of {name} are read as others."
    if isinstance(fits, Kind):
        read = "converted" if callable(change) else f"read as {in_words(change)[3:]}"
        sentence = f"{name} is {read} if it is {fits.words}."
    return changes_arguments(sentence, read_body=read_body).of("validation")
