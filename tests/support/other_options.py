"""Another pytest plugin, which has an option with the name of ours."""

from __future__ import annotations

from pathlib import Path


def install(directory: Path, name: str) -> None:
    """Install a plugin with this entry point into a directory; it has the option --base-url, like pytest-base-url."""
    information = directory / "beside-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: beside\nVersion: 1.0\n", encoding="utf-8")
    (information / "entry_points.txt").write_text(f"[pytest11]\n{name} = beside\n", encoding="utf-8")
    text = "def pytest_addoption(parser):\n    parser.addoption('--base-url', default=None)\n"
    (directory / "beside.py").write_text(text, encoding="utf-8")
