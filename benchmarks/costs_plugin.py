"""A pytest plugin that writes what a run cost: CPU, memory, requests, and when its parts began and ended."""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.harness.session_state import KEY
from pix_conformance.harness.transport.recording import RecordingTransport

OPTION = "--costs-file"
KIB_PER_MB = 1024


class Stopwatch:
    """Adds up the CPU time that the calls of a function take in their thread, those side by side included."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def watch(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function, measured."""

        @wraps(function)
        def measured(*given: Any, **named: Any) -> Any:
            begun = time.thread_time()
            try:
                return function(*given, **named)
            finally:
                self.seconds += time.thread_time() - begun

        return measured


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that names the file."""
    parser.addoption(OPTION, type=Path, required=True, help="where the costs are written, as JSON")


def pytest_configure(config: pytest.Config) -> None:
    """Begin to measure."""
    config.pluginmanager.register(Costs(config), "costs")


class Costs:
    """Measures one run."""

    def __init__(self, config: pytest.Config) -> None:
        self._config, self._last_test = config, 0.0
        self._exchange, self._http = Stopwatch(), Stopwatch()
        watched = {"_send": self._exchange, "_answer": self._http}
        for name, watch in watched.items():  # of the whole exchange, and of HTTP alone
            setattr(RecordingTransport, name, watch.watch(getattr(RecordingTransport, name)))

    def pytest_runtest_logfinish(self) -> None:
        """Note the end of a test."""
        self._last_test = time.time()

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        """Write the costs."""
        exchanges = self._config.stash[KEY].ledger.exchanges
        used = resource.getrusage(resource.RUSAGE_SELF)
        found = {
            "requests": len(exchanges),
            "first_request": min(one.started for one in exchanges),
            "last_test": self._last_test,
            "cpu_s": used.ru_utime + used.ru_stime,
            "memory_mb": used.ru_maxrss / KIB_PER_MB,
            "own_ms_per_exchange": 1000 * (self._exchange.seconds - self._http.seconds) / len(exchanges),
        }
        self._config.getoption(OPTION).write_text(json.dumps(found), encoding="utf-8")
