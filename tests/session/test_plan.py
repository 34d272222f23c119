"""The output of --plan, and the progress during a run."""

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

from fixtures.business.retries import LONGEST_WATCH_S
from pix_conformance.harness.clock import Clock
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.model.exchange import Created, Exchange, Request
from pix_conformance.model.paths import without_settings
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.proof.publish import estimates
from pix_conformance.proof.suite_run import ROOT, Finished, run_suite
from pix_conformance.session.plan import _measured_costs, plan
from tests.support.servers import serving

RECEIVED = {"PIX_BUSINESS_WEBHOOK_SECRET": "s" * 32, "PIX_RECEIVER_LISTEN": "127.0.0.1:8443"}


def test_a_plan_sends_nothing_and_names_missing_settings(tmp_path: Path) -> None:
    asked: list[str] = []
    words = ("--plan", "--rate", "5", "--require", "other_account")
    with serving(lambda handler: asked.append(handler.path)) as url:
        done = run_suite(tmp_path / "out", *words, PIX_BASE_URL=url, PIX_API_KEY="ak_test_x")

    assert (done.exit, asked) == (0, [])
    for line in (
        "missing     PIX_OTHER_API_KEY: business, other merchant",
        "other_account, which --require names: the run will fail",
        "difference to this machine's clock unknown",
        "at most 5 a second",
        "creates     ",
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


@dataclass(frozen=True)
class Planned:
    """What a plan looks at of a test."""

    nodeid: str

    def iter_markers(self, name: str) -> Iterator[object]:  # noqa: ARG002  # it has none
        return iter(())

    get_closest_marker = iter_markers


TESTS = cast("list[pytest.Item]", [Planned("a.py::t[1]"), Planned("a.py::t[2]"), Planned("a.py::u")])


def planned(costs: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the plan of TESTS with this file of costs, on one line."""
    monkeypatch.setattr("pix_conformance.session.plan.COSTS", costs)
    _measured_costs.cache_clear()
    try:
        return " ".join(" ".join(plan(Settings(Target("a target", "http://localhost")), TESTS)).split())
    finally:
        _measured_costs.cache_clear()


def test_a_release_plans_with_what_each_test_sent_and_created(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {"a.py::t": {"cases": 4, "requests": 8, "charges": 4, "cents": 20_000_000_00}, "shared": {"requests": 10}}
    head = {"measured": "2026-11-24", "examples": Settings.examples}
    (tmp_path / "costs.json").write_text(json.dumps({**head, "tests": rows}), encoding="utf-8")
    words = planned(tmp_path / "costs.json", monkeypatch)
    assert "sends about 14 requests creates about 2 charges, 0 transfers, 0 webhooks: R$ 10,000,000.00" in words
    assert "R$ 10,000,000.00 of it in 2 tests of large amounts" in words
    assert f"as measured on 2026-11-24 against the reference, {Settings.examples} examples without 1 tests" in words


def test_a_checkout_plans_with_the_mean_of_all_tests_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = planned(tmp_path / "none.json", monkeypatch)
    assert "sends about 7 requests creates charges, transfers and webhooks, how many is not measured here" in words
    assert "estimate 2.1 requests a test; what each test sends and creates is not measured here: `uv run" in words


def test_costs_are_added_up_by_function() -> None:
    sent = Request("POST", "/", (), b'{"amountInCents": 150}')
    exchanges = [Exchange(n, Api.PAYMENTS, Role.MERCHANT, None, f"suites/a.py::t[{n}]", 0, 0, sent) for n in (1, 2)]
    journal = [Created(Api.PAYMENTS, Role.MERCHANT, "charge", "c", 2)]

    assert estimates(exchanges, journal, ["suites/a.py::t[3]"]) == {
        "suites/a.py::t": {"cases": 3, "requests": 2, "charges": 1, "cents": 150}
    }


def test_what_a_whole_run_checks_says_so_where_little_was_asked(right_run: Finished) -> None:
    assert "PAY-TRF-64: checked on the few requests of this run only; a whole run checks more" in right_run.output
    assert "PAY-BAL-01: checked" not in right_run.output


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
        while some := os.read(terminal, 65_536):
            shown += some
    except OSError:
        pass
    os.close(terminal)
    return shown


def test_the_clock_announces_its_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    announced: list[tuple[str, float]] = []
    waits = Waits(on_wait=lambda what, seconds, _: announced.append((what, round(seconds))))
    monkeypatch.setattr(waits, "pause", lambda _: None)
    clock = Clock(None, waits=waits, on_turn=lambda: None)
    clock.wait_until_aged(clock.now(), 60)
    assert announced == [("objects of this run to be 60 s old", 60)]
