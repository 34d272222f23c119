"""Each edit of a constraint in a request schema of the OpenAPI files changes the requests that are generated.

`default` is not edited: it constrains no request, and PAY-TRF-16 and BUS-CHG-34 ask for it in responses.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from pix_conformance.harness.generation import Generated, Requests
from pix_conformance.model.openapi import load, operations
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
        "no value of document is known to be valid beside another documentType (x-narrow of Customer)"
    ),
    "payments create_transfer parameters.0: pattern removed": "each idempotency key that is sent is a new UUID",
    "payments create_transfer parameters.0: type removed": TEXT,
    **{
        f"payments create_transfer properties.pixKey.anyOf.{place}: type removed": "pixKey itself has this type too"
        for place in range(5)
    },
}
"""Edits that change no request, each with the reason."""


def _edits(schema: Any, path: tuple[str | int, ...]) -> Iterator[Edit]:
    """Yield each single edit of a schema: one keyword, name, value or branch removed or altered."""
    yield from _edits_of_keywords(schema, path)
    yield from _edits_of_lists(schema, path)
    for name, one in schema.get("properties", {}).items():
        yield (*path, "properties", name), REMOVED
        yield from _edits(one, (*path, "properties", name))
    if "items" in schema:
        yield from _edits(schema["items"], (*path, "items"))
    for place, one in enumerate(schema.get("anyOf", ())):
        yield from _edits(one, (*path, "anyOf", place))


def _edits_of_keywords(schema: Any, path: tuple[str | int, ...]) -> Iterator[Edit]:
    altered = {word: [schema[word] + change for change in (1, -1)] for word in BOUNDS if word in schema}
    altered |= {"type": [OTHER_TYPE.get(schema["type"], "string")]} if "type" in schema else {}
    altered |= {"pattern": ["^never$"]} if "pattern" in schema else {}
    altered |= {"format": [OTHER_FORMAT[schema["format"]]]} if "format" in schema else {}
    for word in (*BOUNDS, "type", "pattern", "format", "const", "items"):
        if word in schema:
            yield (*path, word), REMOVED
            yield from (((*path, word), value) for value in altered.get(word, ()) if value != -1)


def _edits_of_lists(schema: Any, path: tuple[str | int, ...]) -> Iterator[Edit]:
    for word, more in (("required", _optional(schema)), ("enum", ["another"]), ("anyOf", [])):
        for one in schema.get(word, ()):
            yield (*path, word), [each for each in schema[word] if each != one] or REMOVED
        if word in schema:
            yield from (((*path, word), [*schema[word], one]) for one in more)


def _optional(schema: Any) -> list[str]:
    return [name for name in schema.get("properties", {}) if name not in schema.get("required", ())]


def _parts(operation: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield the path and the schema of each part of an operation's requests."""
    if "requestBody" in operation:
        path = ("requestBody", "content", "application/json", "schema")
        yield path, operation["requestBody"]["content"]["application/json"]["schema"]
    for place, one in enumerate(operation.get("parameters", ())):
        yield ("parameters", place, "schema"), one["schema"]


def _alone(api: Api, name: str) -> dict[str, Any]:
    """Return an operation of a description with the parameters of its path."""
    known = operations(api)[name]
    shared = load(api)["paths"][known["path"]].get("parameters", [])
    return {**known, "parameters": [*shared, *known.get("parameters", ())]}


def _generated(api: Api, operation: Mapping[str, Any]) -> set[Generated]:
    document = {
        "openapi": "3.1.0",
        "info": {"title": api, "version": "1"},
        "paths": {operation["path"]: {operation["method"]: operation}},
    }
    return set(Requests(api, document).coverage(operation["operationId"]))


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
    *parents, last = (str(one) for one in path if one not in {"requestBody", "content", "application/json", "schema"})
    return f"{api} {name} {'.'.join(parents)}: {last} {'removed' if value is REMOVED else value}"


def _noticed() -> dict[str, bool]:
    """Return whether each edit is noticed."""
    found = {}
    for api in Api:
        for name in operations(api):
            operation = _alone(api, name)
            before = _generated(api, operation)
            for at, schema in _parts(operation):
                for path, value in _edits(schema, at):
                    after = _generated(api, _edited(operation, path, value))
                    found[_words(api, name, path, value)] = before != after
    return found


def test_edits_of_request_schemas_change_what_is_sent() -> None:
    noticed = _noticed()
    assert sum(noticed.values()) >= LEAST_NOTICED * len(noticed) > 0
    assert sorted(one for one, found in noticed.items() if not found) == sorted(UNNOTICED)
