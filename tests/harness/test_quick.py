"""--quick: a part of the suites that covers each operation with few requests, and is called partial everywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pix_conformance.model import openapi
from pix_conformance.model.vocabulary import Api, Outcome
from pix_conformance.proof.suite_run import Finished, run_suite
from pix_conformance.results.bundle.reader import read

MOST_REQUESTS = 250


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """A run against the embedded reference."""
    return run_suite(tmp_path_factory.mktemp("quick") / "out", "--quick")


def test_a_quick_run_passes_with_few_requests(quick: Finished) -> None:
    assert quick.exit == 0, quick.output
    assert len(read(quick.directory).exchanges) <= MOST_REQUESTS


def test_every_operation_succeeds_and_refuses_something(quick: Finished) -> None:
    seen = read(quick.directory).exchanges
    every = {(api, one) for api in Api for one in openapi.operations(api)}
    assert every == {(one.api, one.operation) for one in seen if one.ok} & every
    refused = {(one.api, one.operation) for one in seen if one.status and 400 <= one.status < 500}
    assert every - refused <= {(Api.PAYMENTS, "list_webhooks")}


def test_each_kind_of_event_is_received(quick: Finished) -> None:
    assert {
        *("PAY-EVT-01", "PAY-EVT-02", "PAY-EVT-03", "PAY-EVT-04", "PAY-SIG-03"),
        *("BUS-EVT-01", "BUS-EVT-02", "BUS-EVT-03", "BUS-SIG-03"),
    } <= {one.id for one in read(quick.directory).entries if one.outcome is Outcome.PASS}


def test_it_is_called_a_part_everywhere(quick: Finished) -> None:
    assert "the embedded reference: part of the suites (--quick): the" in quick.output
    assert "conforms" not in quick.output
    assert quick.results["run"]["left_out_by"] == "--quick"
    for file in ("index.html", "summary.md"):
        assert "part of the suites: --quick" in (quick.directory / file).read_text("utf-8")
    assert json.loads((quick.directory / "badge.json").read_text())["message"].endswith("(partial)")


def test_what_was_left_out_says_why(quick: Finished) -> None:
    reasons = {one.id: one.reason for one in read(quick.directory).entries}
    assert reasons["PAY-AUTH-10"] == "not selected: --quick"
    assert reasons["PAY-IDEM-03"] == "not selected: no message of the selected tests shows it"


def test_a_choice_by_words_leaves_nothing_inconclusive_that_no_chosen_test_shows(tmp_path: Path) -> None:
    done = run_suite(tmp_path / "out", "-k", "test_valid_credentials_get_a_token")
    assert done.exit == 0, done.output
    assert "inconclusive" not in {one["outcome"] for one in done.results["requirements"]}
