"""A pytest plugin: the run is already some seconds old when its first test begins, and waits for nothing.

ELAPSED_S is the number of seconds. The reference's clock is advanced once, after the first parts of the deferred
tests; then no clock can be advanced, as with a real target.
"""

from __future__ import annotations

import os

import pytest

from pix_conformance.harness.session_state import KEY

SECONDS = "ELAPSED_S"


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Advance the clock before the first test that is no first half of a deferred one."""
    ours = item.config.stash[KEY]
    if ours.run is None or ours.arranging or not ours.run.clock.turnable:
        return
    ours.run.clock.skip(float(os.environ[SECONDS]))
    setattr(ours.run.clock, "_turn", None)  # noqa: B010  # no part of what the suites may do
