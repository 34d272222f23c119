"""The pytest hooks that this package defines: rules of the embedded reference, start of a run, end of a run."""

from __future__ import annotations

from pathlib import Path

import pytest


class Hooks:
    """The specifications, for pytest's plugin manager."""

    @pytest.hookspec
    def pytest_pix_reference_rules(self, config: pytest.Config) -> list[str]:  # type: ignore[empty-body]  # a specification
        """Return the classes (`module.path:Class`) of rules with which the embedded reference is started."""

    @pytest.hookspec
    def pytest_pix_bundle_written(self, config: pytest.Config, directory: Path) -> None:
        """Write further files. Called when the bundle is complete in the directory."""
