"""Which messages show a requirement, by the schemas in `openapi.yaml`."""

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

from pix_conformance.checks.schema import requirements_in
from pix_conformance.model.openapi import operations
from pix_conformance.model.vocabulary import Api


@cache
def optional(api: Api) -> frozenset[str]:
    """Return the requirements on fields and elements that a 2xx response may lack."""
    requirements: set[str] = set()
    for operation in operations(api).values():
        for status, response in operation["responses"].items():
            if str(status).startswith("2"):
                requirements |= set(
                    _optional(response.get("content", {}).get("application/json", {}).get("schema", {}))
                )
    return frozenset(requirements)


@cache
def shown_by(api: Api) -> dict[str, frozenset[str]]:
    """Map each requirement on responses to the operations whose responses show it."""
    by_requirement: defaultdict[str, set[str]] = defaultdict(set)
    for name, operation in operations(api).items():
        for requirement in requirements_in(operation["responses"]):
            by_requirement[requirement].add(name)
    return {requirement: frozenset(names) for requirement, names in by_requirement.items()}


def _optional(schema: Any) -> Iterator[str]:
    if not isinstance(schema, dict):
        return
    yield from requirements_in(schema.get("items"))  # an array may be empty
    for name, field in schema.get("properties", {}).items():
        if name not in schema.get("required", ()):
            yield from requirements_in(field)
        yield from _optional(field)
