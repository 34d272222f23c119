"""The order of the tests: most new mutants per request first, with what their judgements need before them."""

from __future__ import annotations

from dataclasses import replace

from pix_conformance.model.vocabulary import Api
from pix_conformance.proof.measured_run import Effects, MeasuredRun, MeasuredTest
from pix_conformance.proof.mutants.registry import load
from pix_conformance.proof.order import Kill, Ordering, kills
from pix_conformance.proof.recorded_tests import RecordedTests

SHOWN = ("PAY-BAL-01", "payments.get_balance")
RUN = MeasuredRun(
    tests={
        "s.py::test_dear": MeasuredTest(requests=9),
        "s.py::test_of_fixture": MeasuredTest(requests=1, fixtures=("charge",)),
        "s.py::test_free_after_it": MeasuredTest(requests=0, fixtures=("charge",), asks={"PAY-BAL-01"}),
        "s.py::test_refusal": MeasuredTest(requests=1, needs={"payments.create_webhook"}),
        "s.py::test_success": MeasuredTest(requests=2, succeeded={"payments.create_webhook"}),
        "s.py::test_balance": MeasuredTest(requests=1, shown={SHOWN}),
    },
    fixtures={"charge": Effects(requests=3)},
    preflight=Effects(requests=2),
    judged_on={"PAY-BAL-01": ("payments.get_balance",)},
)
RECORD = RecordedTests(sender={}, used={}, together=(), whole_run=frozenset())


def kill(mutant: str, *tests: str, messages: frozenset[tuple[str, str]] = frozenset()) -> Kill:
    """Return what kills a mutant."""
    return Kill(mutant, Api.PAYMENTS, frozenset(f"s.py::test_{one}" for one in tests), messages)


KILLS = [
    kill("a", "dear"),
    kill("b", "dear", "of_fixture"),
    kill("c", "of_fixture"),
    kill("d", "refusal"),
    kill("e", messages=frozenset({SHOWN})),
]


def order(record: RecordedTests = RECORD) -> list[str]:
    """Return the names of the tests in their order."""
    return [name.removeprefix("s.py::test_") for name in Ordering(RUN, record, KILLS).all()]


def test_the_first_test_kills_most_mutants_per_request() -> None:
    assert order() == ["balance", "of_fixture", "success", "refusal", "dear", "free_after_it"]


def test_a_refusal_follows_the_request_that_must_succeed_for_it_to_count() -> None:
    found = order()
    assert found.index("success") + 1 == found.index("refusal")


def test_a_mutant_counts_for_the_first_test_that_kills_it() -> None:
    places = Ordering(RUN, RECORD, KILLS).all()
    assert {name.removeprefix("s.py::test_"): one.killed for name, one in places.items() if one.killed} == {
        "balance": 1,
        "of_fixture": 2,
        "refusal": 1,
        "dear": 1,
    }


def test_tests_that_share_a_fixture_of_a_module_stand_together() -> None:
    together = (("s.py::test_balance", "s.py::test_dear"),)
    found = order(replace(RECORD, together=together))
    assert found.index("balance") + 1 == found.index("dear")


def test_what_judges_the_whole_run_counts_as_no_killer() -> None:
    mutant = load()["PAY-IDEM-09/body-stands-for-key"]
    killers = {mutant.id: ["s.py::test_dear", "s.py::test_success", "every message"]}
    found = kills([mutant], killers, RUN, frozenset({"s.py::test_dear"}))
    assert found == [Kill(mutant.id, Api.PAYMENTS, frozenset({"s.py::test_success"}), frozenset())]


def test_a_generated_mutant_is_killed_by_each_response_that_shows_it() -> None:
    mutant = next(one for one in load().values() if one.group == "schema" and "/create_charge." in one.id)
    requirement = mutant.breaks[0]
    run = replace(RUN, judged_on={requirement: ("payments.create_charge", "payments.get_charge")})
    assert kills([mutant], {}, run, frozenset())[0].messages == {(requirement, "payments.create_charge")}
