"""Operators of the fields of a request, for both APIs: accepted, refused, required or read in a wrong way.

A key names a field by its path (`amountInCents`, `items[].title`); a rule tells fields of the same key in two requests
apart, by the method that judges them (`judge_charge_description`).
"""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from pix_conformance.reference.call import Call, Refusal
from pix_conformance.reference.fields import Field
from pix_conformance.sandbox.difference import Difference, changes_arguments, changes_result, overrides
from pix_conformance.sandbox.mutants.operators.values import GONE, Judge, Kind, in_words


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


def first_value_alone(_rules: Any, call: Call) -> tuple[Call]:
    """Read the first JSON value of a body, and not what follows it."""
    with suppress(ValueError):
        text = (call.body or b"").decode()
        call.body = text[: json.JSONDecoder().raw_decode(text)[1]].encode()
    return (call,)


def in_known_case(body: Any, name: str) -> Any:
    """Return a body whose field of this name may have been written in another case."""
    if not isinstance(body, dict) or name in body:
        return body
    return {(name if key.lower() == name.lower() else key): value for key, value in body.items()}


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
