"""Requests that schemathesis generates from the OpenAPI descriptions, for our own clients to send."""

import json
import re
import secrets
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from typing import Any, Literal
from urllib.parse import parse_qsl, urlencode

import hypothesis
from hypothesis import HealthCheck, Phase, settings
from hypothesis.strategies import SearchStrategy, deferred
from hypothesis.vendor.pretty import RepresentationPrinter

from pix_conformance.checks.comparable_text import UUID
from pix_conformance.generation.narrowing import accepts
from pix_conformance.generation.request_schemas import JSON_TYPE, UNSURE, BodySchema, Violation, strict_document
from pix_conformance.harness.clients.client import Client, encoded, in_path
from pix_conformance.harness.outcomes import NotApplicable
from pix_conformance.model.exchange import KEY_HEADERS, Exchange
from pix_conformance.model.openapi import description, operations_of
from pix_conformance.model.printable import clip
from pix_conformance.model.undecided import is_refusal
from pix_conformance.model.vocabulary import Api

Mode = Literal["positive", "negative"]
BOTH: tuple[Mode, Mode] = ("positive", "negative")
NEAR_A_LIMIT = "Near-boundary"
"""What schemathesis calls the value beside a limit."""


@dataclass(frozen=True)
class Generated:
    """One request. `violation` is the only one of its body; None if the request is certainly valid."""

    operation: str
    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes | None
    description: str
    violation: Violation | None = None
    is_reduced: bool = False
    """Whether the optional members that are right were left out of the body."""

    @property
    def rule(self) -> str | None:
        """Return the requirement that the body violates."""
        return self.violation.rule if self.violation else None


def send_generated(client: Client, request: Generated) -> Exchange:
    """Send a generated request by our own client, with a valid credential; each idempotency key is a new one."""
    requests = requests_of(client.api)
    headers = {
        name: requests.fresh(request.operation, name, value) if name in KEY_HEADERS else value
        for name, value in request.headers
    }
    return client.call(request.method, request.path, operation=request.operation, content=request.body, headers=headers)


def skip_if_a_part_is_refused(client: Client, answer: Exchange, parts: Iterable[Exchange]) -> Exchange:
    """Return the response to a valid body. Raises NotApplicable if both it and one of `parts` were refused.

    Each of `parts` is the response to a request that has one feature of the body only. The run says which is refused.
    """
    for part in () if answer.ok else parts:
        if not part.ok:
            say_refused(client, part)
            raise NotApplicable(f"a part of the body is refused alone ({part.evidence}): see its own requirement")
    return answer


def say_refused(client: Client, part: Exchange) -> None:
    """Add a notice to the run: the target refuses a body that `openapi.yaml` allows; once for an operation."""
    begin = f"{part.operation}: the target refuses a body that openapi.yaml allows"
    facts = client.sender.facts
    if is_refusal(part.status) and not any(notice.words.startswith(begin) for notice in facts.notices):
        body = clip(part.request.body.decode("utf-8", "backslashreplace"))
        facts.note(client.sender.recorder.redact(f"{begin}, with status {part.status} ({part.evidence}): {body}"))


