"""The schemas of requests in `openapi.yaml`: which values are certainly valid, and what a wrong one violates.

The strict schema has the keywords of the file and narrower ones (`narrowing`): what it accepts is certainly valid. The
lenient schema also accepts null for an optional member. What it refuses is invalid, unless the catalogue has it as
open, or `x-undecided` names it. All other values are left out: the document does not say whether they are valid.
"""

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from pix_conformance.checks.schema import judge_json
from pix_conformance.checks.validation import one_for_all
from pix_conformance.generation.narrowing import (
    REQUEST_FORMATS,
    Narrow,
    accepts,
    generation_settings,
    narrow_of,
    narrowed,
)
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.openapi import METHODS
from pix_conformance.model.subject import shown
from pix_conformance.model.vocabulary import Api, Level

JSON_TYPE = "application/json"


@dataclass(frozen=True)
class Violation:
    """The only requirement that a body violates, and the path of the wrong member."""

    rule: str
    path: tuple[str | int, ...]
    words: str
    sort: str = ""
    """The words; but of a value of a wrong type that is no member of the body itself, only what sort it is."""

    @property
    def names_member(self) -> bool:
        """Return whether a member is wrong: not an element of an array, nor the body itself."""
        return bool(self.path) and isinstance(self.path[-1], str)

    @property
    def name(self) -> str:
        """Return the name of the wrong member: `title` for the path items.0.title; empty for the body itself."""
        return next((part for part in reversed(self.path) if isinstance(part, str)), "")


UNSURE = Violation("", (), "")
"""The document does not say whether the body is valid."""
VALIDATOR = one_for_all(REQUEST_FORMATS)


def strict_document(api: Api, document: Mapping[str, Any]) -> dict[str, Any]:
    """Copy a description: each request with its strict schemas, without callbacks and with empty responses."""
    paths = {path: _strict_routes(api, routes) for path, routes in document["paths"].items()}
    info = {name: document["info"][name] for name in ("title", "version")}
    return {"openapi": document["openapi"], "info": info, "paths": paths}


def _strict_routes(api: Api, routes: Mapping[str, Any]) -> dict[str, Any]:
    shared = routes.get("parameters", [])
    return {
        method: _strict_operation(api, operation, shared) for method, operation in routes.items() if method in METHODS
    }


def _strict_operation(api: Api, operation: Mapping[str, Any], shared: list[Any]) -> dict[str, Any]:
    narrow = narrow_of(api, "parameters")
    asked: dict[str, Any] = {
        "operationId": operation["operationId"],
        "parameters": [
            _strict_parameter(parameter, narrow) for parameter in [*shared, *operation.get("parameters", ())]
        ],
        "responses": {"default": {"description": ""}},
    }
    if "requestBody" in operation:
        schema = strict_body(api, operation)
        asked["requestBody"] = {"required": True, "content": {JSON_TYPE: {"schema": schema}}}
    return asked


def _strict_parameter(parameter: Mapping[str, Any], narrow: Narrow) -> dict[str, Any]:
    strict = {name: parameter[name] for name in ("name", "in", "required") if name in parameter}
    return strict | {"schema": strict_schema(parameter["schema"], narrow, parameter["name"])}


def body_schema(operation: Mapping[str, Any]) -> Any:
    """Return the schema of a request body as it is in the description."""
    return operation["requestBody"]["content"][JSON_TYPE]["schema"]


def strict_body(api: Api, operation: Mapping[str, Any]) -> Any:
    """Return the strict schema of the body of an operation."""
    return strict_schema(body_schema(operation), narrow_of(api, operation["operationId"]), "")


def strict_schema(schema: Any, narrow: Narrow, path: str) -> Any:
    """Return the schema that accepts certainly valid values only; further members are not among them.

    `path` is the name of a parameter, or the path of a member of a body, as `narrow` has it.
    """
    if not isinstance(schema, dict):
        return copy.deepcopy(schema)
    keywords = {
        key: value for key, value in schema.items() if key not in {"examples", "example"} and not key.startswith("x-")
    }
    named = keywords.pop("properties", {})
    strict = {
        key: _strict_part(value, narrow, f"{path}.*" if key == "items" else path) for key, value in keywords.items()
    }
    if named:
        members = {name: strict_schema(field, narrow, f"{path}.{name}".lstrip(".")) for name, field in named.items()}
        strict |= {"properties": members, "additionalProperties": False}
    return narrowed(strict, narrow.get(path, ()))


def _strict_part(part: Any, narrow: Narrow, path: str) -> Any:
    if isinstance(part, list):
        return [strict_schema(item, {}, path) for item in part]
    return strict_schema(part, narrow, path)


def lenient_schema(schema: Any) -> Any:
    """Return the schema that also accepts null for an optional member, which may be treated like an absent one."""
    if not isinstance(schema, dict):
        return schema
    changed = dict(schema)
    if "properties" in schema:
        changed["properties"] = {
            name: _nullable(lenient_schema(field), optional=name not in schema.get("required", ()))
            for name, field in schema["properties"].items()
        }
    if "items" in schema:
        changed["items"] = lenient_schema(schema["items"])
    return changed


