"""Each status in which an operation is refused: a server that accepts it there fails, else no test asks it."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pytest

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.states import StateRefusal, states_of
from pix_conformance.model.vocabulary import Api, Level
from pix_conformance.proof.runner import Job, run_all
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.sandbox.apis import APIS
from pix_conformance.sandbox.difference import setting
from pix_conformance.sandbox.mutants.operators.states import completable_in
from tests.support.reference_rules import leading_to

TRANSFER_STATUSES = states_of(Api.PAYMENTS)["transfer"].statuses
ACCEPTS: Mapping[tuple[Api, str], Callable[[str], dict[str, Any]]] = {
    (Api.PAYMENTS, "pay_charge"): lambda status: {"charge_payable": ("pending", status)},
    (Api.PAYMENTS, "complete_transfer"): completable_in,
    (Api.BUSINESS, "cancel_charge"): lambda status: {"cancelable": ("pending", status)},
}
"""By operation, the settings with which the reference accepts it in a status."""
ACCEPTED: Mapping[tuple[Api, str], set[str]] = {
    (Api.PAYMENTS, "pay_charge"): set(PaymentsRules.charge_payable),
    (Api.PAYMENTS, "complete_transfer"): {*TRANSFER_STATUSES} - {*PaymentsRules.transfer_incompletable},
    (Api.BUSINESS, "cancel_charge"): set(BusinessRules.cancelable),
}
"""By operation, the statuses in which the reference accepts it."""
RefusalRow = tuple[Api, str, StateRefusal]
REFUSALS: list[RefusalRow] = [
    (api, kind, row) for api in Api for kind, states in states_of(api).items() for row in states.refusals
]
RULES = f"{__name__}:"


def refusing(number: str) -> type:
    """Return the rules of the reference, with the settings that lead to the status of a refusal if no request does."""
    api, kind, row = REFUSALS[int(number)]
    is_reached = states_of(api)[kind].has_request_to(row.source)
    return setting("", **{} if is_reached else leading_to(api, kind, row.source)).rules(APIS[api].rules)


def accepting(number: str) -> type:
    """Return rules that accept the operation there."""
    api, _, row = REFUSALS[int(number)]
    return setting("", **ACCEPTS[api, row.trigger](row.source)).rules(refusing(number))


@cache
def outcomes() -> dict[str, str]:
    """Return by function and number of a refusal what the tests say of its requirement."""
    jobs = [
        Job(f"{server}:{number}", (f"{RULES}{server}:{number}",), (row.requirement,), apis=api)
        for number, (api, _, row) in enumerate(REFUSALS)
        for server in ("refusing", "accepting")
    ]
    results = {result.name: result.outcomes for result in run_all(jobs)}
    return {
        name: outcome_of[REFUSALS[int(name.partition(":")[2])][2].requirement] for name, outcome_of in results.items()
    }


@pytest.mark.parametrize("number", range(len(REFUSALS)), ids=[f"{row.trigger}-{row.source}" for *_, row in REFUSALS])
def test_a_test_asks_an_operation_in_each_status_in_which_it_is_refused(number: int) -> None:
    api, kind, row = REFUSALS[number]
    place = f"[{kind}.refusal] in specs/{api}/states.toml, {row.trigger} of a {kind} that is {row.source}"
    assert (api, row.trigger) in ACCEPTS, f"{place}: ACCEPTS has no settings with which the reference accepts it"
    right, wrong = (outcomes()[f"{server}:{number}"] for server in ("refusing", "accepting"))
    noticed = "fail" if catalogue()[row.requirement].level is Level.MUST else "warn"
    assert right != noticed, f"{place}: the reference does not refuse it ({row.requirement})"
    assert wrong == noticed, (
        f"{place}: no test of {row.requirement} asks it, as that is {wrong} of a server that accepts it. Where no "
        f"request leads to the status, the cases of suites/{api} are those of `refused_once_ended`"
    )


@pytest.mark.parametrize(("api", "operation"), ACCEPTED, ids=[operation for _, operation in ACCEPTED])
def test_the_reference_accepts_an_operation_in_the_statuses_of_its_rows(api: Api, operation: str) -> None:
    """Of a status of which the document is silent, as those of an approval, it refuses the operation."""
    ways = [way for states in states_of(api).values() for way in states.transitions]
    documented = {way.source for way in ways if way.trigger == operation}
    assert ACCEPTED[api, operation] == documented, (
        f"the statuses in which reference/{api} accepts {operation}, as in transfer_incompletable, and `from` of its "
        f"row in specs/{api}/states.toml"
    )
