"""The mutants that only a run under load kills. `tests/session/test_load.py` kills them."""

import asyncio
import re

import pytest

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.vocabulary import Level
from pix_conformance.reference.server import composed, rules_named
from pix_conformance.reference.state import ServerState
from pix_conformance.sandbox.apis import APIS
from pix_conformance.sandbox.mutants import registry
from pix_conformance.sandbox.mutants.registry import Mutant
from tests.sandbox.test_mutants import LISTED, query_of_balance

MUTANTS = [pytest.param(mutant, id=name) for name, mutant in registry.under_load().items()]


def test_none_is_one_that_the_suites_must_kill() -> None:
    assert len(MUTANTS) >= 4
    assert not registry.all_mutants().keys() & registry.under_load().keys()


@pytest.mark.parametrize("mutant", MUTANTS)
def test_it_names_a_must_and_says_what_is_wrong(mutant: Mutant) -> None:
    assert re.fullmatch(LISTED, mutant.id)
    assert catalogue()[mutant.breaks[0]].level is Level.MUST
    assert all(catalogue()[name].level is not Level.OPEN for name in mutant.breaks)
    assert "\n" not in mutant.sentence
    assert mutant.sentence.endswith(".")


@pytest.mark.parametrize("mutant", MUTANTS)
def test_it_departs_from_the_reference_and_answers_a_call(mutant: Mutant) -> None:
    api = catalogue()[mutant.breaks[0]].api
    rules = composed(APIS[api].rules, [rules_named(mutant.rules)])
    assert rules is not APIS[api].rules
    answer = asyncio.run(rules(ServerState()).answer(query_of_balance(api)))
    assert 200 <= answer.status < 600
