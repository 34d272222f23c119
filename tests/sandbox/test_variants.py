"""The list of conforming variants agrees with the open points in which they are silent."""

import asyncio
from functools import cache

import pytest

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.vocabulary import Api, Level
from pix_conformance.proof import plan
from pix_conformance.proof.__main__ import SEED
from pix_conformance.reference.server import composed, rules_named
from pix_conformance.reference.state import ServerState
from pix_conformance.sandbox.apis import APIS
from pix_conformance.sandbox.variants import registry
from pix_conformance.sandbox.variants.registry import Variant
from tests.support.reference_calls import query_of_balance

pytestmark = pytest.mark.parametrize("api", Api)


def variants(api: Api) -> list[Variant]:
    return [variant for variant in registry.all_variants().values() if variant.api is api]


def test_a_variant_is_silent_in_every_observable_open_point(api: Api) -> None:
    observable = (rule for rule in catalogue().of(api) if not rule.unobservable)
    points = {rule.id for rule in observable if rule.level is Level.OPEN}
    unasked = points - {name for variant in variants(api) for name in variant.silent_in}
    assert unasked == set(), f"no variant in sandbox/variants/{api} does otherwise in them than the reference"


def test_a_variant_is_silent_in_known_requirements_of_its_api(api: Api) -> None:
    known = {requirement.id for requirement in catalogue().of(api)}
    assert {variant.id: variant.silent_in for variant in variants(api) if not known.issuperset(variant.silent_in)} == {}


def test_every_variant_can_be_loaded_and_says_why_it_is_right(api: Api) -> None:
    for variant in variants(api):
        assert issubclass(rules_named(variant.rules_name), APIS[api].rules), variant.id
        assert variant.sentence.endswith("."), variant.id
        assert "\n" not in variant.sentence, variant.id


def test_every_variant_answers_a_call(api: Api) -> None:
    """Also what it makes before its first request, such as earlier charges: it lacks no field of the reference."""
    call = query_of_balance(api)
    for variant in variants(api):
        rules = composed(APIS[api].rules, [rules_named(variant.rules_name)])
        answer = asyncio.run(rules(ServerState()).answer(call))
        assert 200 <= answer.status < 500, variant.id


def test_every_variant_changes_a_member_that_the_rules_have(api: Api) -> None:
    without = []
    for variant in variants(api):
        own = [kind for kind in rules_named(variant.rules_name).__mro__ if kind not in APIS[api].rules.__mro__]
        names = {name for kind in own for name in vars(kind) if not name.startswith("__") or name == "__init__"}
        if not any(hasattr(APIS[api].rules, name) for name in names):
            without.append(variant.id)
    assert without == []


@cache
def pairs() -> list[tuple[str, ...]]:
    return plan.pairwise(SEED)


def test_each_combined_server_of_the_proof_can_be_made_and_has_no_two_alternatives(api: Api) -> None:
    for row in [*pairs(), *plan.mixed(SEED, 20)]:
        rules = [rules_named(name) for name in plan.rules_names_of(row)]
        assert issubclass(composed(APIS[api].rules, rules), APIS[api].rules)
    choices = [[registry.all_variants()[name].choice for name in row] for row in pairs()]
    assert [row for row in choices if len(set(row)) < len(row)] == []
    assert len(registry.alternatives(api)) > 1
