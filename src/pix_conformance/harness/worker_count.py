"""How many workers `--concurrency auto` starts."""

import math

MOST_WORKERS = 8
MS_PER_WORKER = 30.0
"""Milliseconds of a response for which `auto` starts one worker: in that time one worker prepares about a request."""


def workers_for(latency_ms: float) -> int:
    """Return how many workers `auto` starts for a target that responds in so many milliseconds."""
    return max(1, min(MOST_WORKERS, math.ceil(latency_ms / MS_PER_WORKER)))
