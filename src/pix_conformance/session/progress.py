"""The progress of a run: a bar in a terminal, a line every 15 s elsewhere."""

import threading
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.generation.examples import seconds_of_response
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.printable import one_line
from pix_conformance.model.vocabulary import Party
from pix_conformance.recording.facts import Facts
from pix_conformance.session.costs import requests_of, weight
from pix_conformance.session.duration import duration, real_wait
from pix_conformance.session.remaining_time import Estimate
from pix_conformance.session.state import KEY, Session
from pix_conformance.session.workers.progress_of_workers import SUFFIX, note_progress
from pix_conformance.session.workers.worker import given_to_worker
from pix_conformance.verdicts.judge import Excuse, unmet

WIDTH = 24
LINE_EVERY_S = 15.0
WORKER_EVERY_S = 1.0
WORTH_A_LINE_S = 3.0
"""Seconds. Outside a terminal, shorter waits are not printed."""


class Progress:
    """A pytest plugin that shows the current test, the progress, and the reason and end of each wait."""

    def __init__(self, config: pytest.Config, state: Session) -> None:
        """Show the progress of the run in place of pytest's dots."""
        self._config, self._test, self._run_waits = config, state.current_test, state.waits
        self._excuses = state.comparisons.excuses
        self._state, self._first_failure = state, ""
        """The line that says, at once, what the first failed test of an integration has found; empty once printed."""
        self._reporter: Any = None
        self._items: list[pytest.Item] = []
        self._done = self._failed = self._waived = 0
        self.estimate = Estimate({})
        self._last_line = time.monotonic()
        given = given_to_worker(config)
        self._file = Path(given["directory"]) / f"{given['number']}{SUFFIX}" if given else None

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Replace pytest's progress line."""
        self._reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        self._items = session.items
        if self._reporter:
            self._reporter.showfspath = False
            self._reporter._show_progress_info = False  # noqa: SLF001  # pytest's percentage would stand beside the bar
            self._run_waits.on_wait = self.waits
        self._run_waits.on_progress = self.exchanged

    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Start the estimate, once the preflight has left out tests: its plugin is registered later, so asked first.

        An integration has none: how long its commands take is not known.
        """
        if self._state.settings.party is Party.INTEGRATION:
            return
        weights = {item.nodeid: weight(item.nodeid) for item in session.items}
        state = session.config.stash[KEY]
        longest = real_wait(state.settings, session.items)
        examples = (state.run or state).settings.generation.examples
        requests = requests_of(session.items, examples)
        response = seconds_of_response(state.facts.exchanges)
        planned = None if state.target.embedded else duration(state.settings, session.items, response)
        self.estimate = Estimate(weights, requests, longest, planned)

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self) -> Generator[None, tuple[Any, ...], tuple[Any, ...]]:
        """Drop pytest's letter for each result."""
        category, letter, *rest = yield
        del letter
        return (category, "", *rest)

    def pytest_runtest_protocol(self) -> None:
        """Show the test that runs now, and its requirements."""
        self._show()

    def exchanged(self) -> None:
        """Show the progress within a test whose requests or waits take long, and that of a worker in its file."""
        if threading.current_thread() is not threading.main_thread():
            return
        now = time.monotonic()
        if self._file and now - self._last_line > WORKER_EVERY_S:
            self._last_line = now
            note_progress(self._file, len(self._test.facts.exchanges), self._current)
        elif self._reporter and not self._reporter.isatty and now - self._last_line > LINE_EVERY_S:
            with self._without_capture():
                self._line(f"now {self._current}")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count failed tests, those apart whose failures are all waived."""
        waived = report.failed and is_waived(report.nodeid, self._test.facts, self._excuses)
        self._waived += waived
        self._failed += report.failed and not waived
        if report.failed and not waived and self._failed == 1 and self._state.settings.party is Party.INTEGRATION:
            self._first_failure = f"failed {self._current}: {self._mismatch}"

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Count finished tests."""
        self._done += 1
        self.estimate.end_test(nodeid)
        self._show()

    def waits(self, what: str, seconds: float, at_most: bool) -> None:  # noqa: FBT001  # called by position
        """Show the reason and the end of a wait, by this machine's clock. `at_most`: only the bar shows it."""
        if threading.current_thread() is not threading.main_thread():
            return
        until = time.strftime("%H:%M:%S", time.localtime(time.time() + seconds))
        words = f"waiting for {what}, until {until}{' at most' if at_most else ''}"
        if not at_most:
            self.estimate.begin_wait(seconds)
        with self._without_capture():
            if self._reporter.isatty:
                self._rewrite(f"{self._bar()} {words}")
            elif seconds >= WORTH_A_LINE_S and not at_most:
                self._line(words)

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self) -> Iterator[None]:
        """End the progress line when the run has sent its last request, which removes what it created."""
        self._run_waits.on_wait, self._run_waits.on_progress = None, lambda: None
        yield
        if self._file:
            note_progress(self._file, len(self._test.facts.exchanges), self._current)
        if not self._reporter:
            return
        if self._reporter.isatty:
            self._rewrite(self._bar())
            self._reporter.write_line("")
        elif self._total and self._done == self._total:
            self._line("finished")

    def _without_capture(self) -> AbstractContextManager[None]:
        capture: Any = self._config.pluginmanager.get_plugin("capturemanager")
        context: AbstractContextManager[None] = capture.global_and_fixture_disabled() if capture else nullcontext()
        return context

    @property
    def _current(self) -> str:
        names = " ".join(self._test.requirements[:2])
        return f"{names} {(self._test.node or '').removeprefix('suites/')}".strip()

    @property
    def _mismatch(self) -> str:
        problems = [
            problem for row in self._test.facts.expected if row.test == self._test.node for problem in row.mismatches
        ]
        return one_line(self._test.redact(problems[0] if problems else "see the report"))

    @property
    def _total(self) -> int:
        return len(self._items)

    def _show(self) -> None:
        if not self._reporter:
            return
        if self._reporter.isatty:
            self._rewrite(f"{self._bar()} {self._current}")
        elif self._first_failure:
            self._line(self._first_failure)
            self._first_failure = ""
        elif time.monotonic() - self._last_line > LINE_EVERY_S:
            self._line(f"now {self._current}")

    def _bar(self) -> str:
        full = WIDTH * self._done // max(1, self._total)
        return f"[{'#' * full}{'.' * (WIDTH - full)}] {self._counts()}"

    def _counts(self) -> str:
        failed = f", {self._failed} failed" if self._failed else ""
        failed += f", {self._waived} waived" if self._waived else ""
        sent = len(self._test.facts.exchanges)
        return f"{self._done}/{self._total}{failed}, {sent} requests{self.estimate.remaining(sent)}"

    def _rewrite(self, text: str) -> None:
        self._reporter.rewrite(text[: self._reporter._tw.fullwidth - 1], erase=True)  # noqa: SLF001  # pytest offers the width only there

    def _line(self, words: str) -> None:
        self._last_line = time.monotonic()
        self._reporter.write_line(f"{self._counts()}: {words}")


def is_waived(test: str, facts: Facts, excuses: Mapping[str, Excuse]) -> bool:
    """Whether an excuse covers each failure of a test that failed."""
    failures = [
        (requirement, "; ".join(expected.mismatches))
        for expected in facts.expected
        if expected.test == test and expected.mismatches
        for requirement in expected.requirements
    ]
    return bool(failures) and all(
        requirement in excuses and excuses[requirement].covers(unmet(catalogue()[requirement].level), problem)
        for requirement, problem in failures
    )


def count_as_waived(reporter: Any, facts: Facts, excuses: Mapping[str, Excuse]) -> None:
    """Move the reports of such tests in the terminal reporter's statistics from `failed` to `waived`."""
    if reporter is None:
        return
    reports = reporter.stats.pop("failed", [])
    waived = [report for report in reports if is_waived(report.nodeid, facts, excuses)]
    for name, of_kind in (("failed", [report for report in reports if report not in waived]), ("waived", waived)):
        if of_kind:
            reporter.stats[name] = of_kind
