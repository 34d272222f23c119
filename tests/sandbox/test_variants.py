"""The list of conforming variants agrees with the open points in which they are silent."""

import pytest

from pix_conformance.model import catalogue
from pix_conformance.model.vocabulary import Api
from pix_conformance.proof import observations, plan
from pix_conformance.proof.__main__ import SEED
from pix_conformance.reference.server import composed, load
from pix_conformance.sandbox.apis import APIS
from pix_conformance.sandbox.variants import registry
from pix_conformance.sandbox.variants.registry import Variant

pytestmark = pytest.mark.parametrize("api", Api)


def variants(api: Api) -> list[Variant]:
    return [one for one in registry.load().values() if one.api is api]


def test_a_variant_is_silent_in_every_observable_open_point(api: Api) -> None:
    assert observations.points(api) - {one for variant in variants(api) for one in variant.silent_in} == set()


def test_a_variant_is_silent_in_known_requirements_of_its_api(api: Api) -> None:
    known = {one.id for one in catalogue.load().of(api)}
    assert {one.id: one.silent_in for one in variants(api) if not known.issuperset(one.silent_in)} == {}


def test_every_variant_can_be_loaded_and_says_why_it_is_right(api: Api) -> None:
    assert [one.id for one in variants(api) if not issubclass(load(one.rules), APIS[api].rules)] == []
    assert [one.id for one in variants(api) if not one.sentence.endswith(".")] == []


def test_every_variant_changes_a_member_that_the_rules_have(api: Api) -> None:
    without = []
    for one in variants(api):
        own = [each for each in load(one.rules).__mro__ if each not in APIS[api].rules.__mro__]
        names = {name for each in own for name in vars(each) if not name.startswith("__") or name == "__init__"}
        if not any(hasattr(APIS[api].rules, name) for name in names):
            without.append(one.id)
    assert without == []


def test_each_combined_server_of_the_proof_can_be_made(api: Api) -> None:
    for row in [*plan.pairwise(SEED), *plan.mixed(SEED, 20)]:
        assert issubclass(composed(APIS[api].rules, [load(one) for one in plan.rules_of(row)]), APIS[api].rules)


def test_no_combined_server_of_the_proof_has_two_alternatives(api: Api) -> None:
    rows = [[registry.load()[one].choice for one in row] for row in plan.pairwise(SEED)]
    assert [row for row in rows if len(set(row)) < len(row)] == []
    assert len(registry.alternatives(api)) > 1
