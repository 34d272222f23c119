"""Judgement of responses and deliveries by the schemas in `openapi.yaml`."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, cast
from urllib.parse import urlsplit

from jsonschema import FormatChecker
from jsonschema.exceptions import ValidationError

from pix_conformance.checks.conclusion import Unknown
from pix_conformance.checks.validation import one_for_all
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.openapi import answer_schema, description, event_schema, request_schema
from pix_conformance.model.subject import MISSING, Subject, parsed_or_why, shown
from pix_conformance.model.vocabulary import Api
from pix_conformance.model.why import Why
from pix_conformance.oracles.timestamp import is_timestamp

FORMATS = FormatChecker(("date-time", "uuid"))


@FORMATS.checks("uri", raises=ValueError)
def _is_uri(value: object) -> bool:
    """Return whether a string is an absolute URI without spaces (RFC 3986, section 3). jsonschema checks no `uri`."""
    return not isinstance(value, str) or (bool(urlsplit(value).scheme) and not re.search(r"\s", value))


@FORMATS.checks("timestamp")
def _is_timestamp(value: object) -> bool:
    """Return whether a string is a time in any form, for fields whose form the documents do not state."""
    return not isinstance(value, str) or is_timestamp(value)


VALIDATOR = one_for_all(FORMATS)
WANTED: Mapping[str, Callable[[Any], str]] = {
    "type": lambda names: f"of type {names if isinstance(names, str) else ' or '.join(names)}",
    "enum": lambda values: f"one of {', '.join(map(shown, values))}",
    "const": shown,
    "format": "a {}".format,
    "minimum": "at least {}".format,
    "maximum": "at most {}".format,
}
"""What a value has to be, by the keyword of the schema and the value of the keyword."""


@dataclass(frozen=True)
class Finding:
    """One requirement that is met (`mismatch` is None) or violated."""

    requirement: str
    mismatch: str | None
    unknown: Unknown | None = None
    """Why the mismatch proves nothing."""
    json_path: str = ""
    """The JSON path of the value that breaks the schema; of an absent field, that of its object."""
    keyword: str = ""
    """The keyword of the schema that the value breaks, such as `type`."""
    sentence: str = ""
    """What was expected and what came, where the schema says it in a word; else empty."""


def judge_answer(api: Api, operation: str, status: int, answer: Subject) -> list[Finding]:
    """Judge the body of a response by the schema of its operation and status; one that is unreadable by its form."""
    schema = answer_schema(api, operation, status)
    if not schema:
        return []
    return _unread(schema, answer.unreadable)[:1] if answer.unreadable else judge_json(schema, answer.parsed_body)


def judge_event(api: Api, event: str, body: bytes) -> list[Finding]:
    """Judge a delivery by the schema of its event; empty for an event without a schema."""
    if event not in description(api).get("webhooks", {}):
        return []
    schema = event_schema(api, event)
    # a field that may be null in this event does not meet its requirement by being null
    shown_here = shown_by_event(api, event)
    return [finding for finding in judge_body(schema, body) if finding.mismatch or finding.requirement in shown_here]


@cache
def shown_by_event(api: Api, event: str) -> frozenset[str]:
    """Return the requirements that the body of an event meets or violates, by the schema of the event."""
    return frozenset(requirements_in(event_schema(api, event)))


def is_sent_as_described(api: Api, operation: str, answer: Subject) -> bool:
    """Whether the request had a body that breaks no rule of the description; False for a delivery."""
    if not isinstance(answer, Exchange):
        return False
    schema = request_schema(api, operation)
    return schema is not None and not any(finding.mismatch for finding in judge_body(schema, answer.request.body))


def judge_body(schema: dict[str, Any], body: bytes) -> list[Finding]:
    """Validate a JSON body. Each requirement in the schema is met, violated, or not decided."""
    value, reason = parsed_or_why(body)
    return _unread(schema, reason) if reason else judge_json(schema, value)


def _unread(schema: dict[str, Any], reason: str) -> list[Finding]:
    """Return that a body does not have the form of JSON: the first requirement is violated, no other is decided."""
    first, *others = dict.fromkeys(requirements_in(schema)) or [None]
    words = f"the body {reason}"
    unknown = Unknown(Why.PRECONDITION, words)
    violated = [Finding(first, words)] if first else []
    return [*violated, *(Finding(requirement, words, unknown) for requirement in others if requirement)]


def judge_json(schema: dict[str, Any], instance: Any, validator: Any = VALIDATOR) -> list[Finding]:
    """Validate a parsed body, which is MISSING if it is not JSON."""
    if instance is MISSING:
        ids = dict.fromkeys(requirements_in(schema))
        return [Finding(requirement, "the body is not JSON") for requirement in list(ids)[:1]]
    broken: dict[str, Finding] = {}
    beside: set[str] = set()  # ids of values of the wrong type: their other rules are not decided
    errors = list(validator.descend(instance, schema))
    mistyped = {error.json_path for error in errors if error.validator == "type"}
    for error in errors:
        for requirement in _blamed(schema, error):
            if error.validator == "type" or error.json_path not in mistyped:
                words, keyword = f"{error.json_path}: {_in_words(error)[:300]}", str(error.validator)
                finding = Finding(requirement, words, None, error.json_path, keyword, _sentence(error, keyword))
                broken.setdefault(requirement, finding)
            else:
                beside.add(requirement)
    met: set[str] = set()
    _add_met(schema, instance, met)
    undecided = beside.union(broken)
    return [*broken.values(), *(Finding(requirement, None) for requirement in sorted(met - undecided))]


def _in_words(error: ValidationError) -> str:
    """Say what is wrong; of a pattern, what the schema says that it describes."""
    described = error.schema.get("description") if isinstance(error.schema, dict) else None
    if error.validator != "pattern" or not described:
        return error.message
    return f"{shown(error.instance)} is not as described: {described.strip().splitlines()[0]}"


def _sentence(error: ValidationError, keyword: str) -> str:
    name, value, wanted = error.json_path[2:] or "the body", error.instance, cast("Any", error.validator_value)
    if keyword == "required" and isinstance(value, dict):
        return f"{name} has no {', '.join(field for field in wanted if field not in value)}"
    return f"{name} has to be {WANTED[keyword](wanted)}, and is {shown(value)}" if keyword in WANTED else ""


def _blamed(schema: dict[str, Any], error: ValidationError) -> list[str]:
    node: Any = schema
    nearest: str | None = None
    for name in [None, *error.absolute_schema_path]:
        node = node if name is None else node[name]
        if isinstance(node, dict):
            if node.get("x-level") == "open":
                return []
            own = node.get("x-requirements", {}).get(error.validator)
            nearest = own or node.get("x-requirement", nearest)
    if error.validator == "required" and isinstance(error.schema, dict):
        return _absent(error, nearest)
    return [nearest] if nearest else []


def _absent(error: ValidationError, nearest: str | None) -> list[str]:
    """Attribute a missing field to the field's own requirement, not to that of its object."""
    if not isinstance(error.schema, dict) or not isinstance(error.instance, dict):
        return []
    names = [
        name
        for name in error.schema["required"]
        if name not in error.instance and shown(name) and f"'{name}'" in error.message
    ]
    fields = error.schema.get("properties", {})
    ids = [requirement for name in names if (requirement := _of_absence(fields.get(name, {})) or nearest)]
    return ids or list(requirements_in(fields))[:1]


