"""The shards of a run: which tests each of them runs."""

from collections import defaultdict
from collections.abc import Sequence

import pytest

from pix_conformance.harness.deferred import parts_of
from pix_conformance.model.profile import PROFILES
from pix_conformance.session.plan import weight

FIXTURES_OF_FIRST = frozenset(
    {
        *(name for profile in PROFILES.values() for name in profile.receiver_fixtures),  # webhooks
        *(
            profile.production_charge.fixture for profile in PROFILES.values()
        ),  # a run creates one charge in production with each API
        "many_charges",  # 201 requests, which a test of production needs too
    }
)
"""Fixtures of tests that the first shard runs."""
OF_FIRST, TIMELY = "first", "timely"
"""Names of two groups: the tests of the first shard, and those that a late run arranges again."""
WAITS = {OF_FIRST: 100.0, TIMELY: 200.0}
"""For how many requests a shard with the group waits: for webhooks, or for a minute to pass."""


def divided(items: Sequence[pytest.Item], count: int) -> list[list[pytest.Item]]:
    """Divide the tests among so many shards.

    A test that judges the whole run, and receives no webhooks, runs in every shard, on the requests of that shard.
    """
    groups: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        groups[group_of(item)].append(item)
    everywhere = groups.pop("", [])
    return [[*everywhere, *(item for name in names for item in groups[name])] for names in _division(groups, count)]


def group_of(item: pytest.Item) -> str:
    """Return the name of the group of tests that one shard runs together; empty for a test that every shard runs.

    The tests with certain fixtures are one group, those that a late run arranges again are another, so that few shards
    are late, and otherwise the tests of a file are a group.
    """
    if FIXTURES_OF_FIRST.intersection(getattr(item, "fixturenames", ())):
        return OF_FIRST
    if item.get_closest_marker("whole_run"):
        return ""
    parts = parts_of(item)
    return TIMELY if parts and parts.timely else item.nodeid.partition("::")[0]


def _division(groups: dict[str, list[pytest.Item]], count: int) -> list[list[str]]:
    """Divide the groups among so many shards, so that each sends about as many requests: the largest groups first."""
    weights = {name: sum(weight(item.nodeid) for item in some) + WAITS.get(name, 0) for name, some in groups.items()}
    division: list[list[str]] = [[] for _ in range(count)]
    for name in sorted(groups, key=lambda group: (group != OF_FIRST, -weights[group], group)):
        least = division[0] if name == OF_FIRST else min(division, key=lambda some: sum(map(weights.__getitem__, some)))
        least.append(name)
    return division
