"""The state of one run that the hooks of the pytest plugin share, by owner: its tests, comparisons and summary."""

import os
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from pix_conformance.harness.current_test import CurrentTest
from pix_conformance.harness.deferred import DeferredTests
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.run import Run
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import Target
from pix_conformance.recording.bundle.values import AskingTest
from pix_conformance.recording.facts import Facts
from pix_conformance.report.assumptions import Assumptions
from pix_conformance.session.command_line import started_as
from pix_conformance.session.earlier_report import EarlierReport
from pix_conformance.session.early_end import EarlyEnd
from pix_conformance.session.report_draft import ReportDraft
from pix_conformance.session.unfinished_run import LeftWebhooks
from pix_conformance.verdicts.baseline import Baseline
from pix_conformance.verdicts.judge import Excuse, RequirementResult


@dataclass
class TestsOfRun:
    """Which tests there are, and which of them run."""

    __test__ = False  # it is no test of pytest

    collected: dict[str, set[str]] = field(default_factory=dict)
    """By requirement, the node ids of the tests that name it."""
    asked_by: dict[str, tuple[AskingTest, ...]] = field(default_factory=dict)
    selected: list[pytest.Item] = field(default_factory=list)
    gone: tuple[str, ...] = ()
    """The tests of earlier failures that this suite does not have, by node id."""


@dataclass(frozen=True)
class Comparisons:
    """What the run is held against."""

    excuses: dict[str, Excuse] = field(default_factory=dict)
    """Of the waivers, of the baseline and of the edition, by requirement."""
    again: EarlierReport | None = None
    """The report whose failures `--again` asks again."""
    baseline: Baseline | None = None
    assumptions: Assumptions | None = None


@dataclass(frozen=True)
class RunSummary:
    """What a run has come to, as the terminal shows it."""

    results: Sequence[RequirementResult] = ()
    blocks: Sequence[str] = ()
    """The failures."""
    notices: Sequence[str] = ()
    headline: str = ""


@dataclass
class Session:
    """The state of one run, in `config.stash[KEY]`."""

    settings: Settings
    comparisons: Comparisons = field(default_factory=Comparisons)
    current_test: CurrentTest = field(default_factory=CurrentTest)
    recorded: Sequence[Delivery] = ()
    """The deliveries of the file of --deliveries, as it holds them when the run begins."""
    warnings: list[str] = field(default_factory=list)
    """What is wrong with the environment variables, in sentences."""
    left: LeftWebhooks | None = None
    """What an earlier run has left that ended without a report; None without such a run."""
    waits: Waits = field(default_factory=Waits)
    run: Run | None = None
    tests: TestsOfRun = field(default_factory=TestsOfRun)
    deferred: DeferredTests = field(default_factory=DeferredTests)
    early_end: EarlyEnd | None = None
    draft: ReportDraft | None = None
    """None in a worker, which writes no report, and with --plan."""
    summary: RunSummary = field(default_factory=RunSummary)
    command: str = field(default_factory=lambda: started_as(sys.argv, os.environ))
    """The command that started the run."""
    begun: float = field(default_factory=time.monotonic)
    concluding: threading.Lock = field(default_factory=threading.Lock)

    @property
    def target(self) -> Target:
        """What is tested."""
        return self.settings.target

    @property
    def facts(self) -> Facts:
        """The facts of this process so far."""
        return self.current_test.facts


KEY = pytest.StashKey[Session]()
