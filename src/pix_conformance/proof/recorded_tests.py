"""A pytest plugin for a measured run: what its bundle does not say of its tests and of the fixtures that they share.

A shared fixture has session scope and is set up once. Its requests belong to no single test: the first test that uses
it waits for them, every later one has them for nothing. One that is set up for each parameter or module is lost when
the run goes on to another: the tests that use it stand together, and its requests belong to the one that waited.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Self

import pytest

from pix_conformance.harness.session_state import KEY

OPTION = "--record-tests"
"""The option of this plugin: the file that the record is written to."""

IS_TEST = "::test_"
"""What the node ids of tests contain, and no name of a fixture."""


@dataclass(frozen=True)
class RecordedTests:
    """Which requests shared fixtures sent in one run, and which tests use them."""

    sender: Mapping[int, str]
    """The fixture that sent an exchange, by the number of the exchange."""
    used: Mapping[str, frozenset[str]]
    """The shared fixtures that a test or a shared fixture uses, directly or by another one, by node id or name."""
    together: tuple[tuple[str, ...], ...]
    """Tests that stand together, in their order."""
    whole_run: frozenset[str]
    """The tests that judge all that the run sent and received."""

    @classmethod
    def read(cls, file: Path) -> Self:
        """Read what `Recorder` wrote."""
        stored = json.loads(file.read_text("utf-8"))
        used = {test: frozenset(names) for test, names in stored["used"].items()}
        together = tuple(tuple(tests) for tests in stored["together"])
        return cls(
            {int(number): name for number, name in stored["sender"].items()},
            used,
            together,
            frozenset(stored["whole_run"]),
        )


class Recorder:
    """The plugin itself."""

    def __init__(self, file: Path) -> None:
        """Record from now on; `file` is written when the session ends."""
        self._file = file
        self._open: list[str] = []
        """The shared fixtures that are being set up, the innermost last."""
        self._set_up: Counter[str] = Counter()
        self._of_module: set[str] = set()
        self._sender: dict[int, str] = {}
        self._asked: defaultdict[str, set[str]] = defaultdict(set)
        """The names of the fixtures that a test or a shared fixture asked for."""
        self._whole_run: list[str] = []
        self._record_use()

    def _record_use(self) -> None:
        """Have the method by which tests and fixtures get every fixture record who called it."""
        get = pytest.FixtureRequest.getfixturevalue

        @wraps(get)
        def recorded(request: pytest.FixtureRequest, name: str) -> Any:
            if KEY in request.config.stash:
                self._asked[self._open[-1] if self._open else str(request.config.stash[KEY].ledger.test)].add(name)
            return get(request, name)

        setattr(pytest.FixtureRequest, "getfixturevalue", recorded)  # noqa: B010  # mypy refuses the plain assignment

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Keep which tests judge the whole run."""
        self._whole_run = [one.nodeid for one in session.items if one.get_closest_marker("whole_run")]

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest) -> Iterator[Any]:
        """Attribute the requests of a shared fixture to it, but for those of other ones that it asks for."""
        if fixturedef.scope == "function" or KEY not in request.config.stash:
            return (yield)
        exchanges = request.config.stash[KEY].ledger.exchanges
        name = f"{fixturedef.baseid}::{fixturedef.argname}".removeprefix("::")
        begun = len(exchanges)
        self._open.append(name)
        self._set_up[name] += 1
        self._of_module |= {name} if fixturedef.scope != "session" else set()
        try:
            return (yield)
        finally:
            self._open.pop()
            for one in exchanges[begun:]:
                self._sender.setdefault(one.id, name)

    def pytest_sessionfinish(self) -> None:
        """Write the record."""
        every = {test: self._used(test, test) for test in self._asked if IS_TEST in test}
        shared = {name for name, times in self._set_up.items() if times == 1} - self._of_module
        together = [[test for test in every if name in every[test]] for name in self._set_up if name not in shared]
        every |= {name: self._used(name, name) for name in shared}
        found = {
            "sender": {number: name for number, name in self._sender.items() if name in shared},
            "used": {test: sorted(names & shared) for test, names in every.items()},
            "together": together,
            "whole_run": self._whole_run,
        }
        self._file.write_text(json.dumps(found), encoding="utf-8")

    def _used(self, asking: str, test: str) -> set[str]:
        """Return the fixtures, but those of single tests, that a test or fixture asked for, directly or not."""
        found: set[str] = set()
        for name in self._asked.get(asking, ()):
            of_module = f"{test.partition('::')[0]}::{name}"
            known = of_module if of_module in self._set_up else name
            found |= ({known} if known in self._set_up else set()) | self._used(known, test)
        return found


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option of this plugin."""
    parser.addoption(OPTION, type=Path, required=True, help="where the record of tests and fixtures is written")


def pytest_configure(config: pytest.Config) -> None:
    """Begin to record."""
    config.pluginmanager.register(Recorder(config.getoption(OPTION)), "pix-record-tests")
