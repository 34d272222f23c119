"""What README and CONTRIBUTING show of an output is what a command prints, but for ids and what `...` leaves out."""

import re
from pathlib import Path

import pytest

from pix_conformance.model.paths import TEST_TREE
from pix_conformance.proof.mutants_command import main
from pix_conformance.proof.suite_run import run_suite
from pix_conformance.sandbox.mutants.registry import all_mutants

MUTANT = "PAY-IDEM-09/body-stands-for-key"
ID = re.compile("uuid-[0-9]+|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def lines_missing(page: str, beginning: str, output: str) -> list[str]:
    """Return the lines of the block of a page that begins so, which an output does not contain."""
    block = re.search(
        f"^{re.escape(beginning)}.*?(?=^```)", (Path(TEST_TREE) / page).read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    assert block
    printed = ID.sub("ID", output)
    return [line for line in ID.sub("ID", block[0]).splitlines() if line.removesuffix("...").rstrip() not in printed]


def test_readme_shows_the_failure_that_a_run_prints(tmp_path: Path) -> None:
    words = ("--only", "PAY-IDEM-09", "-p", "tests.support.altered_run")
    output = run_suite(tmp_path, *words, WRONG=all_mutants()[MUTANT].rules).output
    assert lines_missing("README.md", "FAIL PAY-IDEM-09", output) == []


def test_contributing_shows_the_mutant_as_the_command_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([MUTANT.removesuffix("-stands-for-key")]) == 0
    assert lines_missing("CONTRIBUTING.md", "killed  PAY-IDEM-09", capsys.readouterr().out) == []
