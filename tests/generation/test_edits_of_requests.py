"""Each edit of a constraint in a request schema of the OpenAPI files changes the requests that are generated.

`default` is not edited: it constrains no request, and PAY-TRF-16 and BUS-CHG-34 ask for it in responses.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import parse_qsl

from pix_conformance.generation.narrowing import accepts, generation_settings
from pix_conformance.generation.request_schemas import body_schema
from pix_conformance.generation.requests import Generated, Requests
from pix_conformance.model.openapi import description, operations, requirements_in
from pix_conformance.model.vocabulary import Api

Edit = tuple[tuple[str | int, ...], Any]
"""The path of a value in an operation, and what replaces it."""
REMOVED = object()
BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "minLength", "maxLength", "minItems", "maxItems")
OTHER_TYPE = {"string": "integer", "integer": "string", "number": "string", "boolean": "string"}
OTHER_FORMAT = {"email": "uuid", "uri": "email", "uuid": "email"}
LEAST_NOTICED = 0.95
TEXT = "a value of a header or of a query of any type is sent as text"
UNNOTICED: Mapping[str, str] = {
    "business create_charge parameters.0: type removed": TEXT,
    "business list_charges parameters.0: type removed": TEXT,
    "payments create_charge properties.customer.properties.documentType: enum ['cpf', 'cnpj', 'another']": (
        "no value of document is known to be valid beside another documentType (generation.toml)"
    ),
    "payments create_transfer parameters.0: pattern removed": "each idempotency key that is sent is a new UUID",
    "payments create_transfer parameters.0: type removed": TEXT,
    **{
        f"{operation} parameters.0: type removed": TEXT
        for operation in (
            *("business get_charge", "business cancel_charge", "business pay_charge"),
            *("payments get_charge", "payments pay_charge", "payments get_transfer", "payments complete_transfer"),
            "payments delete_webhook",
        )
    },
    "payments delete_webhook parameters.0: type integer": TEXT,
    "payments delete_webhook parameters.0: pattern ^[a-z0-9]{4,12}$": "the id that is sent has that form",
    "business create_charge parameters.0: format uuid": "the key that is sent is a UUID",
    **{
        f"payments create_transfer properties.pixKey.anyOf.{place}: type removed": "pixKey itself has this type too"
        for place in range(5)
    },
}
"""Edits that change no request, each with the reason."""
CONTRADICTORY = "the file itself allows nothing any more"
NOTHING_VALID: Mapping[str, str] = {
    "business list_charges parameters.0: type integer": CONTRADICTORY,
    "payments create_charge properties.customer.properties.documentType: type integer": CONTRADICTORY,
    "payments create_transfer properties.pixKey: type integer": CONTRADICTORY,
    "payments create_webhook properties.events.items: type integer": CONTRADICTORY,
    "payments create_webhook properties.url: format email": CONTRADICTORY,
    "payments create_webhook properties.url: pattern ^never$": CONTRADICTORY,
    "payments create_transfer parameters.0: name another-name": (
        "schemathesis covers no required header of this pattern; generation.toml has a value by the name of the header"
    ),
}
"""Edits after which no valid request is made, each with the reason."""


def _edits(schema: Any, path: tuple[str | int, ...]) -> Iterator[Edit]:
    """Yield each single edit of a schema: one keyword, name, value or branch removed or altered."""
    yield from _edits_of_keywords(schema, path)
    yield from _edits_of_lists(schema, path)
    for name, field in schema.get("properties", {}).items():
        if name not in schema.get("required", ()):
            yield (*path, "properties", name), REMOVED
        yield from _edits(field, (*path, "properties", name))
    if "items" in schema:
        yield from _edits(schema["items"], (*path, "items"))
    for place, branch in enumerate(schema.get("anyOf", ())):
        yield from _edits(branch, (*path, "anyOf", place))


def _edits_of_keywords(schema: Any, path: tuple[str | int, ...]) -> Iterator[Edit]:
    yield from (((*path, word), value) for word, value in _added(schema).items() if word not in schema)
    altered = {word: [schema[word] + change for change in (1, -1)] for word in BOUNDS if word in schema}
    altered |= {"type": [OTHER_TYPE.get(schema["type"], "string")]} if "type" in schema else {}
    altered |= {"pattern": ["^never$"]} if "pattern" in schema else {}
    altered |= {"format": [OTHER_FORMAT[schema["format"]]]} if "format" in schema else {}
    for word in (*BOUNDS, "type", "pattern", "format", "const", "items"):
        if word in schema:
            yield (*path, word), REMOVED
            yield from (((*path, word), value) for value in altered.get(word, ()) if value != -1)


def _added(schema: Any) -> dict[str, Any]:
    """Return keywords that a schema may gain without leaving no value at all."""
    kind, least = schema.get("type"), schema.get("minimum", schema.get("exclusiveMinimum", 0))
    if kind == "string" and not {"pattern", "format", "enum", "const", "anyOf"} & schema.keys():
        return {"minLength": 40, "maxLength": 9, "pattern": "^[a-z0-9]{4,12}$", "format": "uuid"}
    added = {"integer": {"minimum": 300, "maximum": least + 5}, "array": {"minItems": 2, "maxItems": 1}}
    return added.get(str(kind), {})


def _edits_of_parameters(parameters: list[Any]) -> Iterator[Edit]:
    """Yield edits of the name of each header and query parameter, of whether it is required, and one parameter more."""
    for place, parameter in enumerate(parameters):
        if parameter["in"] != "path":
            yield ("parameters", place, "name"), "another-name"
            yield ("parameters", place, "required"), not parameter.get("required")
    yield ("parameters",), [*parameters, {"name": "page", "in": "query", "schema": {"type": "integer"}}]


def _edits_of_lists(schema: Any, path: tuple[str | int, ...]) -> Iterator[Edit]:
    for word, more in (("required", _optional(schema)), ("enum", ["another"]), ("anyOf", [])):
        for value in schema.get(word, ()):
            yield (*path, word), [other for other in schema[word] if other != value] or REMOVED
        if word in schema:
            yield from (((*path, word), [*schema[word], name]) for name in more)


def _optional(schema: Any) -> list[str]:
    return [name for name in schema.get("properties", {}) if name not in schema.get("required", ())]


def _parts(operation: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield the path and the schema of each part of an operation's requests."""
    if "requestBody" in operation:
        path = ("requestBody", "content", "application/json", "schema")
        yield path, operation["requestBody"]["content"]["application/json"]["schema"]
    for place, parameter in enumerate(operation.get("parameters", ())):
        yield ("parameters", place, "schema"), parameter["schema"]


