"""Generated inputs: 15 for a test, or as many as a slow target leaves time for; reports show the smallest failure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pix_conformance.generation.examples import affordable, keep_smallest
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Judgement
from pix_conformance.proof.suite_run import Finished, run_suite
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.recorder import Recorder
from pix_conformance.reference.process import Running, start
from pix_conformance.reference.sandbox_server import variables
from pix_conformance.report.ci_files import render_junit
from pix_conformance.report.pages import render_index
from tests.support import bundles

PROPERTY = "test_every_combination_of_exactly_the_whole_is_accepted"


@pytest.mark.parametrize(
    ("milliseconds", "count"), [(25, 15), (130, 15), (200, 10), (275, 7), (400, 5), (2_000, 5)], ids=str
)
def test_a_slow_target_gets_fewer_inputs(milliseconds: int, count: int) -> None:
    assert affordable(Settings(Target("target", "http://127.0.0.1")), milliseconds / 1_000) == count


def test_the_number_that_was_given_stays() -> None:
    given = Settings(Target("target", "http://127.0.0.1"), examples=40, examples_chosen=True)
    assert affordable(given, 2) == 40


def test_the_embedded_reference_gets_all_inputs_however_busy_the_machine_is() -> None:
    assert affordable(Settings(Target("reference", "", embedded=True)), 2) == 15


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with start() as running:
        yield running


def _run(server: Running, directory: Path, *words: str) -> tuple[Finished, int]:
    """Run one property; return the run and how many requests the property sent."""
    done = run_suite(directory / "out", "-k", PROPERTY, "--api", "payments", *words, **variables(server.credentials))
    return done, sum(PROPERTY in (exchange.test or "") for exchange in read(done.directory).exchanges)


def test_a_run_says_that_it_has_fewer_inputs(server: Running, tmp_path: Path) -> None:
    limited, few = _run(server, tmp_path / "limited", "--rate", "5")
    plain, usual = _run(server, tmp_path / "plain")
    assert "generated requests: 15 examples" in plain.output
    assert "examples only" not in plain.output
    assert "generated requests: 10 examples only, as a request takes 200 ms (see --examples)" in limited.output
    assert usual - few == 15 - 10


FAILED = Judgement("BUS-CHG-56", "a test", "exchange 1", (), ("amount_cents is 34463, not 99999",))


def test_the_last_failure_of_each_requirement_stays_and_the_others_are_counted() -> None:
    recorder = Recorder()
    smallest = replace(FAILED, evidence="exchange 3", mismatches=("amount_cents is 0, not 65536",))
    passed, elsewhere = replace(FAILED, evidence="exchange 2", mismatches=()), replace(FAILED, test="another test")
    recorder.judgements += [FAILED, passed, elsewhere, FAILED, smallest]
    keep_smallest(recorder, "a test")
    assert recorder.judgements == [passed, elsewhere, replace(smallest, smallest_of=3)]


def test_page_and_junit_count_the_inputs_that_failed(tmp_path: Path) -> None:
    judgement = bundles.judgement("exchange 1", "fail") | {"smallest_of": 28}
    bundle = bundles.run(tmp_path, bundles.requirement(4, outcome="fail", judgements=[judgement]))
    assert "The smallest of 28 generated inputs that failed." in render_index(bundle)
    assert b"the smallest of 28 generated inputs that failed" in render_junit(bundle)
