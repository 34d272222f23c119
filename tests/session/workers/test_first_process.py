"""--concurrency and -n: several workers, one report; a signal ends all of them."""

import re
import signal
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.model.paths import TEST_TREE
from pix_conformance.model.vocabulary import Interrupted
from pix_conformance.proof.served_sandbox import free_port, serve
from pix_conformance.proof.suite_run import run_suite
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.facts import Begun, Concluded
from pix_conformance.recording.journal import Journal
from pix_conformance.reference.process import Running, start
from pix_conformance.reference.sandbox_server import variables
from pix_conformance.sandbox.variants.registry import all_variants
from pix_conformance.session.duration import ALONE_MS, MOST_WORKERS, MS_PER_WORKER, workers
from pix_conformance.session.plan import plan
from pix_conformance.session.workers.facts_of_workers import journal_of_worker, read_workers
from pix_conformance.session.workers.first_process import Workers
from pix_conformance.session.workers.worker import INPUT, worker_settings
from tests.session.test_selection import Planned
from tests.session.test_usage import ADDRESS, PAIR, settled
from tests.support.forwarder import forwarder
from tests.support.servers import always, serving

ONLY = "PAY-CHG-41,PAY-BAL-01,BUS-FIN-01"
EVENTS = ("PAY-EVT-01", "PAY-EVT-02", "BUS-EVT-01", "BUS-EVT-02")

NONE_COUNTED = {"measured": "", "examples": 15, "fixtures": {}, "tests": {}}


