"""Mutants that follow from the OpenAPI descriptions: each property of each response and event, wrong in each way.

They are listed nowhere. The id of one names the first requirement that it breaks, the operation or event, the property
and the operator: `PAY-CHG-33/create_charge.data.id:null`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from pix_conformance.checks.schema import FORMATS
from pix_conformance.model import openapi
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.states import announced_events
from pix_conformance.model.vocabulary import Api, Level
from pix_conformance.sandbox.difference import Difference
from pix_conformance.sandbox.mutants.operators.events import in_payload
from pix_conformance.sandbox.mutants.operators.responses import REFUSED, in_response
from pix_conformance.sandbox.mutants.operators.values import GONE

SENT_WITH: Mapping[str, Mapping[str, Any]] = {"transfer_canceled": {"overdrawn_status": "canceled"}}
"""By event, the settings without which the reference does not send it in a run of the suites."""
SENT = {
    event for api in Api for event, rule in announced_events(api).items() if not catalogue()[rule].unobservable
} | SENT_WITH.keys()
"""The events that the reference sends: those of the transitions in states.toml, and those of settings."""
NEVER_REFUSED = {"429"}
"""Statuses that the reference has no reason to return."""
REFUSALS = range(REFUSED, 500)
WRONG_TYPES = {"string": 1050, "integer": "1050", "number": "1050", "boolean": "true", "object": ["text"], "array": {}}
KINDS = {int: {"integer", "number"}, str: {"string"}, list: {"array"}, dict: {"object"}}
WRONG_FORMS = ("2026-11-21T10:00:00", "21.11.2026 10:00", "yesterday", "?", " ")
Schema = dict[str, Any]


@dataclass(frozen=True)
class Wrong:
    """A value that a description forbids: the operator that makes it, and the requirement that it breaks."""

    operator: str
    requirement: str
    value: Any


@dataclass(frozen=True)
class Part:
    """A schema that holds for a value, and the requirement that is named nearest to it. One value may have several."""

    schema: Schema
    nearest: str

    def wrong(self, operator: str, keyword: str, value: Any) -> Wrong:
        """Return a value that does not fulfil a keyword."""
        return Wrong(operator, self.schema.get("x-requirements", {}).get(keyword) or self.nearest, value)


def parts_of(schema: Any, nearest: str = "") -> list[Part]:
    """Return a schema and all that it consists of, except what the document does not state."""
    if not isinstance(schema, dict) or schema.get("x-level") == "open":
        return []
    nearest = schema.get("x-requirement", nearest)
    return [Part(schema, nearest), *(part for branch in schema.get("allOf", ()) for part in parts_of(branch, nearest))]


def wrong_values(parts: list[Part], path: str = "") -> Iterator[tuple[str, Wrong]]:
    """Yield the path of each property of a value, with each way in which it may be wrong."""
    for name in dict.fromkeys(name for part in parts for name in part.schema.get("properties", {})):
        inner = [child for part in parts for child in _of_property(part, name)]
        for wrong in (*_missing(name, parts), *_mistyped(inner), *_misshapen(inner)):
            yield f"{path}{name}", wrong
        yield from wrong_values(inner, f"{path}{name}.")
    elements = [child for part in parts for child in parts_of(part.schema.get("items"), part.nearest)]
    if elements:
        yield from wrong_values(elements, f"{path}*.")


def _of_property(holder: Part, name: str) -> list[Part]:
    return parts_of(holder.schema.get("properties", {}).get(name), holder.nearest)


def _missing(name: str, holders: list[Part]) -> Iterator[Wrong]:
    for holder in holders:
        if name in holder.schema.get("required", ()):
            yield (_of_property(holder, name) or [holder])[0].wrong("missing", "required", GONE)


def _mistyped(parts: list[Part]) -> Iterator[Wrong]:
    """Yield null and a value of another type, where the description names the types or the values that may be."""
    for part in parts:
        named = part.schema.get("type", ())
        kinds = {named} if isinstance(named, str) else set(named)
        if kinds and "null" not in kinds:
            yield part.wrong("null", "type", None)
        near = sorted(WRONG_TYPES, key=lambda kind: kind not in kinds) if kinds else []
        other = [WRONG_TYPES[kind] for kind in near if not kinds & KINDS[type(WRONG_TYPES[kind])]]
        yield from (part.wrong("wrong-type", "type", value) for value in other[:1])
        for keyword in sorted({"enum", "const"} & part.schema.keys()):
            yield part.wrong("outside-enum", keyword, _another(part.schema[keyword]))


def _another(allowed: Any) -> Any:
    """Return a value of the same type that is not one of those."""
    value = allowed[0] if isinstance(allowed, list) else allowed
    if isinstance(value, bool):
        return not value
    return "something_else" if isinstance(value, str) else value + 1


def _misshapen(parts: list[Part]) -> Iterator[Wrong]:
    """Yield a text of another form, as near to the right one as may be, and a number or text below the minimum."""
    for part in parts:
        schema = part.schema
        for keyword in sorted({"pattern", "format"} & schema.keys()):
            wrong = [text for text in WRONG_FORMS if not _fits(keyword, schema[keyword], text)]
            near = sorted(wrong, key=lambda text: -sum(_fits_all(part.schema, text) for part in parts))
            yield from (part.wrong("wrong-form", keyword, text) for text in near[:1])
        if "minimum" in schema:
            yield part.wrong("below-minimum", "minimum", schema["minimum"] - 1)
        if schema.get("minLength"):
            yield part.wrong("below-minimum", "minLength", "")


def _fits(keyword: str, wanted: str, text: str) -> bool:
    return bool(re.search(wanted, text)) if keyword == "pattern" else FORMATS.conforms(text, wanted)


def _fits_all(schema: Schema, text: str) -> bool:
    return all(_fits(keyword, schema[keyword], text) for keyword in {"pattern", "format"} & schema.keys())


@dataclass(frozen=True)
class Message:
    """A response or event: its name in ids, its descriptions, and what makes a difference of a path and a value."""

    name: str
    descriptions: list[Schema]
    difference: Callable[[str, Any], Difference]

    def differences(self) -> Iterator[tuple[str, Difference]]:
        """Yield each difference with the id of its mutant. One wrong value may break several requirements."""
        by_place: dict[tuple[str, str, str], list[Wrong]] = {}
        for description in self.descriptions:
            schema = description.get("content", {}).get("application/json", {}).get("schema")
            for path, wrong in wrong_values(parts_of(schema)):
                if _is_judged(wrong.requirement):
                    by_place.setdefault((path, wrong.operator, repr(wrong.value)), []).append(wrong)
        for (path, operator, _), wrongs in by_place.items():
            first, *others = dict.fromkeys(wrong.requirement for wrong in wrongs)
            yield f"{first}/{self.name}.{path}:{operator}", self.difference(path, wrongs[0].value).also(*others)


def _is_judged(requirement: str) -> bool:
    entry = catalogue().get(requirement)
    return entry is not None and entry.level is not Level.OPEN and not entry.unobservable


def messages(api: Api) -> Iterator[Message]:
    """Yield the responses of each operation, those of success and those of refusal, then the events."""
    for name, operation in openapi.operations(api).items():
        responses = {str(status): response for status, response in operation["responses"].items()}
        success = [response for status, response in responses.items() if status.startswith("2")]
        yield Message(name, success, partial(in_response, name))
        named = [status for status in responses if status.startswith("4") and status.isdecimal()]
        refusals = [responses[status] for status in named if status not in NEVER_REFUSED]
        yield Message(f"{name}.4XX", refusals, partial(in_response, name, statuses=REFUSALS))
    for name, hook in openapi.description(api)["webhooks"].items():
        if name in SENT:
            stated = announcement(api, name)
            yield Message(name, [hook["post"]["requestBody"]], partial(_in_payload, name, stated))


def announcement(api: Api, event: str) -> str:
    """Return the requirement that states that an event is sent."""
    return announced_events(api).get(event) or str(openapi.description(api)["webhooks"][event]["post"]["x-requirement"])


def _in_payload(event: str, stated: str, path: str, value: Any) -> Difference:
    wrong = in_payload(path, value, event).of("schema")
    return wrong.with_settings(**SENT_WITH[event]).seen_in(stated) if event in SENT_WITH else wrong


def differences() -> dict[str, Difference]:
    """Return the differences of both APIs by the ids of their mutants."""
    return {name: difference for api in Api for message in messages(api) for name, difference in message.differences()}
