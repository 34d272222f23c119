"""A pytest plugin: the run is already some seconds old when its first test begins.

ELAPSED_S is the number of seconds. The reference's clock is advanced once, after the first parts of the deferred
tests. If the run waits for nothing (--no-waiting), no clock can be advanced after that, as with a real target.
"""

from __future__ import annotations

import os

import pytest

from pix_conformance.session.state import KEY

SECONDS = "ELAPSED_S"
IS_OLD = pytest.StashKey[bool]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Advance the clock before the first test that is no early part of a deferred one."""
    ours = item.config.stash[KEY]
    if ours.run is None or ours.deferred.runs_early_part or item.config.stash.get(IS_OLD, False):
        return
    item.config.stash[IS_OLD] = True
    ours.run.clock.skip(float(os.environ[SECONDS]))
    if not ours.settings.waiting:
        setattr(ours.run.clock, "_turn", None)  # noqa: B010  # no part of what the suites may do
