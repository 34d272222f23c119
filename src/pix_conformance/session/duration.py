"""How long a run takes, and how many workers it has, by what its tests send."""

import math
from collections.abc import Sequence

import pytest

from pix_conformance.generation.examples import affordable
from pix_conformance.harness.transport.pacing import seconds_per_request
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import Target
from pix_conformance.session.costs import cost_of, requests_of, shared_requests, weight, weight_beside_others
from pix_conformance.session.runnable_tests import runnable_tests
from pix_conformance.session.workers.shards import divided

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
    requests += (count - 1) * shared_requests()
    paced = requests / settings.bounds.rate if settings.bounds.rate else 0.0
    waits, share = 0.0, 1.0
    if count > 1:
        waits = sum(weight_beside_others(item.nodeid) - weight(item.nodeid) for item in runnable)
        share = _largest_share(settings, runnable, count)
    begun = START_S + (WORKERS_START_S if count > 1 else 0.0)
    return begun + max((requests + waits) * share * seconds, paced, real_wait(settings, runnable))


def _largest_share(settings: Settings, runnable: Sequence[pytest.Item], count: int) -> float:
    """Return what part of the run the worker with the most of it has."""
    parts = divided(runnable, count, settings.reception.receiving_worker)
    sums = [sum(weight_beside_others(item.nodeid) for item in part) for part in parts]
    return max(sums) / sum(sums) if any(sums) else 1 / count


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
