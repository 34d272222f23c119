"""The examples of both OpenAPI descriptions: each body has one, and they show all that is described."""

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pix_conformance.model import openapi
from pix_conformance.model.vocabulary import Api
from tests.support.openapi_parts import contents, examples, parameters, routes, schemas

pytestmark = pytest.mark.parametrize("api", Api)


def test_every_body_has_an_example(api: Api) -> None:
    for route in routes(api):
        for media in contents(route):
            assert examples(media), route["operationId"]


def test_examples_obey_their_schemas(api: Api) -> None:
    """The examples are valid, formats included."""
    holders = [media for route in routes(api) for media in contents(route)] + list(parameters(api))
    for holder in holders:
        schema = holder.get("schema", {})  # none where the document leaves a body open
        judge = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
        for example in examples(holder):
            judge.validate(example)


def test_examples_have_no_field_that_their_schema_does_not_name(api: Api) -> None:
    """Those of requests, responses and events: a field that is added to an example alone is judged nowhere."""
    for route in routes(api):
        for media in contents(route):
            beyond = [name for example in examples(media) for name in openapi.beyond(media.get("schema", {}), example)]
            assert beyond == [], f"an example of {route['operationId']} in specs/{api}/openapi.yaml"


def test_every_documented_field_of_a_body_is_in_one_of_its_examples(api: Api) -> None:
    """Of requests and of responses: what the examples lack, a reader takes for something that is not sent."""
    for route in routes(api):
        for media in contents(route):
            lacking = [set(fields_beside(media.get("schema", {}), example)) for example in examples(media)]
            never = sorted(set.intersection(*lacking))
            assert never == [], f"the examples of {route['operationId']} in specs/{api}/openapi.yaml"


def fields_beside(schema: dict[str, Any], value: Any, place: str = "") -> Iterator[str]:
    """Yield the paths of the properties of a schema that a value has not; of a list the first element counts."""
    for element in value[:1] if isinstance(value, list) else ():
        yield from fields_beside(schema.get("items", {}), element, place)
    for part in [schema, *schema.get("allOf", ())] if isinstance(value, dict) else ():
        for name, field in part.get("properties", {}).items():
            path = f"{place}.{name}"
            yield from fields_beside(field, value[name], path) if name in value else [path]


def test_a_table_of_a_field_has_a_row_for_each_of_its_values(api: Api) -> None:
    for place, schema in schemas(api):
        text = schema.get("description", "")
        if "| `" in text:
            absent = [value for value in schema.get("enum", ()) if f"| `{value}` |" not in text]
            assert absent == [], f"the table of {place} in specs/{api}/openapi.yaml"
