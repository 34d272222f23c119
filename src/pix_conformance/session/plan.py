"""The output of `--plan`, which sends nothing: what is set and missing, which tests would run and create what."""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

import pytest

from pix_conformance.generation.examples import affordable
from pix_conformance.harness.transport.pacing import seconds_per_request
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.paths import DATA
from pix_conformance.model.profile import PREFIX, PROFILES
from pix_conformance.model.settings import Bounds, Generation, Settings
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Api, Capability, Level, Role
from pix_conformance.session.production import warning_of
from pix_conformance.session.selection import requirements_of
from pix_conformance.verdicts.missing_settings import unlocks

COSTS = DATA / "request_estimates.json"
"""What each test sent and created in a whole run, which a test holds against another one."""
REQUESTS_PER_TEST = 1.8
"""The mean of a whole run against the reference: the estimate of each test that the file does not have yet."""
SHARED = "shared"
"""The row of requests of no test in that file: those of scenarios and of the cleanup."""
LONGEST_AGE_S = 3_600
"""Seconds. A deferred test with a greater age waits for nothing; the number only puts it last."""
QUICK_S, SLOW_S = 0.02, 0.4
"""Response times in seconds for which the duration of a run is estimated."""
START_S, WORKERS_START_S, SHORT_S, LONG_S = 5.0, 10.0, 100.0, 600.0
"""Seconds of the suite's own work for its start, and more for that of workers; from which on minutes are shown."""
NETWORK_FAULTS = "network_faults"
"""The marker of tests that cut requests."""
LARGE_CENTS = 10_000_000
"""The cents from which on a test counts as one of large amounts."""
WAITS_OF_WORKERS = {"moving_money": 0.75, "showing_balance": 2.25}
"""By kind of request, how many requests long it waits for other workers, as measured with twelve at 250 ms."""
SENDS_NOTHING = 0.2
"""The weight of a test that sends nothing, where a request has weight 1."""


def plan(settings: Settings, items: Sequence[pytest.Item]) -> list[str]:
    """Return the plan of a run of these tests, in lines."""
    runnable = runnable_tests(settings, items)
    return [
        *_configured(settings.target),
        *_missing(settings),
        *(f"            {line}" for line in unlocks(settings)),
        *_circumstances(settings, runnable),
        *_tests(settings, len(items) - len(runnable), runnable),
        *_costs_of(settings, runnable),
        "nothing was sent",
    ]


