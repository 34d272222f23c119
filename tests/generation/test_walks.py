"""Walks: one that fails is shrunk, printed as steps and found again by --again."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from pix_conformance.checks.matchers import status
from pix_conformance.generation.walks import Walks
from pix_conformance.harness.expect import expect
from pix_conformance.harness.outcomes import RequirementFailed
from pix_conformance.harness.run import Run
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Api
from pix_conformance.proof.suite_run import Finished, run_suite
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import numbered
from pix_conformance.recording.recorder import Recorder
from pix_conformance.reference.process import Running, start
from pix_conformance.reference.sandbox_server import variables
from pix_conformance.report.dependency_chain import RecordedExchanges
from pix_conformance.sandbox.mutants.registry import all_mutants
from tests.support.exchanges import exchange

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
    with start([all_mutants()[MUTANT].rules]) as running:
        yield running


@pytest.fixture(scope="module")
def bundle(broken: Running, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """The bundle of many walks against that server."""
    words = ("-k", "any_sequence_of_charges", "--api", "payments", *WALKS, "--seed", "1")
    return run_suite(tmp_path_factory.mktemp("run") / "out", *words, **variables(broken.credentials))


def operations_of_failure(recorded: RecordedExchanges, requirement: str) -> list[str | None]:
    """Return the operations of the requests on which the only failure of a requirement depends, in order."""
    (failure,) = (
        judgement for entry in recorded.bundle.entries if entry.id == requirement for judgement in entry.missed
    )
    return [exchange.operation for exchange in recorded.chain(numbered(failure.evidence) or 0) or []]


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

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self.moves = {"ask": self._ask}

    def _ask(self, _: int) -> None:
        number = len(self._recorder.exchanges) + 1
        answer = exchange({}, id=number, operation="get_charge", recorder=self._recorder)
        self._recorder.exchanges.append(answer)
        expect(answer, status(404 if number == THIRD else 200), of=RULE)

    def finish(self) -> None:
        """Judge nothing."""

    def remove(self) -> None:
        """Remove nothing."""


def test_a_walk_that_fails_only_once_has_failed() -> None:
    """It is made again, to be shrunk, and goes on where it had ended: that is no error of the suite."""
    recorder = Recorder(test="test_walk", requirements=(RULE,))
    run = SimpleNamespace(recorder=recorder, target=SimpleNamespace(embedded=True), settings=Settings(Target("x", "y")))
    with pytest.raises(RequirementFailed, match="status is 200, not 404"):
        Walks(cast("Run", run), Api.PAYMENTS, lambda: FailsOnce(recorder), count=2).make()
    assert [judgement.evidence for judgement in recorder.judgements if judgement.mismatches] == ["exchange 3"]