def _nullable(schema: Any, *, optional: bool) -> Any:
    if not optional or "type" not in schema:
        return schema
    more = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return schema | {"type": [schema["type"], "null"]} | more


class BodySchema:
    """The schema of one request body, in its strict and its lenient form."""

    def __init__(self, api: Api, operation: Mapping[str, Any]) -> None:
        """Take the schema of an operation as it is in the description."""
        self.api, self.schema, self.strict = api, body_schema(operation), strict_body(api, operation)
        self._lenient = lenient_schema(self.schema)
        self._validator = Draft202012Validator(self.strict, format_checker=REQUEST_FORMATS)

    def violation(self, body: Any) -> Violation | None:
        """Return what a body violates; None if it is certainly valid, UNSURE if neither is certain."""
        errors = list(self._validator.iter_errors(body))
        if not errors:
            return None
        errors = [
            error for error in errors if error.validator != "oneOf"
        ] or errors  # it only relates members to each other
        if len({_place(error) for error in errors}) != 1 or any(map(self._is_undecided, errors)):
            return UNSURE
        findings = judge_json(self._lenient, body, VALIDATOR)
        rules = {finding.requirement for finding in findings if finding.mismatch}
        if len(rules) != 1:
            return UNSURE
        first, rule = errors[0], rules.pop()
        finer = generation_settings(self.api)["finer"].get(rule, {})  # a more specific one, by kind of the wrong value
        rule = finer.get(_kind(first.instance), rule)
        if catalogue()[rule].level is Level.OPEN:
            return UNSURE
        path, what = _place(first), "missing" if first.validator == "required" else shown(first.instance)
        words = f"{'.'.join(map(str, path)) or 'body'}: {what}"
        is_sorted = first.validator == "type" and len(path) != 1
        return Violation(rule, path, words, _sort(first) if is_sorted else words)

    def reduced(self, body: Any, path: Sequence[str | int]) -> Any:
        """Return a wrong body without the optional members that are not on the path of the wrong one."""
        return _reduced(self.schema, body, path)

    def _is_undecided(self, error: ValidationError) -> bool:
        *_, schema = _schemas_on(error.absolute_path, self.schema)
        is_named = "x-undecided" in schema and accepts(schema["x-undecided"], error.instance)
        # how to count the characters of a text that is not ASCII is disputed
        is_of_length = error.validator in {"minLength", "maxLength"} and not str(error.instance).isascii()
        return is_of_length or self._as_if_absent(error) or is_named

    def _as_if_absent(self, error: ValidationError) -> bool:
        """Return whether the error is an empty string in an optional member, which a service may treat as absent."""
        *_, around, _ = [{}, *_schemas_on(error.absolute_path, self.schema)]
        name = error.absolute_path[-1] if error.absolute_path else 0
        free = isinstance(name, str) and name not in around.get("required", ())
        return free and error.instance == ""


def _schemas_on(path: Iterable[str | int], schema: Any) -> Iterator[Any]:
    """Yield a schema and, for each step of a path into a value, the schema of that member or element."""
    yield schema
    for key in path:
        schema = schema.get("items", {}) if isinstance(key, int) else schema.get("properties", {}).get(key, {})
        yield schema


def _place(error: ValidationError) -> tuple[str | int, ...]:
    """Return the path of an error in the body; for a missing member, the path of that member."""
    if error.validator != "required":
        return tuple(error.absolute_path)
    required: Any = error.validator_value
    missing = next(name for name in required if error.message.startswith(repr(name)))
    return (*error.absolute_path, missing)


def _reduced(schema: Any, value: Any, path: Sequence[str | int]) -> Any:
    if isinstance(value, list):
        return [_reduced(schema.get("items", {}), item, path[1:]) for item in value]
    if not isinstance(value, dict) or "properties" not in schema:
        return value
    names = {*schema.get("required", ()), *path[:1]}
    named = schema["properties"]
    return {
        name: _reduced(named.get(name, {}), item, path[1:] if path[:1] == (name,) else ())
        for name, item in value.items()
        if name in names
    }


def _sort(error: ValidationError) -> str:
    """Return the sort of a value of a wrong type: null, text, number, boolean or container.

    Where no number is wanted, a boolean is of the same sort as a number.
    """
    value = error.instance
    if value is None or isinstance(value, str):
        return "null" if value is None else "text"
    if isinstance(value, list | dict):
        return "container"
    return "boolean" if isinstance(value, bool) and error.validator_value in {"integer", "number"} else "number"


def _kind(value: Any) -> str:
    """Return the kind of a value as in `generation.toml`."""
    if isinstance(value, str):
        if not value:
            return "empty"
        return "digits" if value.isdigit() else "letters" if value.isalnum() else "text"
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    if isinstance(value, float):
        return "fraction"
    return "negative" if isinstance(value, int) and value < 0 else "other"
