"""A pytest plugin: the run is already some seconds old when its first test begins, and waits for nothing.

ELAPSED_S says how many. The reference's clock is turned once, behind what was planted; then no clock can be
turned, as against a real target.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import Any

import pytest

SECONDS = "ELAPSED_S"


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
    """Let the time pass once the run has begun."""
    made = yield
    if fixturedef.argname == "run":
        made.clock.skip(float(os.environ[SECONDS]))
        setattr(made.clock, "_turn", None)  # noqa: B010  # no part of what the suites may do
    return made
