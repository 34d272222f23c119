"""The state of one run that the hooks of the pytest plugin share."""

import os
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from typing import Any

import pytest

from pix_conformance.harness.deferred import DeferredTests
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.run import Run
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import Target
from pix_conformance.recording.bundle.values import AskingTest
from pix_conformance.recording.recorder import Recorder
from pix_conformance.report.assumptions import Assumptions
from pix_conformance.session.command_line import started_as
from pix_conformance.session.earlier_report import EarlierReport
from pix_conformance.session.early_end import EarlyEnd
from pix_conformance.session.report_draft import ReportDraft
from pix_conformance.session.selection import by_requirement
from pix_conformance.session.unfinished_run import LeftWebhooks
from pix_conformance.verdicts.baseline import Baseline
from pix_conformance.verdicts.judge import Excuse, RequirementResult


@dataclass
class Session:
    """The state of one run, in `config.stash[KEY]`."""

    settings: Settings
    excuses: dict[str, Excuse]
    """Of the waivers, of the baseline and of the edition, by requirement."""
    recorder: Recorder = field(default_factory=Recorder)
    warnings: list[str] = field(default_factory=list)
    """What is wrong with the environment variables, in sentences."""
    left: LeftWebhooks | None = None
    """What an earlier run has left that ended without a report; None without such a run."""
    waits: Waits = field(default_factory=Waits)
    run: Run | None = None
    collected: dict[str, set[str]] = field(default_factory=dict)
    asked_by: dict[str, tuple[AskingTest, ...]] = field(default_factory=dict)
    selected: list[pytest.Item] = field(default_factory=list)
    unsharded: dict[str, set[str]] = field(default_factory=dict)
    """The tests of each requirement in all shards together; empty without workers."""
    begun: float = field(default_factory=time.monotonic)
    results: list[RequirementResult] = field(default_factory=list)
    draft: ReportDraft | None = None
    """None if no test runs: with --plan."""
    closing: str = ""
    blocks: list[str] = field(default_factory=list)
    """The failures, as the terminal shows them."""
    command: str = field(default_factory=lambda: started_as(sys.argv, os.environ))
    """The command that started the run."""
    again: EarlierReport | None = None
    """The report whose failures `--again` asks again."""
    baseline: Baseline | None = None
    assumptions: Assumptions | None = None
    gone: tuple[str, ...] = ()
    """The tests of those failures that this suite does not have, by node id."""
    deferred: DeferredTests = field(default_factory=DeferredTests)
    early_end: EarlyEnd | None = None
    concluding: threading.Lock = field(default_factory=threading.Lock)

    def take(self, collection: Mapping[str, Any]) -> None:
        """Take what the process that collected all tests gives a worker; see `collection`."""
        self.collected, self.unsharded = collection["collected"], collection["selected"]
        self.asked_by = {name: tuple(AskingTest(*row) for row in rows) for name, rows in collection["asked_by"].items()}
        self.gone = collection["gone"]

    @property
    def collection(self) -> dict[str, Any]:
        """Which tests there are, for the workers, which collect their own only."""
        return {
            "collected": self.collected,
            "selected": by_requirement(self.selected),
            "asked_by": {name: [*map(astuple, tests)] for name, tests in self.asked_by.items()},
            "gone": self.gone,
        }

    @property
    def target(self) -> Target:
        """What is tested."""
        return self.settings.target


KEY = pytest.StashKey[Session]()
