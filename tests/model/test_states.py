"""The tables of states say what becomes of each status, and the OpenAPI files what each means."""

import ast
import re
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from pix_conformance import reference, sandbox
from pix_conformance.model import openapi
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.operations import Effect, by_name, of
from pix_conformance.model.states import announced_events, states_in, states_of
from pix_conformance.model.vocabulary import Api
from tests.support.event_statements import condition_of

OPEN = {
    (Api.PAYMENTS, "complete_transfer"): {"pending", "manual_analysis"},  # PAY-CMP-15
    (Api.PAYMENTS, "delete_webhook"): {"removed"},  # PAY-WH-64, which is no must
    (Api.BUSINESS, "pay_charge"): {"paid", "canceled", "expired"},  # BUS-PAY-05, BUS-PAY-06, BUS-PAY-07
}
"""The statuses of which no document says what an operation does."""
SHOWN_BY_NO_RIGHT_SERVER = {"banking_refused"}
"""Statuses that are in no variant; a suite would meet `banking_error` in the same way."""

each_api = pytest.mark.parametrize("api", Api)
TABLE: dict[str, Any] = {"statuses": ["paid", "returned"], "ended": ["returned"]}
ROW = {"from": ["paid"], "to": ["returned"], "event": "charge_returned", "announced": "PAY-EVT-99"}


@each_api
def test_each_operation_says_what_it_does_in_each_status(api: Api) -> None:
    """A status that is missing in `from` and in the refusals of an operation is open, or was forgotten."""
    for row in of(api, Effect.CHANGES, Effect.REMOVES):
        states = states_of(api)[str(row.kind)]
        said = {way.source for way in states.transitions if way.trigger == row.name}
        said |= {refusal.source for refusal in states.refusals if refusal.trigger == row.name}
        left = set(states.statuses) - said - OPEN.get((api, row.name), set())
        words = f"{row.name} of {sorted(left)}: `from` or a `refusal` in specs/{api}/states.toml"
        assert left == set(), f"{words}; where no document says what it does, a list that OPEN here has"


@each_api
def test_the_event_of_a_postback_url_is_due_when_that_of_webhooks_is(api: Api) -> None:
    """Of a change that no request causes: two requirements with one condition."""
    rows = [row for states in states_of(api).values() for row in states.unrequested if row.postback]
    for row in rows:
        conditions = [condition_of(name, row.event) for name in (row.announced, str(row.postback))]
        assert conditions[0] == conditions[1], (
            f"{row.announced} and {row.postback} in requirements.toml have to say the same between `When` and `, the"
            f" service sends {row.event}`"
        )


@each_api
def test_the_condition_of_an_event_names_the_statuses_of_changes_that_another_one_announces(api: Api) -> None:
    """Of two rows of states.toml without a trigger: the one of lists of statuses leaves out what the other one says."""
    for states in states_of(api).values():
        for name in {row.announced for row in states.unrequested}:
            own = [row for row in states.unrequested if row.announced == name]
            between = {status for row in own for status in (*row.sources, *row.targets)}
            others = [row for row in states.unrequested if row.announced != name]
            for source, target in {pair for row in others for pair in product(row.sources, row.targets)}:
                if {source, target} <= between and not any(row.is_shown_by(source, target) for row in own):
                    condition = condition_of(name, own[0].event)
                    assert source in condition, f"{name} in requirements.toml, but for {source} to {target}"
                    assert target in condition, f"{name} in requirements.toml, but for {source} to {target}"


@each_api
def test_each_status_is_in_one_group(api: Api) -> None:
    """One that is kept until a row without `trigger` leads to another one is in `stays`, as is one that is final."""
    for kind, states in states_of(api).items():
        if "under_way" in states.table:
            groups = Counter((*states.table["under_way"], *states.table["failed"], *states.requirements("stays")))
            wrong = [status for status in states.statuses if groups.pop(status, 0) != 1]
            assert [*wrong, *groups] == [], (
                f"in [{kind}] of specs/{api}/states.toml each of `statuses` is in one of the lists `under_way` and "
                f"`failed` or in [{kind}.stays], also if a row without `trigger` leads from or to it"
            )


def schemas_with_table(node: Any) -> list[dict[str, Any]]:
    """Return each schema within a description that lists values and has a table of their meanings."""
    if isinstance(node, list):
        return [schema for part in node for schema in schemas_with_table(part)]
    if not isinstance(node, dict):
        return []
    own = [node] if "enum" in node and "|---|" in str(node.get("description")) else []
    return [*own, *schemas_with_table(list(node.values()))]


@each_api
def test_a_table_of_values_has_each_value(api: Api) -> None:
    for schema in schemas_with_table(openapi.source(api)["components"]["schemas"]):
        explained = re.findall(r"^\| `(\w+)` \|", schema["description"], re.MULTILINE)
        assert sorted(explained) == sorted(schema["enum"]), f"the table in a description of specs/{api}/openapi.yaml"


