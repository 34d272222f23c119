"""A pytest plugin: a run of the suites is what variables say; without any of them it is as usual.

WRONG has the rules of mutants, separated by blanks, which the embedded reference has instead of its own.
SUITE_FAULTS names tests by parts of their node ids: their call raises KeyError, as a fault of the suite would.
HANGS: the first test never returns, like one that waits for a name server; a file beside the report says when.
ENDS_WORKER names tests by parts of their node ids: the process ends when the first of them would be called.
ELAPSED_S: so many seconds old is the run when its first test begins. The reference's clock is advanced once, after the
first parts of the deferred tests. If the run waits for nothing (--no-waiting), no clock can be advanced after that, as
with a real target.
"""

import os
import time
from pathlib import Path

import pytest

from pix_conformance.session.state import KEY

IS_OLD = pytest.StashKey[bool]()


def pytest_pix_reference_rules() -> list[str]:
    return os.environ.get("WRONG", "").split()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> None:
    if any(part in pyfuncitem.nodeid for part in os.environ.get("SUITE_FAULTS", "").split()):
        raise KeyError("a fault of the suite")
    if any(part in pyfuncitem.nodeid for part in os.environ.get("ENDS_WORKER", "").split()):
        os._exit(1)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    if "HANGS" in os.environ:
        (Path(item.config.option.pix_report_dir).parent / "stuck").touch()
        time.sleep(60)
    state = item.config.stash[KEY]
    if "ELAPSED_S" not in os.environ or state.run is None or state.deferred.runs_early_part:
        return
    if not item.config.stash.get(IS_OLD, False):
        item.config.stash[IS_OLD] = True
        state.run.clock.skip(float(os.environ["ELAPSED_S"]))
        if not state.settings.bounds.waiting:
            setattr(state.run.clock, "_turn", None)  # noqa: B010  # no part of what the suites may do
