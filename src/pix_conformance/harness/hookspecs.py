"""The hooks of our own: what the embedded reference departs by, the start and the end of a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from pix_conformance.harness.run import Run


class Hooks:
    """Hook specifications."""

    @pytest.hookspec
    def pytest_pix_reference_rules(self, config: pytest.Config) -> list[str]:  # type: ignore[empty-body]  # a specification
        """Name the rules (`module.path:Class`) that the embedded reference departs by."""

    @pytest.hookspec
    def pytest_pix_run_started(self, run: Run) -> None:
        """Register scenarios in `run.scenarios`, before anything is arranged for the tests."""

    @pytest.hookspec
    def pytest_pix_bundle_written(self, config: pytest.Config, directory: Path) -> None:
        """Run once the bundle stands in the directory."""
