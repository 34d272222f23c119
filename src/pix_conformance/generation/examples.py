"""How many inputs each generated test has: --examples, or fewer than the default where each request takes long."""

from collections.abc import Iterable

import hypothesis
import pytest
from hypothesis.database import DirectoryBasedExampleDatabase, ExampleDatabase

from pix_conformance.model.exchange import Exchange
from pix_conformance.model.settings import Settings

LEAST, BUDGET_S = 5, 2.0
"""The fewest inputs by default, and how many seconds those of one test may take."""
PROFILE = "pix"
"""The name of hypothesis' settings of a run."""
SEEDED = "pix_conformance_seed"
"""Attribute of a test function that has its seed."""
FEWER, SHARE, FEWEST = "fewer_examples", 5, 2
"""The mark of a generated test beside rows that ask the same; it has a fifth of the inputs, but at least two."""


def seconds_of_response(exchanges: Iterable[Exchange]) -> float:
    """Return how long a response takes, by the fastest one: the others also opened connections."""
    return min((exchange.elapsed_ms / 1_000 for exchange in exchanges if exchange.response), default=0.0)


def affordable(settings: Settings, seconds: float) -> int:
    """Return how many inputs a generated test has if a request takes so many seconds."""
    if settings.target.embedded or settings.generation.examples_chosen:
        return settings.generation.examples
    return max(LEAST, min(settings.generation.examples, int(BUDGET_S / seconds)))


def set_examples(count: int) -> None:
    """Have the generated tests that have not begun use so many inputs."""
    hypothesis.settings.register_profile(PROFILE, hypothesis.settings.get_profile(PROFILE), max_examples=count)
    hypothesis.settings.load_profile(PROFILE)


def database_of(test: str) -> ExampleDatabase | None:
    """Return the database of one test, within that of the run: hypothesis takes all walks for one test."""
    database = hypothesis.settings().database
    if not isinstance(database, DirectoryBasedExampleDatabase):
        return None
    return DirectoryBasedExampleDatabase(database.path / test.rpartition("::")[2])


def seed_and_bound(item: pytest.Item, seed: int) -> None:
    """Give a generated test the seed and the settings of the run, before its first case.

    hypothesis uses no database where the seed is that of all tests, or where a test got it after its settings.
    """
    if not isinstance(item, pytest.Function) or not is_generated(item) or SEEDED in vars(item.function):
        return
    count = hypothesis.settings().max_examples
    if item.get_closest_marker(FEWER):
        count = max(FEWEST, count // SHARE)
    hypothesis.seed(seed)(item.function)
    hypothesis.settings(max_examples=count)(item.function)
    vars(item.function)[SEEDED] = seed


def is_generated(item: pytest.Item) -> bool:
    """Return whether hypothesis generates inputs of the test."""
    return bool(getattr(getattr(item, "function", None), "is_hypothesis_test", False))
