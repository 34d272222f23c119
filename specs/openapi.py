"""The OpenAPI descriptions, dereferenced, and the passive judge of every answer and delivery."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError

from specs.formats.timestamp import is_timestamp
from specs.judge.subject import MISSING, parsed, shown
from specs.vocabulary import Api

ROOM = Path(__file__).parent
FORMATS = FormatChecker(("date-time", "uuid"))
METHODS = ("get", "post", "put", "patch", "delete")


@FORMATS.checks("uri", raises=ValueError)
def _is_uri(value: object) -> bool:
    """Whether a string is absolute and has no blanks (RFC 3986, section 3); jsonschema alone asserts nothing here."""
    return not isinstance(value, str) or (bool(urlsplit(value).scheme) and not re.search(r"\s", value))


@FORMATS.checks("timestamp")
def _is_timestamp(value: object) -> bool:
    """Whether a string may be read as a moment; the documents name no form where they say no more than that."""
    return not isinstance(value, str) or is_timestamp(value)


@dataclass(frozen=True)
class Finding:
    """One requirement, met by what came (`mismatch` is None) or not."""

    requirement: str
    mismatch: str | None


@cache
def source(api: Api) -> dict[str, Any]:
    """Parse the description of one API as it stands in its file."""
    document: dict[str, Any] = yaml.safe_load((ROOM / api / "openapi.yaml").read_text(encoding="utf-8"))
    return document


@cache
def load(api: Api) -> dict[str, Any]:
    """Return the description of one API with each `$ref` replaced by what it names."""
    document = source(api)
    resolved: dict[str, Any] = _resolve(document, document)
    return resolved


def _resolve(node: Any, root: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_resolve(one, root) for one in node]
    if not isinstance(node, dict):
        return node
    if isinstance(node.get("$ref"), str):
        target: Any = root
        for name in node["$ref"].removeprefix("#/").split("/"):
            target = target[name.replace("~1", "/").replace("~0", "~")]
        beside = {k: _resolve(v, root) for k, v in node.items() if k != "$ref"}
        return {**_resolve(target, root), **beside}
    return {k: _resolve(v, root) for k, v in node.items()}


@cache
def operations(api: Api) -> dict[str, dict[str, Any]]:
    """Return each operation by id, with `path` and `method` added."""
    return {
        operation["operationId"]: {**operation, "path": path, "method": method}
        for path, routes in load(api)["paths"].items()
        for method, operation in routes.items()
        if method in METHODS
    }


def documented(api: Api, operation: str, status: int) -> dict[str, Any] | None:
    """Return the response object for a status of an operation; None where the document shows none."""
    responses: dict[str, dict[str, Any]] = operations(api)[operation]["responses"]
    return responses.get(str(status)) or responses.get(f"{status // 100}XX") or responses.get("default")


def judge_answer(api: Api, operation: str, status: int, body: bytes) -> list[Finding]:
    """Hold one answer against the schema of its operation and status."""
    response = documented(api, operation, status)
    schema = (response or {}).get("content", {}).get("application/json", {}).get("schema")
    return judge_body(schema, body) if schema else []


def judge_event(api: Api, event: str, body: bytes) -> list[Finding]:
    """Hold one delivery against the schema of its event; nothing for an event that no document names."""
    hook = load(api).get("webhooks", {}).get(event)
    if hook is None:
        return []
    schema = hook["post"]["requestBody"]["content"]["application/json"]["schema"]
    shown_here = set(_named(schema))  # what may be null in this event is met only where it may not
    return [one for one in judge_body(schema, body) if one.mismatch or one.requirement in shown_here]


def judge_body(schema: dict[str, Any], body: bytes) -> list[Finding]:
    """Validate a JSON body; each requirement named in the schema is met, broken, or not met with at all."""
    instance = parsed(body)
    if instance is MISSING:
        ids = dict.fromkeys(_named(schema))
        return [Finding(one, "the body is not JSON") for one in list(ids)[:1]]
    broken: dict[str, str] = {}
    beside: set[str] = set()  # ids of values that are of the wrong type already: neither met nor broken
    errors = list(Draft202012Validator(schema, format_checker=FORMATS).iter_errors(instance))
    mistyped = {one.json_path for one in errors if one.validator == "type"}
    for one in errors:
        for requirement in _blamed(schema, one):
            if one.validator == "type" or one.json_path not in mistyped:
                broken.setdefault(requirement, f"{one.json_path}: {one.message[:300]}")
            else:
                beside.add(requirement)
    met = {one for one in _met(schema, instance) if one not in broken and one not in beside}
    return [Finding(k, v) for k, v in broken.items()] + [Finding(one, None) for one in sorted(met)]


@cache
def optional(api: Api) -> frozenset[str]:
    """Return the requirements on fields and elements that an answer of success may lack: they may never be seen."""
    found: set[str] = set()
    for operation in operations(api).values():
        for status, response in operation["responses"].items():
            if str(status).startswith("2"):
                found |= set(_optional(response.get("content", {}).get("application/json", {}).get("schema", {})))
    return frozenset(found)


@cache
def shown_by(api: Api) -> dict[str, frozenset[str]]:
    """Map each requirement on answers to the operations whose answers show it."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for name, operation in operations(api).items():
        for one in _named(operation["responses"]):
            found[one].add(name)
    return {one: frozenset(names) for one, names in found.items()}


