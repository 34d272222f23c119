"""The lists of mutants and of requirements agree."""

import asyncio
import re
from collections import Counter, defaultdict
from functools import cache

import pytest

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import Api, Level
from pix_conformance.reference.server import composed, rules_named
from pix_conformance.reference.state import ServerState
from pix_conformance.sandbox.apis import APIS
from pix_conformance.sandbox.mutants import registry
from pix_conformance.sandbox.mutants.registry import Mutant
from tests.support.reference_calls import query_of_balance

GROUPS = {
    *("schema", "validation", "limits", "state", "idempotency", "auth", "isolation", "concurrency", "time"),
    *("events", "error bodies", "network"),
}
LISTED = r"(PAY|BUS)-[A-Z]+-\d\d/[a-z0-9]+(-[a-z0-9]+)*"
GENERATED = r"(PAY|BUS)-[A-Z]+-\d\d/[A-Za-z0-9_.*]+:[a-z-]+"

pytestmark = pytest.mark.parametrize("api", Api)


@cache
def mutants(api: Api) -> list[Mutant]:
    return [
        mutant
        for mutant in (registry.all_mutants() | registry.under_load()).values()
        if mutant.breaks[0].startswith(f"{PROFILES[api].prefix}-")
    ]


def judged(api: Api, level: Level) -> set[str]:
    """Return the requirements of a level that an outside test can decide."""
    return {
        requirement.id
        for requirement in catalogue().of(api)
        if requirement.level is level and not requirement.unobservable
    }


def broken(api: Api) -> set[str]:
    return {name for mutant in mutants(api) if mutant.id in registry.all_mutants() for name in mutant.breaks}


def test_every_observable_should_is_broken_by_a_mutant(api: Api) -> None:
    unbroken = judged(api, Level.SHOULD) - broken(api)
    assert unbroken == set(), f"no mutant in sandbox/mutants/{api} breaks them, alone or by `.also`"


def test_every_observable_must_has_a_mutant_of_its_name(api: Api) -> None:
    named = {name.partition("/")[0] for name in registry.all_mutants()}
    unnamed = judged(api, Level.MUST) - named
    assert unnamed == set(), (
        f"no mutant in sandbox/mutants/{api} has their names: those that break them by `.also` would hide that one was "
        "left out"
    )


def test_every_requirement_that_a_mutant_names_can_be_decided(api: Api) -> None:
    decidable = judged(api, Level.MUST) | judged(api, Level.SHOULD)
    assert {mutant.id: mutant.breaks for mutant in mutants(api) if not decidable.issuperset(mutant.breaks)} == {}


def test_a_mutant_names_each_requirement_once(api: Api) -> None:
    assert [mutant.id for mutant in mutants(api) if len(set(mutant.breaks)) != len(mutant.breaks)] == []


def test_an_id_is_a_requirement_and_what_is_wrong(api: Api) -> None:
    assert [mutant.id for mutant in mutants(api) if not re.fullmatch(f"{LISTED}|{GENERATED}", mutant.id)] == []
    seen = Counter(name.casefold() for name in [*registry.all_mutants(), *registry.under_load()])
    assert [name for name, times in seen.items() if times > 1] == []


def test_no_two_mutants_say_the_same(api: Api) -> None:
    said = defaultdict(list)
    for mutant in mutants(api):
        said[mutant.sentence].append(mutant.id)
    assert [ids for ids in said.values() if len(ids) > 1] == []


def test_every_class_of_fault_is_there(api: Api) -> None:
    groups = {mutant.group for mutant in mutants(api)}
    assert groups <= GROUPS
    assert {"schema", "validation", "limits", "state", "idempotency", "auth", "isolation"} <= groups


def test_each_mutant_answers_a_call(api: Api) -> None:
    call = query_of_balance(api)
    for mutant in mutants(api):
        rules = composed(APIS[api].rules, [rules_named(mutant.rules_name)])
        assert rules is not APIS[api].rules, mutant.id
        answer = asyncio.run(rules(ServerState()).answer(call))
        assert 200 <= answer.status < 600, mutant.id
