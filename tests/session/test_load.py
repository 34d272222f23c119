"""A run under load with two workers: against the reference, and against one that is wrong under load only."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fixtures.load import SECONDS as SECONDS_OF_A_RUN
from fixtures.load import USERS, WORKERS, check_options, expect_of_each, groups
from pix_conformance.checks.matchers import status
from pix_conformance.harness.clients.sender import HttpSender
from pix_conformance.harness.current_test import CurrentTest
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.outcomes import Inconclusive, NotApplicable, RequirementFailed
from pix_conformance.harness.run import Run
from pix_conformance.harness.transport.allowance import Allowance
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import Target
from pix_conformance.proof.served_sandbox import free_port
from pix_conformance.proof.suite_run import ROOT, Finished
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.facts import Facts
from pix_conformance.recording.recorder import UNDER_LOAD, Recorder
from pix_conformance.recording.report_directory import LOAD_FILES
from pix_conformance.reference.process import start
from pix_conformance.reference.sandbox_server import variables
from pix_conformance.sandbox.mutants.registry import under_load
from pix_conformance.session.load import process
from tests.support.exchanges import exchange
from tests.test_command_lines import called

SECONDS, RATE = 12, 80
"""On a busy machine the users meet less often."""
NAMED = sorted(mutant.breaks[0] for mutant in under_load().values())
ASKED = ["PAY-PAYS-18", "PAY-CMP-18", "PAY-CMP-22", "PAY-IDEM-02", "PAY-TRF-50", "PAY-EVT-18", "BUS-IDEM-04"]
ASKED += ["BUS-IDEM-07", "BUS-STATE-07", "BUS-STATE-18", "BUS-EVT-28", *NAMED]
"""What tests of simultaneous users ask."""


def run_against(place: Path, *mutants: str) -> Finished:
    words = ("--users", "12", "--rate", str(RATE), "--run-time", str(SECONDS), "--workers", "2")
    hook, secret = f"https://127.0.0.1:{free_port()}/business", "secret-of-the-endpoint"
    rules = [under_load()[mutant].rules_name for mutant in mutants]
    with start(rules, business_webhook=hook, business_webhook_secret=secret) as server:
        settings = variables(server.credentials)
        done = called("load", *words, "--report-dir", str(place / "report"), cwd=place, **settings)
    return Finished(done.returncode, done.stdout + done.stderr, place / "report")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Finished, Finished]:
    """Run against a right server and a wrong one at the same time, since most of it is waiting."""
    places = [tmp_path_factory.mktemp(name) for name in ("right", "wrong")]
    with ThreadPoolExecutor() as pool:
        right, wrong = pool.submit(run_against, places[0]), pool.submit(run_against, places[1], *under_load())
        return right.result(), wrong.result()


@pytest.fixture
def right(runs: tuple[Finished, Finished]) -> Finished:
    return runs[0]


def test_a_right_server_passes_what_was_asked(right: Finished) -> None:
    assert right.exit == 0, right.output
    assert {name: right.outcome(name) for name in ASKED} == dict.fromkeys(ASKED, "pass")


def test_users_keep_to_the_rate_and_end_what_they_began(right: Finished) -> None:
    sent = [exchange for exchange in read(right.directory).exchanges if exchange.test == UNDER_LOAD]
    assert SECONDS <= len(sent) <= RATE * (SECONDS + 2)
    assert [exchange.fault for exchange in sent if exchange.fault] == []
    assert len({exchange.id for exchange in sent}) == len(sent)


def test_locust_s_own_figures_are_beside_the_report(right: Finished) -> None:
    assert all((right.directory / name).is_file() for name in LOAD_FILES)
    words = f"12 users sent requests for {SECONDS} s: {process.figures(right.directory)}"
    assert words in right.output
    assert words in read(right.directory).notices


def test_the_histories_of_the_users_are_explained(right: Finished) -> None:
    sentence = re.compile(
        r"some order explains the (\d+) histories of one charge or transfer each, (\d+) requests in all "
        r"and the (\d+) histories of one idempotency key each, (\d+) requests in all"
    )
    explained = sentence.search(right.output)
    assert explained, right.output
    objects, about_objects, keys, with_keys = map(int, explained.groups())
    assert 0 < objects < about_objects
    assert 0 < keys < with_keys


def test_what_is_wrong_under_load_only_fails_with_its_exchange_and_nothing_else(
    runs: tuple[Finished, Finished],
) -> None:
    wrong = runs[1]
    assert wrong.exit == 1, wrong.output
    assert {name: wrong.outcome(name) for name in NAMED} == dict.fromkeys(NAMED, "fail")
    broken = {requirement for mutant in under_load().values() for requirement in mutant.breaks}
    assert {*wrong.with_outcome("fail"), *wrong.with_outcome("warn")} <= broken
    bundle = read(wrong.directory)
    missed = {entry.id: entry.missed[0] for entry in bundle.entries if entry.id in NAMED}
    assert all(bundle.message(judgement.evidence) and judgement.curl for judgement in missed.values())


@pytest.mark.parametrize("changed", [{"users": 0}, {"workers": 0}, {"run_time": 301.0}, {"run_time": 0.5}])
def test_a_load_that_is_none_or_too_long_is_refused(changed: dict[str, float]) -> None:
    options = {"users": USERS, "workers": WORKERS, "run_time": SECONDS_OF_A_RUN} | changed
    with pytest.raises(pytest.UsageError, match="--users and --workers are 1 or more"):
        check_options(SimpleNamespace(**options))


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
    with pytest.raises(NotApplicable, match="leaves nothing to each of 4 users"):
        process.shares(Allowance(cents=3), 4)


def an_exchange(number: int, code: int, body: object = b"{}", **more: Any) -> Exchange:
    return exchange(body, code, id=number, operation="create_transfer", **more)


def recorded(*rows: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Facts:
    """Return the facts of a run in which Locust, replaced by a command that ends, left these lines."""
    recorder = Recorder()
    client = SimpleNamespace(record_effects=recorder.record_success)
    clients = SimpleNamespace(of=lambda *_: client, unusable={})
    settings = Settings(Target("t", "http://t"))
    sender = HttpSender(settings, CurrentTest(recorder), Waits(), Allowance())
    run = SimpleNamespace(sender=sender, clients=clients, target=settings.target, current_test=sender.current_test)
    code = "import pathlib, sys; pathlib.Path(sys.argv[sys.argv.index('--recording') + 1]).write_text(sys.argv[1])"
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    monkeypatch.setattr(process, "_command", lambda *_: [sys.executable, "-c", code, lines])
    process.send(cast("Run", run), process.Load(1, 1.0, 1.0, 1), None, Path())
    return recorder.facts


def test_exchanges_of_users_are_numbered_and_judged_in_the_order_of_sending(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is masked is recorded but not judged."""
    rows = ((200, 5.0, b"{}"), (500, 2.0, b"{}"), (500, 6.0, b'{"token": "***"}'))
    sent = [an_exchange(1, code, body, started=began).to_dict() for code, began, body in rows]
    facts = recorded(*sent, monkeypatch=monkeypatch)
    assert [(exchange.id, exchange.status) for exchange in facts.exchanges] == [(1, 500), (2, 200), (3, 500)]
    broken = [fact for fact in facts.shown if fact.problem and fact.requirement == "PAY-ERR-12"]
    assert [fact.evidence for fact in broken] == ["exchange 1"]
    assert facts.operations == {"payments.create_transfer"}


