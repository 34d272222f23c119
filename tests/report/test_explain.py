"""The explanation of one requirement, in the terminal and on the page."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.paths import SUITES
from pix_conformance.model.questions import is_asked_in
from pix_conformance.model.vocabulary import Api
from pix_conformance.proof.examples import complete, lacking, numbered, of_mutant, right, store, wrong
from pix_conformance.proof.suite_run import Finished
from pix_conformance.recording.bundle.reader import read
from pix_conformance.report import explain as listed
from pix_conformance.report.explain import examples, explain, listed_tests
from pix_conformance.report.report_command import main
from pix_conformance.sandbox.mutants.registry import all_mutants
from tests.recording.test_bundle import problems
from tests.support.bundles import RIGHT, nothing_measured, write_examples


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[None]:
    with nothing_measured(tmp_path):
        yield


@pytest.mark.usefixtures("checkout")
def test_a_release_explains_a_requirement_from_its_place_to_a_wrong_answer() -> None:
    write_examples()
    killed: dict[str, list[str]] = {"PAY-IDEM-02/one": ["suites/one.py::test"], "PAY-IDEM-02/two": []}
    listed.KILLS.write_text(json.dumps(killed), encoding="utf-8")
    words = explain("PAY-IDEM-02")
    for part in ("must:", "payments.md", "a key reused with another body conflicts", "< HTTP 409", "! status is 200"):
        assert part in words
    assert "Killed mutants: 1 of 2\n- PAY-IDEM-02/one: killed by suites/one.py::test\n" in words
    assert "Not measured" not in words


@pytest.mark.usefixtures("checkout")
def test_a_checkout_explains_all_but_what_has_to_be_measured_and_says_how() -> None:
    words = explain("PAY-IDEM-02")
    assert "a key reused with another body conflicts" in words
    assert words.endswith(
        "\n\nNot measured here: examples and which tests kill which mutant; "
        "`uv run python -m pix_conformance.proof data` in a checkout measures this (10 minutes)"
    )


def test_a_requirement_that_no_document_states_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "PAY-NONE-01"]) == 4
    assert "no requirement is called PAY-NONE-01" in capsys.readouterr().err


def test_every_requirement_is_explained_and_asked_in_a_file_that_asks_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run with `--only` imports no other files."""
    monkeypatch.setattr(listed, "files_that_ask", lambda _: ())  # so that all suites are collected once
    for requirement in (row for api in Api for row in catalogue().of(api)):
        asking = listed_tests(requirement).asking
        assert all(is_asked_in(text_of(test.test.partition("::")[0]), requirement) for test in asking), requirement.id
        words = explain(requirement.id)
        assert requirement.statement in words
        assert all(test.test in words for test in asking), requirement.id
        assert "Asked by: no test" not in words or requirement.unobservable, requirement.id


@cache
def text_of(file: str) -> str:
    return (SUITES.parent / file).read_text("utf-8")


def test_a_requirement_of_parametrised_cases_names_them() -> None:
    assert "test_a_charge_with_one_bad_field_is_refused (3 cases)" in explain("PAY-CHG-03")


def test_a_passive_requirement_names_the_operations_whose_responses_are_judged() -> None:
    assert "every response of create_charge, get_charge is judged" in explain("PAY-CHG-31")
    assert "every delivered event is judged" in explain("BUS-EVT-05")


def test_a_run_names_the_tests_that_it_collected(right_run: Finished) -> None:
    rows = {row["id"]: row for row in right_run.results["requirements"]}
    asked = [test["test"] for test in rows["PAY-BAL-01"]["asked_by"]]
    assert "suites/payments/test_balance.py::test_the_balance_is_queried_without_a_body" in asked
    assert rows["PAY-BAL-04"]["judged_on"] == ["payments.get_balance"]
    assert problems(right_run.results) == []
    assert "test_a_key_reused_with_another_body_conflicts" in explain("PAY-IDEM-02", read(right_run.directory))


@pytest.mark.usefixtures("checkout")
def test_recall_adds_wrong_examples_to_the_right_ones_of_a_whole_run() -> None:
    mutant = all_mutants()["PAY-IDEM-02/any-body-matches"]
    failed = {"PAY-IDEM-02": {**RIGHT, "mismatches": ["status is 200, not 409"]}}
    assert lacking(all_mutants()) == []
    store({"PAY-IDEM-02": RIGHT}, {})
    before = {mutant.id for mutant in lacking(all_mutants())}
    complete([(mutant, failed)], all_mutants())
    assert examples()["PAY-IDEM-02"]["right"] == RIGHT
    assert examples()["PAY-IDEM-02"]["wrong"]["mutant"] == mutant.id
    (shown,) = before - {mutant.id for mutant in lacking(all_mutants())}
    assert "PAY-IDEM-02" in all_mutants()[shown].breaks


def test_random_ids_of_an_example_are_numbered() -> None:
    first, second, key = "6a85b162-f6de-4d41-9d2e-8abb2d3115bd", "22679ccf-1f5f-47d9-afda-54932186bfda", "0a" * 16
    shown = numbered({"sent": [f"GET /{first}", f"key: {key}"], "got": [f"{second} {first}"], "mutant": "One"})
    assert shown == {"sent": ["GET /uuid-1", "key: hex-2"], "got": ["uuid-3 uuid-1"], "mutant": "One"}


def test_an_example_of_a_run_shows_the_exchange_and_what_is_wrong(right_run: Finished) -> None:
    assert wrong(right_run.directory, ["PAY-BAL-01"]) == {}
    shown = right(right_run.directory)["PAY-BAL-01"]
    assert shown["sent"][0] == "GET /api/v1/balance"
    assert shown["got"][0] == "HTTP 200"
    mutant = all_mutants()["PAY-IDEM-02/any-body-matches"]
    assert of_mutant(mutant, {"PAY-BAL-01": shown})["PAY-BAL-01"]["mutant"] == "PAY-IDEM-02/any-body-matches"
