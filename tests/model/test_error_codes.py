"""Kinds of refusal, statuses and codes: the reference, the words of mutants and openapi.yaml have the same."""

import ast
from collections.abc import Iterator
from typing import Any

import pytest

from pix_conformance.model import openapi
from pix_conformance.model.vocabulary import Api
from pix_conformance.sandbox.apis import APIS
from pix_conformance.sandbox.mutants.operators.responses import KINDS
from tests.support.programs import modules

PLACE = "specs/payments/openapi.yaml"
NO_CODE = ("does not state the error code", "states no error code")
"""What the description of a response says that has no code of its own."""
each_api = pytest.mark.parametrize("api", Api)


def code_schema(response: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of the error code in a response, empty if it has none."""
    schema = response.get("content", {}).get("application/json", {}).get("schema", {})
    return dict(schema.get("properties", {}).get("error", {}))


def refusals() -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Yield each 4xx response of the payments API that is described by number: its operation, status, description."""
    for name, row in openapi.operations(Api.PAYMENTS).items():
        numbered = {int(status): answer for status, answer in row["responses"].items() if str(status).isdecimal()}
        yield from ((name, status, answer) for status, answer in numbered.items() if status in range(400, 500))


def codes() -> dict[str, tuple[int, set[str]]]:
    """Return by error code its status and the operations that return it."""
    known: dict[str, tuple[int, set[str]]] = {}
    for name, status, answer in refusals():
        if "const" in (schema := code_schema(answer)):
            known.setdefault(schema["const"], (status, set()))[1].add(name)
    return known


def test_each_numbered_refusal_has_a_code_of_its_own() -> None:
    """As `const` of `error`, with the requirement that states it; or its description says that none is stated."""
    for name, status, answer in refusals():
        schema, place = code_schema(answer), f"{status} of {name} in {PLACE}"
        if not any(words in answer["description"] for words in NO_CODE):
            assert "const" in schema, f"{place}: `const` of error, or a description that says {NO_CODE[0]}"
            assert "const" in schema.get("x-requirements", {}), f"{place}: `const` in x-requirements of error"


def test_a_code_of_few_operations_is_explained() -> None:
    """What each operation may return, a client meets anyway."""
    prose = openapi.source(Api.PAYMENTS)["info"]["description"]
    unexplained = [
        f"{code}, which {', '.join(names)} returns with {status}"
        for code, (status, names) in codes().items()
        if len(names) == 1 and f"`{code}`" not in prose
    ]
    assert unexplained == [], f"info.description of {PLACE} does not name the code"


def test_the_reference_returns_each_code_with_its_status() -> None:
    rules = APIS[Api.PAYMENTS].rules
    statuses, names = getattr(rules, "error_statuses", {}), getattr(rules, "error_codes", {})
    sent = {(statuses.get(kind), code) for kind, code in names.items()}
    lacking = {(status, code) for code, (status, _) in codes().items()} - sent
    assert lacking == set(), f"{PLACE} has them, error_statuses and error_codes of reference/payments have not"


def raised(api: Api) -> dict[str, str]:
    """Return the kinds of refusal that the reference raises, each with a place that raises it."""
    other = next(kind for kind in Api if kind is not api)
    return {
        node.args[0].value: f"{path}:{node.lineno}"
        for path, module in modules("src/pix_conformance/reference")
        if str(other) not in path.parts
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Refusal"
        if node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)
    }


@each_api
def test_each_kind_of_refusal_has_a_status_a_code_and_words(api: Api) -> None:
    rules = APIS[api].rules
    rows = {"error_statuses": getattr(rules, "error_statuses", {}), "KINDS of operators/responses.py": KINDS}
    if hasattr(rules, "error_codes"):
        rows["error_codes"] = rules.error_codes
    kinds = set(raised(api)).union(*(row for name, row in rows.items() if name.startswith("error")))
    for name, row in rows.items():
        lacking = {kind: raised(api).get(kind, "") for kind in kinds - set(row)}
        assert lacking == {}, f"{name} lacks kinds of refusal of reference/{api}"
