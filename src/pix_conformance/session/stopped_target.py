"""The pytest plugin for a target that stops during a run: no more is asked, and one failure says since when."""

from collections.abc import Iterator

import pytest

from pix_conformance.checks.unanswered import is_not_the_last_response
from pix_conformance.harness.expect import expect
from pix_conformance.harness.outcomes import Inconclusive
from pix_conformance.harness.transport.silence import Stop
from pix_conformance.model.why import Why
from pix_conformance.session.selection import api_of, requirements_of
from pix_conformance.session.state import KEY

STILL_RESPONDS = frozenset({"PAY-GEN-21", "BUS-GEN-20"})
"""The requirements that a target which stops does not meet."""


class StoppedTarget:
    """Ends each test before its set-up once the target has stopped."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Raise Inconclusive if the API of a test has stopped; have that looked for from the first test on."""
        run = item.config.stash[KEY].run
        if run is None:
            return
        run.sender.silence.watch()
        if stop := _stop_of(item):
            _judge(item, stop)
            raise Inconclusive(stop.words, Why.NO_ANSWER)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Judge also an API that has stopped during the test that asks whether it has."""
        try:
            return (yield)
        except Inconclusive:
            if stop := _stop_of(item):
                _judge(item, stop)
            raise


def _stop_of(item: pytest.Item) -> Stop | None:
    run = item.config.stash[KEY].run
    stops = run.sender.silence.stops if run else {}
    return next((stop for api, stop in stops.items() if api == api_of(item)), None)


def _judge(item: pytest.Item, stop: Stop) -> None:
    """Judge the last response, if a test asks for one after it. Raises RequirementWarned."""
    if asked := STILL_RESPONDS.intersection(requirements_of(item)):
        expect(stop.last, is_not_the_last_response(stop.probes), of=tuple(asked))
