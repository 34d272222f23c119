"""What README and CONTRIBUTING show of an output is what a command prints, but for ids and what `...` leaves out."""

import re
from pathlib import Path

import pytest

from pix_conformance.model.paths import TEST_TREE
from pix_conformance.proof.mutants_command import main
from tests.support.broken_runs import broken_run

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
    output = broken_run(tmp_path, "--only", "PAY-IDEM-09", by=[MUTANT]).output
    assert lines_missing("README.md", "FAIL PAY-IDEM-09", output) == []


def test_contributing_shows_the_mutant_as_the_command_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([MUTANT.removesuffix("-stands-for-key")]) == 0
    assert lines_missing("CONTRIBUTING.md", "killed  PAY-IDEM-09", capsys.readouterr().out) == []
