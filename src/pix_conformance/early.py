"""Loaded by pytest before it looks for a conftest: sees that it found this project's settings.

pytest takes the value in `--report-dir DIR` for a path to collect as long as the option is unknown, and, where DIR
exists elsewhere, looks for its settings there. Then it is started again with the settings named.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SETTINGS = ROOT / "pyproject.toml"


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    """Start over if pytest was called in the checkout and found other settings than the checkout's.

    This hook, because the next one runs when output is already captured.
    """
    here = Path.cwd()
    config = pluginmanager.get_plugin("pytestconfig")
    if config is None or config.inipath == SETTINGS or ROOT not in (here, *here.parents) or not _called_by_a_person():
        return
    if not (ROOT / "suites").is_dir() or any(word == "-c" or word.startswith("--config-file") for word in sys.argv):
        return
    words = [sys.executable, "-m", "pytest", "-c", str(SETTINGS), f"--rootdir={ROOT}", *sys.argv[1:]]
    os.execv(sys.executable, words)  # noqa: S606  # the same command, with its settings named


def _called_by_a_person() -> bool:
    """Whether this process is the `pytest` command, and not a program that calls pytest.main."""
    return Path(sys.argv[0]).name in {"pytest", "py.test", "pytest.exe"} or Path(sys.argv[0]).parent.name == "pytest"
