"""`pix-mutants` lists mutants, runs them, and chooses by changed files; a run of the proof; other services."""

import json
import re
from pathlib import Path, PurePosixPath

import pytest

from pix_conformance.proof import mutants_command
from pix_conformance.proof.mutants_command import main, source_line
from pix_conformance.proof.runner import NO_RESULT, TOO_LONG, Job, run_all
from pix_conformance.proof.suite_run import ROOT, run_suite
from pix_conformance.sandbox.mutants.registry import all_mutants
from tests.support.servers import always, serving


def mutants_of_file(name: str) -> set[str]:
    return {mutant.id for mutant in mutants_command.mutants_of_file(PurePosixPath(name), list(all_mutants().values()))}


def test_the_mutants_of_a_requirement_are_listed_with_their_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["PAY-IDEM-03", "--list", "--json"]) == 0
    rows = {row["id"]: row for row in json.loads(capsys.readouterr().out)}
    row = rows["PAY-IDEM-03/code-is-conflict"]
    line = (ROOT / row["file"]).read_text("utf-8").splitlines()[row["line"] - 1]
    assert '"PAY-IDEM-03/code-is-conflict": refused(' in line
    assert row["breaks"] == ["PAY-IDEM-03"]


def test_each_mutant_has_a_line_of_its_own_or_is_generated() -> None:
    listed = {
        mutant.id: source_line(mutant) for mutant in all_mutants().values() if "/" in mutant.id and ":" not in mutant.id
    }
    assert [name for name, (_, line) in listed.items() if line == 1] == []


def test_a_mutant_is_run_and_its_killer_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["PAY-BAL-13/paid-in-twice"]) == 0
    shown = capsys.readouterr().out
    assert re.search("by suites/payments/test_balance.py::test_a_payment_credits_the_free_balance_once", shown)
    assert "raised the free balance by" in shown


@pytest.mark.parametrize("words", [[], ["PAY-NOTHING-01"], ["--since", "no-such-commit"]])
def test_a_command_line_that_names_no_mutant_is_a_usage_error(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 4
    assert capsys.readouterr().err.startswith("pix-mutants: ")


def test_a_changed_file_affects_the_mutants_of_its_area_of_its_api_or_all() -> None:
    every = set(all_mutants())
    payments = {name for name, mutant in all_mutants().items() if mutant.breaks[0].startswith("PAY-")}
    area = mutants_of_file("src/pix_conformance/sandbox/mutants/payments/idempotency.py")
    assert "PAY-IDEM-02/ignores-amount" in area
    assert {all_mutants()[name].module for name in area} == {"payments.idempotency"}
    assert mutants_of_file("fixtures/payments/charges.py") == payments
    assert mutants_of_file("src/pix_conformance/checks/expect.py") == every
    assert mutants_of_file("docs/proof.md") == mutants_of_file("tests/test_imports.py") == set()
    asked = mutants_of_file("suites/payments/test_balance.py")
    assert "PAY-BAL-13/paid-in-twice" in asked
    assert asked < payments


def test_a_run_that_is_cut_and_one_that_breaks_off_have_exits_of_their_own() -> None:
    jobs = [Job("cut", (), seconds=1), Job("broken off", (), apis="no such API")]
    assert {result.name: result.exit for result in run_all(jobs)} == {"cut": TOO_LONG, "broken off": NO_RESULT}


RESPONDS = ["PAY-GEN-19", "PAY-GEN-20", "BUS-GEN-18", "BUS-GEN-19", "BUS-GEN-20"]
"""Each route responds: this is all that such a server does."""


@pytest.mark.parametrize(("status", "passed"), [(200, RESPONDS), (500, [])])
def test_a_server_that_answers_everything_with_an_empty_object_passes_nothing_else(
    status: int, passed: list[str], tmp_path: Path
) -> None:
    credentials = {"PIX_CLIENT_ID": "id-1", "PIX_CLIENT_SECRET": "secret-1", "PIX_API_KEY": "ak_test_1"}
    with serving(always(status, b"{}")) as url:
        words = ("--no-waiting", "--event-deadline", "1", "--tb=no")
        done = run_suite(tmp_path / "out", *words, PIX_BASE_URL=url, **credentials)
    assert (done.exit, done.with_outcome("pass"), done.with_outcome("error")) == (1, passed, [])
    assert "Traceback" not in done.output