def _optional(schema: Any) -> Iterator[str]:
    if not isinstance(schema, dict):
        return
    yield from _named(schema.get("items"))  # an array may be empty
    for name, field in schema.get("properties", {}).items():
        if name not in schema.get("required", ()):
            yield from _named(field)
        yield from _optional(field)


def undocumented(api: Api, operation: str, status: int, instance: Any) -> Iterator[str]:
    """Yield the path of each field that the description of an answer does not name."""
    response = documented(api, operation, status) or {}
    schema = response.get("content", {}).get("application/json", {}).get("schema")
    return _beyond(schema, instance, "") if schema else iter(())


def _beyond(schema: Any, instance: Any, path: str) -> Iterator[str]:
    if isinstance(instance, list):
        for one in instance[:20]:
            yield from _beyond(schema.get("items", {}), one, f"{path}[]")
    if not isinstance(instance, dict) or "properties" not in schema:
        return
    for name, value in instance.items():
        if name in schema["properties"]:
            yield from _beyond(schema["properties"][name], value, f"{path}.{name}")
        else:
            yield f"{path}.{name}".removeprefix(".")


def _named(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("x-requirement"), str):
            yield schema["x-requirement"]
        yield from schema.get("x-requirements", {}).values()
        for one in schema.values():
            yield from _named(one)
    elif isinstance(schema, list):
        for one in schema:
            yield from _named(one)


def _blamed(schema: dict[str, Any], error: ValidationError) -> list[str]:
    node: Any = schema
    nearest: str | None = None
    for name in [None, *error.absolute_schema_path]:
        node = node if name is None else node[name]
        if isinstance(node, dict):
            own = node.get("x-requirements", {}).get(error.validator)
            nearest = own or node.get("x-requirement", nearest)
    if error.validator == "required" and isinstance(error.schema, dict):
        return _absent(error, nearest)
    return [nearest] if nearest else []


def _absent(error: ValidationError, nearest: str | None) -> list[str]:
    """Blame a missing field on the field's own requirement, not on its parent's."""
    if not isinstance(error.schema, dict) or not isinstance(error.instance, dict):
        return []
    names = [
        one
        for one in error.schema["required"]
        if one not in error.instance and shown(one) and f"'{one}'" in error.message
    ]
    fields = error.schema.get("properties", {})
    ids = [found for one in names if (found := _of_absence(fields.get(one, {})) or nearest)]
    return ids or list(_named(fields))[:1]


def _of_absence(field: Any) -> str | None:
    found: str | None = field.get("x-requirements", {}).get("required") or field.get("x-requirement")
    return found


def _met(schema: Any, instance: Any) -> Iterator[str]:
    if not isinstance(schema, dict):
        return
    if isinstance(schema.get("x-requirement"), str):
        yield schema["x-requirement"]
    yield from schema.get("x-requirements", {}).values()
    for part in schema.get("allOf", ()):
        yield from _met(part, instance)
    if isinstance(instance, dict):
        for name, field in schema.get("properties", {}).items():
            if name in instance:
                yield from _met(field, instance[name])
    if isinstance(instance, list):
        for one in instance:
            yield from _met(schema.get("items"), one)
