"""Generated inputs: 15 for a test, or as many as a slow target leaves time for; the smallest failure stays."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pix_conformance.generation.examples import affordable, keep_smallest
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Judgement
from pix_conformance.proof.suite_run import run_suite
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.recorder import Recorder
from pix_conformance.reference.process import Running, start
from pix_conformance.reference.sandbox_server import variables

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


def test_a_run_says_that_it_has_fewer_inputs(tmp_path: Path) -> None:
    with start() as running:
        words = ("-k", PROPERTY, "--api", "payments", "--rate", "5")
        done = run_suite(tmp_path / "out", *words, **variables(running.credentials))
    assert "generated requests: 10 examples only, as a request takes 200 ms (see --examples)" in done.output
    assert 10 <= sum(PROPERTY in (exchange.test or "") for exchange in read(done.directory).exchanges) < 15


FAILED = Judgement("BUS-CHG-56", "a test", "exchange 1", (), ("amount_cents is 34463, not 99999",))


def test_the_last_failure_of_each_requirement_stays_and_the_others_are_counted() -> None:
    recorder = Recorder()
    smallest = replace(FAILED, evidence="exchange 3", mismatches=("amount_cents is 0, not 65536",))
    passed, elsewhere = replace(FAILED, evidence="exchange 2", mismatches=()), replace(FAILED, test="another test")
    recorder.judgements += [FAILED, passed, elsewhere, FAILED, smallest]
    keep_smallest(recorder, "a test")
    assert recorder.judgements == [passed, elsewhere, replace(smallest, smallest_of=3)]


DESCRIPTIONS = "suites/payments/test_charge_fields.py::test_every_description_is_accepted"


def descriptions(server: Running, directory: Path, seed: str) -> list[str]:
    """Run the property; return the descriptions that it sent."""
    done = run_suite(directory, DESCRIPTIONS, "--seed", seed, **variables(server.credentials))
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
