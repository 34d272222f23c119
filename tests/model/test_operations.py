"""The table of operations: what each row is derived from, and the lists that are written by hand beside it."""

from __future__ import annotations

import sys

import pytest

from pix_conformance.harness.clients.registry import CLIENTS
from pix_conformance.model import openapi
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.events import event_names
from pix_conformance.model.operations import Effect, Operation, by_name, of, query_of
from pix_conformance.model.questions import CONCERNS, Question, refusals_of, requirements_for
from pix_conformance.model.states import announced_events, states_of
from pix_conformance.model.vocabulary import Api
from pix_conformance.sandbox.apis import APIS
from tests.support.exchanges import exchange

SENT_OTHERWISE = {"authenticate", "list_webhooks", "delete_webhook", "list_charges"}
"""Methods that do more than to send the request."""
EVERY = [pytest.param(row, id=f"{api}-{row.name}") for api in Api for row in of(api)]


def test_a_row_says_what_the_operation_does() -> None:
    pay, cancel = by_name(Api.PAYMENTS)["pay_charge"], by_name(Api.BUSINESS)["cancel_charge"]
    assert (pay.method, pay.id_parameter, pay.kind, pay.effect) == ("POST", "transactionId", "charge", Effect.CHANGES)
    assert (pay.status, pay.event, pay.moves_money, pay.takes_body) == ("paid", "transaction_paid", True, False)
    assert (cancel.status, cancel.event, cancel.moves_money) == ("canceled", "business.pix.canceled", False)
    assert by_name(Api.PAYMENTS)["create_transfer"].takes_key
    assert not by_name(Api.PAYMENTS)["create_charge"].takes_key


@pytest.mark.parametrize(
    ("effect", "names"),
    [
        (Effect.LOGS_IN, {"authenticate"}),
        (Effect.REMOVES, {"delete_webhook"}),
        (Effect.LISTS, {"list_webhooks", "list_charges"}),
    ],
)
def test_an_effect_follows_from_the_method_the_path_and_the_states(effect: Effect, names: set[str]) -> None:
    assert {row.name for api in Api for row in of(api, effect)} == names


def test_what_is_repeated_without_a_key_does_no_harm() -> None:
    assert {row.name for api in Api for row in of(api) if row.is_repeatable} == {"authenticate", "create_charge"}


@pytest.mark.parametrize("api", Api)
def test_every_kind_can_be_created_and_shown(api: Api) -> None:
    for kind in states_of(api):
        assert [row.name for row in of(api, Effect.CREATES) if row.kind == kind], kind
        assert query_of(api, kind).kind == kind


@pytest.mark.parametrize("row", EVERY)
def test_what_changes_an_object_is_a_transition_of_the_states(row: Operation) -> None:
    if row.effect in {Effect.CHANGES, Effect.REMOVES}:
        assert row.status, f"no transition of states.toml has the trigger {row.name}"


@pytest.mark.parametrize("api", Api)
def test_every_event_of_the_states_is_sent_by_one_operation(api: Api) -> None:
    events = sorted(event for states in states_of(api).values() for event in states.events)
    assert sorted(row.event for row in of(api) if row.event) == events
    assert set(events) <= set(openapi.description(api)["webhooks"])


@pytest.mark.parametrize("api", Api)
def test_every_event_of_the_states_has_a_requirement_that_it_is_sent(api: Api) -> None:
    for states in states_of(api).values():
        assert [row.event for row in states.transitions if row.event and row.announced not in catalogue()] == []
        assert [row.event for row in states.unrequested if row.announced not in catalogue()] == []
    assert set(announced_events(api)) <= set(event_names(api))


