"""A pytest plugin for runs that end early: by a signal, or since one test takes too long."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from pytest_timeout import timeout_timer  # type: ignore[import-untyped]  # it ships no types

from pix_conformance.harness.interruption import Interruption


class Stopping:
    """Stops the session when the run is interrupted, and remembers which tests ended before."""

    def __init__(self, conclude: Callable[[pytest.Session], None], interruption: Interruption) -> None:
        """Listen to the signals from here; `conclude` writes the report where the main thread is stuck."""
        self.interruption, self.reached = interruption, set[str]()
        self._conclude = conclude
        self.error = ""
        """Why pytest itself ended the session, such as a collection that failed."""
        self.interruption.listen()

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Have a signal end the collection, and the loop over the tests."""

        def stop() -> None:
            session.shouldstop = self.interruption.words

        self.interruption.wakes.append(stop)
        self.interruption.conclude = lambda: self._conclude(session)
        if self.interruption:  # it came while pytest was being configured
            stop()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Note that a test ended by itself."""
        if not self.interruption:
            self.reached.add(nodeid)

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Tell a person's interruption from pytest's own stop after a failed collection, which is an error of ours."""
        if isinstance(excinfo.value, pytest.Session.Interrupted) and not self.interruption:
            self.error = f"the suite erred: {excinfo.value}"

    @pytest.hookimpl(optionalhook=True)
    def pytest_timeout_set_timer(self, item: pytest.Item, settings: Any) -> bool:
        """Bound the test by a daemon: the timer of pytest-timeout outlives an interrupted run by its whole length."""
        timer = threading.Timer(settings.timeout, timeout_timer, (item, settings))
        timer.daemon = True
        vars(item)["cancel_timeout"] = timer.cancel
        timer.start()
        return True

    def pytest_unconfigure(self) -> None:
        """Give the signals back."""
        self.interruption.unlisten()
