"""Reads `specs/<api>/openapi.yaml`, with each `$ref` replaced by its target: operations, limits of fields, links."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import yaml

from pix_conformance.model.paths import SPECS
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import Api

METHODS = ("get", "post", "put", "patch", "delete")
FROM_BODY = "$response.body#/"
"""How a link names a field of the response."""
Keyword = Literal["minimum", "maximum", "maxLength", "maxItems", "default"]
JUDGED_NAMES = {"x-allOf": "allOf"}
"""Keywords of the file that only the judge reads, and what each is for it. See `info.description` of the files."""
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The loader in C, which takes a sixth of the time, where PyYAML was built with it."""


@cache
def source(api: Api) -> dict[str, Any]:
    """Parse the description of one API, with its references."""
    text = (SPECS / api / "openapi.yaml").read_text(encoding="utf-8")
    document: dict[str, Any] = yaml.load(text, LOADER)  # noqa: S506  # both loaders are safe
    return document


@cache
def description(api: Api) -> dict[str, Any]:
    """Return the description of one API with each `$ref` replaced by its target, and each `x-allOf` as `allOf`."""
    document = source(api)
    resolved: dict[str, Any] = _resolve(document, document)
    return resolved


def _resolve(node: Any, root: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_resolve(item, root) for item in node]
    if not isinstance(node, dict):
        return node
    if isinstance(node.get("$ref"), str):
        target: Any = root
        for name in node["$ref"].removeprefix("#/").split("/"):
            key = name.replace("~1", "/").replace("~0", "~")
            if key not in target:
                raise ValueError(f"openapi.yaml has no {node['$ref']}, which a $ref in it names")
            target = target[key]
        beside = _resolve({k: v for k, v in node.items() if k != "$ref"}, root)
        return {**_resolve(target, root), **beside}
    return {JUDGED_NAMES.get(k, k): _resolve(v, root) for k, v in node.items()}


@cache
def operations(api: Api) -> dict[str, dict[str, Any]]:
    """Return each operation of an API by id, with `path` and `method` added."""
    return operations_of(description(api))


def operations_of(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return each operation of a description by id, with `path` and `method` added."""
    return {
        operation["operationId"]: {**operation, "path": path, "method": method}
        for path, routes in document["paths"].items()
        for method, operation in routes.items()
        if method in METHODS
    }


@cache
def header_names(api: Api) -> frozenset[str]:
    """Return the headers of requests and responses that an API describes, in small letters."""
    of_requests = {
        parameter["name"]
        for operation in operations(api).values()
        for parameter in [
            *description(api)["paths"][operation["path"]].get("parameters", ()),
            *operation.get("parameters", ()),
        ]
        if parameter["in"] == "header"
    }
    of_responses = {
        name
        for operation in operations(api).values()
        for response in operation["responses"].values()
        for name in response.get("headers", ())
    }
    return frozenset(map(str.lower, of_requests | of_responses))


def request_schema(api: Api, operation: str) -> dict[str, Any] | None:
    """Return the schema of the body of a request; None for an operation without one."""
    body = operations(api)[operation].get("requestBody")
    return body["content"]["application/json"]["schema"] if body else None


def request_example(api: Api, operation: str) -> Any:
    """Return an example of the body of a request; None for an operation without one."""
    body = operations(api)[operation].get("requestBody")
    return example_of(body["content"]["application/json"]) if body else None


def example_of(media: Mapping[str, Any]) -> Any:
    """Return the first example of a body."""
    return media["example"] if "example" in media else next(iter(media["examples"].values()))["value"]


def event_schema(api: Api, event: str) -> dict[str, Any]:
    """Return the schema of the body of an event. Raises KeyError for an event without one."""
    schema: dict[str, Any] = description(api)["webhooks"][event]["post"]["requestBody"]["content"]["application/json"][
        "schema"
    ]
    return schema


def documented(api: Api, operation: str, status: int) -> dict[str, Any] | None:
    """Return the response object for a status of an operation; None if the description has none."""
    responses: dict[str, dict[str, Any]] = operations(api)[operation]["responses"]
    return responses.get(str(status)) or responses.get(f"{status // 100}XX") or responses.get("default")


def answer_schema(api: Api, operation: str, status: int) -> dict[str, Any] | None:
    """Return the schema of the body of a response; None if the description has none for that status."""
    response = documented(api, operation, status) or {}
    schema: dict[str, Any] | None = response.get("content", {}).get("application/json", {}).get("schema")
    return schema


def undocumented(api: Api, operation: str, status: int, instance: Any) -> Iterator[str]:
    """Yield the path of each field of a response that the description does not name."""
    schema = answer_schema(api, operation, status)
    return beyond(schema, instance) if schema else iter(())


def beyond(schema: Any, instance: Any, path: str = "") -> Iterator[str]:
    """Yield the path of each field of a JSON value that its schema does not name."""
    if isinstance(instance, list):
        for item in instance[:20]:
            yield from beyond(schema.get("items", {}), item, f"{path}[]")
    if not isinstance(instance, dict) or "properties" not in schema:
        return
    for name, value in instance.items():
        if name in schema["properties"]:
            yield from beyond(schema["properties"][name], value, f"{path}.{name}")
        else:
            yield f"{path}.{name}".removeprefix(".")


def limit(api: Api, operation: str, field: str, keyword: Keyword) -> Any:
    """Return what a keyword says of a field, in the unit of the field: characters, elements, cents, seconds or percent.

    The field is one of the request body, else of the 200 response; `splits.percentage` is one of an array's elements.
    Raises KeyError if the description has no such field, or none with that keyword. The minimum of a whole number that
    must be above another one is the next one.
    """
    schema = request_schema(api, operation) or answer_schema(api, operation, 200) or {}
    for name in field.split("."):
        schema = schema.get("items", schema)["properties"][name]
    exclusive = keyword == "minimum" and "exclusiveMinimum" in schema and schema["type"] == "integer"
    return schema["exclusiveMinimum"] + 1 if exclusive else schema[keyword]


def production_cents(api: Api) -> int:
    """Return the cents of the one charge of an API that a run creates in production: the least that it may be of."""
    return int(limit(api, "create_charge", PROFILES[api].production_charge.amount, "minimum"))


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
    rows = []
    for source, operation in operations(api).items():
        for response in operation["responses"].values():
            for name, link in response.get("links", {}).items():
                taken = next(iter(link.get("parameters", {}).values()), "")
                id_field = taken.removeprefix(FROM_BODY).replace("/", ".") if taken.startswith(FROM_BODY) else ""
                rows.append(Link(name, source, link["operationId"], id_field))
    return tuple(rows)


def linked_from(api: Api, creation: str) -> dict[str, Link]:
    """Return the links of a creation to operations that take the new id, by operation, also over other links."""
    by_operation = {link.operation: link for link in links(api) if link.source == creation and link.id_field}
    for operation in tuple(by_operation):
        for link in links(api):
            if link.source == operation:
                by_operation.setdefault(link.operation, link)
    return by_operation