@pytest.mark.parametrize("row", EVERY)
def test_every_operation_is_a_method_of_the_client(row: Operation, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search for `def pay_charge` finds it; its docstring is the route."""
    method = vars(CLIENTS[row.api]).get(row.name)
    assert method is not None, f"{CLIENTS[row.api].__module__} has no method {row.name}"
    assert method.__doc__.startswith(f"{row.method} {row.path}."), f"the docstring of {row.name} names another route"
    client, calls = object.__new__(CLIENTS[row.api]), []
    monkeypatch.setattr(client, "call", lambda *route, **more: calls.append((*route, more["operation"])))
    if row.name not in SENT_OTHERWISE:
        getattr(client, row.name)(*(["a b"] if row.id_parameter else []), *([{}] if row.takes_body else []))
        assert calls == [(row.method, row.path_of("a%20b"), row.name)]


@pytest.mark.parametrize("row", EVERY)
def test_a_success_counts_if_it_has_what_the_operation_is_for(row: Operation) -> None:
    """`_is_meaningful_success` of the client accepts the documented example, and no empty object."""
    responses = openapi.operations(row.api)[row.name]["responses"]
    success = next(responses[status] for status in responses if str(status).startswith("2"))
    media = success.get("content", {}).get("application/json", {})
    if "schema" in media:
        is_meaningful = vars(sys.modules[CLIENTS[row.api].__module__])["_is_meaningful_success"]
        several = [example["value"] for example in media.get("examples", {}).values()]
        for example in several or [media["example"]]:
            assert is_meaningful(exchange(example, api=row.api, operation=row.name)), "the example does not count"
        if row.effect not in {Effect.CHANGES, Effect.LISTS} or row.api is Api.PAYMENTS:
            assert not is_meaningful(exchange({}, api=row.api, operation=row.name)), "an empty object counts"


@pytest.mark.parametrize("api", Api)
def test_every_operation_is_a_route_of_the_reference(api: Api) -> None:
    served = {name: (method, path.replace("{id}", "{}")) for method, path, name in APIS[api].rules.routes}
    assert served == {row.name: (row.method, row.path_of("{}")) for row in of(api)}


@pytest.mark.parametrize("question", Question)
@pytest.mark.parametrize("row", EVERY)
def test_every_operation_has_the_requirements_of_every_operation(row: Operation, question: Question) -> None:
    """401 without a valid credential, 404 of an unknown id, another account, another environment, the error body."""
    if CONCERNS[question](row):
        assert requirements_for(row, question), f'no requirement of {row.name} has asks = "{question}"'


@pytest.mark.parametrize("row", EVERY)
def test_the_requirements_of_a_refusal_name_its_status(row: Operation) -> None:
    """The suites expect that status; a list and a balance of another environment are those of the account there."""
    refused = {Question.NO_CREDENTIAL, Question.WRONG_CREDENTIAL, Question.EXPIRED_CREDENTIAL}
    if row.id_parameter:
        refused |= {Question.UNKNOWN_ID, Question.ODD_ID_NOT_FOUND, Question.OTHER_ENVIRONMENT}
    for question in refused:
        if CONCERNS[question](row):
            assert refusals_of(row, question), f'what {row.name} has for asks = "{question}" names no refusals'


def test_a_requirement_that_answers_a_question_is_about_an_operation_that_is_asked() -> None:
    for rule in catalogue().values():
        if rule.asks:
            assert rule.id in requirements_for(by_name(rule.api)[str(rule.operation)], Question(rule.asks)), rule.id


def test_an_operation_that_no_link_leads_to_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openapi, "linked_from", lambda *_: {})
    with pytest.raises(ValueError, match=r"no link of openapi\.yaml leads to pay_charge"):
        by_name.__wrapped__(Api.PAYMENTS)


@pytest.mark.parametrize("api", Api)
def test_every_trigger_is_a_creation_or_linked_from_it(api: Api) -> None:
    for states in states_of(api).values():
        creation = states.creation.trigger
        triggers = {row.trigger for row in states.transitions} | {row.trigger for row in states.refusals}
        assert triggers <= {creation, *openapi.linked_from(api, creation)}


@pytest.mark.parametrize("api", Api)
def test_the_tables_of_states_name_requirements_and_statuses_that_exist(api: Api) -> None:
    for states in states_of(api).values():
        tables = [states.requirements(name) for name in ("stays", "never_alone")]
        named = {name for table in tables for name in table.values()}
        named |= {refusal.requirement for refusal in states.refusals}
        named |= {transition.accepted for transition in states.transitions if transition.accepted}
        named |= {transition.requirement for transition in states.transitions}
        named |= {str(transition.announced) for transition in states.transitions if transition.event}
        named |= {name for row in states.unrequested for name in (row.announced, row.postback) if name}
        statuses = {status for row in states.unrequested for status in (*row.sources, *row.targets)}
        assert statuses <= set(states.statuses)
        assert named <= {requirement.id for requirement in catalogue().of(api)}
        assert {status for table in tables for status in table} <= set(states.statuses)
        assert {refusal.source for refusal in states.refusals} <= set(states.statuses)