class Requests:
    """The requests that schemathesis generates from one description."""

    def __init__(self, api: Api, document: Mapping[str, Any]) -> None:
        """Load a description into schemathesis, without credentials."""
        import schemathesis  # noqa: PLC0415  # 0.2 s that a run without generated requests does not need

        self.api = api
        self._operations = operations_of(document)
        self._bodies = {
            name: BodySchema(api, operation)
            for name, operation in self._operations.items()
            if "requestBody" in operation
        }
        strict = strict_document(api, document)
        self._parameters = {name: operation["parameters"] for name, operation in operations_of(strict).items()}
        self._in_description = {
            name: [*document["paths"][operation["path"]].get("parameters", ()), *operation.get("parameters", ())]
            for name, operation in self._operations.items()
        }
        schema = schemathesis.openapi.from_dict(strict)
        schema.config.update(base_url="http://target.invalid")
        schema.config.generation.update(with_security_parameters=False, allow_x00=False)
        schema.config.phases.coverage.unexpected_methods = set()
        schema.config.seed = 1
        self._schema: Any = schema
        self._modes = schemathesis.GenerationMode
        self._loaded = {name: self._schema.find_operation_by_id(name) for name in self._operations}

    @property
    def operations(self) -> tuple[str, ...]:
        """The ids of the operations."""
        return tuple(self._operations)

    def coverage(self, operation: str) -> tuple[Generated, ...]:
        """Return the requests of schemathesis's coverage phase. Only this method calls its undocumented API.

        Each limit is sent, but not the valid value beside it; members of the body have wrong values of every type, the
        body itself and what is deeper one of each sort.
        """
        loaded = self._loaded[operation]
        wanted = self._schema.config.generation_for(operation=loaded, phase="coverage")
        modes = [self._modes(mode) for mode in BOTH]
        coverage_cases = self._schema.iter_coverage_cases(loaded, generation_modes=modes, generation_config=wanted)
        unique: dict[Any, Generated] = {}
        for request in (self._request(operation, case) for case in coverage_cases):
            if request is not None and (request.violation or NEAR_A_LIMIT not in request.description):
                wrong = request.violation
                same = (wrong.rule, wrong.path, wrong.sort) if wrong else (request.path, request.headers, request.body)
                unique.setdefault(same, self._reduced(request))
        return (*unique.values(), *self._without_optional_parameters(operation, tuple(unique.values())))

    def _without_optional_parameters(self, operation: str, requests: Sequence[Generated]) -> list[Generated]:
        """Return the first valid request without the optional headers and query, which schemathesis always sends."""
        free = [parameter for parameter in self._parameters[operation] if parameter["in"] != "path"]
        required = {parameter["name"].lower() for parameter in free if parameter.get("required")}
        if len(required) == len(free):
            return []
        valid = (request for request in requests if request.violation is None)
        return [_with_parameters(request, required, "no optional parameter") for request in islice(valid, 1)]

    def fresh(self, operation: str, header: str, value: str) -> str:
        """Return a new value of the same form as a generated one, if the schema of the header accepts it.

        A UUID becomes another random UUID (version 4): a service may accept no others (PAY-IDEM-06, BUS-IDEM-12).
        """
        known = next(
            parameter["schema"] for parameter in self._in_description[operation] if parameter["name"].lower() == header
        )
        digits = re.sub("[0-9a-f]", lambda digit: _another_digit(digit[0]), value)
        changed = str(uuid.uuid4()) if UUID.fullmatch(value) else digits
        return changed if _accepts_text(known, changed) else value

    def _reduced(self, request: Generated) -> Generated:
        """Leave out of a wrong body the optional members that are right."""
        if request.violation is None or request.body is None:
            return request
        body = self._bodies[request.operation].reduced(json.loads(request.body), request.violation.path)
        return replace(request, body=encoded(body), description=request.violation.words, is_reduced=True)

    def random(self, operation: str, mode: Mode) -> SearchStrategy[Generated]:
        """Return a hypothesis strategy of random requests."""
        drawn = self._loaded[operation].as_strategy(generation_mode=self._modes(mode))
        # as_strategy replaces this printer by one that prints nothing; then hypothesis does not name the failing input
        hypothesis.core.RepresentationPrinter = RepresentationPrinter  # type: ignore[attr-defined]  # not exported
        strategy: SearchStrategy[Any] = drawn.map(lambda case: self._request(operation, case))
        return strategy.filter(
            lambda request: request is not None and (request.violation is None) == (mode == "positive")
        )

    def _request(self, operation: str, case: Any) -> Generated | None:
        """Turn a case of schemathesis into a request. None if it is neither certainly valid nor certainly invalid."""
        known = self._operations[operation]
        if not self._has_valid_parameters(operation, case) or (case.media_type or JSON_TYPE) != JSON_TYPE:
            return None
        path = known["path"].format(**{name: in_path(str(value)) for name, value in case.path_parameters.items()})
        asked = f"?{urlencode(case.query)}" if case.query else ""
        headers = tuple(sorted((name.lower(), str(value)) for name, value in case.headers.items()))
        words = case.meta.phase.data.description or "random"
        request = Generated(operation, known["method"].upper(), path + asked, headers, None, words)
        return self._with_body(request, case.body) if operation in self._bodies else request

    def _with_body(self, request: Generated, drawn: Any) -> Generated | None:
        """Add a generated body, or return None if it is no JSON, or if its validity is unsure."""
        if not _is_json(drawn):
            return None
        known = self._bodies[request.operation]
        body = _plain(drawn, known.strict)
        violation = known.violation(body)
        return None if violation == UNSURE else replace(request, body=encoded(body), violation=violation)

    def _has_valid_parameters(self, operation: str, case: Any) -> bool:
        """Return whether every parameter of a case is certainly valid: no document says how a wrong one is answered."""
        parts = {"path": case.path_parameters, "query": case.query, "header": case.headers}
        known = {
            where: {str(name).lower(): item for name, item in (part or {}).items()} for where, part in parts.items()
        }
        if "content-type" in known["header"]:
            return False
        for parameter in self._parameters[operation]:
            value = known[parameter["in"]].get(parameter["name"].lower())
            if value is None and parameter.get("required"):
                return False
            if value is not None and not _accepts_text(parameter["schema"], value):
                return False
        return True


