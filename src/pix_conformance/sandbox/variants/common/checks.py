"""Operators of checks: what a right server refuses, and what it refuses first, where the documents leave it open."""

import re
from collections.abc import Callable
from typing import Any

from pix_conformance.reference.call import Call, Refusal
from pix_conformance.reference.fields import Field
from pix_conformance.reference.state import ServerState
from pix_conformance.sandbox.difference import Difference, changes_arguments, changes_result, overrides


def refuses_values(sentence: str, fails: Callable[[str, Any], object]) -> Difference:
    """Refuse values of the right type: the function gets the key of a field (`items[].title`) and its value."""
    return changes_result(
        sentence, complaint=lambda _, right, key, value, _field: "is not accepted" if fails(key, value) else right
    )


def counts_utf_16(sentence: str, *judges: str) -> Difference:
    """Judge texts by their length in UTF-16; `judges` name the methods that judge them."""

    def stretched(_rules: Any, text: str) -> tuple[str]:
        return ("x" * (len(text.encode("utf-16-le")) // 2),)

    return changes_arguments(sentence, **dict.fromkeys(judges, stretched))


def refuse_other_scheme(rules: Any, call: Call) -> None:
    """Refuse a credential that is not after Bearer with a capital."""
    if not call.headers.get("authorization", "").startswith("Bearer "):
        raise rules.unauthorized("the credential is missing or invalid")


async def refuse_used_key(rules: Any, right: Callable[..., Any], call: Call) -> Any:
    """Refuse a key that was used before this request, before an invalid body."""
    key = rules.idempotency_key(call)
    is_used = key and rules.earlier(call, key)
    try:
        return await right(call)
    except Refusal as refusal:
        raise (rules.key_conflict() if is_used and refusal.kind == "invalid" else refusal) from None


def refuse_long_numbers(rules: Any, call: Call) -> None:
    """Refuse a body with a number that is written with more than 18 characters, or with an exponent of three digits."""
    if re.search(rb'": (\d{19}|\d+e\d{3})', call.body or b""):
        raise rules.unreadable("a number is too long")


def with_bytes_replaced(_rules: Any, call: Call) -> tuple[Call]:
    """Read a body in which U+FFFD stands for each byte that is not UTF-8."""
    call.body = call.body and call.body.decode("utf-8", "replace").encode()
    return (call,)


def in_any_case(*names: str) -> Callable[..., Any]:
    """Make a function that reads these names of the fields of a body in any case."""
    known = {name.lower(): name for name in names}

    def json_body(_rules: Any, body: Any, _call: Call) -> Any:
        if not isinstance(body, dict):
            return body
        return {known.get(key.lower(), key) if known.get(key.lower()) not in body else key: body[key] for key in body}

    return json_body


def look_before_credential(rules: Any, _refusal: Refusal, call: Call) -> None:
    """Refuse an invalid body or an unknown id before a wrong credential."""
    if call.operation == "create_charge":
        rules.read_charge(rules.json_body(call))
    if call.operation == "get_charge" and not rules.knows_charge(call.params["id"]):
        raise rules.not_found(call)


def refuse_unknown_fields(rules: Any, holder: dict[str, Any], fields: tuple[Field, ...], where: str) -> None:
    """Refuse an object with a field that its table does not have."""
    if unknown := set(holder) - {field.name for field in fields}:
        raise rules.invalid(f"{where}.{min(unknown)}".lstrip("."), "is not a field")


def starts(sentence: str, prepare: Callable[[Any], object]) -> Difference:
    """Prepare a server before its first request; the function gets the rules."""

    def begin(rules: Any, right: Callable[..., None], state: ServerState) -> None:
        right(state)
        prepare(rules)

    return overrides(sentence, __init__=begin)


OFTEN = 0.4
MORE_CENTS = 131_337
"""By how much theirs differ from ours: by so much that none of theirs has the amount of another one of ours."""
