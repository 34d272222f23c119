"""The explanation of one requirement, in the terminal and on the page."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from docs import tests_of_requirement
from pix_conformance.model.catalogue import load
from pix_conformance.proof.examples import numbered, of_mutant, right, wrong
from pix_conformance.proof.mutants.registry import load as load_mutants
from pix_conformance.proof.suite_run import ROOT, run_suite
from pix_conformance.report.explain import EXAMPLES, Example, examples, explain, stored_form
from pix_conformance.report.report_command import main
from pix_conformance.results.bundle.reader import read
from pix_conformance.results.listed_tests import LIST
from tests.results.test_bundle import problems


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


def test_a_closed_pipe_ends_the_command_without_an_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    run = "raise SystemExit(main(['explain', 'PAY-ERR-08']))"
    command = f"from pix_conformance.report.report_command import main; {run}"
    words = [sys.executable, "-c", command]
    done = subprocess.run(words, cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, check=False)  # noqa: S603  # our own
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.fixture(scope="module")
def listed() -> dict[str, Any]:
    """The tests of each requirement, from a new collection of the suites."""
    found: dict[str, Any] = json.loads(tests_of_requirement.collected())
    return found


def test_the_shipped_list_is_that_of_the_collected_suites(listed: dict[str, Any]) -> None:
    assert json.loads(LIST.read_text("utf-8")) == listed


def test_the_explanation_of_every_active_requirement_names_its_tests(listed: dict[str, Any]) -> None:
    for one in load().values():
        if one.unobservable:
            continue
        explained, tests = explain(one.id), listed["asked_by"][one.id]
        assert tests or one.passive, one.id
        assert "Asked by: no test" not in explained, one.id
        assert all(test in explained for test in tests), one.id


def test_a_requirement_of_parametrised_cases_names_them() -> None:
    assert "test_a_charge_with_one_bad_field_is_refused (2 cases)" in explain("PAY-CHG-03")


def test_a_passive_requirement_names_the_operations_whose_responses_are_judged() -> None:
    assert "every response of create_charge, get_charge is judged" in explain("PAY-CHG-31")
    assert "every delivered event is judged" in explain("BUS-EVT-05")


def test_an_id_may_be_written_in_small_letters() -> None:
    assert explain("pay-idem-02") == explain("PAY-IDEM-02")


def test_a_run_names_the_tests_that_it_collected(tmp_path: Path) -> None:
    done = run_suite(tmp_path / "out", "--only", "pay-bal-01")
    rows = {one["id"]: one for one in done.results["requirements"]}
    asked = [one["test"] for one in rows["PAY-IDEM-02"]["asked_by"]]
    assert "suites/payments/test_idempotency.py::test_a_key_reused_with_another_body_conflicts" in asked
    assert rows["PAY-BAL-04"]["judged_on"] == ["payments.get_balance"]
    assert problems(done.results) == []
    assert "test_a_key_reused_with_another_body_conflicts" in explain("PAY-IDEM-02", read(done.directory))


def test_the_examples_are_of_known_requirements_and_bounded() -> None:
    assert set(examples()) <= set(load())
    assert len(examples()) > len(load()) // 2
    assert EXAMPLES.stat().st_size < 450_000


def test_the_examples_are_read_as_they_were_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found: dict[str, dict[str, Example]] = {"PAY-BAL-01": {"right": {"sent": ["GET /"], "got": ["HTTP 200", "{}"]}}}
    found["PAY-BAL-02"] = {"wrong": {"sent": ["GET /"], "got": [], "mutant": "One", "mismatches": ["no response"]}}
    monkeypatch.setattr("pix_conformance.report.explain.EXAMPLES", tmp_path / "examples.json")
    assert examples.__wrapped__() == {}
    (tmp_path / "examples.json").write_text(stored_form(found), encoding="utf-8")
    assert examples.__wrapped__() == found


def test_random_ids_of_an_example_are_numbered() -> None:
    first, second, key = "6a85b162-f6de-4d41-9d2e-8abb2d3115bd", "22679ccf-1f5f-47d9-afda-54932186bfda", "0a" * 16
    shown = numbered({"sent": [f"GET /{first}", f"key: {key}"], "got": [f"{second} {first}"], "mutant": "One"})
    assert shown == {"sent": ["GET /uuid-1", "key: hex-2"], "got": ["uuid-3 uuid-1"], "mutant": "One"}


def test_an_example_of_a_run_shows_the_exchange_and_what_is_wrong(tmp_path: Path) -> None:
    done = run_suite(tmp_path / "out", "--only", "PAY-BAL-01")
    assert wrong(done.directory, ["PAY-BAL-01"]) == {}
    shown = right(done.directory)["PAY-BAL-01"]
    assert shown["sent"][0] == "GET /api/v1/balance"
    assert shown["got"][0] == "HTTP 200"
    mutant = load_mutants()["PAY-IDEM-02/any-body-matches"]
    assert of_mutant(mutant, {"PAY-BAL-01": shown})["PAY-BAL-01"]["mutant"] == "PAY-IDEM-02/any-body-matches"
