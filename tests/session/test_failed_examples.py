"""An input that failed is kept in the report directory: the next run into it sends it first, with any seed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pix_conformance.proof.suite_run import run_suite
from pix_conformance.recording.bundle.reader import read
from pix_conformance.reference.process import Running, start
from pix_conformance.reference.sandbox_server import variables
from pix_conformance.sandbox.mutants.registry import all_mutants

RULES = "tests.support.reference_rules:DescriptionsOfTen"
PROPERTY = "suites/payments/test_charge_fields.py::test_every_description_is_accepted"
WALK = "suites/payments/test_sequences.py::test_any_sequence_of_charges_and_webhooks_follows_the_model"
MUTANT = "PAY-PAYS-19/pays-whole-account"
SHORTEST = ["create_charge", "create_charge", "pay_charge", "get_charge", "get_charge"]
"""The operations of the shortest walk that shows the error of the mutant."""
FIRST_WALK = 30
"""Before which request of the test its first random walk has begun."""


@pytest.fixture
def server() -> Iterator[Running]:
    """A server that refuses descriptions of more than ten characters."""
    with start([RULES]) as running:
        yield running


def _descriptions(server: Running, directory: Path, seed: str) -> list[str]:
    """Run the property; return the descriptions that it sent."""
    done = run_suite(directory, PROPERTY, "--seed", seed, **variables(server.credentials))
    sent = [exchange for exchange in read(done.directory).exchanges if exchange.test == PROPERTY]
    bodies = [json.loads(exchange.request.body) for exchange in sent if exchange.operation == "create_charge"]
    return [body["description"] for body in bodies if "description" in body]


def test_the_smallest_failing_input_is_sent_first_in_the_next_run(server: Running, tmp_path: Path) -> None:
    first = _descriptions(server, tmp_path / "out", "1")
    again = _descriptions(server, tmp_path / "out", "2")
    elsewhere = _descriptions(server, tmp_path / "other", "2")
    smallest = min((description for description in first if len(description) > 10), key=len)
    assert first[0] != smallest
    assert again[0] == smallest
    assert elsewhere[0] != smallest


def test_a_walk_that_failed_is_made_first_in_the_next_run(tmp_path: Path) -> None:
    words = (WALK, "--examples", "80")
    with start([all_mutants()[MUTANT].rules]) as broken:
        run_suite(tmp_path / "out", *words, "--seed", "5", **variables(broken.credentials))
        again = run_suite(tmp_path / "out", *words, "--seed", "1", **variables(broken.credentials))
    sent = [exchange.operation for exchange in read(again.directory).exchanges if exchange.test == WALK]
    assert again.exit == 1, again.output
    assert any(sent[begun : begun + len(SHORTEST)] == SHORTEST for begun in range(FIRST_WALK))
