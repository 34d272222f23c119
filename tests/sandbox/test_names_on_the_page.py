"""docs/sandbox.md says what a client calls, and what it receives, as the OpenAPI files and the tables of states do."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from pix_conformance.checks.payments.transfers import APPROVAL
from pix_conformance.checks.schema import judge_body, judge_event
from pix_conformance.model import openapi
from pix_conformance.model.operations import Operation, by_name, of
from pix_conformance.model.paths import TEST_TREE
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import Api
from pix_conformance.sandbox.scenarios import SCENARIOS

PLACE = "docs/sandbox.md"
PAGE = (TEST_TREE / PLACE).read_text(encoding="utf-8")
NO_PART_OF_A_SALE = {"list_webhooks", "delete_webhook", "list_charges", "get_finance"}
NEEDLESS = {"User-Agent"}
"""Headers of which no client and no receiver has to know."""

each_api = pytest.mark.parametrize("api", Api)


def route(row: Operation) -> str:
    return f"`{row.method} {re.sub('{.*?}', '{id}', row.path)}`"


CALLED = [row for api in Api for row in of(api) if row.name not in NO_PART_OF_A_SALE]
each_called = pytest.mark.parametrize("row", CALLED, ids=[f"{row.api}-{row.name}" for row in CALLED])


def cells(row: Operation) -> list[str]:
    """Return the cells of an operation in the table of what a client calls."""
    lines = [line.strip("| ").split("|") for line in PAGE.splitlines() if line.startswith("| `")]
    return [cell.strip() for cell in next((cells for cells in lines if route(row) in cells[0]), [])]


@each_called
def test_each_operation_of_a_sale_has_a_row(row: Operation) -> None:
    assert cells(row), f"What a client calls, in {PLACE}, has no row with {route(row)}"


def test_no_other_operation_has_a_row() -> None:
    others = [row for api in Api for row in of(api) if row.name in NO_PART_OF_A_SALE]
    assert [route(row) for row in others if cells(row)] == []


@each_called
def test_the_body_of_a_request_is_the_least(row: Operation) -> None:
    """A field that becomes required is missing there, and one that is required no more is too many."""
    schema = openapi.request_schema(row.api, row.name)
    if schema is not None and row.effect != "changes":
        text = cells(row)[1].strip("`")
        place = f"the least body of {route(row)} in {PLACE}"
        assert problems(schema, text) == [], place
        whole = json.loads(text)
        less = [
            name
            for name in whole
            if not problems(schema, json.dumps({key: whole[key] for key in whole if key != name}))
        ]
        assert less == [], place


def problems(schema: dict[str, Any], text: str) -> list[str | None]:
    return [finding.mismatch for finding in judge_body(schema, text.encode()) if finding.mismatch]


@each_called
def test_the_fields_of_a_response_are_documented(row: Operation) -> None:
    responses = openapi.operations(row.api)[row.name]["responses"]
    success = next(responses[status] for status in responses if str(status).startswith("2"))
    schema = success.get("content", {}).get("application/json", {}).get("schema", {})
    named = re.findall(r"`([A-Za-z_.0-9]+)`", cells(row)[2])
    unknown = [name for name in named if not has_field(schema, name.split("."))]
    assert unknown == [], f"the response of {route(row)} in {PLACE}"


def has_field(schema: dict[str, Any], path: list[str]) -> bool:
    inner = schema.get("properties", {}).get(path[0])
    if inner is not None and (len(path) == 1 or has_field(inner, path[1:])):
        return True
    return any(has_field(part, path) for part in schema.get("allOf", ()))


def test_the_statuses_before_a_completion_are_those_of_the_states() -> None:
    said = re.findall(r"\*(\w+)\*", cells(by_name(Api.PAYMENTS)["complete_transfer"])[2])
    assert sorted(said) == sorted(APPROVAL), f"the row of complete in {PLACE}, and `approval` in states.toml"


def events_shown() -> Iterator[Any]:
    (block,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    decoder = json.JSONDecoder()
    while block := block.strip():
        event, end = decoder.raw_decode(block)
        block = block[end:]
        yield event


@each_api
def test_the_event_of_each_api_obeys_its_schema(api: Api) -> None:
    """A field that each event has is missing there."""
    name = PROFILES[api].event_name_field
    (event,) = [event for event in events_shown() if event.get(name) in openapi.description(api)["webhooks"]]
    findings = judge_event(api, event[name], json.dumps(event).encode())
    assert [finding for finding in findings if finding.mismatch] == [], f"the event {event[name]} in {PLACE}"


@each_api
def test_each_documented_header_is_named(api: Api) -> None:
    document = openapi.description(api)
    received = [hook["post"] for hook in document["webhooks"].values()]
    called = [*received, *openapi.operations(api).values()]
    headers = {row["name"] for node in called for row in node.get("parameters", ()) if row["in"] == "header"}
    headers |= {
        name for node in called for response in node["responses"].values() for name in response.get("headers", {})
    }
    lacking = {name for name in headers - NEEDLESS if name.casefold() not in PAGE.casefold()}
    assert lacking == set(), f"headers of specs/{api}/openapi.yaml of which {PLACE} says nothing"


def test_every_scenario_has_a_row() -> None:
    rows = re.findall(r"^\| `[a-z][a-z-]+` \|.*", PAGE, re.MULTILINE)
    assert rows == [f"| `{name}` | {scenario.meaning} |" for name, scenario in SCENARIOS.items()]
