"""Which tests a run has: the files that --only needs, --quick, and what --max-cents leaves out."""

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fixtures.business.retries import LONGEST_WATCH_S
from pix_conformance.harness.clock import Clock
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.model import openapi
from pix_conformance.model.exchange import Created
from pix_conformance.model.paths import SUITES, without_settings
from pix_conformance.model.settings import ChosenTests, Generation, Settings
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.proof.publish import estimates
from pix_conformance.proof.suite_run import ROOT, Finished, run_suite
from pix_conformance.recording.bundle.reader import read
from pix_conformance.session.costs import measured_costs
from pix_conformance.session.plan import plan
from pix_conformance.session.runnable_tests import runnable_tests
from pix_conformance.session.selection import is_unneeded
from tests.session.test_usage import ADDRESS, PAIR, settled
from tests.support.exchanges import exchange
from tests.support.servers import serving

FILES = sorted(SUITES.rglob("test_*.py"))


def with_only(*ids: str) -> Settings:
    """Return a target with these requirements in `--only`."""
    return Settings(Target("a target", "http://localhost"), tests=ChosenTests(frozenset(ids)))


def needed(*only: str, arguments: tuple[str, ...] = ("suites",)) -> set[str]:
    """Return the names of the files that are collected."""
    command: Any = SimpleNamespace(args=list(arguments), invocation_params=SimpleNamespace(dir=SUITES.parent))
    files = [
        file for file in FILES if not is_unneeded(file, cast("pytest.Config", command), ChosenTests(frozenset(only)))
    ]
    return {file.relative_to(SUITES).as_posix() for file in files}


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
    refused = {(exchange.api, exchange.operation) for exchange in seen if exchange.status in range(400, 500)}
    assert every - refused <= {(Api.PAYMENTS, "list_webhooks")}


def test_each_kind_of_event_is_received(quick: Finished) -> None:
    events = {f"{api}-EVT-0{number}" for api in ("PAY", "BUS") for number in (1, 2, 3)} | {"PAY-EVT-04"}
    assert events | {"PAY-SIG-03", "BUS-SIG-03"} <= set(quick.with_outcome("pass"))


def is_a_part(done: Finished, limit: str) -> None:
    """Assert that a run says everywhere that it asked a part of the suites."""
    assert f"the embedded reference: part of the suites ({limit}): the" in done.output
    assert "conforms" not in done.output
    assert (done.results["run"]["partial"], done.results["run"]["left_out_by"]) == (True, limit)
    for file in ("index.html", "summary.md"):
        assert f"part of the suites: {limit}" in (done.directory / file).read_text("utf-8").replace("\\", "")
    assert json.loads((done.directory / "badge.json").read_text())["message"].endswith("(partial, embedded reference)")


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


RECEIVED = {"PIX_BUSINESS_WEBHOOK_SECRET": "s" * 32, "PIX_RECEIVER_LISTEN": "127.0.0.1:8443"}


def test_a_plan_sends_nothing_and_names_missing_settings(tmp_path: Path) -> None:
    asked: list[str] = []
    words = ("--plan", "--rate", "5", "--require", "other_account")
    with serving(lambda handler: asked.append(handler.path)) as url:
        done = run_suite(tmp_path / "out", *words, PIX_BASE_URL=url, PIX_API_KEY="ak_test_x")

    assert (done.exit, asked) == (0, [])
    for line in (
        *("missing     PIX_OTHER_API_KEY: business, other merchant", "difference to this machine's clock unknown"),
        *(
            "other_account, which --require names: the run will fail",
            "at 5 requests a second at least ",
            "creates     ",
        ),
    ):
        assert line in done.output
    assert not (tmp_path / "out").exists()


def test_a_plan_says_how_many_tests_cut_requests(tmp_path: Path) -> None:
    cutting, whole = (run_suite(tmp_path, "--plan", *words).output for words in ((), ("--no-network-faults",)))
    counts = [int(re.findall("with ([0-9]+) tests", output)[0]) for output in (cutting, whole)]
    assert f"network     {counts[0] - counts[1]} tests cut, repeat or slow some of their requests" in cutting
    assert "network     no request is cut (--no-network-faults)" in whole


