"""The musts that fail while a run lasts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pix_conformance.harness.session_state import Session
from pix_conformance.model.catalogue import load
from pix_conformance.model.vocabulary import Level, Outcome
from pix_conformance.results.verdicts import Selection, result_of


class FailingMusts:
    """Finds the musts that fail: by the judgements and verdicts of tests, and by the rules for every message."""

    def __init__(self, ours: Session) -> None:
        self._ours, self._judged, self._suspected = ours, 0, set[str]()

    def found(self) -> set[str]:
        """Return the musts that fail by what was judged until now."""
        ours, nothing = self._ours, Selection()
        self._suspected |= {one for one in self._broken() if load()[one].level is Level.MUST}
        rows = (result_of(load()[one], ours.ledger, ours.target, nothing) for one in self._suspected)
        return {row.requirement.id for row in rows if row.outcome is Outcome.FAIL}

    def _broken(self) -> Iterator[str]:
        """Yield the requirements that something new did not match; it is a failure only if its precondition held."""
        ledger, begun = self._ours.ledger, self._judged
        self._judged = len(ledger.judgements)
        yield from (one.requirement for one in ledger.judgements[begun:] if one.mismatches)
        yield from (one.requirement for one in ledger.verdicts if one.outcome is Outcome.FAIL)
        yield from (name for name, seen in list(ledger.passive.seen.items()) if seen.broken)


class StopAtFirstFailure:
    """A pytest plugin that ends a run when any must has failed."""

    def __init__(self, ours: Session) -> None:
        self._failing = FailingMusts(ours)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """End the run after the test that shows a must to fail."""
        result = yield
        if self._failing.found():
            item.session.shouldstop = "a must has failed"
        return result