@pytest.mark.parametrize(
    ("latency_ms", "tests", "given", "count"),
    [
        *((0, 1_500, {}, 1), (20, 1_500, {}, 1), (21, 1_500, {}, 2), (60, 1_500, {}, 4), (250, 1_500, {}, 8)),
        (1_500, 1_500, {}, 8),
        *((250, 20, {}, 1), (250, 130, {}, 3), (250, 1_500, {"PIX_RATE": "10"}, 3)),
        *((250, 20, {"PIX_CONCURRENCY": "2"}, 2), (250, 1_500, {"PIX_CONCURRENCY": "1"}, 1)),
    ],
)
def test_a_target_gets_the_workers_that_shorten_the_run(
    latency_ms: float, tests: int, given: dict[str, str], count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pix_conformance.session.costs.measured_costs", lambda: NONE_COUNTED)
    items = cast("list[pytest.Item]", [SimpleNamespace(nodeid=str(number)) for number in range(tests)])
    assert workers(settled(**ADDRESS, **PAIR, **given), items, latency_ms / 1_000) == count


def test_the_page_of_options_says_when_workers_are_started() -> None:
    page = " ".join((TEST_TREE / "docs/options.md").read_text("utf-8").split())
    counts = (
        f"beyond {ALONE_MS:.0f} ms a response and another for each {MS_PER_WORKER:.0f} ms more, {MOST_WORKERS} at most"
    )
    assert f"a second worker {counts}" in page


def test_each_worker_gets_its_part_of_the_rate_and_of_the_cents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    of_run = {"examples": 7, "directory": str(tmp_path), "report_dir": str(tmp_path / "out"), "relay": None}
    given = {"number": 2, "of": 4, **of_run}
    config = cast("pytest.Config", SimpleNamespace(workerinput={INPUT: given}))
    settings = worker_settings(config, settled(**ADDRESS, **PAIR, PIX_RATE="10", PIX_MAX_CENTS="1003"))
    assert (
        str(settings.workers.shard),
        settings.bounds.rate,
        settings.bounds.max_cents,
        settings.generation.examples,
    ) == ("2/4", 2.5, 250, 7)
    assert settings.report_dir == tmp_path / "out"


@pytest.mark.parametrize(("stopped", "error"), [(True, Interrupted), (False, OSError)])
def test_a_signal_that_ends_a_worker_which_starts_is_an_interruption(
    stopped: bool,  # noqa: FBT001  # a case
    error: type[BaseException],
    tmp_path: Path,
) -> None:
    class Unconnected:
        def pytest_sessionstart(self, _session: pytest.Session) -> None:
            raise OSError("connection already closed")

    state = SimpleNamespace(waits=Waits())
    workers_of_run = Workers(cast("Any", state), cast("Any", None), [], directory=tmp_path, stopped=stopped)
    with pytest.raises(error):
        workers_of_run.start(Unconnected(), cast("Any", None))


def test_two_workers_write_one_report(server: Running, tmp_path: Path) -> None:
    words = ("-n", "2", "--only", ONLY, "--no-waiting")
    done = run_suite(tmp_path / "out", *words, **variables(server.credentials))
    bundle = read(tmp_path / "out")
    outcomes = {entry.id: entry.outcome for entry in bundle.entries if entry.id in ONLY.split(",")}
    assert (done.exit, set(outcomes.values())) == (0, {"pass"}), done.output
    assert "payments, merchant (PIX_CLIENT_ID and PIX_CLIENT_SECRET): accepted" in done.output
    ended = re.search(r"^(\d+)/(\d+), [1-9]\d* requests: finished$", done.output, re.MULTILINE)
    assert ended is not None, done.output
    assert ended[1] == ended[2]
    assert {exchange.id % 2 for exchange in bundle.exchanges} == {0, 1}
    assert bundle.run.command.endswith("pytest --no-waiting")
    assert (tmp_path / "out" / "pytest.html").is_file()
    assert done.output.rstrip().endswith("out/index.html")


def test_the_webhooks_of_two_workers_come_through_one_port(tmp_path: Path) -> None:
    """A tunnel brings one port: those of the business API are for the first worker, the others for the second."""
    with serve(()) as server, forwarder(int(server.variables["PIX_RECEIVER_LISTEN"].rpartition(":")[2])) as port:
        words = ("-n", "2", "--only", ",".join(EVENTS))
        address = ("--receiver-url", f"https://127.0.0.1:{port}")
        done = run_suite(tmp_path / "out", *words, *address, **server.variables)
    assert (done.exit, sorted(done.with_outcome("pass"))) == (0, sorted(EVENTS)), done.output
    workers_of = {(it.api, it.id % 2) for it in read(tmp_path / "out").deliveries if it.api}
    assert workers_of == {("business", 1), ("payments", 0)}


def test_what_a_worker_had_seen_counts_though_it_ended_too_early(server: Running, tmp_path: Path) -> None:
    """Each other requirement has its verdict, and the exit status says that the suite could not end its work."""
    words = ("-p", "tests.support.altered_run", "-n", "2", "--only", ONLY, "--no-waiting")
    given = variables(server.credentials) | {"ENDS_WORKER": "test_the_balance_is_queried"}
    done = run_suite(tmp_path / "out", *words, **given)
    outcomes = {name: done.outcome(name) for name in ONLY.split(",")}
    assert (done.exit, done.results["run"]["partial"]) == (3, True), done.output
    said = r"worker ([12])/2 ended before its tests did: what it had seen counts"
    assert [re.fullmatch(said, notice) is not None for notice in done.results["notices"]].count(True) == 1
    lost = next(row for row in done.results["requirements"] if row["id"] == "PAY-BAL-01")
    assert (lost["outcome"], lost["why"]) == ("not applicable", "lost worker")
    assert outcomes["BUS-FIN-01"] == "pass"


@pytest.mark.parametrize("is_concluded", [True, False])
def test_a_worker_whose_journal_has_no_end_is_lost(tmp_path: Path, *, is_concluded: bool) -> None:
    for number in (1, 2):
        with closing(Journal(journal_of_worker(tmp_path, number), str)) as journal:
            journal.write(Begun({"id": f"r-{number}"}))
            if is_concluded or number == 1:
                journal.write(Concluded(status=0))
    workers_read = read_workers(tmp_path, [["a", "b"], ["c"]])
    assert [fact.heading["id"] for fact in workers_read.facts.begun] == ["r-1", "r-2"]
    assert workers_read.lost_tests == (set() if is_concluded else {"c"})
    said = "worker 2/2 ended before its tests did: what it had seen counts"
    assert workers_read.notices == ([] if is_concluded else [said])


def test_the_receiver_answers_at_the_addresses_of_every_worker(tmp_path: Path) -> None:
    with start([all_variants()["PAY-WH-14/url-must-respond"].rules_name]) as server:
        words = ("-n", "3", "--only", "PAY-WH-07,PAY-WH-62,PAY-WH-64", "--no-waiting")
        listen = f"127.0.0.1:{free_port()}"
        done = run_suite(tmp_path / "out", *words, **variables(server.credentials), PIX_RECEIVER_LISTEN=listen)
    registered = [
        exchange
        for exchange in read(tmp_path / "out").exchanges
        if exchange.operation == "create_webhook" and exchange.ok
    ]
    assert done.exit == 0, done.output
    assert {exchange.id % 3 for exchange in registered} == {0, 1, 2}


def test_an_api_that_cannot_be_tested_has_a_reason(tmp_path: Path) -> None:
    with serving(always(401, b'{"error": "UNAUTHORIZED", "success": false, "detail": "no"}')) as url:
        words = ("-n", "2", "--only", "PAY-BAL-01,PAY-CHG-41", "--no-waiting")
        done = run_suite(tmp_path / "out", *words, PIX_BASE_URL=url, **PAIR)
    assert done.exit == 6, done.output
    assert "was refused (401" in done.output


def test_a_plan_divides_the_time_among_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pix_conformance.session.costs.measured_costs", lambda: NONE_COUNTED)

    def seconds(count: str) -> tuple[str, int]:
        settings = settled(**ADDRESS, **PAIR, PIX_CONCURRENCY=count)
        items = [cast("pytest.Item", Planned(f"suites/payments/{number}.py::t")) for number in range(900)]
        text = "\n".join(plan(settings, items))
        quick, slow, unit = re.findall(r"about (\d+ \w+) if a response takes .* ms, (\d+) (s|min) if", text)[0]
        return quick, int(slow) * (60 if unit == "min" else 1)

    alone, eight, auto = map(seconds, ("1", "8", "auto"))
    assert eight[1] == auto[1] < alone[1] / 3
    assert alone[0] == auto[0]


def test_a_plan_for_the_embedded_reference_has_one_duration(monkeypatch: pytest.MonkeyPatch) -> None:
    """The response times of other targets are not listed: its own are a few ms."""
    monkeypatch.setattr("pix_conformance.session.costs.measured_costs", lambda: NONE_COUNTED)
    lines = plan(settled(), [cast("pytest.Item", Planned(f"a.py::t{number}")) for number in range(900)])
    (duration,) = (line for line in lines if line.startswith("duration"))
    assert re.fullmatch(r"duration +about \d+ s", duration)
