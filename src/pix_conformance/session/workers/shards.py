"""The shards of a run: which tests each of them runs."""

from collections import defaultdict
from collections.abc import Callable, Container, Sequence

import pytest

from pix_conformance.harness.deferred import deferred_parts
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import Api
from pix_conformance.session.costs import fixtures_of, weight_of_fixtures
from pix_conformance.session.costs import weight_beside_others as weight

OF_ONE_SHARD = {
    api: {*profile.receiver_fixtures, profile.production_charge.fixture} for api, profile in PROFILES.items()
}
"""By API, fixtures of tests that one shard runs: a run creates one charge in production, of which a test awaits events.
"""
OF_ONE_SHARD[Api.BUSINESS].add("many_charges")  # 201 requests, which a test of production needs too
WAITS_OF_RECEIVER, WAITS_OF_TIMELY = 120.0, 180.0
"""For how many requests a shard waits: for the webhooks of an API, or for a minute to pass."""
TIMELY = "timely"
"""The beginning of the names of groups that a late run arranges again."""


def divided(
    items: Sequence[pytest.Item],
    count: int,
    is_runnable: Callable[[str], bool] = lambda _: True,
) -> list[list[pytest.Item]]:
    """Divide the tests among so many shards. One receives the webhooks of an API: the first of one with an endpoint.

    `is_runnable` tells by its node id whether a test will be run: others take no time.
    """
    groups: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        groups[group_of(item)].append(item)
    places = {str(api): min(int(profile.endpoint is None), count - 1) for api, profile in PROFILES.items()}
    run = {name: [item for item in group if is_runnable(item.nodeid)] for name, group in groups.items()}
    division = _division(run, places, count)
    return [[item for name in names for item in groups[name]] for names in division]


def load(tests: Sequence[pytest.Item]) -> float:
    """Return how long a worker takes for these tests and their fixtures, in requests."""
    return _weight_of_tests(tests) + weight_of_fixtures(_fixtures_of_all(tests))


def _weight_of_tests(tests: Sequence[pytest.Item]) -> float:
    return sum(weight(item.nodeid) for item in tests)


def _fixtures_of_all(tests: Sequence[pytest.Item]) -> set[str]:
    return {name for item in tests for name in fixtures_of(item)}


def group_of(item: pytest.Item) -> str:
    """Return the name of the group of tests that one shard runs together.

    The tests that receive the webhooks of an API, and those that judge all that was sent to it, are one group: a
    service may let events wait behind one that a test refuses, which only tests of the same process know. Those of an
    API that a late run arranges again are another, so that few shards are late; and otherwise the tests of a file.
    """
    fixtures = getattr(item, "fixturenames", ())
    if receiving := [api for api, names in OF_ONE_SHARD.items() if names.intersection(fixtures)]:
        return receiving[0]
    file, parts = item.nodeid.partition("::")[0], deferred_parts(item)
    api = file.split("/")[1]
    if item.get_closest_marker("whole_run"):
        return api
    return f"{TIMELY} {api}" if parts and parts.timely else file


def _division(groups: dict[str, list[pytest.Item]], places: dict[str, int], count: int) -> list[list[str]]:
    """Divide the groups among so many shards, so that each sends about as many requests: the largest groups first.

    `places` are those of the groups that receive webhooks, counted from 0.
    """
    own = {name: _weight_of_tests(group) + bool(group) * _waits(name, places) for name, group in groups.items()}
    needed = {name: _fixtures_of_all(group) for name, group in groups.items()}
    loads = {name: own[name] + weight_of_fixtures(needed[name]) for name in groups}
    division: list[list[str]] = [[] for _ in range(count)]
    tests: list[float] = [0.0] * count
    fixtures: list[set[str]] = [set() for _ in range(count)]
    for name in sorted(groups, key=lambda group: (group not in places, -loads[group], group)):
        after = [tests[place] + weight_of_fixtures(fixtures[place] | needed[name]) for place in range(count)]
        place = places.get(name, after.index(min(after)))
        division[place].append(name)
        tests[place] += own[name]
        fixtures[place] |= needed[name]
    return division


def _waits(group: str, places: Container[str]) -> float:
    if group in places:
        return WAITS_OF_RECEIVER
    return WAITS_OF_TIMELY if group.startswith(TIMELY) else 0.0
