"""Requests that schemathesis generates from the OpenAPI descriptions, for our own clients to send.

Two schemas classify a generated body. A body that the strict schema accepts is certainly valid. A body that the lenient
schema refuses is certainly invalid. All other bodies are left out: the documents do not say whether they are valid.
"""

from __future__ import annotations

import copy
import json
import tomllib
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any, Literal
from urllib.parse import quote, urlencode

import hypothesis
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from hypothesis.strategies import SearchStrategy
from hypothesis.vendor.pretty import RepresentationPrinter
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from pix_conformance.checks.outcomes import NotApplicable
from pix_conformance.checks.schema import judge_body
from pix_conformance.harness.clients.client import Client, encoded
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.openapi import operations
from pix_conformance.model.paths import SPECS
from pix_conformance.model.vocabulary import Api

Mode = Literal["positive", "negative"]
JSON_TYPE = "application/json"
KEY_HEADER = {Api.BUSINESS: "idempotency-key", Api.PAYMENTS: "x-idempotency-key"}

LABEL = {"pattern": "^[A-Za-z0-9._-]+$", "minLength": 1}
EMAIL = {"enum": ["player@example.com", "first.last@example.com"]}
FULL_NAME = {"enum": ["Maria da Silva", "Jose Souza"]}
"""Names of the payer (payments.md, line 45); a service may refuse a random text."""
OMITTED: None = None
"""The member is left out of generated bodies: a schema cannot say which values of it are valid."""

NARROWER: Mapping[tuple[Api, str], Mapping[str, Mapping[str, Any] | None]] = {
    (Api.BUSINESS, "create_charge"): {
        "amount_cents": {"maximum": 100_000},
        "description": LABEL,
        "external_ref": LABEL,
        "customer_email": EMAIL,
    },
    (Api.PAYMENTS, "create_charge"): {
        "amountInCents": {"maximum": 100_000},
        "description": LABEL,
        "postbackUrl": OMITTED,
        "items": OMITTED,
        "splits": OMITTED,
        "customer.documentType": {"enum": ["cpf"]},
        "customer.document": {"enum": ["52998224725", "11144477735"]},
        "customer.name": FULL_NAME,
        "customer.email": EMAIL,
        "customer.phone": {"enum": ["+5511987654321"]},
        "customer.billingAddress": OMITTED,
    },
    (Api.PAYMENTS, "create_transfer"): {
        "amount": {"maximum": 10},
        "pixKey": {"enum": ["9d36b84f-c70b-478f-b95c-12729b90ca25"]},
        "description": LABEL,
        "postbackUrl": OMITTED,
    },
    (Api.PAYMENTS, "create_webhook"): {
        "url": {"enum": ["https://example.com/pix-conformance"]},
        "events": {"maxItems": 3, "uniqueItems": True},
    },
}
"""Keywords that the strict schema adds, by path of the member. Members without an entry stay as they are."""

DISPUTED_KEYWORDS = frozenset({"format", "pattern", "anyOf", "minLength", "default"})
"""Keywords that the lenient schema drops: a service may accept some of the values that violate them."""


@cache
def refined_requirements(api: Api) -> Mapping[str, Mapping[str, str]]:
    """Return `generation.toml`: for a requirement, the more specific requirement by kind of the wrong value."""
    found: dict[str, dict[str, str]] = tomllib.loads((SPECS / api / "generation.toml").read_text(encoding="utf-8"))[
        "finer"
    ]
    return found


@dataclass(frozen=True)
class Generated:
    """One request. `rule` is the only requirement that its body violates; None if the body is certainly valid."""

    operation: str
    method: str
    path: str
    body: bytes | None
    description: str
    rule: str | None = None


def sent(client: Client, one: Generated) -> Exchange:
    """Send a generated request by our own client, with a valid credential and a new idempotency key."""
    keyed = {} if one.body is None else {KEY_HEADER[client.api]: str(uuid.uuid4())}
    return client.call(one.method, one.path, operation=one.operation, content=one.body, headers=keyed)


def unless_apart(answer: Exchange, parts: Iterable[Exchange]) -> Exchange:
    """Return the response to a valid body. Raises NotApplicable if both it and one of `parts` were refused.

    Each of `parts` is the response to a request that has one feature of the body only.
    """
    for part in () if answer.ok else parts:
        if not part.ok:
            raise NotApplicable(f"a part of the body is refused alone ({part.evidence}): see its own requirement")
    return answer


