"""Generated requests: no disputed one is sent, each edit of openapi.yaml changes them, schemathesis still works."""

import copy
import json
from collections.abc import Iterator
from functools import reduce
from types import SimpleNamespace
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies

from pix_conformance.generation.narrowing import accepts
from pix_conformance.generation.request_schemas import UNSURE, BodySchema, body_schema
from pix_conformance.generation.requests import (
    BOTH,
    Generated,
    Requests,
    cases,
    coverage,
    drawn,
    fuzzed,
    skip_if_a_part_is_refused,
)
from pix_conformance.harness.outcomes import NotApplicable
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.openapi import limit, operations
from pix_conformance.model.vocabulary import Api, Level
from pix_conformance.recording.facts import Facts, Notice

PAIRS = [(api, operation) for api in Api for operation in operations(api)]
OPERATIONS = [pytest.param(*pair, id="-".join(pair)) for pair in PAIRS]
BODIES = [row for row, (api, name) in zip(OPERATIONS, PAIRS, strict=True) if "requestBody" in operations(api)[name]]
LONGEST = limit(Api.PAYMENTS, "create_charge", "description", "maxLength")


@pytest.mark.parametrize(("api", "operation"), OPERATIONS)
def test_every_operation_has_a_valid_request(api: Api, operation: str) -> None:
    assert any(request.violation is None for request in coverage(api, operation))


@pytest.mark.parametrize(("api", "operation"), BODIES)
def test_boundaries_are_covered_and_a_refused_request_violates_one_requirement(api: Api, operation: str) -> None:
    schema, refused = BodySchema(api, operations(api)[operation]), list(cases(api, operation, "negative"))
    assert len(list(cases(api, operation, "positive"))) >= 8
    assert len(refused) >= 20
    assert all(request.description for request in coverage(api, operation))
    for request in refused:
        assert request.is_reduced
        assert schema.violation(json.loads(request.body or b"")) == request.violation
    for request in (*refused, *drawn(api, operation, "negative", 15, 1)):
        assert catalogue()[str(request.rule)].level is not Level.OPEN


def test_item_split_and_pix_key_are_covered() -> None:
    rules = {request.rule for name in ("create_charge", "create_transfer") for request in coverage(Api.PAYMENTS, name)}
    assert rules >= {f"PAY-ITEM-{n:02}" for n in (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13)}
    assert rules >= {f"PAY-SPL-{n:02}" for n in (2, 3, 4, 5, 6, 7, 9, 11)}
    assert rules >= {"PAY-TRF-04", "PAY-KEY-15"}
    keys = {json.loads(request.body or b"")["pixKey"] for request in cases(Api.PAYMENTS, "create_transfer", "positive")}
    assert len(keys) == 5


def test_requests_with_and_without_an_idempotency_key_are_generated() -> None:
    kinds = {request.headers == () for request in cases(Api.BUSINESS, "create_charge", "positive")}
    assert kinds == {True, False}


def _members(value: Any, wrong: str | None) -> Iterator[Any]:
    """Yield each member of a body, but for the wrong one and what is in it."""
    if isinstance(value, dict):
        for name, member in value.items():
            if name != wrong:
                yield member
                yield from _members(member, wrong)
    if isinstance(value, list):
        for item in value:
            yield from _members(item, wrong)


@pytest.mark.parametrize(("api", "operation"), BODIES)
def test_no_request_depends_on_what_the_document_leaves_open(api: Api, operation: str) -> None:
    for mode in BOTH:
        for request in (*cases(api, operation, mode), *drawn(api, operation, mode, 15, 2)):
            if request.violation and not request.violation.path:  # the body itself is of a wrong type
                continue
            wrong = request.violation.name if request.violation else None
            for value in _members(json.loads(request.body or b""), wrong):
                assert value not in (None, "")
                assert not (isinstance(value, float) and value.is_integer())


@pytest.mark.parametrize(
    ("member", "value"),
    [
        pytest.param("customer", {"documentType": "CPF", "document": "52998224725"}, id="capitals"),
        pytest.param("customer", {"documentType": "cpf", "document": ""}, id="empty-document"),
        pytest.param("customer", {"documentType": "cpf", "document": "11222333000181"}, id="cnpj-as-cpf"),
        pytest.param("description", None, id="optional-null"),
        pytest.param("description", "", id="optional-empty-text"),
        pytest.param("description", "é" * (LONGEST + 1), id="length-of-accents"),
        pytest.param("items", [], id="no-items"),
        pytest.param("postbackUrl", "http://example.com", id="plain-http"),
    ],
)
def test_a_value_of_unclear_validity_is_not_sent(member: str, value: Any) -> None:
    schema = BodySchema(Api.PAYMENTS, operations(Api.PAYMENTS)["create_charge"])
    valid = {"amountInCents": 1050, "customer": {"documentType": "cpf", "document": "52998224725"}}
    assert schema.violation(valid) is None
    assert schema.violation({**valid, member: value}) == UNSURE


def test_the_list_has_a_case_for_each_status() -> None:
    paths = {request.path for request in cases(Api.BUSINESS, "list_charges", "positive")}
    assert {path.partition("status=")[2] for path in paths} >= {"pending", "paid", "expired", "canceled"}


def test_the_same_seed_draws_the_same_requests() -> None:
    first = drawn(Api.BUSINESS, "create_charge", "positive", 10, 7)
    drawn.cache_clear()
    assert drawn(Api.BUSINESS, "create_charge", "positive", 10, 7) == first


def test_hypothesis_names_the_smallest_failing_input(pytestconfig: pytest.Config) -> None:
    fuzzed(Api.BUSINESS, "create_charge", "positive")

    @hypothesis.settings(database=None, phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink])
    @hypothesis.given(amount=strategies.integers())
    def fails(amount: int) -> None:
        assert amount < 65536

    with pytest.raises(AssertionError) as caught:
        fails()
    assert "amount=65536" in " ".join(caught.value.__notes__)
    assert not pytestconfig.pluginmanager.has_plugin("schemathesis")  # the plugin would make hypothesis's line empty


def test_the_run_says_once_which_allowed_body_is_refused() -> None:
    facts = Facts()
    client: Any = SimpleNamespace(sender=SimpleNamespace(facts=facts, recorder=SimpleNamespace(redact=str)))
    sent = SimpleNamespace(body=b'{"external_ref": "a"}')
    part: Any = SimpleNamespace(ok=False, status=422, operation="create_charge", evidence="X7", request=sent)
    for _ in range(2):
        with pytest.raises(NotApplicable):
            skip_if_a_part_is_refused(client, part, [part])
    words = (
        'create_charge: the target refuses a body that openapi.yaml allows, with status 422 (X7): {"external_ref": "a"}'
    )
    assert facts.notices == [Notice(words)]


Path = tuple[str | int, ...]
BODY: Path = ("requestBody", "content", "application/json", "schema")
BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "minLength", "maxLength", "minItems", "maxItems")
OTHER_TYPE = {"string": "integer", "integer": "string", "number": "string", "boolean": "string"}


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


@pytest.mark.parametrize(("api", "name"), BODIES)
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
