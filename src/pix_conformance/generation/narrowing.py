"""The values that tests send of those that `openapi.yaml` allows: `narrow` in `specs/<api>/generation.toml`.

A service may refuse some values for reasons that the document does not state: an amount beyond the balance, a phone
number that is not in use. So a generated value fulfils both the schema of the file and the narrower schema (allOf).
Where no value can, the file alone decides.
"""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

from pix_conformance.checks.schema import FORMATS
from pix_conformance.model.paths import SPECS
from pix_conformance.model.vocabulary import Api

REQUEST_FORMATS = FormatChecker(("email",))
"""The formats of request fields, each checked so that only what is certainly wrong is refused."""
REQUEST_FORMATS.checkers = {**FORMATS.checkers, "email": REQUEST_FORMATS.checkers["email"]}
LOWER, UPPER = ("minimum", "minLength", "minItems"), ("maximum", "maxLength", "maxItems")
FORMS = frozenset({"pattern", "format", "enum", "const"})
"""Keywords of the form of a text. Beside one of the file a narrower pattern might leave nothing: the file decides."""
Narrow = Mapping[str, Sequence[Mapping[str, Any]]]
"""The narrower schemas of each member of a body, by path (`items.*.title`), and of each parameter, by name."""


def accepts(schema: Any, value: Any) -> bool:
    """Return whether a strict schema accepts a value."""
    return Draft202012Validator(schema, format_checker=REQUEST_FORMATS).is_valid(value)


@cache
def generation_settings(api: Api) -> Mapping[str, Any]:
    """Parse `generation.toml` of one API."""
    return tomllib.loads((SPECS / api / "generation.toml").read_text(encoding="utf-8"))


def narrow_of(api: Api, holder: str) -> Narrow:
    """Return the narrower schemas of the body of an operation, or of the `parameters`."""
    listed: dict[str, Any] = generation_settings(api)["narrow"].get(holder, {})
    return {name: value if isinstance(value, list) else [value] for name, value in listed.items()}


def narrowed(schema: Any, narrower: Sequence[Mapping[str, Any]]) -> Any:
    """Return a schema for what the file and the first fitting narrower schema accept; the file's if none fits."""
    both = (_both(schema, other) for other in narrower)
    return next((result for result in both if result is not None), schema)


def _both(schema: Mapping[str, Any], narrow: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return one schema for what both accept; None if that may be nothing.

    schemathesis generates from one schema more cases than from an allOf.
    """
    if ("pattern" in narrow and FORMS & schema.keys()) or ("oneOf" in narrow and schema.get("type") != "object"):
        return None
    both = dict(schema)
    for word, value in narrow.items():
        if word == "enum":
            both[word] = [item for item in value if accepts(schema, item)]
        elif word == "oneOf":
            both[word] = [branch for branch in (_branch(schema, part) for part in value) if branch]
        elif word == "required":
            both[word] = [*schema.get(word, ()), *(name for name in value if name in schema["properties"])]
        elif word in LOWER or word in UPPER:
            both[word] = (max if word in LOWER else min)(value, schema.get(word, value))
        else:
            both.setdefault(word, value)
    is_empty = not all(both.get(word, True) for word in ("enum", "oneOf"))
    bounds = zip(LOWER, UPPER, strict=True)
    is_crossed = any(both[low] > both[high] for low, high in bounds if low in both and high in both)
    return None if is_empty or is_crossed else both


def _branch(schema: Mapping[str, Any], branch: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a branch of `oneOf` with the values of each property that the file accepts; None without one."""
    values = {
        name: [option for option in part["enum"] if accepts(schema.get("properties", {}).get(name, {}), option)]
        for name, part in branch["properties"].items()
    }
    return (
        {"properties": {name: {"enum": options} for name, options in values.items()}} if all(values.values()) else None
    )
