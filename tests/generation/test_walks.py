"""What fails is the smallest: a walk is shrunk, printed and found again, as is a generated input; their number."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from pix_conformance.checks.matchers import status
from pix_conformance.generation.examples import SHARE, affordable
from pix_conformance.generation.walks import Walks
from pix_conformance.harness.current_test import CurrentTest
from pix_conformance.harness.expect import expect
from pix_conformance.harness.outcomes import RequirementFailed
from pix_conformance.harness.run import Run
from pix_conformance.model.settings import Generation, Settings
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Api, Outcome
from pix_conformance.proof.suite_run import Finished, run_suite
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.facts import Ended, Facts
from pix_conformance.reference.process import Running, start
from pix_conformance.reference.sandbox_server import variables
from pix_conformance.report.recorded_exchanges import LOGIN, RecordedExchanges
from pix_conformance.report.script_requests import requests_of
from pix_conformance.sandbox.mutants.registry import all_mutants
from tests.support.exchanges import exchange
from tests.support.judged_facts import result

MUTANT = "PAY-PAYS-19/pays-whole-account"
RULE = "PAY-PAYS-19"
THIRD = 3
WALKS = ("--examples", "3000")
"""200 walks: with any seed, and so with any number of moves to draw from, one of the first shows the error."""
SHORTEST = ["create_charge", "create_charge", "pay_charge", "get_charge", "get_charge"]
"""The operations of the shortest walk that shows the error of the mutant."""


@pytest.fixture(scope="module")
def broken() -> Iterator[Running]:
    """A server where the payment of one charge pays all: no single charge shows it."""
    with start([all_mutants()[MUTANT].rules_name]) as running:
        yield running


@pytest.fixture(scope="module")
def bundle(broken: Running, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """The bundle of many walks against that server."""
    words = ("-k", "any_sequence_with_transfers", "--api", "payments", *WALKS, "--seed", "1")
    return run_suite(tmp_path_factory.mktemp("run") / "out", *words, **variables(broken.credentials))


def operations_of_failure(recorded: RecordedExchanges, requirement: str) -> list[str | None]:
    """Return the operations of the requests that show the only failure of a requirement, without logins, in order."""
    (failure,) = (
        judgement for entry in recorded.bundle.entries if entry.id == requirement for judgement in entry.missed
    )
    return [exchange.operation for exchange in requests_of(recorded, failure) if exchange.operation != LOGIN]


def test_a_walk_that_fails_is_shrunk(bundle: Finished) -> None:
    assert operations_of_failure(RecordedExchanges(read(bundle.directory)), RULE) == SHORTEST
    assert bundle.outcome(RULE) == "fail"


def test_the_steps_of_a_shrunk_walk_are_printed(bundle: Finished) -> None:
    steps = [line for line in bundle.output.partition(f"FAIL {RULE}")[2].splitlines() if " -> 200" in line]
    assert ["POST /api/v1/pix/in/qrcode {" in line for line in steps[:3]] == [True, True, False]
    assert steps[0].split()[:2] == ["steps", "1."]
    assert len(steps) == len(SHORTEST)


def test_a_walk_that_failed_is_the_first_of_the_next_run(bundle: Finished, broken: Running, tmp_path: Path) -> None:
    words = ("--again", str(bundle.directory), "--only", RULE, "--api", "payments")
    same = run_suite(tmp_path / "same", *words, **variables(broken.credentials))
    with start() as mended:
        fixed = run_suite(tmp_path / "fixed", *words, **variables(mended.credentials))
    assert (same.exit, fixed.exit) == (1, 0), same.output + fixed.output
    assert f"still failing {RULE}" in same.output
    assert f"fixed {RULE}" in fixed.output


class FailsOnce:
    """A model whose third request fails a requirement, and no other one."""

    def __init__(self, test: CurrentTest) -> None:
        self._test = test
        self.moves = {"ask": self._ask}

    def _ask(self, _: int) -> None:
        number = len(self._test.facts.exchanges) + 1
        answer = exchange({}, id=number, operation="get_charge", current_test=self._test)
        self._test.facts.add(answer)
        expect(answer, status(404 if number == THIRD else 200), of=RULE)

    def finish(self) -> None:
        """Judge nothing."""

    def remove(self) -> None:
        """Remove nothing."""


def test_a_walk_that_fails_only_once_has_failed() -> None:
    """It is made again, to be shrunk, and goes on where it had ended: that is no error of the suite."""
    test = CurrentTest(node="test_walk", requirements=(RULE,))
    target, settings = SimpleNamespace(embedded=True), Settings(Target("x", "y"))
    sender = SimpleNamespace(facts=test.facts)
    run = SimpleNamespace(current_test=test, sender=sender, target=target, settings=settings)
    with pytest.raises(RequirementFailed, match="status is 200, not 404"):
        Walks(cast("Run", run), Api.PAYMENTS, lambda: FailsOnce(test), count=2).make()
    failures = [judgement for judgement in result(test.facts, RULE).judgements if judgement.mismatches]
    assert [(failure.evidence, failure.steps[-1]) for failure in failures] == [("exchange 3", 3)]


PROPERTY = "test_every_combination_of_exactly_the_whole_is_accepted"
WRITTEN = 3
"""The inputs that are written beside it, and that of a fixture."""


@pytest.mark.parametrize(
    ("milliseconds", "count"), [(25, 15), (130, 15), (200, 10), (275, 7), (400, 5), (2_000, 5)], ids=str
)
def test_a_slow_target_gets_fewer_inputs(milliseconds: int, count: int) -> None:
    assert affordable(Settings(Target("target", "http://127.0.0.1")), milliseconds / 1_000) == count


def test_the_number_that_was_given_stays() -> None:
    given = Settings(Target("target", "http://127.0.0.1"), generation=Generation(40, examples_chosen=True))
    assert affordable(given, 2) == 40


def test_the_embedded_reference_gets_all_inputs_however_busy_the_machine_is() -> None:
    assert affordable(Settings(Target("reference", "", embedded=True)), 2) == 15


def test_a_run_says_that_it_has_fewer_inputs(tmp_path: Path) -> None:
    with start() as running:
        words = ("-k", PROPERTY, "--api", "payments", "--rate", "5")
        done = run_suite(tmp_path / "out", *words, **variables(running.credentials))
    assert "generated requests: 10 examples only, as a request takes 200 ms (see --examples)" in done.output
    exchanges = [exchange for exchange in read(done.directory).exchanges if PROPERTY in (exchange.test or "")]
    combinations = [exchange for exchange in exchanges if len(exchange.request.json_object.get("splits", ())) > 1]
    assert len(combinations) - WRITTEN == 10 // SHARE


def test_the_last_failure_of_each_requirement_stays_and_the_others_are_counted() -> None:
    facts = Facts()
    for evidence, test, *mismatches in (
        ("exchange 1", "a test", "amount_cents is 34463, not 99999"),
        ("exchange 2", "a test"),
        ("exchange 1", "another test", "amount_cents is 34463, not 99999"),
        ("exchange 1", "a test", "amount_cents is 34463, not 99999"),
        ("exchange 3", "a test", "amount_cents is 0, not 65536"),
    ):
        facts.expect(requirements=("BUS-CHG-56",), test=test, evidence=evidence, mismatches=tuple(mismatches))
    for test in ("a test", "another test"):
        facts.add(Ended(test=test, requirements=("BUS-CHG-56",), is_failure=True, is_generated=test == "a test"))
    judged = result(facts, "BUS-CHG-56")
    assert judged.outcome is Outcome.FAIL
    assert [(row.evidence, row.test, row.mismatches, row.smallest_of) for row in judged.judgements] == [
        ("exchange 2", "a test", (), 0),
        ("exchange 1", "another test", ("amount_cents is 34463, not 99999",), 0),
        ("exchange 3", "a test", ("amount_cents is 0, not 65536",), 3),
    ]


DESCRIPTIONS = "suites/payments/test_charge_fields.py::test_every_description_is_accepted"
MANY = "75"
"""Five times as many as by default: the test has a fifth of them."""


def descriptions(server: Running, directory: Path, seed: str) -> list[str]:
    """Run the property; return the descriptions that it sent."""
    words = (DESCRIPTIONS, "--examples", MANY, "--seed", seed)
    done = run_suite(directory, *words, **variables(server.credentials))
    sent = [exchange for exchange in read(done.directory).exchanges if exchange.test == DESCRIPTIONS]
    bodies = [json.loads(exchange.request.body) for exchange in sent if exchange.operation == "create_charge"]
    return [body["description"] for body in bodies if "description" in body]


def test_the_smallest_failing_input_is_sent_first_in_the_next_run_into_its_directory(tmp_path: Path) -> None:
    with start(["tests.support.reference_rules:DescriptionsOfTen"]) as server:
        first = descriptions(server, tmp_path / "out", "1")
        again = descriptions(server, tmp_path / "out", "2")
        elsewhere = descriptions(server, tmp_path / "other", "2")
    smallest = min((description for description in first if len(description) > 10), key=len)
    assert first[0] != smallest
    assert again[0] == smallest
    assert elsewhere[0] != smallest
