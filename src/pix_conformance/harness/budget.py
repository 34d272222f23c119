"""Which tests fit into a budget: those that kill most mutants per request, as far as its requests go."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence

import pytest

from pix_conformance.harness.deferred import age_of
from pix_conformance.harness.order_of_tests import order_of_tests, position
from pix_conformance.harness.selection import api_of
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Api, Level
from pix_conformance.results.exit_status import NOT_SELECTED, TESTED
from pix_conformance.results.verdicts import RequirementResult

OWN_S = 0.025
"""Seconds of the suite's own work for a request."""
SPARE = 0.1
"""The share of the requests that is kept, because a part of a run sends some that other tests send in a whole run."""


def seconds_per_request(response: float, rate: float | None) -> float:
    """Return how many seconds a request takes, where each response takes `response` seconds."""
    return max(response + OWN_S, 1 / rate if rate else 0.0)


def fitting(items: Sequence[pytest.Item], requests: float) -> list[pytest.Item]:
    """Return the tests whose measured requests fit, with those of the shared fixtures that they are first to use.

    The order is by what the tests kill per request. After the first one that does not fit, one fits only if all its
    fixtures are made: else a later test might pay what an earlier one could not. A test that was not measured does not
    fit.
    """
    known, made, names = order_of_tests(), set[int](), set[str]()
    chosen: set[pytest.Item] = set()
    is_full, left = False, requests * (1 - SPARE)
    for item in sorted((one for one in items if one.nodeid in known.tests), key=position):
        cost, fixtures = known.requests(item.nodeid, made), set(getattr(item, "fixturenames", ()))
        if cost > left or (is_full and fixtures - names):
            is_full = True
            continue
        left -= cost
        made |= {*known.tests[item.nodeid].fixtures}
        names |= fixtures
        chosen.add(item)
    return [one for one in items if one in chosen]


def young(items: Iterable[pytest.Item], target: Target, seconds: float) -> list[pytest.Item]:
    """Leave out the tests that wait longer than these seconds, where time can only pass."""
    if target.embedded or seconds == math.inf:
        return list(items)
    return [one for one in items if _longest_wait(one) <= seconds]


def _longest_wait(item: pytest.Item) -> float:
    watched = item.get_closest_marker("watches")
    age = age_of(item)
    return max(float(watched.args[0]) if watched else 0.0, age if age < math.inf else 0.0)


def killed(items: Iterable[pytest.Item], apis: Iterable[Api]) -> tuple[int, int]:
    """Return how many mutants these tests killed when they were measured, and how many there were for these APIs.

    A mutant counts for the first test in the order that kills it, even if that one is left out and a later one is not.
    """
    known, every = order_of_tests(), list(apis)
    found = sum(known.tests[one.nodeid].killed for one in items if one.nodeid in known.tests and api_of(one) in every)
    return found + sum(known.preflight.get(api, 0) for api in every), sum(known.mutants.get(api, 0) for api in every)


def extent(
    rows: Iterable[RequirementResult], items: Iterable[pytest.Item], target: Target, ended_early: Collection[str | None]
) -> Iterator[str]:
    """Say what a run with limits asked, and what its tests kill. `ended_early` has node ids."""
    musts = [one for one in rows if one.requirement.level is Level.MUST]
    asked = sum(one.outcome in TESTED for one in musts)
    lost = sum(one.reason.startswith(NOT_SELECTED) for one in musts)
    ended = [one for one in items if one.nodeid not in ended_early]
    yield (
        f"part of the suites: {target.limits}: {len(ended):,} tests judged {asked / max(1, asked + lost):.0%} "
        f"of the musts; {killed_in_words(ended, target.apis)}"
    )
    if ended_early:
        yield f"{target.limits}: {len(ended_early):,} tests did not begin or ended early, since this was used up"


def killed_in_words(items: Iterable[pytest.Item], apis: Iterable[Api]) -> str:
    """Say how many mutants these tests kill."""
    found, every = killed(items, apis)
    share = f"{found / max(1, every):.0%}"
    return f"by the kill matrix ({order_of_tests().measured}) these tests kill {share} of our {every:,} mutants"
