"""Nothing repeats by hand what the OpenAPI files, the tables of states or the reference list."""

import ast
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from pix_conformance.checks.business.charges import documented_fields
from pix_conformance.model import openapi
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.events import event_names
from pix_conformance.model.paths import TEST_TREE as ROOT
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.states import states_of
from pix_conformance.model.vocabulary import Api
from pix_conformance.report.open_points import REFERENCE
from pix_conformance.sandbox.apis import APIS
from tests.support.openapi_parts import named_members, parts
from tests.support.programs import constants, modules, texts, values_in

LEAST = 4
"""So many values of a list, and at least half of it, are a copy."""
CODE = r"[A-Z]{3,}(?:_[A-Z]+)+"
CLIENTS = ("tests/openapi/*.ts", "tests/openapi/*.js", "examples/**/*.ts")
"""Clients of others, in other languages, which name codes."""
NO_CODES = {"TRANSACTION_PAID"}
"""The name of an event in capitals, which is none."""
ERROR = re.compile(r'"error": ?"(\w+)"')
"""The error code in a body that a module has as text."""
MEMBERS = re.compile(r"members ((?:\w+, ){4,}\w+)")


def enums(node: Any) -> Iterator[tuple[str, ...]]:
    """Yield the values of each `enum` within a description."""
    if isinstance(node, dict):
        if isinstance(node.get("enum"), list):
            yield tuple(map(str, node["enum"]))
        for value in node.values():
            yield from enums(value)
    elif isinstance(node, list):
        for value in node:
            yield from enums(value)


def listed() -> set[tuple[str, ...]]:
    """Return each list of values that a document has."""
    lists = {values for api in Api for values in enums(openapi.source(api))}
    lists |= {event_names(api) for api in Api}
    lists |= {states.statuses for api in Api for states in states_of(api).values()}
    return {values for values in lists if len(values) >= LEAST}


def test_no_module_spells_out_a_list_of_a_document() -> None:
    """Only the reference does, which imports nothing of ours; a copy lacks what the next document adds."""
    lists = listed()
    copies = [
        f"{path}:{node.lineno}: {', '.join(sorted(common))}"
        for path, module in modules("suites", "fixtures", "src")
        if "reference" not in path.parts
        for node in ast.walk(module)
        if isinstance(node, ast.expr)
        for values in lists
        if len(common := set(values).intersection(values_in(node))) >= max(LEAST, len(values) / 2)
        if len(common) > len(values_in(node)) / 2
    ]
    assert sorted(set(copies)) == [], "read them from openapi.yaml or states.toml: event_names, states_of"


def codes() -> set[str]:
    """Return the error codes that the reference sends."""
    return {code for api in Api for code in getattr(APIS[api].rules, "error_codes", {}).values()}


NOT_SENT = "names codes that error_codes of the reference lacks: one of the two is of an earlier document"


def unknown(names: Iterable[str]) -> list[str]:
    """Return which of some codes the reference does not send."""
    return sorted(set(names) - codes() - NO_CODES)


def test_the_reference_sends_each_code_of_the_description() -> None:
    """Only errors of the payments API have codes."""
    errors = [part for name, part in named_members(openapi.source(Api.PAYMENTS)) if name == "error"]
    documented = {part["const"] for part in errors if isinstance(part, dict) and "const" in part}
    assert documented - codes() == set(), "openapi.yaml has codes that error_codes of the reference lacks"


def test_descriptions_and_statements_name_codes_that_are_sent() -> None:
    for name, text in named_members(openapi.source(Api.PAYMENTS)):
        if name == "description" and isinstance(text, str):  # a property may have that name
            assert unknown(re.findall(rf"`({CODE})`", text)) == [], f"in openapi.yaml: {text}"
    for requirement in catalogue().of_document(Api.PAYMENTS):
        assert unknown(re.findall(rf"\b{CODE}\b", requirement.statement)) == [], f"statement of {requirement.id}"


@pytest.mark.parametrize("pattern", CLIENTS)
def test_clients_in_other_languages_name_codes_that_are_sent(pattern: str) -> None:
    for path in ROOT.glob(pattern):
        names = re.findall(rf"[\"'`]({CODE})[\"'`]", path.read_text("utf-8"))
        named = [name for name in names if not name.startswith("PIX_")]
        assert unknown(named) == [], f"{path.relative_to(ROOT)} {NOT_SENT}"


