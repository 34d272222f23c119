"""A pytest plugin whose first test never returns, as one that waits for a name server that does not answer."""

from __future__ import annotations

import time
from pathlib import Path

import pytest


def pytest_runtest_call(item: pytest.Item) -> None:
    """Say that the main thread is stuck, and be so."""
    (Path(item.config.option.pix_report_dir).parent / "stuck").touch()
    time.sleep(60)
