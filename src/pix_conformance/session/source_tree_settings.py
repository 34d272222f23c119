"""A plugin that pytest loads before any conftest: it checks that pytest uses this project's settings.

As long as an option is unknown, pytest takes the value in `--report-dir DIR` for a path to collect. If DIR exists in
another project, pytest reads the settings there. Then this plugin starts pytest again with the right settings.
"""

import sys
from pathlib import Path

import pytest

from pix_conformance.model.paths import TEST_TREE
from pix_conformance.session import PLUGINS

SETTINGS = TEST_TREE / "pytest.toml"


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    """If pytest was called in this checkout and found other settings, run it with the checkout's settings.

    This is the last hook before pytest captures output.
    """
    here = Path.cwd()
    config = pluginmanager.get_plugin("pytestconfig")
    if config is None or config.inipath == SETTINGS or not SETTINGS.is_file() or TEST_TREE not in (here, *here.parents):
        return
    if not is_pytest_command() or any(word == "-c" or word.startswith("--config-file") for word in sys.argv):
        return
    named = [word for plugin in PLUGINS for word in ("-p", plugin)]
    raise SystemExit(pytest.main(["-c", str(SETTINGS), f"--rootdir={TEST_TREE}", *named, *sys.argv[1:]]))


def is_pytest_command() -> bool:
    """Return whether this process is the `pytest` command, and not a program that calls pytest.main."""
    return Path(sys.argv[0]).name in {"pytest", "py.test", "pytest.exe"} or Path(sys.argv[0]).parent.name == "pytest"