REPORTING = """
import json
from pix_conformance.session.load.users import ReportingRecorder
from tests.support.exchanges import exchange

body = {"data": {"qrCode": "A" * 100_000, "id": "t-1", "signatureSecret": "very-secret"}}
reported = []
recorder = ReportingRecorder(report=reported.append)
recorder.record(exchange(body, operation="create_transfer"))
print(json.dumps([[message.to_dict() for message in reported], len(recorder.facts.exchanges)]))
"""


def test_users_report_whole_bodies_without_secrets() -> None:
    """The id after a large image is needed: without it, an event would be about an object of others.

    Locust, which replaces the sockets of its process, is imported by another one.
    """
    done = subprocess.run([sys.executable, "-c", REPORTING], cwd=ROOT, check=True, capture_output=True, text=True)  # noqa: S603  # the lines above
    reported, count = json.loads(done.stdout)
    assert [Exchange.from_dict(row).at("data.id") for row in reported] == ["t-1"]
    assert "very-secret" not in done.stdout
    assert count == 0


def test_locust_without_an_exchange_is_an_error_of_the_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RuntimeError, match="Locust recorded 0 exchanges and ended with status 0"):
        recorded(monkeypatch=monkeypatch)


def test_a_group_begins_with_an_accepted_exchange() -> None:
    sent = [an_exchange(1, 409), an_exchange(2, 200), an_exchange(3, 409)]
    assert [[exchange.id for exchange in group] for group in groups(sent, lambda _: "")] == [[2, 1, 3]]


def test_the_first_exchange_that_does_not_match_fails() -> None:
    test = CurrentTest(requirements=("PAY-IDEM-02",))
    sent = [an_exchange(number, code, current_test=test) for number, code in enumerate((409, 200, 500, 409), 1)]
    with pytest.raises(RequirementFailed, match="status is 200"):
        expect_of_each((exchange, status(409)) for exchange in sent)
    assert [expected.evidence for expected in test.facts.expected] == ["exchange 2"]
    with pytest.raises(Inconclusive):
        expect_of_each([])
