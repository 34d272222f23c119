"""The pytest plugin for runs that end early: by a signal, or because a test exceeds its time limit."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import pytest
from pytest_timeout import is_debugging  # type: ignore[import-untyped]  # it ships no types

from pix_conformance.harness.interruption import Interruption
from pix_conformance.session.error_sentences import say, stacks, trace_in_file

LOOK_EVERY_S = 0.25


@dataclass(frozen=True)
class TimeLimit:
    """The test that runs, how many seconds it may take, and when these end, by the monotonic clock."""

    item: pytest.Item
    seconds: float
    ends: float


class EarlyEnd:
    """Stops the session when the run is interrupted, and records which tests had ended before."""

    def __init__(self, conclude: Callable[[pytest.Session], None], interruption: Interruption) -> None:
        """Handle signals from now on. `conclude` writes the report if the main thread does not end."""
        self.interruption, self.reached = interruption, set[str]()
        self._conclude = conclude
        self.error = ""
        """Why this process itself ended the session: the collection failed, or a test took too long."""
        self._limit: TimeLimit | None = None
        self._watcher: threading.Thread | None = None
        """Ends the run when the limit is over: one thread for all tests."""
        self.interruption.listen()

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Let a signal end the collection and the loop over the tests."""

        def stop() -> None:
            session.shouldstop = self.interruption.words

        self.interruption.wakes.append(stop)
        self.interruption.conclude = lambda: self._conclude(session)
        if self.interruption:  # the signal came while pytest was being configured
            stop()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Record that this test ended."""
        if not self.interruption:
            self.reached.add(nodeid)

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Distinguish Ctrl-C from pytest's own stop after a failed collection, which is an error of the suite."""
        if isinstance(excinfo.value, pytest.Session.Interrupted) and not self.interruption:
            self.error = f"error of the suite: {excinfo.value}"

    @pytest.hookimpl(optionalhook=True)
    def pytest_timeout_set_timer(self, item: pytest.Item, settings: Any) -> bool:
        """Limit a test's time: pytest-timeout itself would end the process with status 1 and without a report."""
        self._limit = TimeLimit(item, settings.timeout, time.monotonic() + settings.timeout)
        vars(item)["cancel_timeout"] = self._lift_limit
        if self._watcher is None:
            self._watcher = threading.Thread(target=self._watch, name="time limit", daemon=True)
            self._watcher.start()
        return True

    def _lift_limit(self) -> None:
        self._limit = None

    def _watch(self) -> None:
        while True:
            limit = self._limit
            if limit and time.monotonic() >= limit.ends and not is_debugging():
                self._end(limit)
                return
            time.sleep(LOOK_EVERY_S)

    def _end(self, limit: TimeLimit) -> None:
        where = trace_in_file(stacks())
        self.error = f"{limit.item.nodeid} ran longer than its limit of {limit.seconds:g} s; {where}"
        if capture := cast("Any", limit.item.config.pluginmanager.get_plugin("capturemanager")):
            capture.suspend_global_capture()
        say(self.error)
        self.interruption.end_late("a test ran longer than its limit")

    def pytest_unconfigure(self) -> None:
        """Restore the signal handlers."""
        self.interruption.restore_handlers()
