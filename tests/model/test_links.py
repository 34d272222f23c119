"""Links of the descriptions, and the tables of states that walks are made of."""

from __future__ import annotations

import pytest

from pix_conformance.harness.clients.registry import CLIENTS
from pix_conformance.model import links, openapi
from pix_conformance.model.catalogue import load as load_catalogue
from pix_conformance.model.states import load as load_states
from pix_conformance.model.vocabulary import Api

pytestmark = pytest.mark.parametrize("api", Api)


def test_every_link_leads_to_an_operation_that_the_client_has(api: Api) -> None:
    assert links.links(api)
    for one in links.links(api):
        assert one.operation in openapi.operations(api)
        assert callable(getattr(CLIENTS[api], one.operation))


def test_every_trigger_is_a_creation_or_linked_from_it(api: Api) -> None:
    for states in load_states(api).values():
        creation = states.creation.trigger
        reached = {creation, *links.linked_from(api, creation)}
        assert {one.trigger for one in states.transitions} | {one.trigger for one in states.refusals} <= reached


def test_the_tables_of_states_name_requirements_and_statuses_that_exist(api: Api) -> None:
    for states in load_states(api).values():
        tables = [states.requirements(name) for name in ("stays", "never_alone")]
        named = {one for table in tables for one in table.values()}
        named |= {one.requirement for one in states.refusals}
        named |= {one.accepted for one in states.transitions if one.accepted}
        assert all(one in load_catalogue() for one in named)
        assert {status for table in tables for status in table} <= set(states.statuses)
        assert {one.source for one in states.refusals} <= set(states.statuses)
