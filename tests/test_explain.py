"""One requirement in words: for a terminal, and on the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.defects.registry import load as load_defects
from reports.command import main
from reports.explain import EXAMPLES, examples, explain
from reports.questions import questions
from specs.catalogue import load
from tests.proof.examples import of_defect, right, wrong
from tests.running import run_suite


def test_a_requirement_is_explained_from_its_place_to_a_wrong_answer() -> None:
    words = explain("PAY-IDEM-02")
    for part in ("must:", "payments.md", "a key reused with another body conflicts", "< HTTP 409", "! status is 200"):
        assert part in words


def test_every_requirement_can_be_explained() -> None:
    for name in load():
        assert load()[name].statement in explain(name)


def test_a_requirement_that_no_document_states_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "PAY-NONE-01"]) == 4
    assert "no requirement is called PAY-NONE-01" in capsys.readouterr().err


def test_questions_are_those_of_the_tests() -> None:
    assert set(questions()) <= set(load())
    asked = [one.test for one in questions()["PAY-IDEM-02"]]
    assert "suites/payments/test_idempotency.py::test_a_key_reused_with_another_body_conflicts" in asked


def test_the_examples_are_of_known_requirements_and_bounded() -> None:
    assert set(examples()) <= set(load())
    assert len(examples()) > len(load()) // 2
    assert EXAMPLES.stat().st_size < 1_500_000


def test_an_example_of_a_run_shows_the_exchange_and_what_is_wrong(tmp_path: Path) -> None:
    done = run_suite(tmp_path / "out", "--only", "PAY-BAL-01")
    assert wrong(done.directory, ["PAY-BAL-01"]) == {}
    shown = right(done.directory)["PAY-BAL-01"]
    assert shown["sent"][0] == "GET /api/v1/balance"
    assert shown["got"][0] == "HTTP 200"
    defect = load_defects()["KeyReplaysAnything"]
    assert of_defect(defect, {"PAY-BAL-01": shown})["PAY-BAL-01"]["defect"] == "KeyReplaysAnything"
