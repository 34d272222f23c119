"""Links of the descriptions, and the tables of states that walks are made of."""

from __future__ import annotations

import pytest

from pix_conformance.harness.clients.registry import CLIENTS
from pix_conformance.model import openapi
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.states import states_of
from pix_conformance.model.vocabulary import Api

pytestmark = pytest.mark.parametrize("api", Api)


def test_every_link_leads_to_an_operation_that_the_client_has(api: Api) -> None:
    assert openapi.links(api)
    for link in openapi.links(api):
        assert link.operation in openapi.operations(api)
        assert callable(getattr(CLIENTS[api], link.operation))


def test_every_trigger_is_a_creation_or_linked_from_it(api: Api) -> None:
    for states in states_of(api).values():
        creation = states.creation.trigger
        reached = {creation, *openapi.linked_from(api, creation)}
        assert {transition.trigger for transition in states.transitions} | {
            refusal.trigger for refusal in states.refusals
        } <= reached


def test_the_tables_of_states_name_requirements_and_statuses_that_exist(api: Api) -> None:
    for states in states_of(api).values():
        tables = [states.requirements(name) for name in ("stays", "never_alone")]
        named = {name for table in tables for name in table.values()}
        named |= {refusal.requirement for refusal in states.refusals}
        named |= {transition.accepted for transition in states.transitions if transition.accepted}
        assert all(name in catalogue() for name in named)
        assert {status for table in tables for status in table} <= set(states.statuses)
        assert {refusal.source for refusal in states.refusals} <= set(states.statuses)
