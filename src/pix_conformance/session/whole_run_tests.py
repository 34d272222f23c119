"""`python -m pix_conformance.session.whole_run_tests REPORT... FILE`: runs the tests that judge the whole run.

They judge the recorded exchanges of all workers; what they find is written to the file. Sends nothing.
"""

import json
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

import pytest

from pix_conformance.harness.deferred import parts_of
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.outcomes import NotApplicable
from pix_conformance.harness.run import Run, empty_run
from pix_conformance.model.json_reader import Row
from pix_conformance.model.paths import PYTEST_SETTINGS, SUITES, TEST_TREE
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.recording.bundle import reader
from pix_conformance.recording.bundle.values import Bundle
from pix_conformance.recording.bundle.writer import judgement_row
from pix_conformance.recording.recorder import LISTING, Recorder
from pix_conformance.session.hookspecs import MARKERS
from pix_conformance.session.selection import requirements_of
from pix_conformance.session.shards import group_of
from pix_conformance.verdicts.joined_workers import WholeRunTests, joined

MARKER = "whole_run"


@dataclass(frozen=True)
class RecordedClient:
    """Stands for the client of a role in a run that is over: every operation raises NotApplicable."""

    run: Run

    def __getattr__(self, operation: str) -> NoReturn:
        raise NotApplicable(f"{operation} is not sent: the run is over")


@dataclass(eq=False, kw_only=True)
class RecordedRun(Run):
    """A run that is over, with a client for each role that sent a request in it."""

    roles: frozenset[tuple[Api, Role]] = frozenset()

    def client(self, api: Api, role: Role) -> Any:
        """Return the client of a role. Raises NotApplicable if the run had none."""
        if (api, role) in self.roles:
            return RecordedClient(self)
        return super().client(api, role)


@dataclass(eq=False)  # pytest keeps its plugins in sets
class JudgesRecording:
    """A pytest plugin that gives the tests a run that is over, and notes what they judge."""

    bundle: Bundle
    recorder: Recorder = field(default_factory=Recorder)
    tests: set[str] = field(default_factory=set)

    def pytest_configure(self, config: pytest.Config) -> None:
        """Add the markers of the suites."""
        for line in MARKERS:
            config.addinivalue_line("markers", line)

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Leave out files without such a test."""
        if collection_path.suffix != ".py" or SUITES not in collection_path.parents:
            return None
        return MARKER not in collection_path.read_text(encoding="utf-8") or None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Note all tests that judge the whole run, and keep those that receive no webhooks."""
        self.tests = {item.nodeid for item in items if item.get_closest_marker(MARKER)}
        items[:] = [item for item in items if item.nodeid in self.tests and not group_of(item) and not parts_of(item)]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        """Let each judgement know its test."""
        self.recorder.test, self.recorder.requirements = item.nodeid, requirements_of(item)

    @pytest.fixture(scope="session", name="run")
    def recorded_run(self) -> RecordedRun:
        """The run that is over."""
        bundle = self.bundle
        target = Target(bundle.target, bundle.base_url, apis=tuple(map(Api, bundle.apis)))
        over = empty_run(Settings(target), self.recorder, Waits())
        roles = frozenset((Api(exchange.api), Role(exchange.role)) for exchange in bundle.exchanges if exchange.ok)
        self.recorder.accepted |= roles
        without_lists = (exchange for exchange in bundle.exchanges if exchange.operation not in LISTING)
        self.recorder.exchanges += [replace(exchange, recorder=self.recorder) for exchange in without_lists]
        return RecordedRun(
            settings=over.settings,
            recorder=self.recorder,
            receiver=None,
            clock=over.clock,
            waits=over.waits,
            roles=roles,
        )

    @property
    def judged(self) -> WholeRunTests:
        """What the tests judged; those without a judgement count as not run."""
        judged = {str(judgement.test) for judgement in self.recorder.judgements}
        return WholeRunTests(self.recorder.judgements, frozenset(self.tests - judged))


def judge_whole_run(bundle: Bundle) -> WholeRunTests:
    """Run the tests with the marker whole_run on the exchanges of a bundle.

    Those that receive webhooks or send requests are not run, and lists are left out: the worker that asked for a list
    masked the objects of the others. Call it once in a process: it calls pytest.
    """
    plugin = JudgesRecording(bundle)
    sys.path.insert(0, str(TEST_TREE))  # first in the path, because other packages may be named `fixtures` too
    words = ["-c", str(PYTEST_SETTINGS), f"--rootdir={TEST_TREE}", "--noconftest", "--assert=plain"]
    words += ["-p", "fixtures.plugin", "-p", "no:cacheprovider", "-p", "no:terminal", str(SUITES)]
    pytest.main(words, plugins=[plugin])
    return plugin.judged


def write(whole_run: WholeRunTests, path: Path) -> None:
    """Write what the tests judged as JSON."""
    rows = [{"requirement": judgement.requirement, **judgement_row(judgement)} for judgement in whole_run.judgements]
    path.write_text(json.dumps({"judgements": rows, "not_run": sorted(whole_run.not_run)}), "utf-8")


def read(path: Path) -> WholeRunTests:
    """Read what `write` wrote."""
    row = Row(json.loads(path.read_text("utf-8")))
    rows = row.rows("judgements")
    judgements = [reader.judgement(row.text("requirement"), row) for row in rows]
    return WholeRunTests(judgements, frozenset(row.texts("not_run")))


if __name__ == "__main__":
    *reports, file = map(Path, sys.argv[1:])
    write(judge_whole_run(joined([reader.read(report) for report in reports])), file)
