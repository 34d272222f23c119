"""How long a run takes, and how many workers it has, by what its tests send."""

import math
from collections.abc import Sequence

import pytest

from pix_conformance.generation.examples import affordable
from pix_conformance.harness.transport.pacing import seconds_per_request
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import Target
from pix_conformance.session.costs import cost_of, requests_of, shared_requests
from pix_conformance.session.runnable_tests import runnable_tests
from pix_conformance.session.workers.shards import divided, load

LONGEST_AGE_S = 3_600
"""Seconds. A deferred test with a greater age waits for nothing; the number only puts it last."""
START_S, WORKERS_START_S = 5.0, 10.0
"""Seconds of the suite's own work for its start, and more for that of workers."""
MOST_WORKERS = 8
"""More do not end sooner: the tests of the balance take turns, and so do those of the webhooks of an API."""
ALONE_MS, MS_PER_WORKER = 20.0, 14.0
"""Milliseconds of a response up to which one worker runs all tests, and for which `auto` then starts another one."""
WORTH_A_WORKER_S = 15.0
"""Seconds of requests for which `auto` starts one worker: it takes some of them to start."""


def duration(settings: Settings, runnable: Sequence[pytest.Item], response: float) -> float:
    """Estimate the duration of a run in seconds, where each response of a target takes `response` seconds."""
    seconds = seconds_per_request(0.0 if settings.target.embedded else response, None)
    requests, count = requests_of(runnable, affordable(settings, seconds)), workers(settings, runnable, response)
    begun, longest = START_S, requests
    if count > 1:
        parts = divided(runnable, count)
        fewer = requests / max(1, cost_of(runnable)["requests"])
        begun, longest = START_S + WORKERS_START_S, fewer * max(map(load, parts)) + shared_requests()
        requests = fewer * sum(cost_of(part)["requests"] for part in parts)
    paced = requests / settings.bounds.rate if settings.bounds.rate else 0.0
    return begun + max(longest * seconds, paced, real_wait(settings, runnable))


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


def workers(settings: Settings, items: Sequence[pytest.Item], response: float) -> int:
    """Return how many workers run these tests, where each response takes `response` seconds."""
    if settings.workers.concurrency is not None:
        return settings.workers.concurrency
    seconds = seconds_per_request(response, None)
    worth = int(cost_of(runnable_tests(settings, items))["requests"] * seconds / WORTH_A_WORKER_S)
    allowed = math.ceil(settings.bounds.rate * seconds) if settings.bounds.rate else MOST_WORKERS
    more = math.ceil((response * 1000 - ALONE_MS) / MS_PER_WORKER)
    return max(1, min(MOST_WORKERS, 1 + more, worth, allowed))
