"""The terminal output: one block for each failed requirement, and the address of the report as the last line."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pix_conformance.model.vocabulary import Outcome
from pix_conformance.proof.suite_run import Finished, run_suite
from pix_conformance.reference.process import Running
from pix_conformance.reference.sandbox_server import variables
from pix_conformance.session.command_line import UV, started_as
from pix_conformance.session.terminal import unknown

ID = "PAY-IDEM-02"


def test_a_failed_requirement_has_one_block_in_words_of_the_api(failed_run: Finished) -> None:
    """`tests/test_sample_output.py` holds the other lines."""
    assert failed_run.output.count(f"FAIL {ID} (must): POST /api/v1/pix/out/pixkey") == 1
    assert failed_run.exit == 1
    for line in (
        r"  document   payments.md, Idempotency of transfers, lines \d+",
        r"  cases      \d+ of \d+ failed",
        r"  again      .*python -m pytest --base-url http://\S+ --only PAY-IDEM-02",
        r"             #    the body of 1, with amount: 101 -> 102",
    ):
        assert re.search(f"^{line}", failed_run.output, re.MULTILINE), line


def test_nothing_of_the_suite_s_source_is_shown(failed_run: Finished) -> None:
    words = ("def test_", "pix_conformance.harness.clients", "FAILED", "Generated html report", "Traceback", "plugins:")
    assert [word for word in (*words, " failed in") if word in failed_run.output] == []
    assert failed_run.output.rstrip().splitlines()[-1] == (failed_run.directory / "index.html").as_uri()


def test_the_source_is_shown_with_vv(broken_server: Running, tmp_path: Path) -> None:
    done = run_suite(tmp_path / "out", "--only", ID, "-vv", **variables(broken_server.credentials))
    assert "def test_" in done.output


def test_the_page_has_the_command_that_started_the_run(failed_run: Finished) -> None:
    page = (failed_run.directory / "index.html").read_text(encoding="utf-8")
    assert f"python -m pytest --base-url {failed_run.results['target']['base_url']} --only {ID}" in page


@pytest.mark.parametrize(
    ("words", "environment", "command"),
    [
        (["/x/bin/pytest"], {}, "pytest"),
        (["/x/bin/pytest", "--only", "A"], {UV: "1"}, "uv run pytest"),
        (["/x/pix-conformance", "--base-url", "http://h"], {}, "pix-conformance --base-url http://h"),
        (["/x/pix-conformance", "--target=a b.toml", "--plan"], {}, "pix-conformance --target 'a b.toml'"),
        (["/x/pytest/__main__.py", "-q", "--no-waiting", "suites"], {}, "python -m pytest --no-waiting"),
        (["/x/bin/pytest", "--report-dir", "--level", "--level", "should"], {}, "pytest --level should"),
    ],
)
def test_the_command_is_the_one_that_was_typed(words: list[str], environment: dict[str, str], command: str) -> None:
    assert started_as(words, environment) == command


def test_inconclusive_requirements_are_grouped_by_reason() -> None:
    rows: Any = [_inconclusive(f"PAY-BAL-0{number}", "rate-limited; more") for number in range(1, 5)]
    rows.append(_inconclusive("PAY-GEN-01", "no answer"))
    assert unknown(rows) == [
        "inconclusive (PAY-BAL-01, PAY-BAL-02, PAY-BAL-03 and 1 more): rate-limited",
        "inconclusive (PAY-GEN-01): no answer",
    ]


def _inconclusive(name: str, reason: str) -> SimpleNamespace:
    return SimpleNamespace(requirement=SimpleNamespace(id=name), outcome=Outcome.INCONCLUSIVE, reason=reason)
