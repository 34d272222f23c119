"""The mutants that only a run under load kills. `tests/session/test_load.py` kills them."""

import asyncio
import re

import pytest

from pix_conformance.model import catalogue
from pix_conformance.model.vocabulary import Level
from pix_conformance.reference.server import composed, load
from pix_conformance.reference.state import ServerState
from pix_conformance.sandbox.apis import APIS
from pix_conformance.sandbox.mutants import registry
from pix_conformance.sandbox.mutants.registry import Mutant
from tests.sandbox.test_mutants import LISTED, query_of_balance

MUTANTS = [pytest.param(one, id=name) for name, one in registry.under_load().items()]


def test_none_is_one_that_the_suites_must_kill() -> None:
    assert len(MUTANTS) >= 4
    assert not registry.load().keys() & registry.under_load().keys()


@pytest.mark.parametrize("one", MUTANTS)
def test_it_names_a_must_and_says_what_is_wrong(one: Mutant) -> None:
    assert re.fullmatch(LISTED, one.id)
    assert catalogue.load()[one.breaks[0]].level is Level.MUST
    assert all(catalogue.load()[each].level is not Level.OPEN for each in one.breaks)
    assert "\n" not in one.sentence
    assert one.sentence.endswith(".")


@pytest.mark.parametrize("one", MUTANTS)
def test_it_departs_from_the_reference_and_answers_a_call(one: Mutant) -> None:
    api = catalogue.load()[one.breaks[0]].api
    rules = composed(APIS[api].rules, [load(one.rules)])
    assert rules is not APIS[api].rules
    answer = asyncio.run(rules(ServerState()).answer(query_of_balance(api)))
    assert 200 <= answer.status < 600