def cases(api: Api, operation: str, mode: Mode, limit: int = 100, **ids: str) -> Iterator[Generated]:
    """Yield at most `limit` requests that cover the schema's boundaries; `ids` fill the path's parameters."""
    found = (_request(api, operation, mode, case, ids) for case in coverage_cases(api, operation, mode))
    return islice((one for one in found if one is not None), limit)


def fuzzed(api: Api, operation: str, mode: Mode, **ids: str) -> SearchStrategy[Generated]:
    """Return a hypothesis strategy of random requests; `ids` fill the path's parameters."""
    loaded = _operation(api, operation)
    drawn = loaded.as_strategy(generation_mode=schemathesis.GenerationMode(mode))
    # as_strategy replaces this printer by one that prints nothing; then hypothesis does not name the failing input
    hypothesis.core.RepresentationPrinter = RepresentationPrinter  # type: ignore[attr-defined]  # not exported
    made: SearchStrategy[Any] = drawn.map(lambda case: _request(api, operation, mode, case, ids))
    return made.filter(lambda one: one is not None)


@cache
def drawn(api: Api, operation: str, mode: Mode, count: int, seed: int) -> tuple[Generated, ...]:
    """Generate random requests before the tests run, so that each is sent by the test of the rule that it violates."""
    found: list[Generated] = []
    bounds = settings(max_examples=count, database=None, phases=[Phase.generate], deadline=None)

    @hypothesis.seed(seed)
    @settings(bounds, suppress_health_check=list(HealthCheck))
    @hypothesis.given(fuzzed(api, operation, mode))
    def keep(one: Generated) -> None:
        found.append(one)

    keep()
    return tuple(dict.fromkeys(found))


@cache
def coverage_cases(api: Api, operation: str, mode: Mode) -> tuple[Any, ...]:
    """Return schemathesis's own coverage cases. Only this function calls its undocumented API."""
    loaded = _operation(api, operation)
    wanted = loaded.schema.config.generation_for(operation=loaded, phase="coverage")
    modes = [schemathesis.GenerationMode(mode)]
    return tuple(loaded.schema.iter_coverage_cases(loaded, generation_modes=modes, generation_config=wanted))


@cache
def _operation(api: Api, operation: str) -> Any:
    """Load one operation into schemathesis with its strict body and its query, without headers and credentials."""
    known = operations(api)[operation]
    query = [{"name": one["name"], "in": "query", "schema": one["schema"]} for one in _queries(known)]
    asked: dict[str, Any] = {
        "operationId": operation,
        "parameters": query,
        "responses": {"default": {"description": ""}},
    }
    if "requestBody" in known:
        asked["requestBody"] = {"required": True, "content": {JSON_TYPE: {"schema": strict_schema(api, operation)}}}
    document = {"openapi": "3.1.0", "info": {"title": api, "version": "1"}, "paths": {"/": {known["method"]: asked}}}
    schema = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url="http://target.invalid")
    schema.config.generation.update(with_security_parameters=False, allow_x00=False)
    schema.config.phases.coverage.unexpected_methods = set()
    schema.config.seed = 1
    loaded: Any = next(iter(schema.get_all_operations()))
    return loaded.ok()


