"""The output of `--plan`, which sends nothing: what is set and missing, which tests would run and create what."""

from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.settings import Bounds, Generation, Settings
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Level
from pix_conformance.session.costs import REQUESTS_PER_TEST, cost_of, function_of, measured_costs, requests_of, row_of
from pix_conformance.session.duration import duration, longest_wait
from pix_conformance.session.production import warning_of
from pix_conformance.session.runnable_tests import (
    NETWORK_FAULTS,
    certainly_missing,
    runnable_tests,
    without_credentials,
)
from pix_conformance.session.selection import requirements_of
from pix_conformance.verdicts.missing_settings import unlocks

QUICK_S, SLOW_S = 0.02, 0.4
"""Response times in seconds for which the duration of a run is estimated."""
SHORT_S, LONG_S = 300.0, 600.0
"""Seconds from which on a duration is said in minutes, and before the start."""
LARGE_CENTS = 10_000_000
"""The cents from which on a test counts as one of large amounts."""


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


def _configured(target: Target) -> Iterator[str]:
    if target.embedded:
        yield "configured  the embedded reference: every role, a receiver that it reaches, and its clock"
        return
    yield f"configured  {target.base_url}"
    for api in target.apis:
        roles = ", ".join(role.replace("_", " ") for role in target.roles(api))
        yield f"configured  {api}: {roles or 'no credentials'}"


def _missing(settings: Settings) -> Iterator[str]:
    if settings.target.embedded:
        return
    for api, role in without_credentials(settings.target):
        yield f"missing     {PROFILES[api].names(role)}: {api}, {role.replace('_', ' ')}"
    for profile in map(PROFILES.__getitem__, settings.target.apis):
        absent = (setting for setting in profile.settings if not getattr(settings.target, setting.field))
        yield from (f"missing     {setting.variable}: {setting.meaning}; {setting.absent}" for setting in absent)
        if profile.endpoint and settings.target.lacks_secret(profile.api):
            yield f"missing     {profile.endpoint.variable}: events of the {profile.api} API are skipped"
    if why := settings.reception.why_none:
        yield f"missing     a webhook receiver, so tests that wait for events are skipped: {why}"
    for capability in sorted(settings.gate.require & certainly_missing(settings)):
        yield f"missing     {capability}, which --require names: the run will fail"


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
    by_response = f" if a response takes {QUICK_S * 1000:.0f} ms, {slow} if {SLOW_S * 1000:.0f} ms"
    yield f"duration    about {quick}{'' if settings.target.embedded else by_response}"


def said_of_rate(settings: Settings, runnable: Sequence[pytest.Item]) -> str:
    """Say how long the requests take at the rate of --rate; empty without it."""
    if not settings.bounds.rate:
        return ""
    least = _in_words(requests_of(runnable, settings.generation.examples) / settings.bounds.rate)
    return f"at {settings.bounds.rate:g} requests a second at least {least}"


def _in_words(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < SHORT_S else f"{seconds / 60:.0f} min"


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
    cost = cost_of(runnable)
    objects = ", ".join(f"{cost[kind]} {kind}" for kind in ("charges", "transfers", "webhooks"))
    yield f"sends       about {cost['requests']} requests"
    yield f"creates     about {objects}: {_money(cost['cents'])} (sandbox) in total"
    yield from _large_amounts(runnable)
    yield "            webhooks are removed at the end; charges and transfers stay on the account"
    yield from warning_of(settings.target, runnable)
    yield from _basis(settings.generation, runnable)


def _basis(generation: Generation, runnable: Sequence[pytest.Item]) -> Iterator[str]:
    """Say what the estimate is based on, and what it leaves out."""
    measured = measured_costs()
    yield f"estimate    as counted on {measured['measured']} against the reference, {measured['examples']} examples"
    if unknown := [item for item in runnable if function_of(item.nodeid) not in measured["tests"]]:
        more = f"{REQUESTS_PER_TEST} requests each, without what they create"
        yield f"            {len(unknown)} tests were added later: {more}"
    if generation.examples != measured["examples"]:
        yield f"            now {generation.examples} examples: generated tests send more or fewer requests accordingly"


def _large_amounts(runnable: Sequence[pytest.Item]) -> Iterator[str]:
    """Say how much of the total is due to the tests of large amounts."""
    rows = [row_of(function_of(item.nodeid)) for item in runnable]
    shares = [int(row.get("cents", 0) / row.get("cases", 1)) for row in rows]
    if large := [cents for cents in shares if cents >= LARGE_CENTS]:
        yield f"            {_money(sum(large))} of it in {len(large)} tests of large amounts"


def _money(cents: int) -> str:
    return f"R$ {cents / 100:,.2f}"
