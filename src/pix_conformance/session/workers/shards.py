"""The shards of a run: which tests each of them runs."""

from collections import defaultdict
from collections.abc import Callable, Sequence

import pytest

from pix_conformance.harness.deferred import deferred_parts
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import Api
from pix_conformance.session.costs import fixtures_of, weight_of_fixtures
from pix_conformance.session.costs import weight_beside_others as weight

OF_ONE_SHARD = {
    api: {profile.production_charge.fixture, *(profile.receiver_fixtures if profile.endpoint else ())}
    for api, profile in PROFILES.items()
}
"""By API, fixtures of tests that one shard runs: a run creates one charge in production, of which a test awaits events,
and where a service has one endpoint for all webhooks, they come to one worker.
"""
OF_FIRST_SHARD = {str(api) for api, profile in PROFILES.items() if profile.endpoint}
"""The groups of the first shard, to which the webhooks of an endpoint come."""
OF_ONE_SHARD[Api.BUSINESS].add("many_charges")  # 201 requests, which a test of production needs too
RECEIVING_SHARDS = 2
"""How many shards receive webhooks that name their address: a service sends each event to those of all shards."""
RECEIVER_FIXTURES = frozenset(name for profile in PROFILES.values() for name in profile.receiver_fixtures)
WAIT_OF_RECEIVING_TEST, WAITS_OF_TIMELY = 1.25, 180.0
"""For how many requests a shard waits: for the webhooks of a test, or for a minute to pass."""
TIMELY = "timely"
"""The beginning of the names of groups that a late run arranges again."""


def divided(
    items: Sequence[pytest.Item],
    count: int,
    is_runnable: Callable[[str], bool] = lambda _: True,
) -> list[list[pytest.Item]]:
    """Divide the tests among so many shards; the first receives the webhooks of an API with one endpoint.

    `is_runnable` tells by its node id whether a test will be run: others take no time.
    """
    groups: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        groups[group_of(item)].append(item)
    run = {name: [item for item in group if is_runnable(item.nodeid)] for name, group in groups.items()}
    division = _division(run, count)
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

    The tests that receive webhooks which come to one endpoint, and those that judge all that was sent to an API, are
    one group; those of an API that a late run arranges again are another, so that few shards are late; and otherwise
    the tests of a file.
    """
    if apis := [api for api, names in OF_ONE_SHARD.items() if names.intersection(_fixturenames(item))]:
        return apis[0]
    file, parts = item.nodeid.partition("::")[0], deferred_parts(item)
    api = file.split("/")[1]
    if item.get_closest_marker("whole_run"):
        return api
    if parts and parts.timely:
        return f"{TIMELY} {api}"
    return f"{file} with webhooks" if _receives(item) else file


def _division(groups: dict[str, list[pytest.Item]], count: int) -> list[list[str]]:
    """Divide the groups among so many shards, so that each sends about as many requests: the largest groups first."""
    own = {name: _weight_of_tests(group) + _waits(name, group) for name, group in groups.items()}
    needed = {name: _fixtures_of_all(group) for name, group in groups.items()}
    loads = {name: own[name] + weight_of_fixtures(needed[name]) for name in groups}
    division: list[list[str]] = [[] for _ in range(count)]
    tests: list[float] = [0.0] * count
    fixtures: list[set[str]] = [set() for _ in range(count)]
    places = {name: _places(name, group, count) for name, group in groups.items()}
    for name in sorted(groups, key=lambda group: (len(places[group]), -loads[group], group)):
        after = {place: tests[place] + weight_of_fixtures(fixtures[place] | needed[name]) for place in places[name]}
        added = {place: weight_of_fixtures(needed[name] - fixtures[place]) for place in places[name]}
        place = min(after, key=lambda number: after[number] + added[number])
        division[place].append(name)
        tests[place] += own[name]
        fixtures[place] |= needed[name]
    return division


def _places(name: str, group: Sequence[pytest.Item], count: int) -> range:
    """Return the places, from 0, of the shards that may run a group."""
    if name in OF_FIRST_SHARD or count == 1:
        return range(1)
    return range(1, min(count, 1 + RECEIVING_SHARDS)) if any(map(_receives, group)) else range(count)


def _receives(item: pytest.Item) -> bool:
    return not RECEIVER_FIXTURES.isdisjoint(_fixturenames(item))


def _waits(name: str, group: Sequence[pytest.Item]) -> float:
    receiving = sum(map(_receives, group))
    timely = WAITS_OF_TIMELY if group and name.startswith(TIMELY) else 0.0
    return receiving * WAIT_OF_RECEIVING_TEST + timely


def _fixturenames(item: pytest.Item) -> Sequence[str]:
    """Return the names of the fixtures that a test needs; a doctest has none."""
    names: Sequence[str] = getattr(item, "fixturenames", ())
    return names
