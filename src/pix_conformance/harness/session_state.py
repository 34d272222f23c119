"""What the pytest plugin keeps of one run between its hooks."""

from __future__ import annotations

import os
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import pytest

from pix_conformance.harness.command_line import started_as
from pix_conformance.harness.early_end import Stopping
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.report_draft import ReportDraft
from pix_conformance.harness.run import Run
from pix_conformance.model.target import Target
from pix_conformance.results.dependency_chain import Failure, Recording
from pix_conformance.results.run_record import RunRecord
from pix_conformance.results.verdicts import RequirementResult
from pix_conformance.results.waivers import Waiver


@dataclass
class Session:
    """What the plugin keeps between its hooks."""

    target: Target
    waivers: dict[str, Waiver]
    ledger: RunRecord = field(default_factory=RunRecord)
    waits: Waits = field(default_factory=Waits)
    run: Run | None = None
    collected: dict[str, set[str]] = field(default_factory=dict)
    asked_by: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    selected: list[pytest.Item] = field(default_factory=list)
    begun: float = field(default_factory=time.monotonic)
    rows: list[RequirementResult] = field(default_factory=list)
    draft: ReportDraft | None = None
    """None where the suites are not asked: the run is only planned, or sends recorded requests again."""
    closing: str = ""
    blocks: list[str] = field(default_factory=list)
    """What failed, for the terminal."""
    command: str = field(default_factory=lambda: started_as(sys.argv, os.environ))
    """How the run was started."""
    again: tuple[Recording, list[Failure]] | None = None
    status: int = 0
    stopping: Stopping | None = None
    concluding: threading.Lock = field(default_factory=threading.Lock)


KEY = pytest.StashKey[Session]()
