"""Holds the right servers against the open points that they use."""

import pytest

from pix_conformance.model import catalogue
from pix_conformance.model.vocabulary import Api
from pix_conformance.proof import observations, plan
from pix_conformance.proof.__main__ import SEED
from pix_conformance.proof.variants import registry
from pix_conformance.proof.variants.registry import Freedom, rules_of
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.server import composed, load

RULES = {Api.PAYMENTS: PaymentsRules, Api.BUSINESS: BusinessRules}

pytestmark = pytest.mark.parametrize("api", Api)


def freedoms(api: Api) -> list[Freedom]:
    return [one for one in registry.load().values() if one.name.startswith(f"{api}-")]


def test_every_freedom_names_its_api(api: Api) -> None:
    others = {one.name for each in Api if each is not api for one in freedoms(each)}
    assert {one.name for one in freedoms(api)} == set(registry.load()) - others


def test_every_observable_open_point_is_used_by_a_freedom(api: Api) -> None:
    assert observations.points(api) - {one for freedom in freedoms(api) for one in freedom.uses} == set()


def test_a_freedom_uses_known_requirements_of_its_api(api: Api) -> None:
    known = {one.id for one in catalogue.load().of(api)}
    assert {one.name: one.uses for one in freedoms(api) if not known.issuperset(one.uses)} == {}


def test_every_value_can_be_loaded_and_says_why_it_is_right(api: Api) -> None:
    values = [(one.rules(value), mixin) for one in freedoms(api) for value, mixin in one.values.items()]
    assert [name for name, mixin in values if load(name) is not mixin] == []
    assert [name for name, mixin in values if not issubclass(mixin, RULES[api]) or not mixin.__doc__] == []


def test_each_combined_server_of_the_proof_can_be_made(api: Api) -> None:
    for row in [*plan.pairwise(SEED), *plan.mixed(SEED, 20)]:
        assert issubclass(composed(RULES[api], [load(rules_of(one)) for one in row]), RULES[api])
