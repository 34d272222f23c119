"""How a run begins: the target is started or looked at, and what cannot be tested is left out before the first test."""

from __future__ import annotations

from typing import Any

import pytest

from pix_conformance.harness.preflight import look
from pix_conformance.harness.run import Run, begin
from pix_conformance.harness.run_end import departing_rules
from pix_conformance.harness.selection import api_of
from pix_conformance.harness.session_state import KEY, Session
from pix_conformance.model.printable import for_terminal
from pix_conformance.results.missing_settings import unlocks


def begin_run(config: pytest.Config, ours: Session) -> Run:
    """Begin the run with its first look, unless it has begun."""
    if ours.run is None:
        ours.waits.interruption.check()
        ours.run = begin(ours.target, ours.ledger, departing_rules(config), ours.waits)
        look(ours.run)
    return ours.run


class Beginning:
    """A pytest plugin that has the first look before the tests, and runs none of an API that cannot be tested."""

    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Look, say what was seen, and end at once where no test is left."""
        ours = session.config.stash[KEY]
        if not session.items or session.testsfailed:
            return None
        run = begin_run(session.config, ours)
        session.items[:] = [one for one in session.items if api_of(one) not in ours.ledger.unusable]
        if not ours.target.embedded:
            _show(session.config, run, [] if ours.target.only or not session.items else unlocks(run.target))
        return None if session.items else True


def _show(config: pytest.Config, run: Run, unlocked: list[str]) -> None:
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or config.get_verbosity() < 0:
        return
    for line in [*run.access, *unlocked]:
        reporter.write_line(for_terminal(run.ledger.redact(line), 1_000))
