"""The report while it is made: in a temporary directory, so that an earlier report stays until the new one is whole."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pytest_html.basereport import BaseReport  # type: ignore[import-untyped]  # pytest-html has no types

from pix_conformance.results.report_directory import publish
from pix_conformance.results.run_record import RunRecord

NOT_WRITTEN = 3
"""Exit status of a run whose report could not be written to its directory."""


@dataclass(eq=False)  # pytest keeps its plugins in sets
class ReportDraft:
    """A pytest plugin that puts the report into its directory after pytest-html has written its page too."""

    ledger: RunRecord
    directory: Path
    """Where the report is in the end."""
    path: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="pix-report-")))
    """Where it is written first."""

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Iterator[None]:
        """Publish the report once every other plugin has written its part."""
        yield
        for one in session.config.pluginmanager.get_plugins():
            if isinstance(one, BaseReport):  # its last line would name the draft
                session.config.pluginmanager.unregister(one)
        self.publish(session)

    def publish(self, session: pytest.Session) -> None:
        """Replace an earlier report, or say why it stays and where the new one is."""
        if not (self.path / "results.json").is_file():
            return
        try:
            publish(self.path, self.directory)
        except OSError as reason:
            session.exitstatus = NOT_WRITTEN
            self.ledger.notices.append(f"the report could not be written to {self.directory}: {reason.strerror}")
            self.directory = self.path

    def pytest_unconfigure(self) -> None:
        """Remove the draft, unless the report could be written nowhere else."""
        if self.directory != self.path:
            shutil.rmtree(self.path, ignore_errors=True)
