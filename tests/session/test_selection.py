"""Which tests a run has: the files that --only needs, --quick, and what --max-cents leaves out."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pix_conformance.model import openapi
from pix_conformance.model.paths import SUITES
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Api, Outcome
from pix_conformance.proof.suite_run import Finished, run_suite
from pix_conformance.recording.bundle.reader import read
from pix_conformance.session.selection import is_unneeded

FILES = sorted(SUITES.rglob("test_*.py"))


def with_only(*ids: str) -> Settings:
    """Return a target with these requirements in `--only`."""
    return Settings(Target("a target", "http://localhost"), only=frozenset(ids))


def needed(*only: str, arguments: tuple[str, ...] = ("suites",)) -> set[str]:
    """Return the names of the files that are collected."""
    command: Any = SimpleNamespace(args=list(arguments), invocation_params=SimpleNamespace(dir=SUITES.parent))
    target = with_only(*only)
    return {
        file.relative_to(SUITES).as_posix()
        for file in FILES
        if not is_unneeded(file, cast("pytest.Config", command), target)
    }


def test_only_the_files_with_tests_of_the_requirement_are_needed() -> None:
    assert {"payments/test_idempotency.py", "payments/test_sequences.py"} <= needed("PAY-IDEM-02")
    assert len(needed("PAY-IDEM-02")) < len(FILES) / 4


@pytest.mark.parametrize(
    ("only", "arguments"),
    [
        (("PAY-IDEM-02", "PAY-GEN-01"), ("suites",)),  # the second one is passive
        ((), ("suites",)),
        (("PAY-IDEM-02",), ("suites/payments/test_splits.py",)),
    ],
)
def test_every_file_is_needed(only: tuple[str, ...], arguments: tuple[str, ...]) -> None:
    assert len(needed(*only, arguments=arguments)) == len(FILES)


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
    every = {(api, operation) for api in Api for operation in openapi.operations(api)}
    assert every == {(exchange.api, exchange.operation) for exchange in seen if exchange.ok} & every
    refused = {
        (exchange.api, exchange.operation) for exchange in seen if exchange.status and 400 <= exchange.status < 500
    }
    assert every - refused <= {(Api.PAYMENTS, "list_webhooks")}


def test_each_kind_of_event_is_received(quick: Finished) -> None:
    assert {
        *("PAY-EVT-01", "PAY-EVT-02", "PAY-EVT-03", "PAY-EVT-04", "PAY-SIG-03"),
        *("BUS-EVT-01", "BUS-EVT-02", "BUS-EVT-03", "BUS-SIG-03"),
    } <= {entry.id for entry in read(quick.directory).entries if entry.outcome is Outcome.PASS}


def is_a_part(done: Finished, limit: str) -> None:
    """Assert that a run says everywhere that it asked a part of the suites."""
    assert f"the embedded reference: part of the suites ({limit}): the" in done.output
    assert "conforms" not in done.output
    assert (done.results["run"]["partial"], done.results["run"]["left_out_by"]) == (True, limit)
    for file in ("index.html", "summary.md"):
        assert f"part of the suites: {limit}" in (done.directory / file).read_text("utf-8").replace("\\", "")
    assert json.loads((done.directory / "badge.json").read_text())["message"].endswith("(partial)")


def test_it_is_called_a_part_everywhere(quick: Finished) -> None:
    is_a_part(quick, "--quick")


def test_what_was_left_out_says_why(quick: Finished) -> None:
    reasons = {entry.id: entry.reason for entry in read(quick.directory).entries}
    assert reasons["PAY-AUTH-10"] == "not selected: --quick"
    assert reasons["PAY-IDEM-03"] == "not selected: no message of the selected tests shows it"


def test_a_choice_by_words_leaves_nothing_inconclusive_that_no_chosen_test_shows(tmp_path: Path) -> None:
    done = run_suite(tmp_path / "out", "-k", "test_valid_credentials_get_a_token")
    assert done.exit == 0, done.output
    assert "inconclusive" not in {row["outcome"] for row in done.results["requirements"]}


def test_a_request_beyond_the_cents_is_not_sent(tmp_path: Path) -> None:
    """The run says that it asked a part of the suites, and nothing failed."""
    done = run_suite(tmp_path / "out", "--only", "PAY-CHG-02,PAY-BAL-01", "--max-cents", "1")
    rows = done.results["requirements"]
    assert done.exit == 0, done.output
    assert {row["outcome"] for row in rows} <= {"pass", "observed", "not applicable"}
    assert {row["outcome"] for row in rows if row["reason"].startswith("not selected")} == {"not applicable"}
    assert (done.outcome("PAY-BAL-01"), done.outcome("PAY-CHG-02")) == ("pass", "not applicable")
    sent = read(done.directory).exchanges
    assert [exchange for exchange in sent if exchange.operation == "create_charge" and exchange.ok] == []
    is_a_part(done, "--max-cents 1")
