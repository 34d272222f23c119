"""Loaded by pytest before it looks for a conftest: sees that it found this project's settings.

pytest takes the value in `--report-dir DIR` for a path to collect as long as the option is unknown, and, where DIR
exists elsewhere, looks for its settings there. Then the run happens within this one, with the settings named.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pix_conformance.harness import PLUGINS
from pix_conformance.model.paths import TEST_TREE

SETTINGS = TEST_TREE / "pytest.toml"


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    """Run pytest with the checkout's settings if it was called in the checkout and found other ones.

    This hook, because the next one runs when output is already captured.
    """
    here = Path.cwd()
    config = pluginmanager.get_plugin("pytestconfig")
    if config is None or config.inipath == SETTINGS or not SETTINGS.is_file() or TEST_TREE not in (here, *here.parents):
        return
    if not _called_by_a_person() or any(word == "-c" or word.startswith("--config-file") for word in sys.argv):
        return
    named = [word for one in PLUGINS for word in ("-p", one)]
    raise SystemExit(pytest.main(["-c", str(SETTINGS), f"--rootdir={TEST_TREE}", *named, *sys.argv[1:]]))


def _called_by_a_person() -> bool:
    """Whether this process is the `pytest` command, and not a program that calls pytest.main."""
    return Path(sys.argv[0]).name in {"pytest", "py.test", "pytest.exe"} or Path(sys.argv[0]).parent.name == "pytest"