def _queries(known: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [one for one in known.get("parameters", ()) if one["in"] == "query"]


@cache
def strict_schema(api: Api, operation: str) -> dict[str, Any]:
    """Return the schema of a request body that accepts certainly valid bodies only."""
    schema: dict[str, Any] = _stripped(_body(api, operation), ())
    for path, more in NARROWER[api, operation].items():
        *parents, name = path.split(".")
        holder = schema
        for parent in parents:
            holder = holder["properties"][parent]
        if more is None:
            del holder["properties"][name]
        else:
            holder["properties"][name].update(copy.deepcopy(more))
            holder["properties"][name].pop("format", None)
    return _closed(schema)


@cache
def lenient_schema(api: Api, operation: str) -> dict[str, Any]:
    """Return the schema of a request body that refuses certainly invalid bodies only."""
    return _nullable(_stripped(_body(api, operation), DISPUTED_KEYWORDS))


def _body(api: Api, operation: str) -> Any:
    return operations(api)[operation]["requestBody"]["content"][JSON_TYPE]["schema"]


def _stripped(node: Any, unwanted: Iterable[str]) -> Any:
    """Copy a schema without some keywords and without examples. A property of that name stays."""
    if not isinstance(node, dict):
        return copy.deepcopy(node)
    kept = {key: one for key, one in node.items() if key not in {*unwanted, "examples", "example"}}
    named = {key: _stripped(one, unwanted) for key, one in kept.pop("properties", {}).items()}
    return {k: _stripped(one, unwanted) for k, one in kept.items()} | ({"properties": named} if named else {})


def _closed(schema: dict[str, Any]) -> dict[str, Any]:
    """Forbid additional members in every object: the documents do not say whether they are valid."""
    for one in schema.get("properties", {}).values():
        _closed(one)
    return schema | {"additionalProperties": False} if "properties" in schema else schema


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """Let every optional member be null, which a service may treat like an absent member."""
    required = schema.get("required", ())
    named = {name: _nullable(one) for name, one in schema.get("properties", {}).items()}
    for name, one in named.items():
        if name not in required and "type" in one:
            one["type"] = [one["type"], "null"]
            one.update({"enum": [*one["enum"], None]} if "enum" in one else {})
    return schema | ({"properties": named} if named else {})


def _request(api: Api, operation: str, mode: Mode, case: Any, ids: Mapping[str, str]) -> Generated | None:
    """Turn a case of schemathesis into a request. None if it is neither certainly valid nor certainly invalid."""
    known = operations(api)[operation]
    path = known["path"].format(**{name: quote(one, safe="") for name, one in ids.items()})
    asked = f"?{urlencode(case.query)}" if case.query else ""
    words = case.meta.phase.data.description or "random"
    if "requestBody" not in known:
        return Generated(operation, known["method"].upper(), path + asked, None, words)
    if case.media_type != JSON_TYPE or "Content-Type" in case.headers or not _is_json(case.body):
        return None
    body = _plain(case.body, strict_schema(api, operation))
    rule = _broken(api, operation, body)
    if rule == "" or (rule is None) != (mode == "positive"):
        return None
    return Generated(operation, known["method"].upper(), path + asked, encoded(body), words, rule)


def _broken(api: Api, operation: str, body: Any) -> str | None:
    """Return the one requirement that a body violates; None for a certainly valid body, "" if neither is certain."""
    errors = list(Draft202012Validator(strict_schema(api, operation)).iter_errors(body))
    if not errors:
        return None
    rules = {one.requirement for one in judge_body(lenient_schema(api, operation), encoded(body)) if one.mismatch}
    kind = _kind(errors[0].instance)
    if len(rules) != 1 or len({_place(one) for one in errors}) != 1 or kind == "non-ASCII":
        return ""
    if any(_as_if_absent(one, strict_schema(api, operation)) for one in errors):
        return ""
    rule = rules.pop()
    return refined_requirements(api).get(rule, {}).get(kind, rule)


def _place(error: ValidationError) -> tuple[str | int, ...]:
    """Return the path of an error in the body; for a missing member, the path of that member."""
    return (*error.absolute_path, *([error.message] if error.validator == "required" else ()))


def _as_if_absent(error: ValidationError, schema: Mapping[str, Any]) -> bool:
    """Return whether the error is an empty string in an optional member, which a service may treat as absent."""
    *parents, name = error.absolute_path or [0]
    for one in parents:
        schema = schema.get("properties", {}).get(one, {})
    free = isinstance(name, str) and name not in schema.get("required", ())
    return free and error.instance == "" and error.validator in {"type", "enum"}


def _kind(value: Any) -> str:
    """Return the kind of a value as in `generation.toml`. How to count the length of a non-ASCII text is disputed."""
    if isinstance(value, str):
        return "text" if value.isascii() else "non-ASCII"
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    if isinstance(value, float):
        return "fraction"
    return "negative" if isinstance(value, int) and value < 0 else "other"


def _is_json(body: Any) -> bool:
    """Return whether json.dumps can write a generated body; schemathesis also generates bytes and NOT_SET."""
    try:
        json.dumps(body, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True


def _plain(value: Any, schema: Mapping[str, Any]) -> Any:
    """Remove the members that the schema does not name, and write 100.0 as 100: the documents leave both open."""
    if isinstance(value, dict) and "properties" in schema:
        named = schema["properties"]
        return {name: _plain(one, named[name]) for name, one in value.items() if name in named}
    return int(value) if isinstance(value, float) and value.is_integer() else value
