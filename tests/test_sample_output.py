"""The failure that README and CONTRIBUTING show is what a run prints, but for ids and what `...` leaves out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pix_conformance.model.paths import TEST_TREE
from pix_conformance.proof.suite_run import run_suite
from pix_conformance.sandbox.mutants.registry import load

MUTANT = "PAY-IDEM-09/body-stands-for-key"
UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
FAILURE = re.compile("^FAIL .*?(?=^```)", re.DOTALL | re.MULTILINE)


def without_ids(text: str) -> str:
    return UUID.sub("UUID", text)


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> str:
    directory = tmp_path_factory.mktemp("report")
    words = ("--only", "PAY-IDEM-09", "-p", "tests.support.wrong_reference")
    return run_suite(directory, *words, WRONG=load()[MUTANT].rules).output


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_a_page_shows_the_failure_that_a_run_prints(output: str, page: str) -> None:
    """Each line of the block that begins with FAIL stands in the output of a run against the mutant."""
    failure = FAILURE.search((Path(TEST_TREE) / page).read_text(encoding="utf-8"))

    assert failure
    for line in without_ids(failure[0]).splitlines():
        assert line.removesuffix("...") in without_ids(output)