def _with_parameters(request: Generated, names: AbstractSet[str], words: str) -> Generated:
    """Return a request with the headers and query parameters of these names only."""
    path, _, query = request.path.partition("?")
    asked = urlencode([(name, value) for name, value in parse_qsl(query) if name.lower() in names])
    headers = tuple(header for header in request.headers if header[0] in names)
    return replace(request, path=f"{path}?{asked}" if asked else path, headers=headers, description=words)


def _accepts_text(schema: Any, value: Any) -> bool:
    """Return whether a schema accepts the value of a parameter, which is sent as text, also if it wants no string."""
    if accepts(schema, value) or not isinstance(value, str):
        return accepts(schema, value)
    try:
        return accepts(schema, json.loads(value))
    except ValueError:
        return False


def _another_digit(digit: str) -> str:
    return secrets.choice("0123456789" if digit.isdigit() else "abcdef")


def few(examples: int) -> int:
    """Return how many random requests of an operation are added to those that cover its schemas."""
    return max(2, examples // 6)


@cache
def requests_of(api: Api) -> Requests:
    """Return the requests of one API's `openapi.yaml`."""
    return Requests(api, description(api))


@cache
def coverage(api: Api, operation: str) -> tuple[Generated, ...]:
    """Return the requests that cover the schemas of an operation, made once for the whole run."""
    return requests_of(api).coverage(operation)


def cases(api: Api, operation: str, mode: Mode) -> Iterator[Generated]:
    """Yield the requests that cover the schemas of an operation: valid ones, or those that break one requirement."""
    return (request for request in coverage(api, operation) if (request.violation is None) == (mode == "positive"))


def fuzzed(api: Api, operation: str, mode: Mode) -> SearchStrategy[Generated]:
    """Return a hypothesis strategy of random requests of an operation; schemathesis is loaded when it is drawn from."""
    return deferred(lambda: requests_of(api).random(operation, mode))


@cache
def drawn(api: Api, operation: str, mode: Mode, count: int, seed: int) -> tuple[Generated, ...]:
    """Generate random requests before the tests run, so that each is sent by the test of the rule that it violates."""
    requests: list[Generated] = []
    bounds = settings(max_examples=count, database=None, phases=[Phase.generate], deadline=None)

    @hypothesis.seed(seed)
    @settings(bounds, suppress_health_check=list(HealthCheck))
    @hypothesis.given(fuzzed(api, operation, mode))
    def keep(request: Generated) -> None:
        requests.append(request)

    keep()
    return tuple(dict.fromkeys(requests))


def _is_json(body: Any) -> bool:
    """Return whether json.dumps can write a generated body; schemathesis also generates bytes and NOT_SET."""
    try:
        json.dumps(body, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True


def _plain(value: Any, schema: Mapping[str, Any]) -> Any:
    """Remove the members that the schema does not name, and write 100.0 as 100: the documents leave both open."""
    if isinstance(value, dict):
        named = schema.get("properties", {name: {} for name in value})
        return {name: _plain(field, named[name]) for name, field in value.items() if name in named}
    if isinstance(value, list):
        return [_plain(item, schema.get("items", {})) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