def test_tests_name_codes_that_are_sent() -> None:
    for path, module in modules("suites", "fixtures", "examples"):
        exported = {
            text
            for node in module.body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
            if node.targets[0].id == "__all__"
            for text in texts(node)
        }
        read = {text for text in texts(module) if text.startswith(("PIX_", "SHOP_"))}  # names of variables
        names = [text for text in texts(module) if re.fullmatch(CODE, text)]
        assert unknown(set(names) - exported - read) == [], f"{path} {NOT_SENT}"


def test_bodies_that_the_suite_sends_itself_have_codes_that_are_sent() -> None:
    """Such as the answers of the gateway, in place of a service. The sandbox sends wrong ones on purpose."""
    wrong = [
        f"{path}:{constant.lineno}: {code}"
        for path, module in modules("src")
        if "sandbox" not in path.parts
        for constant in constants(module)
        if isinstance(constant.value, bytes)
        for code in unknown(ERROR.findall(constant.value.decode("latin-1")))
    ]
    assert wrong == [], "no document has these codes"


def test_the_stored_answers_of_the_reference_have_its_codes_and_fields() -> None:
    """It is written again by `python -m pix_conformance.proof open-points`, where a code or a field has changed."""
    stored = json.loads(REFERENCE.read_text("utf-8"))
    for name, rows in stored.items():
        assert unknown(re.findall(rf"\b{CODE}\b", json.dumps(rows))) == [], f"{REFERENCE.name}, {name}"
    fields = set(documented_fields("get_charge"))
    for name, rows in stored.items():
        for members in MEMBERS.findall(json.dumps(rows)):
            assert set(members.split(", ")) == fields, f"{REFERENCE.name}, {name}: the fields of a charge are others"


def event_headers(api: Api) -> set[str]:
    """Return the headers that each event has with any body: all that are described but signatures."""
    hooks = openapi.description(api)["webhooks"].values()
    names = {parameter["name"] for hook in hooks for parameter in hook["post"].get("parameters", ())}
    return {name for name in names if not name.startswith(PROFILES[api].signature_header)}


def test_headers_of_events_that_are_spelled_out_are_all_of_them() -> None:
    """In the reference, in a variant that pings an address, and where an integration is sent something."""
    for path, module in modules(*(f"src/pix_conformance/{room}" for room in ("reference", "sandbox", "integration"))):
        apis = {api for api in Api if api in path.parts} or set(Api)
        wanted = {header for api in apis for header in event_headers(api)}
        for node in ast.walk(module):
            if isinstance(node, ast.Dict) and "Content-Type" in (names := {key.value for key in constant_keys(node)}):
                assert wanted - names == set(), f"{path}:{node.lineno} lacks headers of all events in openapi.yaml"


def constant_keys(node: ast.Dict) -> Iterator[ast.Constant]:
    return (key for key in node.keys if isinstance(key, ast.Constant))


@pytest.mark.parametrize("api", Api)
def test_the_reference_has_a_row_of_each_member_of_a_request(api: Api) -> None:
    """But for the members of an object that it reads as a whole, such as an address."""
    calls = [node for _, module in modules(f"src/pix_conformance/reference/{api}") for node in ast.walk(module)]
    rows = {texts(call.args[0])[0]: call for call in calls if isinstance(call, ast.Call) and is_field(call)}
    whole = {name for name, call in rows.items() if "object" in texts(call.args[1]) and "fields" not in keywords(call)}
    lacking = [
        f"{name} of {place}"
        for operation in openapi.operations(api)
        for place, schema in parts(openapi.request_schema(api, operation), operation)
        for name in schema.get("properties", {})
        if name not in rows and place.rpartition(".")[2] not in whole
    ]
    assert lacking == [], f"members of requests without a row `Field` in src/pix_conformance/reference/{api}"


def is_field(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "Field"


def keywords(call: ast.Call) -> set[str | None]:
    return {keyword.arg for keyword in call.keywords}


@pytest.mark.parametrize("api", Api)
def test_no_two_rule_classes_decide_by_one_name(api: Api) -> None:
    """Of two classes that do not inherit from each other, the first in the order of resolution hides the other's."""
    holders: dict[str, list[type]] = {}
    for kind in APIS[api].rules.__mro__[:-1]:
        for name in vars(kind):
            holders.setdefault(name, []).append(kind)
    hidden = [
        f"{name} of {other.__module__}.{other.__name__} is hidden by that of {kind.__name__}"
        for name, kinds in holders.items()
        if not name.startswith("__")
        for place, kind in enumerate(kinds)
        for other in kinds[place + 1 :]
        if not issubclass(kind, other)
    ]
    assert hidden == []