@each_api
def test_each_status_is_shown_by_a_right_server(api: Api) -> None:
    """By the reference or by a variant: else nothing shows that the suite bears it.

    A list of statuses that the reference accepts, which has an annotation, shows none.
    """
    rooms = [Path(str(reference.__file__)).parent / api, Path(str(sandbox.__file__)).parent / "variants" / api]
    nodes = [
        node for room in rooms for path in room.rglob("*.py") for node in ast.walk(ast.parse(path.read_text("utf-8")))
    ]
    accepted = {id(part) for node in nodes if isinstance(node, ast.AnnAssign) for part in ast.walk(node)}
    texts = {
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in accepted
    }
    for kind, states in states_of(api).items():
        if kind != "webhook":
            missing = set(states.statuses) - texts - SHOWN_BY_NO_RIGHT_SERVER
            assert missing == set(), f"no variant in sandbox/variants/{api} has a {kind} of these statuses"


@each_api
def test_the_requirement_of_a_kept_status_names_what_follows_it_without_a_request(api: Api) -> None:
    """Else one of two requirements is untrue: that of `stays`, or that of the transition."""
    for kind, states in states_of(api).items():
        for status, rule in states.requirements("stays").items():
            _, _, behind = catalogue()[rule].statement.partition(status)
            unnamed = set(states.followed_by(status)) - set(re.findall(r"\w+", behind))
            assert unnamed == set(), (
                f"the statement of {rule} ([{kind}.stays] of specs/{api}/states.toml) says that {status} is kept; "
                f"name {', '.join(sorted(unnamed))} behind it, which a row without `trigger` leads to from it"
            )


@each_api
def test_what_no_request_causes_is_asked_by_a_suite(api: Api) -> None:
    """That of the payments API asks it of each object whose creation has an event."""
    asked = {kind for kind, states in states_of(api).items() if api is Api.PAYMENTS and states.creation.event}
    left_out = {kind for kind, states in states_of(api).items() if states.unrequested} - asked
    places = f"fixtures/{api} and checks/{api}/event_history.py do not look for events that no request causes, of"
    assert left_out == set(), f"{places} {', '.join(sorted(left_out))}"


@each_api
def test_what_comes_to_the_postback_url_is_a_callback(api: Api) -> None:
    """`NO_CALLBACKS` of test_openapi.py lists events of which no row says so."""
    paths = openapi.source(api)["paths"]
    for states in states_of(api).values():
        creation = by_name(api)[states.creation.trigger]
        callbacks = paths[creation.path][creation.method.lower()].get("callbacks", {}).values()
        described = {path["$ref"] for callback in callbacks for path in callback.values()}
        posted = {f"#/webhooks/{row.event}" for row in states.unrequested if row.postback}
        assert posted <= described, f"callbacks of {creation.name} in specs/{api}/openapi.yaml"


def test_one_status_in_the_place_of_a_list_is_named() -> None:
    with pytest.raises(ValueError, match=r'"returned" is no list of this table .* written \["returned"\]'):
        states_in({**TABLE, "transition": [ROW | {"to": "returned"}]})


def test_a_key_that_says_nothing_without_a_trigger_is_named() -> None:
    with pytest.raises(ValueError, match="without `trigger` has no `moves_money`"):
        states_in({**TABLE, "transition": [ROW | {"moves_money": True}]})


def test_a_list_is_read_by_its_name() -> None:
    (row,) = states_in({**TABLE, "transition": [ROW | {"to": "ended"}]}).unrequested
    assert row.targets == ("returned",)


REQUESTED = {
    "from": ["paid"],
    "to": "returned",
    "trigger": "return_charge",
    "condition": "any",
    "requirement": "PAY-EVT-99",
}


@pytest.mark.parametrize(
    ("row", "other"),
    [
        (ROW, ROW | {"to": "ended", "announced": "PAY-EVT-98"}),
        (REQUESTED, REQUESTED | {"from": ["returned", "paid"], "condition": "again"}),
    ],
    ids=["event", "trigger"],
)
def test_two_rows_that_show_the_same_change_are_named(row: dict[str, Any], other: dict[str, Any]) -> None:
    with pytest.raises(
        ValueError, match=r"two rows of states\.toml show the same change, paid to returned by"
    ) as refusal:
        states_in({**TABLE, "transition": [row, other]})
    assert f"{row} and {other}" in str(refusal.value)


def test_two_refusals_of_one_status_are_named() -> None:
    row = {"from": ["paid"], "trigger": "return_charge", "status": 400, "requirement": "PAY-EVT-98"}
    with pytest.raises(ValueError, match=r"two rows of states\.toml"):
        states_in({**TABLE, "transition": [REQUESTED], "refusal": [row, row | {"status": 409}]})


def test_two_changes_may_have_one_event(monkeypatch: pytest.MonkeyPatch) -> None:
    """And a requirement each: that of the first stays the one of the event."""
    rows = [ROW, ROW | {"from": ["returned"], "to": ["paid"], "announced": "PAY-EVT-98"}]
    table = states_in({**TABLE, "transition": rows})
    assert len(table.unrequested) == len(rows)
    monkeypatch.setattr("pix_conformance.model.states.states_of", lambda _: {"charge": table})
    assert announced_events(Api.PAYMENTS) == {ROW["event"]: ROW["announced"]}
