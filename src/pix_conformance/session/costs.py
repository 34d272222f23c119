"""What each test sends and creates, as it was counted in a whole run against the reference.

What a fixture of several tests sends is counted for the fixture: in another selection another test makes it.
"""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import pytest

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.paths import DATA
from pix_conformance.model.profile import PROFILES
from pix_conformance.session.selection import requirements_of

COSTS = DATA / "request_estimates.json"
"""What each test sent and created in a whole run, which a test holds against another one."""
REQUESTS_PER_TEST = 1.6
"""The mean of a whole run against the reference: the estimate of each test that the file does not have yet."""
SHARED = "shared"
"""The row of requests of no test in that file: those of scenarios and of the cleanup."""
WAITS_OF_WORKERS = {"moving_money": 0.75, "showing_balance": 2.25}
"""By kind of request, how many requests long it waits for other workers, as measured with twelve at 250 ms."""
SENDS_NOTHING = 0.2
"""The weight of a test that sends nothing, where a request has weight 1."""
REQUESTS_OF_SHORT_TEST = 8
"""How many requests a test sends at most that certainly ends soon."""


@cache
def measured_costs() -> dict[str, Any]:
    """Return the table of what the tests of a whole run sent and created."""
    costs: dict[str, Any] = json.loads(COSTS.read_text(encoding="utf-8"))
    return costs


def row_of(function: str) -> dict[str, float]:
    """Return the cases of a function, and what they sent and created; the mean of all for one that was added later."""
    tests: dict[str, dict[str, float]] = measured_costs()["tests"]
    return tests.get(function, {"requests": REQUESTS_PER_TEST})


def function_of(nodeid: str) -> str:
    """Return the node id of the function of a test case."""
    return nodeid.partition("[")[0]


def name_of_fixture(fixture: pytest.FixtureDef[Any]) -> str:
    """Return the module and the name of a fixture."""
    return f"{fixture.func.__module__}.{fixture.argname}"


def fixtures_of(item: pytest.Item) -> dict[str, pytest.FixtureDef[Any]]:
    """Return the fixtures of a test that send requests, by name."""
    known = measured_costs()["fixtures"]
    return {name: fixture for fixture in _definitions(item) if (name := name_of_fixture(fixture)) in known}


def scopes_of_fixtures(item: pytest.Item) -> set[str]:
    """Return the scopes of all fixtures of a test, such as `module`."""
    return {fixture.scope for fixture in _definitions(item)}


def _definitions(item: pytest.Item) -> list[pytest.FixtureDef[Any]]:
    info = getattr(item, "_fixtureinfo", None)  # pytest has no other name for the fixtures behind the arguments
    return [definitions[-1] for definitions in info.name2fixturedefs.values()] if info else []


def cost_of(items: Collection[pytest.Item]) -> Counter[str]:
    """Add up the costs of these tests, and of their fixtures, each once.

    Of a parametrised function, only the share of its selected cases counts.
    """
    cases = Counter(function_of(item.nodeid) for item in items)
    total: defaultdict[str, float] = defaultdict(float)
    shared = measured_costs()["tests"].get(SHARED, {}) if cases else {}
    fixtures = map(measured_costs()["fixtures"].__getitem__, {name for item in items for name in fixtures_of(item)})
    once = ((row, 1) for row in (shared, *fixtures))
    for row, count in [*once, *((row_of(name), count) for name, count in cases.items())]:
        for kind, number in row.items():
            total[kind] += number * count / row.get("cases", 1)
    return Counter({kind: math.ceil(round(number, 6)) for kind, number in total.items()})


def requests_of(runnable: Sequence[pytest.Item], examples: int) -> float:
    """Return how many requests tests send, with so many generated inputs each."""
    measured = int(measured_costs()["examples"])
    generated = [item for item in runnable if _is_generated(item)]
    fewer = cost_of(generated)["requests"] * (1 - min(1.0, examples / measured))
    return cost_of(runnable)["requests"] - fewer


def _is_generated(item: pytest.Item) -> bool:
    return getattr(item, "get_closest_marker", lambda _: None)("generated") is not None


def weight(nodeid: str) -> float:
    """Return a test's share in the duration of a run: about the number of requests that it sends."""
    row = row_of(function_of(nodeid))
    return SENDS_NOTHING + row.get("requests", 0) / row.get("cases", 1)


def weight_beside_others(nodeid: str) -> float:
    """Return the weight of a test in a worker, which also waits for others before some requests."""
    row = row_of(function_of(nodeid))
    return weight(nodeid) + _waits(row) / row.get("cases", 1)


def weight_of_fixtures(names: Iterable[str]) -> float:
    """Return the weight of these fixtures in a worker, each once."""
    rows = [measured_costs()["fixtures"][name] for name in names]
    return float(sum(row.get("requests", 0) + _waits(row) for row in rows))


def _waits(row: Mapping[str, float]) -> float:
    return sum(wait * row.get(name, 0) for name, wait in WAITS_OF_WORKERS.items())


def shared_requests() -> float:
    """Return how many requests no single test sends, as far as that was measured."""
    return float(measured_costs()["tests"].get(SHARED, {}).get("requests", 0))


def is_short(item: pytest.Item) -> bool:
    """Return whether a test certainly ends soon: it sends few requests, and waits for no event and until no age.

    It waits for no other worker either: a request that moves money waits where another worker looks at the balance.
    Its fixtures that are not made yet count.
    """
    if item.get_closest_marker("deferred") or needs_account(item):
        return False
    receivers = {profile.receives for profile in PROFILES.values()}
    waits = any(receivers.intersection(catalogue()[name].needs) for name in requirements_of(item))
    return not waits and weight(item.nodeid) + weight_of_fixtures(_unmade(item)) <= REQUESTS_OF_SHORT_TEST


def needs_account(item: pytest.Item) -> bool:
    """Return whether a test may wait for another worker: it moves money or looks at the balance.

    So do its fixtures that are not made yet.
    """
    fixtures = map(measured_costs()["fixtures"].__getitem__, _unmade(item))
    return any(map(_waits, (row_of(function_of(item.nodeid)), *fixtures)))


def _unmade(item: pytest.Item) -> list[str]:
    return [name for name, fixture in fixtures_of(item).items() if fixture.cached_result is None]
