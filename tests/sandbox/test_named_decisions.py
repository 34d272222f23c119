"""Mutants and variants name events that the reference sends, and decisions that it makes."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

from pix_conformance import reference
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.events import event_names
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.states import announced_events, states_of
from pix_conformance.model.vocabulary import Api
from pix_conformance.reference.server import rules_named
from pix_conformance.sandbox.apis import APIS
from pix_conformance.sandbox.difference import Difference
from pix_conformance.sandbox.mutants import registry
from pix_conformance.sandbox.variants.registry import all_variants

REFERENCE = Path(reference.__file__).parent
SANDBOX = REFERENCE.parent / "sandbox"
SENT_BESIDES = "_sends_besides.<locals>.send"
"""The operator that waits for one event and sends another one, which the reference need not send."""

SENT_BY_SETTING = {"transfer_canceled", "transaction_updated", "transaction_refunded"}
"""What the reference sends as a variant or a mutant only: it cancels or refuses no transfer, and changes no charge."""
LIKE_AN_EVENT = r"(transaction|transfer)_(\w+ed|paid)|business\.pix\.\w+"
UNDOCUMENTED = {"transaction_canceled", "transfer_paid", "transfer_refused", "business.pix.expired"}
"""Names that a mutant accepts and no document has, and an event that the business API may send besides."""

pytestmark = pytest.mark.parametrize("api", Api)


def trees(room: Path) -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(room.rglob("*.py")):
        yield path, ast.parse(path.read_text("utf-8"))


@cache
def sent(api: Api) -> frozenset[str]:
    """Return the events that the reference sends: those that its modules name, but for the list of all of them."""
    texts: set[str] = set()
    for _, tree in trees(REFERENCE / api):
        listed = [node for node in ast.walk(tree) if isinstance(node, ast.AnnAssign)]
        apart = {id(part) for node in listed for part in ast.walk(node)}
        constants = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in apart)
        texts |= {node.value for node in constants if isinstance(node.value, str)}
    return frozenset(texts.intersection(event_names(api)))


@cache
def called() -> frozenset[str]:
    """Return the names of all that the reference reads of an object: its decisions are among them."""
    nodes = [node for _, tree in trees(REFERENCE) for node in ast.walk(tree)]
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return frozenset({node.attr for node in nodes if isinstance(node, ast.Attribute)} | texts)


def texts_in(function: Any, outer: tuple[object, ...] = ()) -> Iterator[str]:
    """Yield the texts that a function compares with: its constants, and what it has from the functions around it."""
    if not isinstance(function, FunctionType) or function in outer:
        return
    names = function.__code__.co_freevars
    for name, cell in zip(names, function.__closure__ or (), strict=True):
        if function.__qualname__ == SENT_BESIDES and name == "event":
            continue
        values = cell.cell_contents if isinstance(cell.cell_contents, tuple) else (cell.cell_contents,)
        for value in values:
            yield from [value] if isinstance(value, str) else texts_in(value, (*outer, function))
    yield from constants_of(function.__code__)


def constants_of(code: CodeType) -> Iterator[str]:
    for constant in code.co_consts:
        if isinstance(constant, str):
            yield constant
        elif isinstance(constant, CodeType):
            yield from constants_of(constant)


def awaited(difference: Difference, api: Api) -> set[str]:
    """Return the events for which a mutant waits, to change them."""
    kinds = [kind for kind in APIS[api].rules.__mro__ if kind.__module__.endswith(f"{api}.events")]
    decisions = {name for kind in kinds for name in vars(kind)}
    members = {**vars(difference.departure), **difference.members}
    functions = [value for name, value in members.items() if name in decisions]
    functions += [guard.judge for guard in difference.guards]
    return {text for function in functions for text in texts_in(function)}.intersection(event_names(api))


def of_api(api: Api) -> Iterator[registry.Mutant]:
    for mutant in registry.listed().values():
        if mutant.id.startswith(PROFILES[api].prefix):
            yield mutant


def test_the_reference_sends_the_events_of_the_states(api: Api) -> None:
    announced = set(announced_events(api))
    assert announced - sent(api) == set(), "states.toml has events that the reference does not send"
    assert sent(api) - announced - SENT_BY_SETTING == set(), "states.toml lacks events that the reference sends"


def test_the_reference_lists_the_events_of_the_document(api: Api) -> None:
    """Where it has a list: it refuses a webhook for an event that is missing there."""
    listed = getattr(APIS[api].rules, "event_names", event_names(api))
    assert listed == event_names(api), f"event_names of reference/{api} and webhooks of specs/{api}/openapi.yaml"


def test_the_names_of_events_in_mutants_and_variants_are_documented(api: Api) -> None:
    documented = {name for api in Api for name in event_names(api)}
    others = [
        f"{path.relative_to(SANDBOX)}:{node.lineno}: {node.value!r}"
        for room in ("mutants", "variants")
        for path, tree in trees(SANDBOX / room / api)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(LIKE_AN_EVENT, node.value)
        if node.value not in documented | UNDOCUMENTED
    ]
    assert others == []


def test_every_mutant_waits_for_events_that_the_reference_sends(api: Api) -> None:
    """A mutant of an event that is sent no more is equal to the reference, and survives."""
    waiting = {f"{mutant.id} in {mutant.module}": awaited(mutant.difference, api) - sent(api) for mutant in of_api(api)}
    assert {place: names for place, names in waiting.items() if names} == {}


def test_no_mutant_or_variant_sends_by_its_name_what_no_request_causes(api: Api) -> None:
    """`change_status` of the reference sends it, under the name that it has for both statuses.

    Not compared: an event that a request causes too.
    """
    own = {row.event for states in states_of(api).values() for row in states.unrequested}
    own -= {event for states in states_of(api).values() for event in states.events}
    literal = [
        f"{path.relative_to(SANDBOX)}:{node.lineno}"
        for path, tree in trees(SANDBOX)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "emit"
        if node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value in own
    ]
    assert literal == [], f"{sorted(own)} are events that no request causes"


def test_a_mutant_of_a_whole_body_takes_what_it_breaks_from_the_schema(api: Api) -> None:
    """A list of ids in `.also` would lack the next field: `in_whole_body` finds what the changed example breaks."""
    literal = [
        f"{path.relative_to(SANDBOX)}:{node.lineno}"
        for path, tree in trees(SANDBOX / "mutants" / api)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "in_response"
        if isinstance(node.args[1], ast.Constant) and node.args[1].value == ""
    ]
    assert literal == []


def test_every_mutant_and_variant_changes_a_decision_that_the_reference_makes(api: Api) -> None:
    """One that is left of an earlier reference would be called by nothing."""
    rules = [(mutant.id, mutant.rules_name) for mutant in of_api(api)]
    rules += [(variant.id, variant.rules_name) for variant in all_variants().values() if variant.api is api]
    dead = []
    for name, place in rules:
        own = [kind for kind in rules_named(place).__mro__ if kind not in APIS[api].rules.__mro__]
        members = {member for kind in own for member in vars(kind) if hasattr(APIS[api].rules, member)}
        if not members & (called() | {"__init__"}):
            dead.append(name)
    assert dead == []


def test_a_mutant_that_judges_a_field_of_several_objects_names_a_requirement_of_each(api: Api) -> None:
    """Such as judge_charge_description and judge_transfer_description: `.also` names that of the second."""
    for mutant in of_api(api):
        names = {*mutant.difference.members, *vars(mutant.difference.departure)}
        judged = {word for name in names for word in re.findall(r"^judge_(charge|transfer|webhook)_", name)}
        about = {catalogue()[rule].operation for rule in mutant.breaks}
        unnamed = {word for word in judged if f"create_{word}" not in about}
        assert unnamed == set(), f"{mutant.id} in {mutant.module}: `.also` a requirement of their creation"
