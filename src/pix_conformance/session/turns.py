"""Whose turn it is while the tests run: parts of deferred tests, timely tests that are due, and tests that end soon.

pytest goes through `session.items` by their places. A test that goes first changes places with another.
"""

import itertools
import math

import pytest
from _pytest.runner import runtestprotocol

from pix_conformance.harness.deferred import age_of, deferred_parts
from pix_conformance.model.vocabulary import Api
from pix_conformance.session.costs import is_short, needs_account, scopes_of_fixtures
from pix_conformance.session.selection import api_of, requirements_of
from pix_conformance.session.state import KEY, Session


class Turns:
    """A pytest plugin: a test lets another one go first, so that timely tests are in time and no test waits in vain."""

    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Keep short tests for the time in which a timely one is due soon."""
        timely = any((parts := deferred_parts(item)) and parts.timely for item in session.items)
        if timely and session.config.stash[KEY].deferred.due_within >= 0:
            session.items.sort(
                key=lambda item: (age_of(item) >= 0 or _is_last(item), _may_move(item) and is_short(item))
            )

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Run the test that goes first, if there is one, in the place of another, which gets its place."""
        items, state = item.session.items, item.config.stash[KEY]
        place = items.index(item)
        while (first := _goes_first(item, items[place + 1 :], state)) is None and _would_be_late(item, state):
            state.waits.pause(state.deferred.seconds_left)
            run_deferred_parts(item, state)
        if first is None:
            return None
        later = items.index(first, place)
        items[place], items[later] = first, item
        item.session._setupstate.teardown_exact(first)  # noqa: SLF001  # pytest left what `item` needs
        item.ihook.pytest_runtest_protocol(item=first, nextitem=items[place + 1])
        return True


def _goes_first(item: pytest.Item, later: list[pytest.Item], state: Session) -> pytest.Item | None:
    """Return the test that goes before `item`: a timely one that is due, or one that is done while `item` waits.

    Where a timely one is due soon, only tests that certainly end before it go first.
    """
    deferred = state.deferred
    if due := deferred.due([item, *later]):
        return due[0] if item not in due else None
    ordinary = filter(_may_move, later)
    if deferred.is_near():
        return None if is_short(item) else next(filter(is_short, ordinary), None)
    if deferred.must_wait(item.nodeid):
        return next(ordinary, None)
    if _may_move(item) and _waits_for_account(item, state):
        keeps_short = deferred.seconds_left < math.inf
        free = (test for test in ordinary if not _waits_for_account(test, state))
        return next((test for test in free if not (keeps_short and is_short(test))), None)
    return None


def _waits_for_account(item: pytest.Item, state: Session) -> bool:
    """Return whether a test would wait until another worker has looked at the account."""
    if state.run is None or not needs_account(item):
        return False
    return state.run.sender.account_lock.is_taken(Api(api_of(item)))


def _would_be_late(item: pytest.Item, state: Session) -> bool:
    """Return whether a timely test may be late because of this one. A run that is late already arranges them again."""
    return state.deferred.seconds_left > 0 and state.deferred.is_near() and not is_short(item)


def _may_move(item: pytest.Item) -> bool:
    """Return whether a test is no deferred one, nor one of a file whose tests share what is removed after them."""
    return age_of(item) < 0 and not _is_last(item) and "module" not in scopes_of_fixtures(item)


def _is_last(item: pytest.Item) -> bool:
    return item.get_closest_marker("whole_run") is not None


def run_deferred_parts(item: pytest.Item, state: Session) -> None:
    """Run the parts of deferred tests that are due before a test, each as its own test but without a report.

    Then the test is the current one.
    """
    for tests in state.deferred.before(item, item.session.items):
        # pytest sets up no test while a module is set up that is not its own
        item.session._setupstate.teardown_exact(next(iter(tests), item))  # noqa: SLF001  # as runtestprotocol does
        with state.deferred.running_early_parts():
            for test, following in itertools.zip_longest(tests, tests[1:], fillvalue=item):
                state.current_test.begin(test.nodeid, requirements_of(test))
                runtestprotocol(test, log=False, nextitem=following)
                if state.run:
                    state.run.sender.account_lock.release()
        state.current_test.begin(item.nodeid, requirements_of(item))
