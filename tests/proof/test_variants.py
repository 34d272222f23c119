"""The list of conforming variants agrees with the open points in which they are silent."""

import pytest

from pix_conformance.model import catalogue
from pix_conformance.model.vocabulary import Api
from pix_conformance.proof import observations, plan
from pix_conformance.proof.__main__ import SEED
from pix_conformance.proof.variants import registry
from pix_conformance.proof.variants.registry import Variant, rules_of
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.server import composed, load

RULES = {Api.PAYMENTS: PaymentsRules, Api.BUSINESS: BusinessRules}

pytestmark = pytest.mark.parametrize("api", Api)


def variants(api: Api) -> list[Variant]:
    return [one for one in registry.load().values() if one.name.startswith(f"{api}-")]


def test_every_variant_names_its_api(api: Api) -> None:
    others = {one.name for each in Api if each is not api for one in variants(each)}
    assert {one.name for one in variants(api)} == set(registry.load()) - others


def test_a_variant_is_silent_in_every_observable_open_point(api: Api) -> None:
    assert observations.points(api) - {one for variant in variants(api) for one in variant.silent_in} == set()


def test_a_variant_is_silent_in_known_requirements_of_its_api(api: Api) -> None:
    known = {one.id for one in catalogue.load().of(api)}
    assert {one.name: one.silent_in for one in variants(api) if not known.issuperset(one.silent_in)} == {}


def test_every_value_can_be_loaded_and_says_why_it_is_right(api: Api) -> None:
    values = [(one.rules(value), mixin) for one in variants(api) for value, mixin in one.values.items()]
    assert [name for name, mixin in values if load(name) is not mixin] == []
    assert [name for name, mixin in values if not issubclass(mixin, RULES[api]) or not mixin.__doc__] == []


def test_each_combined_server_of_the_proof_can_be_made(api: Api) -> None:
    for row in [*plan.pairwise(SEED), *plan.mixed(SEED, 20)]:
        assert issubclass(composed(RULES[api], [load(rules_of(one)) for one in row]), RULES[api])
