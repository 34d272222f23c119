"""Reads the links of `specs/<api>/openapi.yaml`: the operations that take the id of what a request created."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from pix_conformance.model import openapi
from pix_conformance.model.vocabulary import Api

FROM_BODY = "$response.body#/"


@dataclass(frozen=True)
class Link:
    """One link of a response.

    `name` is the link's. `source` and `operation` are the ids of two operations. `id_field` is the field of the
    response that the second takes as its id: `data.id`. It is empty if the second takes the id of the first's path,
    or none.
    """

    name: str
    source: str
    operation: str
    id_field: str


@cache
def links(api: Api) -> tuple[Link, ...]:
    """Return all links of an API."""
    return tuple(_links(api))


def _links(api: Api) -> Iterator[Link]:
    for source, operation in openapi.operations(api).items():
        for response in operation["responses"].values():
            for name, link in response.get("links", {}).items():
                taken = next(iter(link.get("parameters", {}).values()), "")
                id_field = taken.removeprefix(FROM_BODY).replace("/", ".") if taken.startswith(FROM_BODY) else ""
                yield Link(name, source, link["operationId"], id_field)


def linked_from(api: Api, creation: str) -> dict[str, Link]:
    """Return the links of a creation to operations that take the new id, by operation, also over other links."""
    by_operation = {link.operation: link for link in links(api) if link.source == creation and link.id_field}
    for operation in tuple(by_operation):
        for link in links(api):
            if link.source == operation:
                by_operation.setdefault(link.operation, link)
    return by_operation