def test_a_plan_without_a_receiver_counts_no_test_of_events_and_no_wait_for_their_retries(tmp_path: Path) -> None:
    given = {"PIX_BASE_URL": "http://127.0.0.1:9", "PIX_API_KEY": "ak_test_x"}
    without, received = (run_suite(tmp_path, "--plan", **given, **more).output for more in ({}, RECEIVED))
    skipped = [int(re.findall(r"skipped +([0-9]+) tests", output)[0]) for output in (without, received)]
    assert skipped[0] > skipped[1] + 50
    assert "waiting     up to 65 s, once: for tokens and charges to expire\n" in without
    assert f"waiting     up to {LONGEST_WATCH_S:.0f} s, once: for tokens and charges to expire, for events" in received
    assert float(re.findall("about ([0-9]+) s if a response takes 20 ms", received)[0]) > LONGEST_WATCH_S


def test_the_clock_announces_its_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    announced: list[tuple[str, float]] = []
    waits = Waits(on_wait=lambda what, seconds, _: announced.append((what, round(seconds))))
    monkeypatch.setattr(waits, "pause", lambda _: None)
    clock = Clock(None, waits=waits, on_turn=lambda: None)
    clock.wait_until_aged(clock.now(), 60)
    assert announced == [("objects of this run to be 60 s old", 60)]


@pytest.mark.parametrize(("account", "count"), [("payments", 1), ("other_payments", 0)])
def test_a_row_of_an_account_without_credentials_is_not_counted(account: str, count: int) -> None:
    row = SimpleNamespace(callspec=SimpleNamespace(params={"account": account}), get_closest_marker=lambda _: None)
    assert len(runnable_tests(settled(**ADDRESS, **PAIR), [cast("pytest.Item", row)])) == count


@dataclass(frozen=True)
class Planned:
    """What a plan looks at of a test."""

    nodeid: str

    def iter_markers(self, name: str) -> Iterator[object]:  # noqa: ARG002  # it has none
        return iter(())

    def get_closest_marker(self, name: str) -> None:
        """It has none."""


TESTS = cast("list[pytest.Item]", [Planned("a.py::t[1]"), Planned("a.py::t[2]"), Planned("a.py::u")])


def planned(costs: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the plan of TESTS with this file of costs, on one line."""
    monkeypatch.setattr("pix_conformance.session.costs.COSTS", costs)
    measured_costs.cache_clear()
    try:
        return " ".join(" ".join(plan(Settings(Target("a target", "http://localhost")), TESTS)).split())
    finally:
        measured_costs.cache_clear()


def test_a_release_plans_with_what_each_test_sent_and_created(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {"a.py::t": {"cases": 4, "requests": 8, "charges": 4, "cents": 20_000_000_00}, "shared": {"requests": 10}}
    head = {"measured": "2026-11-24", "examples": Generation.examples}
    (tmp_path / "costs.json").write_text(json.dumps({**head, "fixtures": {}, "tests": rows}), encoding="utf-8")
    words = planned(tmp_path / "costs.json", monkeypatch)
    assert "sends about 16 requests creates about 2 charges, 0 transfers, 0 webhooks: R$ 10,000,000.00" in words
    assert "R$ 10,000,000.00 of it in 2 tests of large amounts" in words
    assert f"as counted on 2026-11-24 against the reference, {Generation.examples} examples 1 tests were added" in words


def test_costs_are_added_up_by_function() -> None:
    exchanges = [exchange(sent={"amountInCents": 150}, id=n, test=f"suites/a.py::t[{n}]") for n in (1, 2)]
    journal = [Created(Api.PAYMENTS, Role.MERCHANT, "charge", "c", 2)]

    assert estimates(exchanges, journal, ["suites/a.py::t[3]"], {2: "fixtures.a.charge"}) == {
        "suites/a.py::t": {"cases": 2, "requests": 1},
        "fixtures.a.charge": {"cases": 1, "requests": 1, "charges": 1, "cents": 150},
    }


def test_what_a_whole_run_checks_says_so_where_little_was_asked(right_run: Finished) -> None:
    few = ": checked on the few requests of this run only; a whole run checks more"
    assert f"BUS-CHG-86, BUS-EVT-18, PAY-IDEM-02 and 1 more{few}" in right_run.output.splitlines()


def test_a_terminal_gets_a_bar(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    words = [sys.executable, "-m", "pytest", "--only", "PAY-BAL-01", "--report-dir", str(tmp_path / "out")]
    with subprocess.Popen(  # noqa: S603  # our own suite
        words, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=theirs, env=without_settings(TERM="xterm")
    ) as running:
        os.close(theirs)
        shown = _all(ours)
    assert running.returncode == 0
    assert b"\r[" in shown
    assert b"PAY-BAL-01" in shown


def _all(terminal: int) -> bytes:
    """Read until the other end is closed, which Linux reports as an error."""
    shown = b""
    try:
        while chunk := os.read(terminal, 65_536):
            shown += chunk
    except OSError:
        pass
    os.close(terminal)
    return shown
