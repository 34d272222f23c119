"""The parts of an OpenAPI description, for tests that look at all of one kind."""

from collections.abc import Iterator
from typing import Any

from pix_conformance.model import openapi
from pix_conformance.model.vocabulary import Api

APPLICATORS = ("allOf", "anyOf", "oneOf", "prefixItems")
SINGLE = ("items", "not", "if", "then", "else", "contains", "propertyNames", "additionalProperties")


def routes(api: Api) -> Iterator[dict[str, Any]]:
    """Yield every operation and every event, dereferenced."""
    yield from openapi.operations(api).values()
    yield from (hook["post"] for hook in openapi.description(api).get("webhooks", {}).values())


def parameters(api: Api) -> Iterator[dict[str, Any]]:
    """Yield the parameters of every path, operation and event."""
    for path in openapi.description(api)["paths"].values():
        yield from path.get("parameters", ())
    for route in routes(api):
        yield from route.get("parameters", ())


def contents(route: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the media types of a route's request and answers."""
    yield from route.get("requestBody", {}).get("content", {}).values()
    for answer in route["responses"].values():
        yield from answer.get("content", {}).values()


def parts(schema: Any, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a schema and every schema within it, with the place of each."""
    if not isinstance(schema, dict):
        return
    yield place, schema
    for name, field in schema.get("properties", {}).items():
        yield from parts(field, f"{place}.{name}")
    for word in APPLICATORS:
        for branch in schema.get(word, ()):
            yield from parts(branch, place)
    for word in SINGLE:
        yield from parts(schema.get(word), f"{place}/{word}")


def schemas(api: Api) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every schema of bodies and parameters, with its place."""
    for route in routes(api):
        for media in contents(route):
            yield from parts(media.get("schema"), route["operationId"])
    for parameter in parameters(api):
        yield from parts(parameter["schema"], parameter["name"])


def examples(holder: dict[str, Any]) -> list[Any]:
    """List the examples of a media type or a parameter."""
    several = [example["value"] for example in holder.get("examples", {}).values()]
    return [*several, holder["example"]] if "example" in holder else several


def named_members(node: Any) -> Iterator[tuple[str, Any]]:
    """Yield each member within a description, by its name."""
    if isinstance(node, dict | list):
        for name, part in node.items() if isinstance(node, dict) else (("", part) for part in node):
            yield name, part
            yield from named_members(part)
