"""A pytest plugin that writes each must that fails, with the time, while a run lasts."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pix_conformance.harness.session_state import KEY
from pix_conformance.model.vocabulary import Level, Outcome
from pix_conformance.proof.failing_musts import FailingMusts

OPTION = "--failures-file"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that names the file."""
    parser.addoption(OPTION, type=Path, required=True, help="where the musts that fail are written, as JSON lines")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Begin to write, once it is known which tests run."""
    session.config.pluginmanager.register(FailuresFile(session.config), "failures-file")


class FailuresFile:
    """Writes `{"requirement": ..., "at": epoch seconds}` for each must that fails."""

    def __init__(self, config: pytest.Config) -> None:
        self._ours, self._path = config.stash[KEY], config.getoption(OPTION)
        self._failing, self._written = FailingMusts(self._ours), set[str]()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Iterator[None]:
        """Write the musts that a test showed to fail."""
        result = yield
        self._write(self._failing.found())
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Iterator[None]:
        """Write the musts that fail only by what the whole run received."""
        yield
        rows = [row for row in self._ours.rows if row.outcome is Outcome.FAIL]
        self._write({row.requirement.id for row in rows if row.requirement.level is Level.MUST})

    def _write(self, failing: set[str]) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            for name in sorted(failing - self._written):
                print(json.dumps({"requirement": name, "at": time.time()}), file=file)
        self._written |= failing
