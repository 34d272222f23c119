"""A run under load with two workers: against `pix-sandbox`, and against one that is wrong under load only."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fixtures.load import SECONDS as SECONDS_OF_A_RUN
from fixtures.load import USERS, WORKERS, check_options, expect_of_each, groups
from pix_conformance.checks.matchers import status
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.outcomes import Inconclusive, NotApplicable, RequirementFailed
from pix_conformance.harness.run import Run
from pix_conformance.harness.transport.allowance import Allowance
from pix_conformance.model.exchange import Exchange, Request, Response
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.proof.suite_run import Finished, run_suite
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.recorder import Recorder
from pix_conformance.recording.report_directory import LOAD_FILES
from pix_conformance.sandbox.mutants.registry import under_load
from pix_conformance.session.load import process
from pix_conformance.session.load.reporting_recorder import TEST, ReportingRecorder
from tests.sandbox.test_sandbox_command import served
from tests.test_command_lines import called

SECONDS, RATE = 6, 80
NAMED = sorted(mutant.breaks[0] for mutant in under_load().values())
ASKED = ["PAY-PAYS-18", "PAY-CMP-18", "PAY-CMP-22", "PAY-IDEM-02", "PAY-TRF-50", "PAY-EVT-18", "BUS-IDEM-04"]
ASKED += ["BUS-IDEM-07", "BUS-STATE-07", "BUS-EVT-28", *NAMED]
"""What tests of simultaneous users ask."""


@contextmanager
def sandbox(place: Path, *mutants: str) -> Iterator[dict[str, str]]:
    """Serve the reference with these mutants; yield the settings of a run that receives the events of both APIs."""
    with socket.create_server(("127.0.0.1", 0)) as line:
        port = line.getsockname()[1]
    named = [word for mutant in mutants for word in ("--mutant", mutant)]
    secret = "secret-of-the-endpoint"  # noqa: S105  # of a server that lives for this test
    hook = ("--business-webhook", f"https://127.0.0.1:{port}/business", "--business-webhook-secret", secret)
    with served(place / "requests.log", "--no-log", *hook, *named) as variables:
        received = {"PIX_RECEIVER_LISTEN": f"127.0.0.1:{port}", "PIX_BUSINESS_WEBHOOK_SECRET": secret}
        yield variables | received


def run_under_load(place: Path, settings: dict[str, str]) -> Finished:
    words = ("--users", "12", "--rate", str(RATE), "--run-time", str(SECONDS), "--workers", "2")
    done = called("load", *words, "--report-dir", str(place / "report"), cwd=place, **settings)
    return Finished(done.returncode, done.stdout + done.stderr, place / "report")


def run_right_server(place: Path) -> Finished:
    with sandbox(place) as settings:
        return run_under_load(place, settings)


def run_wrong_server(place: Path) -> tuple[Finished, Finished]:
    """Run the ordinary tests of what the mutants break, and then the same server under load."""
    with sandbox(place, *under_load()) as settings:
        ordinary = run_suite(place / "ordinary", "--only", ",".join(NAMED), "--no-waiting", **settings)
        return ordinary, run_under_load(place, settings)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Finished, tuple[Finished, Finished]]:
    """Run both at the same time, since most of it is waiting."""
    with ThreadPoolExecutor() as pool:
        right = pool.submit(run_right_server, tmp_path_factory.mktemp("right"))
        wrong = pool.submit(run_wrong_server, tmp_path_factory.mktemp("wrong"))
        return right.result(), wrong.result()


@pytest.fixture
def right(runs: tuple[Finished, tuple[Finished, Finished]]) -> Finished:
    return runs[0]


@pytest.fixture
def wrong(runs: tuple[Finished, tuple[Finished, Finished]]) -> Finished:
    return runs[1][1]


def test_a_right_server_passes_what_was_asked(right: Finished) -> None:
    assert right.exit == 0, right.output
    assert {name: right.outcome(name) for name in ASKED} == dict.fromkeys(ASKED, "pass")


def test_what_was_not_asked_is_not_selected(right: Finished) -> None:
    rows = [row for row in right.results["requirements"] if row["outcome"] == "not applicable"]
    reasons = Counter(row["reason"] for row in rows if not row["reason"].startswith(("unobservable", "needs")))
    assert reasons["not selected"] > 400
    assert all(row["level"] == "open" or not row["tests"] for row in rows if row["reason"] == "not selected")


def test_users_keep_to_the_rate_and_end_what_they_began(right: Finished) -> None:
    sent = [exchange for exchange in read(right.directory).exchanges if exchange.test == TEST]
    assert SECONDS <= len(sent) <= RATE * (SECONDS + 2)
    assert [exchange.fault for exchange in sent if exchange.fault] == []
    assert len({exchange.id for exchange in sent}) == len(sent)


def test_locust_s_own_figures_are_beside_the_report(right: Finished) -> None:
    assert all((right.directory / name).is_file() for name in LOAD_FILES)
    words = f"12 users sent requests for 6 s: {process.figures(right.directory)}"
    assert words in right.output
    assert words in read(right.directory).notices


def test_the_suites_do_not_see_what_is_wrong_under_load_only(
    runs: tuple[Finished, tuple[Finished, Finished]],
) -> None:
    ordinary = runs[1][0]
    assert {name: ordinary.outcome(name) for name in NAMED} == dict.fromkeys(NAMED, "pass")


def test_what_is_wrong_under_load_only_fails_with_its_exchange(wrong: Finished) -> None:
    assert wrong.exit == 1, wrong.output
    assert {name: wrong.outcome(name) for name in NAMED} == dict.fromkeys(NAMED, "fail")
    bundle = read(wrong.directory)
    missed = {entry.id: entry.missed[0] for entry in bundle.entries if entry.id in NAMED}
    assert all(bundle.message(judgement.evidence) and judgement.curl for judgement in missed.values())


def test_nothing_fails_but_what_the_mutants_break(wrong: Finished) -> None:
    broken = {requirement for mutant in under_load().values() for requirement in mutant.breaks}
    assert {*wrong.with_outcome("fail"), *wrong.with_outcome("warn")} <= broken


@pytest.mark.parametrize("changed", [{"users": 0}, {"workers": 0}, {"run_time": 301.0}, {"run_time": 0.5}])
def test_a_load_that_is_none_or_too_long_is_refused(changed: dict[str, float]) -> None:
    options = {"users": USERS, "workers": WORKERS, "run_time": SECONDS_OF_A_RUN} | changed
    with pytest.raises(pytest.UsageError, match="--users and --workers are 1 or more"):
        check_options(SimpleNamespace(**options))


def test_a_refused_option_is_a_usage_error_without_a_report(tmp_path: Path) -> None:
    done = called("load", "--users", "0", "--report-dir", str(tmp_path / "out"))
    assert done.returncode == 4
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out" / "results.json").exists()


def test_ordinary_runs_import_nothing_of_locust() -> None:
    code = "import sys, fixtures.load; from pix_conformance.session import PLUGINS; list(map(__import__, PLUGINS));"
    code += "print(sorted({'locust', 'gevent', 'pytest_locust'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603  # ours
    assert done.stdout == "[]\n"
    assert "pytest_locust.plugin" not in sys.modules


def test_each_user_has_a_share_of_what_the_run_may_still_send() -> None:
    left = Allowance(cents=1_000)
    left.take("create_charge", b'{"amountInCents": 400}')
    assert process.shares(left, 4) == {"PIX_MAX_CENTS": "150"}
    assert process.shares(Allowance(), 4) == {}


def test_users_without_a_share_send_nothing() -> None:
    with pytest.raises(NotApplicable, match="leaves nothing to each of 4 users"):
        process.shares(Allowance(cents=3), 4)


def an_exchange(number: int, code: int, recorder: Recorder | None = None) -> Exchange:
    sent, came = Request("POST", "https://t/api/transfers", ()), Response(code, (), b"{}", 2)
    given = (Api.PAYMENTS, Role.MERCHANT, "create_transfer", None, 0.0, 1.0, sent, came)
    return Exchange(number, *given, recorder=recorder)


def recorded(*rows: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Recorder:
    """Return the recorder of a run in which Locust, replaced by a command that ends, left these lines."""
    recorder = Recorder()
    clients = SimpleNamespace(record_effects=recorder.record_success)
    run = SimpleNamespace(
        recorder=recorder,
        client=lambda *_: clients,
        waits=Waits(),
        target=Target("t", "http://t"),
        allowance=Allowance(),
    )
    code = "import pathlib, sys; pathlib.Path(sys.argv[sys.argv.index('--recording') + 1]).write_text(sys.argv[1])"
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    monkeypatch.setattr(process, "_command", lambda *_: [sys.executable, "-c", code, lines])
    process.send(cast("Run", run), process.Load(1, 1.0, 1.0, 1), None, Path())
    return recorder


def test_exchanges_of_users_are_numbered_and_judged_in_the_order_of_sending(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (replace(an_exchange(1, code), started=began) for code, began in ((200, 5.0), (500, 2.0)))
    recorder = recorded(first.to_dict(), second.to_dict(), monkeypatch=monkeypatch)
    assert [(exchange.id, exchange.status) for exchange in recorder.exchanges] == [(1, 500), (2, 200)]
    assert [message.evidence for _, _, message in recorder.passive.seen["PAY-ERR-12"].broken] == ["exchange 1"]
    assert recorder.succeeded == {"payments.create_transfer": 1}


def test_what_is_masked_is_recorded_but_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    masked = replace(an_exchange(1, 500), response=Response(500, (), b'{"token": "***"}', 16))
    recorder = recorded(masked.to_dict(), monkeypatch=monkeypatch)
    assert len(recorder.exchanges) == 1
    assert recorder.passive.seen == {}


def test_users_report_whole_bodies_without_secrets() -> None:
    """The id after a large image is needed: without it, an event would be about an object of others."""
    body = json.dumps({"data": {"qrCode": "A" * 100_000, "id": "t-1", "signatureSecret": "very-secret"}}).encode()
    reported: list[Exchange] = []
    recorder = ReportingRecorder(report=reported.append)
    recorder.record(replace(an_exchange(1, 200), response=Response(200, (), body, len(body))))
    assert [exchange.at("data.id") for exchange in reported] == ["t-1"]
    assert b"very-secret" not in reported[0].body
    assert recorder.exchanges == []


def test_locust_without_an_exchange_is_an_error_of_the_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RuntimeError, match="Locust recorded 0 exchanges and ended with status 0"):
        recorded(monkeypatch=monkeypatch)


def test_a_group_begins_with_an_accepted_exchange() -> None:
    sent = [an_exchange(1, 409), an_exchange(2, 200), an_exchange(3, 409)]
    assert [[exchange.id for exchange in group] for group in groups(sent, lambda _: "")] == [[2, 1, 3]]


def test_the_first_exchange_that_does_not_match_fails() -> None:
    recorder = Recorder(requirements=("PAY-IDEM-02",))
    sent = [an_exchange(number, code, recorder) for number, code in enumerate((409, 200, 500, 409), 1)]
    with pytest.raises(RequirementFailed, match="status is 200"):
        expect_of_each((exchange, status(409)) for exchange in sent)
    assert [judgement.evidence for judgement in recorder.judgements] == ["exchange 2"]


def test_no_exchange_is_inconclusive() -> None:
    with pytest.raises(Inconclusive):
        expect_of_each([])
