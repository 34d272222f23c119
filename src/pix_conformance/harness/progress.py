"""The progress of a run: a bar in a terminal, a line every 15 s elsewhere."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterator
from contextlib import nullcontext
from typing import Any

import pytest

from pix_conformance.harness.plan import longest_wait, testable, weight
from pix_conformance.harness.selection import requirements_of
from pix_conformance.harness.session_state import KEY, Session
from pix_conformance.harness.waived_tests import is_waived

WIDTH = 24
LINE_EVERY_S = 15.0
MEASURED_S, IN_MINUTES_S = 5.0, 100.0
"""Seconds after which the rest of the run is estimated; seconds from which on minutes are shown."""
WORTH_A_LINE_S = 3.0
"""Seconds. Outside a terminal, shorter waits are not printed."""


class Progress:
    """A pytest plugin that shows the current test, the progress, and the reason and end of each wait."""

    def __init__(self, config: pytest.Config, ours: Session) -> None:
        """Show the progress of the run in place of pytest's dots."""
        self._config, self._ledger, self._run_waits, self._waivers = config, ours.ledger, ours.waits, ours.waivers
        self._reporter: Any = None
        self._items: list[pytest.Item] = []
        self._done = self._failed = self._waived = 0
        self._left: dict[str, float] = {}
        """The weight of each test that has not run yet."""
        self._weight, self._begun, self._longest_wait = 0.0, time.monotonic(), 0.0
        self._current = ""
        self._last_line = time.monotonic()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Replace pytest's progress line."""
        self._reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        self._items = session.items
        if self._reporter:
            self._reporter.showfspath = False
            self._reporter._show_progress_info = False  # noqa: SLF001  # pytest's percentage would stand beside the bar
            self._run_waits.on_wait = self.waits

    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Start the estimate, once the preflight has left out tests: its plugin is registered later, so asked first."""
        self.begin({one.nodeid: weight(one) for one in session.items}, _longest_wait(session))

    def begin(self, weights: dict[str, float], longest_wait: float) -> None:
        """Start the estimate: `weights` of the tests by node id, and the longest wait in seconds from now."""
        self._left, self._weight = weights, sum(weights.values())
        self._begun, self._longest_wait = time.monotonic(), longest_wait

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self) -> Generator[None, tuple[Any, ...], tuple[Any, ...]]:
        """Drop pytest's letter for each result."""
        category, letter, *rest = yield
        del letter
        return (category, "", *rest)

    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        """Show the test that runs now, and its requirements."""
        self._current = f"{' '.join(requirements_of(item)[:2])} {item.nodeid.removeprefix('suites/')}"
        self._show()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count failed tests, those apart whose failures are all waived."""
        waived = report.failed and is_waived(report.nodeid, self._ledger, self._waivers)
        self._waived += waived
        self._failed += report.failed and not waived

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Count finished tests."""
        self._done += 1
        self._left.pop(nodeid, None)
        self._show()

    def waits(self, what: str, seconds: float, at_most: bool) -> None:  # noqa: FBT001  # called by position
        """Show the reason and the end of a wait, by this machine's clock. `at_most`: only the bar shows it."""
        if threading.current_thread() is not threading.main_thread():
            return
        until = time.strftime("%H:%M:%S", time.localtime(time.time() + seconds))
        words = f"waiting for {what}, until {until}{' at most' if at_most else ''}"
        capture = self._config.pluginmanager.get_plugin("capturemanager")
        with capture.global_and_fixture_disabled() if capture else nullcontext():
            if self._reporter.isatty:
                self._rewrite(f"{self._bar()} {words}")
            elif seconds >= WORTH_A_LINE_S and not at_most:
                self._line(words)

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self) -> Iterator[None]:
        """End the progress line when the run has sent its last request, which removes what it created."""
        self._run_waits.on_wait = None
        yield
        if not self._reporter:
            return
        if self._reporter.isatty:
            self._rewrite(self._bar())
            self._reporter.write_line("")
        elif self._total and self._done == self._total:
            self._line("finished")

    @property
    def _total(self) -> int:
        return len(self._items)

    def _show(self) -> None:
        if not self._reporter:
            return
        if self._reporter.isatty:
            self._rewrite(f"{self._bar()} {self._current}")
        elif time.monotonic() - self._last_line > LINE_EVERY_S:
            self._line(f"now {self._current}")

    def _bar(self) -> str:
        full = WIDTH * self._done // max(1, self._total)
        return f"[{'#' * full}{'.' * (WIDTH - full)}] {self._counts()}"

    def _counts(self) -> str:
        failed = f", {self._failed} failed" if self._failed else ""
        failed += f", {self._waived} waived" if self._waived else ""
        return f"{self._done}/{self._total}{failed}, {len(self._ledger.exchanges)} requests{self.remaining()}"

    def remaining(self) -> str:
        """Return the estimated rest of the run in words; empty in the first seconds."""
        elapsed, done = time.monotonic() - self._begun, self._weight - sum(self._left.values())
        if not self._left or elapsed < MEASURED_S or not done:
            return ""
        seconds = max(elapsed * (self._weight - done) / done, self._longest_wait - elapsed)
        return f", about {seconds:.0f} s left" if seconds < IN_MINUTES_S else f", about {seconds / 60:.0f} min left"

    def _rewrite(self, text: str) -> None:
        self._reporter.rewrite(text[: self._reporter._tw.fullwidth - 1], erase=True)  # noqa: SLF001  # pytest offers the width only there

    def _line(self, words: str) -> None:
        self._last_line = time.monotonic()
        self._reporter.write_line(f"{self._counts()}: {words}")


def _longest_wait(session: pytest.Session) -> float:
    target = session.config.stash[KEY].target
    return longest_wait(target, testable(target, session.items)) if target.waiting and not target.embedded else 0.0
