"""Both OpenAPI descriptions are valid, name requirements, and have right links and examples.

`tests/openapi/check.sh` asks what linters know: summaries, tags, security schemes.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pix_conformance.checks import passive
from pix_conformance.checks.schema import judge_answer, judge_body
from pix_conformance.checks.shown_requirements import optional
from pix_conformance.model import openapi
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.events import event_names
from pix_conformance.model.operations import Effect, of
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.states import states_of
from pix_conformance.model.vocabulary import Api, Level
from pix_conformance.recording.redaction import SECRET_NAME
from tests.support.exchanges import exchange
from tests.support.openapi_parts import examples, parameters, parts, schemas

ANNOTATIONS = {
    *("title", "description", "default", "example", "examples", "deprecated", "readOnly", "writeOnly"),
    *("then", "else", "contentEncoding", "contentMediaType"),
    *("x-requirement", "x-requirements", "x-level", "x-levels"),
    "x-undecided",
}
NO_CALLBACKS = {"transaction_created", "transaction_refunded", "transaction_updated", "infraction"}
"""Of a charge the document says only that the payment comes to the postbackUrl, and contradicts itself (PAY-EVT-14)."""
MAY_BE_MISSING = {
    *(("description", "BUS-CHG-48"), ("external_ref", "BUS-CHG-49"), ("customer_email", "BUS-CHG-50")),
    *(("e2e_id", "BUS-CHG-52"), ("reserve_cents", "BUS-FIN-05"), ("external_ref", "BUS-EVT-11")),
}
"""Fields whose requirement is about their value only, where they are shown."""
OF_EVENTS_ONLY = {"charge": {"infraction"}, "transfer": {"paid"}, "webhook": set[str]()}
"""Words for a status that events have and no query returns (PAY-EVT-70, PAY-EVT-89)."""
KEYWORDS = ANNOTATIONS | set(Draft202012Validator.VALIDATORS)

pytestmark = pytest.mark.parametrize("api", Api)


def judged(api: Api) -> Iterator[dict[str, Any]]:
    """Yield the media types with a schema that the passive rules apply to responses and deliveries."""
    for operation in openapi.operations(api).values():
        for answer in operation["responses"].values():
            yield from (media for media in answer.get("content", {}).values() if "schema" in media)
    for hook in openapi.description(api).get("webhooks", {}).values():
        yield hook["post"]["requestBody"]["content"]["application/json"]


def without_a_field(value: Any) -> Iterator[Any]:
    """Yield copies of a JSON value, each without one of the fields within it."""
    if isinstance(value, dict):
        for name, field in value.items():
            yield {k: v for k, v in value.items() if k != name}
            yield from ({**value, name: copy} for copy in without_a_field(field))


def levels(node: Any) -> Iterator[tuple[str, str]]:
    """Yield each requirement that a part of the description names, with the level that stands beside it."""
    if isinstance(node, list):
        for item in node:
            yield from levels(item)
    if isinstance(node, dict):
        if isinstance(node.get("x-requirement"), str):
            yield node["x-requirement"], node.get("x-level", "must")
        for keyword, requirement in node.get("x-requirements", {}).items():
            yield requirement, node.get("x-levels", {}).get(keyword, "must")
        for child in node.values():
            yield from levels(child)


def test_the_description_is_valid(api: Api) -> None:
    validator = pytest.importorskip("openapi_spec_validator", reason="uv run --group tests pytest tests")
    validator.validate(openapi.source(api))


def test_operations_are_those_of_the_catalogue(api: Api) -> None:
    about = {requirement.operation for requirement in catalogue().of(api) if requirement.operation}
    assert set(openapi.operations(api)) == about


def test_links_lead_to_operations_and_their_parameters(api: Api) -> None:
    known = openapi.operations(api)
    paths = openapi.description(api)["paths"]
    for operation in known.values():
        for answer in operation["responses"].values():
            for name, link in answer.get("links", {}).items():
                target = known[link["operationId"]]
                takes = [*target.get("parameters", ()), *paths[target["path"]].get("parameters", ())]
                assert set(link.get("parameters", {})) <= {parameter["name"] for parameter in takes}, name


def test_named_requirements_are_in_the_catalogue(api: Api) -> None:
    known = {requirement.id for requirement in catalogue().of(api)}
    assert dict(levels(openapi.source(api))).keys() <= known


def test_every_property_is_traced(api: Api) -> None:
    """Each field names its requirement, unless it has only a description or the document does not state it."""
    for place, schema in schemas(api):
        for name, field in schema.get("properties", {}).items():
            traced = {"x-requirement", "x-requirements"} & set(field) or field.get("x-level") == "open"
            assert traced or set(field) == {"description"}, f"{place}.{name}"


def test_a_property_with_a_requirement_is_required(api: Api) -> None:
    """A field that is in no `required` may be missing from every message, and breaks nothing."""
    optional = {
        (name, field["x-requirement"])
        for media in judged(api)
        for _, schema in parts(media["schema"], "")
        for name, field in schema.get("properties", {}).items()
        if "x-requirement" in field and name not in schema.get("required", ()) and field.get("x-level") != "open"
    }
    assert optional - MAY_BE_MISSING == set(), (
        f"add it to `required` in specs/{api}/openapi.yaml, or if the document calls it optional to MAY_BE_MISSING here"
    )


def test_a_field_that_is_called_a_secret_is_masked(api: Api) -> None:
    """Reports mask by the end of a name: a new secret of another name would leave with them."""
    for place, schema in schemas(api):
        for name in schema.get("properties", {}):
            if re.search("secret|password|token(?!Type)", name, re.IGNORECASE):
                assert SECRET_NAME.search(name), f"SECRET_NAME in recording/redaction.py does not mask {place}.{name}"


def test_every_parameter_is_traced(api: Api) -> None:
    for parameter in parameters(api):
        assert "x-requirement" in parameter, parameter["name"]


def responses(api: Api) -> dict[str, dict[str, Any]]:
    """Return the responses of all operations by their names, such as `2XX of create_charge`."""
    described = openapi.operations(api).items()
    return {f"{status} of {name}": row for name, way in described for status, row in way["responses"].items()}


def response_headers(api: Api) -> dict[str, list[dict[str, Any]]]:
    """Return the headers that responses have, by name in small letters, each with its descriptions."""
    headers: dict[str, list[dict[str, Any]]] = {}
    for answer in responses(api).values():
        for name, header in answer.get("headers", {}).items():
            headers.setdefault(name.lower(), []).append(header)
    return headers


def test_every_header_of_a_response_is_traced(api: Api) -> None:
    untraced = [name for name, own in response_headers(api).items() if not all("x-requirement" in h for h in own)]
    assert untraced == [], f"headers in specs/{api}/openapi.yaml"


def test_a_header_of_most_responses_is_one_of_all(api: Api) -> None:
    for name, headers in response_headers(api).items():
        lacking = [key for key, row in responses(api).items() if name not in map(str.lower, row.get("headers", {}))]
        assert lacking == [] or len(headers) <= len(lacking), f"{name} is missing there in specs/{api}/openapi.yaml"


def test_a_header_of_most_requests_is_one_of_all(api: Api) -> None:
    names: dict[str, set[str]] = {}
    for operation, row in openapi.operations(api).items():
        for parameter in (known for known in row.get("parameters", ()) if known["in"] == "header"):
            names.setdefault(parameter["name"], set()).add(operation)
    for name, operations in names.items():
        lacking = openapi.operations(api).keys() - operations
        assert not lacking or len(operations) <= len(lacking), f"{name} is missing there in specs/{api}/openapi.yaml"


def test_the_headers_that_passive_rules_read_are_described(api: Api) -> None:
    """As headers of all responses or parameters of events; OpenAPI has the Content-Type as the key of `content`."""
    rules = Path(str(passive.__file__)).with_name(str(api)) / "passive_rules.py"
    read = {name.lower() for name in re.findall(r"\.header\(\"([\w-]+)\"\)", rules.read_text("utf-8"))}
    parameters_of_events = {
        parameter["name"].lower()
        for hook in openapi.description(api)["webhooks"].values()
        for parameter in hook["post"].get("parameters", ())
    }
    read |= {PROFILES[api].signature_header.lower()}
    of_all = {name for name, headers in response_headers(api).items() if len(headers) == len(responses(api))}
    assert read - parameters_of_events - of_all <= {"content-type"}, (
        f"{rules} reads what openapi.yaml does not have in all responses, nor in events"
    )


def test_each_event_has_the_headers_of_all(api: Api) -> None:
    names = [
        {parameter["name"] for parameter in hook["post"].get("parameters", ())}
        for hook in openapi.description(api)["webhooks"].values()
    ]
    assert all(own == names[0] for own in names), f"parameters of the webhooks of specs/{api}/openapi.yaml"


def test_ids_in_response_schemas_are_passive(api: Api) -> None:
    known = catalogue()
    for schema in (media["schema"] for media in judged(api)):
        own = schema.get("x-requirement")  # the requirement that there is a response may have tests
        for requirement in dict(levels(schema)).keys() - {own}:
            assert known[requirement].passive or known[requirement].unobservable, requirement
            assert known[requirement].level is not Level.OPEN, requirement


def test_what_is_not_a_must_is_marked(api: Api) -> None:
    pairs = dict.fromkeys(levels(openapi.source(api)))
    others = [name for name, level in pairs if catalogue()[name].level != level]
    assert others == [], f"`x-level` of these in specs/{api}/openapi.yaml is not the level of requirements.toml"


def test_no_response_is_judged_by_what_the_document_does_not_state(api: Api) -> None:
    """A value that breaks a schema with `x-level: open` breaks no requirement, and meets none."""
    open_part = {"type": "string", "x-requirement": "A", "x-level": "open"}
    schema = {"type": "object", "properties": {"detail": open_part}, "x-requirement": "B"}
    for body in (b'{"detail": 1}', b'{"detail": "1"}'):
        assert [(finding.requirement, finding.mismatch) for finding in judge_body(schema, body)] == [("B", None)], api


def test_the_names_of_events_are_those_of_the_webhooks(api: Api) -> None:
    names = openapi.description(api)["components"]["schemas"]["EventName"]["enum"]
    assert names == list(openapi.description(api)["webhooks"]), f"EventName and webhooks of specs/{api}/openapi.yaml"


def test_the_statuses_of_an_object_are_those_of_its_table(api: Api) -> None:
    """In each list of statuses: of responses, of events, of a filter."""
    lists = {tuple(values) for _, schema in schemas(api) if isinstance(values := schema.get("enum"), list)}
    for kind, states in states_of(api).items():
        own = set(states.statuses)
        alike = [values for values in lists if len(own.intersection(values)) > max(len(own), len(values)) / 2]
        assert alike or kind == "webhook", f"no schema of specs/{api}/openapi.yaml has the statuses of a {kind}"
        for values in alike:
            assert set(values) - OF_EVENTS_ONLY[kind] == own, f"statuses of a {kind} in specs/{api}/openapi.yaml"


def test_the_callbacks_of_a_creation_are_the_events_of_its_object(api: Api) -> None:
    """Of what takes a postbackUrl: an event that is no callback is in NO_CALLBACKS."""
    for row in of(api, Effect.CREATES):
        described = openapi.operations(api)[row.name]
        body = described["requestBody"]["content"]["application/json"]["schema"]
        if row.event and "postbackUrl" in body["properties"]:
            callbacks = openapi.source(api)["paths"][row.path][row.method.lower()]["callbacks"].values()
            targets = [path["$ref"] for callback in callbacks for path in callback.values()]
            subject = row.event.partition("_")[0]
            events = {name for name in event_names(api) if subject in openapi.event_schema(api, name)["properties"]}
            wanted = {f"#/webhooks/{name}" for name in events - NO_CALLBACKS}
            assert set(targets) == wanted, f"callbacks of {row.name} in specs/{api}/openapi.yaml"


def test_a_missing_field_is_blamed_once(api: Api) -> None:
    """An example breaks no requirement, and without one of its fields at most one."""
    for media in judged(api):
        for example in examples(media):
            for body in [example, *without_a_field(example)]:
                findings = judge_body(media["schema"], json.dumps(body).encode())
                broken = [finding for finding in findings if finding.mismatch]
                assert len(broken) <= (body is not example), broken


def test_schemas_use_known_keywords(api: Api) -> None:
    """A misspelt keyword would be ignored."""
    for place, schema in schemas(api):
        Draft202012Validator.check_schema(schema)
        assert set(schema) <= KEYWORDS, place


def test_every_refusal_is_judged(api: Api) -> None:
    """A body that is not an error fails a requirement on every 4xx status, listed for the route or not."""
    for name in openapi.operations(api):
        for status in (400, 401, 403, 404, 405, 409, 410, 415, 422):
            assert [finding for finding in judge_answer(api, name, status, exchange([], status)) if finding.mismatch], (
                name,
                status,
            )


def test_a_keyword_of_an_element_that_may_be_absent_is_optional_too(api: Api) -> None:
    """A ledger may be empty, so that no response shows a posting's created_at."""
    assert api is not Api.BUSINESS or {"BUS-FIN-12", "BUS-FIN-18"} <= optional(api)