def _alone(api: Api, name: str) -> dict[str, Any]:
    """Return an operation of a description with the parameters of its path."""
    known = operations(api)[name]
    shared = description(api)["paths"][known["path"]].get("parameters", [])
    return {**known, "parameters": [*shared, *known.get("parameters", ())]}


def _requests(api: Api, operation: Mapping[str, Any]) -> Requests:
    document = {
        "openapi": "3.1.0",
        "info": {"title": api, "version": "1"},
        "paths": {operation["path"]: {operation["method"]: operation}},
    }
    return Requests(api, document)


def _rules(generated: Iterable[Generated]) -> set[str]:
    return {request.rule for request in generated if request.rule}


def _values(operation: Mapping[str, Any], request: Generated) -> Iterator[tuple[Any, Any]]:
    """Yield the schema of the file and the value of the body, and of each parameter that is sent."""
    if "requestBody" in operation:
        yield body_schema(operation), json.loads(request.body or b"null")
    path, _, query = request.path.partition("?")
    in_path = re.fullmatch(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", operation["path"]), path)
    assert in_path
    sent = {**in_path.groupdict(), **dict(parse_qsl(query)), **dict(request.headers)}
    for parameter in operation["parameters"]:
        if parameter["name"].lower() in {name.lower() for name in sent}:
            value = next(value for name, value in sent.items() if name.lower() == parameter["name"].lower())
            yield parameter["schema"], value


def _allows(schema: Any, value: Any) -> bool:
    """Return whether the file allows a value; that of a parameter is sent as text."""
    wanted = {"integer": r"-?[0-9]+", "number": r"-?[0-9.]+"}.get(schema.get("type"))
    is_number = wanted and isinstance(value, str) and re.fullmatch(wanted, value)
    return accepts(schema, value) or bool(is_number and accepts(schema, json.loads(value)))


def _edited(operation: Any, path: tuple[str | int, ...], value: Any) -> Any:
    changed = copy.deepcopy(operation)
    place = changed
    for name in path[:-1]:
        place = place[name]
    if value is REMOVED:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return changed


def _words(api: Api, name: str, path: tuple[str | int, ...], value: Any) -> str:
    if path == ("parameters",):
        return f"{api} {name}: a parameter more"
    *parents, last = (
        str(part) for part in path if part not in {"requestBody", "content", "application/json", "schema"}
    )
    return f"{api} {name} {'.'.join(parents)}: {last} {'removed' if value is REMOVED else value}"


@dataclass(frozen=True)
class EditEffect:
    """What an edit does to the requests."""

    is_noticed: bool
    has_valid: bool
    disallowed: tuple[Generated, ...]
    missing_rules: frozenset[str]


def _effect(api: Api, before: tuple[Generated, ...], operation: Any, edit: Edit) -> EditEffect:
    path, value = edit
    edited = _edited(operation, path, value)
    after = _requests(api, edited).coverage(edited["operationId"])
    valid = [request for request in after if request.violation is None]
    wrong = tuple(request for request in valid if not all(_allows(*pair) for pair in _values(edited, request)))
    missing = _rules(before) - _rules(after) - _of_edited(api, operation, path)
    return EditEffect(set(before) != set(after), bool(valid), wrong, frozenset(missing))


def _of_edited(api: Api, operation: Any, path: tuple[str | int, ...]) -> set[str]:
    """Return the requirements of the schema that an edit changes, and of what is in it."""
    if path[0] == "parameters":
        return set()
    place = operation
    for name in path[: path.index("anyOf") if "anyOf" in path else -1]:
        place = place[name]
    rules = set(requirements_in(place))
    finer = generation_settings(api)["finer"]
    return rules | {requirement for rule in rules for requirement in finer.get(rule, {}).values()}


@cache
def _effects() -> dict[str, EditEffect]:
    effects = {}
    for api in Api:
        for name in operations(api):
            operation = _alone(api, name)
            before = _requests(api, operation).coverage(name)
            for at, schema in _parts(operation):
                for path, value in _edits(schema, at):
                    effects[_words(api, name, path, value)] = _effect(api, before, operation, (path, value))
            for path, value in _edits_of_parameters(operation["parameters"]):
                effects[_words(api, name, path, value)] = _effect(api, before, operation, (path, value))
    return effects


def test_edits_of_request_schemas_change_what_is_sent() -> None:
    noticed = {name: effect.is_noticed for name, effect in _effects().items()}
    visible = [is_noticed for name, is_noticed in noticed.items() if UNNOTICED.get(name) != TEXT]
    assert sum(visible) >= LEAST_NOTICED * len(visible) > 0
    assert sorted(name for name, is_noticed in noticed.items() if not is_noticed) == sorted(UNNOTICED)


def test_a_valid_request_is_allowed_by_the_edited_file() -> None:
    assert {name: effect.disallowed for name, effect in _effects().items() if effect.disallowed} == {}


def test_there_is_a_valid_request_after_each_edit() -> None:
    assert sorted(name for name, effect in _effects().items() if not effect.has_valid) == sorted(NOTHING_VALID)


def test_only_the_edited_rule_loses_its_requests() -> None:
    effects = {name: effect for name, effect in _effects().items() if name not in NOTHING_VALID}
    assert {name: sorted(effect.missing_rules) for name, effect in effects.items() if effect.missing_rules} == {}