def runnable_tests(settings: Settings, items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Return the tests for which the target has credentials and a way to receive webhooks, and that may cut."""
    lacking = {f"{PREFIX[role]}{api}" for api, role in _without_credentials(settings.target)}
    if not settings.target.embedded:
        missing = _certainly_missing(settings)
        lacking |= {profile.receiver_fixtures[0] for profile in PROFILES.values() if profile.receives in missing}
    having = [item for item in items if not lacking.intersection(_fixtures_of(item))]
    return [item for item in having if settings.bounds.network_faults or not item.get_closest_marker(NETWORK_FAULTS)]


def _fixtures_of(item: pytest.Item) -> set[str]:
    """Return the fixtures that a test takes, and those that its parameters may name, such as `other_payments`."""
    values = getattr(getattr(item, "callspec", None), "params", {}).values()
    return {*getattr(item, "fixturenames", ()), *(value for value in values if isinstance(value, str))}


def _configured(target: Target) -> Iterator[str]:
    if target.embedded:
        yield "configured  the embedded reference: every role, a receiver that it reaches, and its clock"
        return
    yield f"configured  {target.base_url}"
    for api in target.apis:
        roles = ", ".join(role.replace("_", " ") for role in target.roles(api))
        yield f"configured  {api}: {roles or 'no credentials'}"


def _without_credentials(target: Target) -> list[tuple[Api, Role]]:
    if target.embedded:
        return []
    return [(api, role) for api in target.apis for role in Role if role not in target.roles(api)]


def _missing(settings: Settings) -> Iterator[str]:
    if settings.target.embedded:
        return
    for api, role in _without_credentials(settings.target):
        yield f"missing     {PROFILES[api].names(role)}: {api}, {role.replace('_', ' ')}"
    for profile in map(PROFILES.__getitem__, settings.target.apis):
        absent = (setting for setting in profile.settings if not getattr(settings.target, setting.field))
        yield from (f"missing     {setting.variable}: {setting.meaning}; {setting.absent}" for setting in absent)
        if profile.endpoint and settings.target.lacks_secret(profile.api):
            yield f"missing     {profile.endpoint.variable}: events of the {profile.api} API are skipped"
    if why := settings.reception.why_none:
        yield f"missing     a webhook receiver, so tests that wait for events are skipped: {why}"
    for capability in sorted(settings.gate.require & _certainly_missing(settings)):
        yield f"missing     {capability}, which --require names: the run will fail"


def _certainly_missing(settings: Settings) -> set[Capability]:
    """Return the capabilities that are missing, as far as the settings alone show it."""
    other = all(Role.OTHER_MERCHANT in settings.target.roles(api) for api in settings.target.apis)
    live = all(Role.LIVE_MERCHANT in settings.target.roles(api) for api in settings.target.apis)
    offers = {
        Capability.OTHER_ACCOUNT: other,
        Capability.LIVE_CREDENTIALS: live,
        Capability.WAITING: settings.bounds.waiting,
    }
    for api, profile in PROFILES.items():
        offers |= {
            setting.capability: bool(getattr(settings.target, setting.field))
            for setting in profile.settings
            if setting.capability
        }
        offers[profile.receives] = settings.reception.why_none is None and not settings.target.lacks_secret(api)
    return {capability for capability, offered in offers.items() if not offered}


def _circumstances(settings: Settings, runnable: Sequence[pytest.Item]) -> Iterator[str]:
    if not settings.target.embedded:
        where = settings.receiver.url or "its listening address"
        if settings.reception.why_none is None:
            yield f"receiver    {settings.receiver.listen}, reached at {where}: as configured, not checked"
        yield "clock       difference to this machine's clock unknown: no request was sent"
    pace = said_of_rate(settings, runnable) or "no limit"
    yield f"rate        {pace}; after a 429 the run waits as Retry-After says, for 5 minutes in total"
    yield f"waiting     {_waiting(settings, runnable)}"
    yield f"network     {_network(settings.bounds, runnable)}"
    quick, slow = (_in_words(duration(settings, runnable, response)) for response in (QUICK_S, SLOW_S))
    yield f"duration    about {quick} if a response takes {QUICK_S * 1000:.0f} ms, {slow} if {SLOW_S * 1000:.0f} ms"


def said_of_rate(settings: Settings, runnable: Sequence[pytest.Item]) -> str:
    """Say how long the requests take at the rate of --rate; empty without it."""
    if not settings.bounds.rate:
        return ""
    least = _in_words(_requests(runnable, settings.generation.examples) / settings.bounds.rate)
    return f"at {settings.bounds.rate:g} requests a second at least {least}"


def duration(settings: Settings, runnable: Sequence[pytest.Item], response: float) -> float:
    """Estimate the duration of a run in seconds, where each response takes `response` seconds."""
    seconds = seconds_per_request(response, None)
    requests, count = _requests(runnable, affordable(settings, seconds)), workers(settings, runnable, response)
    requests += (count - 1) * shared_requests()
    if count > 1:
        requests += sum(weight_beside_others(item.nodeid) - weight(item.nodeid) for item in runnable)
    paced = requests / settings.bounds.rate if settings.bounds.rate else 0.0
    begun = START_S + (WORKERS_START_S if count > 1 else 0.0)
    return begun + max(requests * seconds / count, paced, real_wait(settings, runnable))


def _requests(runnable: Sequence[pytest.Item], examples: int) -> float:
    """Return how many requests tests send, with so many generated inputs each."""
    measured = int(_measured_costs()["examples"])
    generated = [item for item in runnable if _is_generated(item)]
    fewer = _cost(generated)["requests"] * (1 - min(1.0, examples / measured))
    return _cost(runnable)["requests"] - fewer


def _is_generated(item: pytest.Item) -> bool:
    return getattr(item, "get_closest_marker", lambda _: None)("generated") is not None


def _in_words(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < SHORT_S else f"{seconds / 60:.0f} min"


def real_wait(settings: Settings, items: Sequence[pytest.Item]) -> float:
    """Return the seconds of real time until the last test has waited long enough."""
    waits = settings.bounds.waiting and not settings.target.embedded
    return longest_wait(settings.target, runnable_tests(settings, items)) if waits else 0.0


def longest_wait(target: Target, runnable: Sequence[pytest.Item]) -> float:
    """Return the seconds from the start of the run until the last test has waited long enough.

    A test waits until what it arranged is old enough, or it watches a target whose clock cannot be advanced.
    """
    marks = ("deferred",) if target.embedded else ("deferred", "watches")
    ages = (float(mark.args[0]) for item in runnable for name in marks for mark in item.iter_markers(name))
    return max((age for age in ages if age <= LONGEST_AGE_S), default=0.0)


def weight(nodeid: str) -> float:
    """Return a test's share in the duration of a run: about the number of requests that it sends."""
    row = _row(_function(nodeid))
    return SENDS_NOTHING + row.get("requests", 0) / row.get("cases", 1)


def weight_beside_others(nodeid: str) -> float:
    """Return the weight of a test in a worker, which also waits for others before some requests."""
    row = _row(_function(nodeid))
    return weight(nodeid) + sum(wait * row.get(name, 0) for name, wait in WAITS_OF_WORKERS.items()) / row.get(
        "cases", 1
    )


def shared_requests() -> float:
    """Return how many requests no single test sends, as far as that was measured."""
    return float(_measured_costs()["tests"].get(SHARED, {}).get("requests", 0))


def long_run(settings: Settings, items: Sequence[pytest.Item], response: float) -> list[str]:
    """Say before a run that it will take long, or what --rate makes of it; `response` is in seconds."""
    runnable = runnable_tests(settings, items)
    if settings.target.embedded or (seconds := duration(settings, runnable, response)) < LONG_S:
        return list(filter(None, [said_of_rate(settings, runnable)]))
    quick = "" if settings.tests.quick else ", --quick asks some 150 tests only"
    return [f"a response takes {response * 1000:.0f} ms: this will take about {_in_words(seconds)}{quick}"]


def _network(bounds: Bounds, runnable: Sequence[pytest.Item]) -> str:
    """Say which requests are cut on purpose."""
    if not bounds.network_faults:
        return "no request is cut (--no-network-faults)"
    cutting = sum(item.get_closest_marker(NETWORK_FAULTS) is not None for item in runnable)
    if not cutting:
        return "no test cuts a request"
    what = "creations, payments, cancels, completions and removals, never with production credentials"
    return f"{cutting} tests cut, repeat or slow some of their requests on purpose: {what}"


def _waiting(settings: Settings, runnable: Sequence[pytest.Item]) -> str:
    longest = longest_wait(settings.target, runnable)
    if not longest:
        return "no test waits"
    if settings.target.embedded:
        return f"{longest:.0f} s, for which the reference's clock is advanced"
    if not settings.bounds.waiting:
        return "skipped (--no-waiting)"
    watched = any(item.get_closest_marker("watches") for item in runnable)
    what = "tokens and charges to expire" + (", for events to be sent again" if watched else "")
    return f"up to {longest:.0f} s, once: for {what}"


def _tests(settings: Settings, left_out: int, runnable: Sequence[pytest.Item]) -> Iterator[str]:
    named = {requirement for item in runnable for requirement in requirements_of(item)}
    passive = (
        set()
        if settings.tests.quick
        else {
            requirement.id
            for requirement in catalogue().values()
            if requirement.passive and requirement.api in settings.target.apis
        }
    )
    wanted = {
        requirement for requirement in named | passive if not settings.tests.only or requirement in settings.tests.only
    }
    every = sum(requirement.party is settings.party for requirement in catalogue().values())
    levels = Counter(catalogue()[requirement].level for requirement in wanted)
    shares = ", ".join(f"{levels[level]} {level}" for level in Level)
    more = ", and what their responses and events show" if settings.tests.quick else ""
    yield f"tests       {len(wanted)} of {every} requirements ({shares}) with {len(runnable)} tests{more}"
    if left_out:
        yield f"skipped     {left_out} tests, for which credentials or a webhook receiver are missing"


def _costs_of(settings: Settings, runnable: Sequence[pytest.Item]) -> Iterator[str]:
    cost = _cost(runnable)
    objects = ", ".join(f"{cost[kind]} {kind}" for kind in ("charges", "transfers", "webhooks"))
    yield f"sends       about {cost['requests']} requests"
    yield f"creates     about {objects}: {_money(cost['cents'])} (sandbox) in total"
    yield from _large_amounts(runnable)
    yield "            webhooks are removed at the end; charges and transfers stay on the account"
    yield from warning_of(settings.target, runnable)
    yield from _basis(settings.generation, runnable)


def _basis(generation: Generation, runnable: Sequence[pytest.Item]) -> Iterator[str]:
    """Say what the estimate is based on, and what it leaves out."""
    measured = _measured_costs()
    yield f"estimate    as counted on {measured['measured']} against the reference, {measured['examples']} examples"
    if unknown := [item for item in runnable if _function(item.nodeid) not in measured["tests"]]:
        more = f"{REQUESTS_PER_TEST} requests each, without what they create"
        yield f"            {len(unknown)} tests were added later: {more}"
    if generation.examples != measured["examples"]:
        yield f"            now {generation.examples} examples: generated tests send more or fewer requests accordingly"


def _large_amounts(runnable: Sequence[pytest.Item]) -> Iterator[str]:
    """Say how much of the total is due to the tests of large amounts."""
    rows = [_row(_function(item.nodeid)) for item in runnable]
    shares = [int(row.get("cents", 0) / row.get("cases", 1)) for row in rows]
    if large := [cents for cents in shares if cents >= LARGE_CENTS]:
        yield f"            {_money(sum(large))} of it in {len(large)} tests of large amounts"


def _money(cents: int) -> str:
    return f"R$ {cents / 100:,.2f}"


@cache
def _measured_costs() -> dict[str, Any]:
    """Return the table of what the tests of a whole run sent and created."""
    costs: dict[str, Any] = json.loads(COSTS.read_text(encoding="utf-8"))
    return costs


def _row(function: str) -> dict[str, float]:
    """Return the cases of a function, and what they sent and created; the mean of all for one that was added later."""
    tests: dict[str, dict[str, float]] = _measured_costs()["tests"]
    return tests.get(function, {"requests": REQUESTS_PER_TEST})


def _function(nodeid: str) -> str:
    return nodeid.partition("[")[0]


def _cost(items: Iterable[pytest.Item]) -> Counter[str]:
    """Add up the costs of these tests.

    Of a parametrised function, only the share of its selected cases counts.
    """
    cases = Counter(_function(item.nodeid) for item in items)
    total: defaultdict[str, float] = defaultdict(float)
    shared = _measured_costs()["tests"].get(SHARED, {}) if cases else {}
    for row, count in [(shared, 1), *((_row(name), count) for name, count in cases.items())]:
        for kind, number in row.items():
            total[kind] += number * count / row.get("cases", 1)
    return Counter({kind: math.ceil(round(number, 6)) for kind, number in total.items()})


MOST_WORKERS = 12
ALONE_MS, MS_PER_WORKER = 30.0, 20.0
"""Milliseconds of a response up to which one worker runs all tests, and for which `auto` then starts another one."""
WORTH_A_WORKER_S = 15.0
"""Seconds of requests for which `auto` starts one worker: it takes some of them to start."""


def workers(settings: Settings, items: Sequence[pytest.Item], response: float) -> int:
    """Return how many workers run these tests, where each response takes `response` seconds."""
    if settings.workers.concurrency is not None:
        return settings.workers.concurrency
    seconds = seconds_per_request(response, None)
    worth = int(_cost(runnable_tests(settings, items))["requests"] * seconds / WORTH_A_WORKER_S)
    allowed = math.ceil(settings.bounds.rate * seconds) if settings.bounds.rate else MOST_WORKERS
    more = math.ceil((response * 1000 - ALONE_MS) / MS_PER_WORKER)
    return max(1, min(MOST_WORKERS, 1 + more, worth, allowed))
