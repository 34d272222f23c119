"""The pytest plugin for a target that stops during a run: no more is asked, and one failure says since when."""

from collections.abc import Iterator

import pytest

from pix_conformance.checks.unanswered import is_not_the_last_response
from pix_conformance.harness.expect import expect
from pix_conformance.harness.outcomes import Inconclusive
from pix_conformance.model.vocabulary import Api
from pix_conformance.model.why import Why
from pix_conformance.session.selection import api_of, requirements_of
from pix_conformance.session.state import Session

STILL_RESPONDS = frozenset({"PAY-GEN-21", "BUS-GEN-20"})
"""The requirements that a target which stops does not meet."""


class StoppedTarget:
    """Ends each test before its set-up once the target has stopped."""

    def __init__(self, ours: Session) -> None:
        self._ours = ours

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Raise Inconclusive if the target has stopped; have that looked for from the first test on."""
        if self._ours.run is None:
            return
        silence = self._ours.run.sender.silence
        silence.watch()
        if stop := silence.stops.get(Api(api_of(item))):
            self._judge(item)
            raise Inconclusive(stop.words, Why.NO_ANSWER)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Judge also a target that has stopped during the test that asks whether it has."""
        try:
            return (yield)
        except Inconclusive:
            self._judge(item)
            raise

    def _judge(self, item: pytest.Item) -> None:
        """Judge the last response, if a test asks for one after it. Raises RequirementWarned."""
        stop = self._ours.run.sender.silence.stops.get(Api(api_of(item))) if self._ours.run else None
        if stop and (asked := STILL_RESPONDS.intersection(requirements_of(item))):
            expect(stop.last, is_not_the_last_response(stop.probes), of=tuple(asked))
