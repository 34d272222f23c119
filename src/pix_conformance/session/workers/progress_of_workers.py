"""The progress of workers: a line every 15 s, by the tests that ended and by what each worker has sent."""

import json
import threading
from collections.abc import Generator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.generation.examples import seconds_of_response
from pix_conformance.model.printable import for_terminal
from pix_conformance.session.costs import requests_of, weight
from pix_conformance.session.duration import duration
from pix_conformance.session.remaining_time import Estimate
from pix_conformance.session.state import KEY

LINE_EVERY_S = 15.0
SUFFIX = ".progress"


def note_progress(file: Path, sent: int, current: str) -> None:
    """Write what a worker has sent and does, for the process that started it."""
    draft = file.with_suffix(".draft")
    draft.write_text(json.dumps({"sent": sent, "current": current}))
    draft.replace(file)


class WorkersProgress:
    """A pytest plugin of the process that the user started, in place of pytest's letters."""

    def __init__(
        self,
        config: pytest.Config,
        directory: Path,
        tests: Sequence[Sequence[pytest.Item]],
        examples: int,
        longest_wait: float,
    ) -> None:
        """Begin to show the progress. `directory` has a file of each worker, `tests` the tests of each worker.

        Generated tests send so many `examples`.
        """
        self._config, self._directory = config, directory
        self._done = self._failed = 0
        self._total = sum(map(len, tests))
        weights = {item.nodeid: weight(item.nodeid) for shard in tests for item in shard}
        state = config.stash[KEY]
        planned = duration(state.settings, state.tests.selected, seconds_of_response(state.facts.exchanges))
        requests = sum(requests_of(shard, examples) for shard in tests)
        self._estimate = Estimate(weights, requests, longest_wait, planned)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._show_often, daemon=True)
        self._thread.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self) -> Generator[None, tuple[Any, ...], tuple[Any, ...]]:
        """Drop pytest's letter for each result."""
        category, letter, *rest = yield
        del letter
        return (category, "", *rest)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count failed tests."""
        self._failed += report.failed

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Count finished tests."""
        self._done += 1
        self._estimate.end_test(nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """End the progress."""
        self._ended.set()
        self._thread.join()
        self._show("finished" if self._done >= self._total else "ended")

    def _show_often(self) -> None:
        while not self._ended.wait(LINE_EVERY_S):
            current = next((note["current"] for note in self._noted()), "")
            self._show(f"now {current}" if current else "the workers start")

    def _show(self, words: str) -> None:
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        sent = sum(note["sent"] for note in self._noted())
        failed = f", {self._failed} failed" if self._failed else ""
        rest = self._estimate.remaining(sent)
        if reporter:
            reporter.write_line(for_terminal(f"{self._done}/{self._total}{failed}, {sent} requests{rest}: {words}"))

    def _noted(self) -> list[dict[str, Any]]:
        """Return what the workers wrote, the latest first."""
        notes = []
        for path in sorted(self._directory.glob(f"*{SUFFIX}"), key=_written, reverse=True):
            with suppress(OSError, ValueError):
                notes.append(json.loads(path.read_text()))
        return notes


def _written(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0
