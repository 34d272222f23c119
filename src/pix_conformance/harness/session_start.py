"""The start of a run in pytest's session: preflight, APIs that cannot be tested, first halves of deferred tests."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from pix_conformance.harness.deferred import halves
from pix_conformance.harness.preflight import try_credentials
from pix_conformance.harness.run import Run, begin
from pix_conformance.harness.selection import api_of, requirements_of
from pix_conformance.harness.session_end import departing_rules
from pix_conformance.harness.session_state import KEY, Session
from pix_conformance.model.printable import for_terminal
from pix_conformance.results.missing_settings import unlocks


def begin_run(config: pytest.Config, ours: Session) -> Run:
    """Start the run and try its credentials, unless that is done."""
    if ours.run is None:
        ours.waits.interruption.check()
        ours.run = begin(ours.target, ours.ledger, departing_rules(config), ours.waits)
        try_credentials(ours.run)
    return ours.run


class PreflightPlugin:
    """A pytest plugin that tries the credentials before the tests, and drops the tests of an unusable API."""

    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Try the credentials and print the results. End the session if no test is left."""
        ours = session.config.stash[KEY]
        if not session.items or session.testsfailed:
            return None
        run = begin_run(session.config, ours)
        session.items[:] = [one for one in session.items if api_of(one) not in ours.ledger.unusable]
        if not ours.target.embedded:
            _show(session.config, run, [] if ours.target.only or not session.items else unlocks(run.target))
        return None if session.items else True


def arrange_deferred(session: pytest.Session, ours: Session) -> None:
    """Run the first half of every deferred test that has two, once, as pytest runs a test but without a report."""
    if ours.is_arranged:
        return
    items = [one for one in session.items if halves(one)]
    ours.is_arranged = ours.arranging = True
    try:
        for item, following in itertools.zip_longest(items, items[1:], fillvalue=session.items[0]):
            ours.ledger.test, ours.ledger.requirements = item.nodeid, requirements_of(item)
            runtestprotocol(item, log=False, nextitem=following)
    finally:
        ours.arranging, ours.ledger.test = False, None


def _show(config: pytest.Config, run: Run, unlocked: list[str]) -> None:
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or config.get_verbosity() < 0:
        return
    for line in [*run.access, *unlocked]:
        reporter.write_line(for_terminal(run.ledger.redact(line), 1_000))
