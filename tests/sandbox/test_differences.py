"""Faults, guards and the mutants that follow from a description."""

import asyncio
from typing import Any

import pytest

from pix_conformance.model.vocabulary import Api
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.server import composed
from pix_conformance.reference.state import ServerState
from pix_conformance.sandbox.difference import changes_refusal, changes_result, setting
from pix_conformance.sandbox.guards import DESCRIBED, amount_from, on
from pix_conformance.sandbox.mutants import schema
from pix_conformance.sandbox.mutants.operators.events import no_event

PAID = "business.pix.paid"
CHARGE = {"account": "merchant-a", "environment": "sandbox", "status": "paid", "description": None, "amount": 100}


def rules_of(difference: Any) -> Any:
    return composed(BusinessRules, [difference.rules(BusinessRules)])(ServerState())


def test_a_guarded_fault_shows_only_where_its_guards_hold() -> None:
    rules = rules_of(no_event(PAID).when(DESCRIBED, amount_from(100)))
    assert rules.should_emit(PAID, CHARGE)
    assert rules.should_emit(PAID, CHARGE | {"description": "x", "amount": 99})
    assert not rules.should_emit(PAID, CHARGE | {"description": "x"})


def test_a_guard_does_not_hold_where_there_is_nothing_to_judge() -> None:
    rules = rules_of(setting("Expiry is never noticed.", detects_expiry=lambda _rules, _name: False).when(DESCRIBED))
    assert rules.detects_expiry("get_charge")


def test_a_guard_needs_a_method_to_hold_back() -> None:
    with pytest.raises(TypeError, match="overrides no method"):
        setting("The list has one charge.", list_limit=1).when(DESCRIBED).rules(BusinessRules)


def test_two_differences_join_unless_one_sets_what_the_other_changes() -> None:
    plain = setting("Names are plain.", header_name=str)
    quoted = changes_result("x", header_name=lambda _, name, __: name)
    assert quoted.can_join(quoted)
    assert quoted.can_join(setting("The list has one charge.", list_limit=1))
    assert not plain.can_join(quoted)
    assert not quoted.can_join(plain)


def test_a_refusal_is_answered_or_raised_as_another_or_left() -> None:
    def other(_rules: Any, refusal: Refusal, call: Call) -> Any:
        return {"answered": Answer(202, refusal.kind), "other": Refusal("state", "other"), "left": None}[call.path[0]]

    rules = rules_of(changes_refusal("It refuses otherwise.", serve=other, authorize=other))
    answered, another, left = (Call("GET", (place,), {}, {}, b"") for place in ("answered", "other", "left"))
    assert asyncio.run(rules.answer(answered)).status == 202
    assert asyncio.run(rules.answer(another)).status == 409
    assert asyncio.run(rules.answer(left)).status == 401
    assert rules.authorize(answered).body == "unauthorized"


def test_the_result_of_an_operation_is_changed_where_the_guards_hold() -> None:
    difference = changes_result("No request is answered.", answer=lambda _rules, _right, _call: None)
    answer = rules_of(difference.when(on("get_charge"))).answer(Call("GET", ("v1",), {}, {}, b""))
    assert asyncio.run(answer) is not None


def test_a_description_gives_the_wrong_values_of_each_property() -> None:
    described = {
        "required": ["status"],
        "properties": {
            "status": {"type": "string", "enum": ["paid"], "x-requirement": "A", "x-requirements": {"enum": "B"}},
            "fees": {"type": ["integer", "null"], "minimum": 0, "x-requirement": "C"},
            "code": {"type": "string", "pattern": "^[0-9]+$", "x-requirement": "D"},
            "free": {"x-requirement": "E"},
        },
    }
    values = schema.wrong_values(schema.parts_of(described))
    assert {(path, wrong.operator, wrong.requirement) for path, wrong in values} == {
        *(("status", operator, "A") for operator in ("missing", "null", "wrong-type")),
        ("status", "outside-enum", "B"),
        *(("fees", operator, "C") for operator in ("wrong-type", "below-minimum")),
        *(("code", operator, "D") for operator in ("null", "wrong-type", "wrong-form")),
    }


def test_every_response_and_event_that_has_a_schema_gives_mutants() -> None:
    messages = [(api, message) for api in Api for message in schema.messages(api)]
    without = {(api, message.name) for api, message in messages if not list(message.differences())}
    assert without == {(Api.BUSINESS, name) for name in ("list_charges", "cancel_charge", "pay_charge")}