def _of_absence(field: Any) -> str | None:
    requirement: str | None = field.get("x-requirements", {}).get("required") or field.get("x-requirement")
    return requirement


def _add_met(schema: Any, instance: Any, met: set[str]) -> None:
    """Add the requirements of a schema, of its parts, and of those fields that a value has."""
    if not isinstance(schema, dict) or schema.get("x-level") == "open":
        return
    if isinstance(schema.get("x-requirement"), str):
        met.add(schema["x-requirement"])
    if "x-requirements" in schema:
        met.update(schema["x-requirements"].values())
    for part in schema.get("allOf", ()):
        _add_met(part, instance, met)
    if isinstance(instance, dict) and "properties" in schema:
        for name in instance.keys() & schema["properties"].keys():
            _add_met(schema["properties"][name], instance[name], met)
    elif isinstance(instance, list):
        for item in instance:
            _add_met(schema.get("items"), item, met)


def requirements_in(schema: Any) -> Iterator[str]:
    """Yield each requirement that a schema names, except in parts with `x-level: open`, which nothing is judged by."""
    if isinstance(schema, dict):
        if schema.get("x-level") == "open":
            return
        if isinstance(schema.get("x-requirement"), str):
            yield schema["x-requirement"]
        yield from schema.get("x-requirements", {}).values()
        for part in schema.values():
            yield from requirements_in(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from requirements_in(part)
