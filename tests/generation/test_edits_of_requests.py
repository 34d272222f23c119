"""Each edit of a bound, a required member, an enumeration or a type in openapi.yaml changes the generated requests."""

import copy
import json
from collections.abc import Iterator
from functools import reduce
from typing import Any

import pytest

from pix_conformance.generation.narrowing import accepts
from pix_conformance.generation.request_schemas import body_schema
from pix_conformance.generation.requests import Generated, Requests
from pix_conformance.model.openapi import operations
from pix_conformance.model.vocabulary import Api

Path = tuple[str | int, ...]
BODY: Path = ("requestBody", "content", "application/json", "schema")
BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "minLength", "maxLength", "minItems", "maxItems")
OTHER_TYPE = {"string": "integer", "integer": "string", "number": "string", "boolean": "string"}
OPERATIONS = [
    pytest.param(api, name, id=f"{api}-{name}")
    for api in Api
    for name, operation in operations(api).items()
    if "requestBody" in operation
]


def edits(schema: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Yield the path of each edited value within a schema, and the new value."""
    for word in (word for word in BOUNDS if word in schema):
        yield from (((*path, word), schema[word] + change) for change in (1, -1) if schema[word] + change >= 0)
    for word in (word for word in ("required", "enum") if len(schema.get(word, ())) > 1):
        yield from (((*path, word), [other for other in schema[word] if other != value]) for value in schema[word])
    if schema.get("type") in OTHER_TYPE and not {"enum", "pattern", "format", "anyOf"} & schema.keys():
        yield (*path, "type"), OTHER_TYPE[schema["type"]]
    for name, member in schema.get("properties", {}).items():
        yield from edits(member, (*path, "properties", name))
    if "items" in schema:
        yield from edits(schema["items"], (*path, "items"))


def edited(operation: Any, path: Path, value: Any) -> Any:
    changed = copy.deepcopy(operation)
    reduce(lambda place, name: place[name], path[:-1], changed)[path[-1]] = value
    return changed


def requests_of(api: Api, operation: Any) -> tuple[Generated, ...]:
    """Return the requests that are made of an operation alone."""
    paths = {operation["path"]: {operation["method"]: operation}}
    return Requests(api, {"openapi": "3.1.0", "info": {"title": api, "version": "1"}, "paths": paths}).coverage(
        operation["operationId"]
    )


@pytest.mark.parametrize(("api", "name"), OPERATIONS)
def test_an_edit_changes_what_is_sent_and_what_is_valid(api: Api, name: str) -> None:
    operation: Any = operations(api)[name]
    before = set(requests_of(api, operation))
    unnoticed, invalid = [], []
    for path, value in edits(reduce(lambda place, part: place[part], BODY, operation), BODY):
        changed = edited(operation, path, value)
        after = requests_of(api, changed)
        valid = [json.loads(request.body or b"null") for request in after if request.violation is None]
        words = f"{'.'.join(map(str, path[len(BODY) :]))}: {value}"
        if set(after) == before:
            unnoticed.append(words)
        if not valid or not all(accepts(body_schema(changed), body) for body in valid):
            invalid.append(words)
    assert (unnoticed, invalid) == ([], [])
