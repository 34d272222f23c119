"""The report while it is written, in a temporary directory: an earlier report stays until the new one is complete."""

import errno
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pytest_html.basereport import BaseReport  # type: ignore[import-untyped]  # pytest-html has no types

from pix_conformance.recording.report_directory import publish, remove_earlier
from pix_conformance.report.pages import write_pages

PAGES = "pix_conformance.report.plugin"
"""The plugin without which a run writes no pages: `-p no:pix_conformance.report.plugin`."""

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Errors of a file that cannot grow."""
NOT_WRITTEN = 3
"""Exit status of a run whose report could not be written to its directory."""


@dataclass(eq=False)  # pytest keeps its plugins in sets
class ReportDraft:
    """A pytest plugin that moves the report into its directory after pytest-html has written its page."""

    directory: Path
    """The directory of the finished report."""
    path: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="pix-report-")))
    """The temporary directory."""
    problems: list[str] = field(default_factory=list)
    """Why the report is not in its directory."""

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Iterator[None]:
        """Publish the report after every other plugin has written its part. The temporary directory may be full."""
        try:
            yield
        except OSError as reason:
            if reason.errno not in FULL:
                raise
            session.exitstatus = NOT_WRITTEN
            lacking = f"{self.path.parent} has no room for the report ({reason.strerror})"
            self.problems.append(f"{lacking}: set TMPDIR; the next run makes it of the journal in {self.directory}")
            return
        for plugin in session.config.pluginmanager.get_plugins():
            if isinstance(plugin, BaseReport):  # pytest-html's last line would name the temporary directory
                session.config.pluginmanager.unregister(plugin)
        self.publish(session)

    def publish(self, session: pytest.Session) -> None:
        """Replace an earlier report. If that fails, print the reason and the path of the new report."""
        if not (self.path / "results.json").is_file():
            return
        try:
            publish(self.path, self.directory)
            remove_earlier(self.directory)
        except OSError as reason:
            session.exitstatus = NOT_WRITTEN
            self.problems.append(f"the report could not be written to {self.directory}: {reason.strerror}")
            self.directory = self.path

    def pytest_unconfigure(self) -> None:
        """Remove the temporary directory, unless it has the only copy of the report."""
        if self.directory != self.path:
            shutil.rmtree(self.path, ignore_errors=True)


def write_pages_of_run(config: pytest.Config, directory: Path) -> None:
    """Write every page that is drawn from the bundle in a directory, unless pytest runs without the plugin of pages."""
    if config.pluginmanager.has_plugin(PAGES):
        write_pages(directory)
