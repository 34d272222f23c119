"""Selection and order of the tests, and which of them ask each requirement."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from pathlib import Path

import pytest

from pix_conformance.checks.shown_requirements import shown_by
from pix_conformance.harness.deferred import age_of
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.paths import SUITES, TEST_TREE
from pix_conformance.model.profile import RECEIVERS
from pix_conformance.model.questions import is_asked_in
from pix_conformance.model.settings import ChosenTests, Settings
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Level, Party, Requirement
from pix_conformance.recording.bundle.values import AskingTest

WITNESSES = 12
"""About how many tests of an operation run for a passive requirement that --only names."""
INTEGRATION = SUITES / "integration"
"""The tests of an integration; all others are of a service."""
EVERYWHERE = frozenset({"GEN", "ERR"})
"""Areas whose passive requirements apply to the responses of all operations."""


def asks_the_suites(config: pytest.Config) -> bool:
    """Return whether this pytest run tests a target, and not the suite itself."""
    return asks_all(config) or any(SUITES in path.parents for path in _paths(config))


def asks_all(config: pytest.Config) -> bool:
    """Return whether all suites of a party are collected, and not only some folders or files."""
    if party_of(config) is Party.INTEGRATION:
        return INTEGRATION in _paths(config)
    return any(map(_has_all, _paths(config)))


def party_of(config: pytest.Config) -> Party:
    """Return whom a run tests: an integration if the command names its tests, and else a service."""
    own = any(path == INTEGRATION or INTEGRATION in path.parents for path in _paths(config))
    return Party.INTEGRATION if own else Party.SERVICE


def _has_all(path: Path) -> bool:
    return path == SUITES or path in SUITES.parents


def _paths(config: pytest.Config) -> list[Path]:
    return [Path(config.invocation_params.dir, arg.partition("::")[0]).resolve() for arg in config.args]


@cache
def requirements_of(item: pytest.Item) -> tuple[str, ...]:
    """Return the requirements that a test names, each once."""
    return tuple(dict.fromkeys(name for mark in item.iter_markers("requirement") for name in mark.args))


def by_requirement(items: list[pytest.Item]) -> dict[str, set[str]]:
    """Map each requirement to the node ids of the tests that name it."""
    tests: dict[str, set[str]] = defaultdict(set)
    for item in items:
        for requirement in requirements_of(item):
            tests[requirement].add(item.nodeid)
    return dict(tests)


def history_requirements(items: list[pytest.Item], only: frozenset[str]) -> list[str]:
    """Return the requirements of --only that are history checks: with few requests they show little."""
    tests = [item for item in items if item.get_closest_marker("whole_run")]
    return sorted(only & {requirement for item in tests for requirement in requirements_of(item)})


def chosen(
    items: list[pytest.Item], settings: Settings, tests: AbstractSet[str] | None = None
) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Split the tests into those that --only, --quick and --api select, and the others.

    `tests`, by node id, replace --only and --quick.
    """
    if tests is not None:
        wanted = {item for item in items if item.nodeid in tests and _is_of_apis(item, settings.target)}
        return [item for item in items if item in wanted], [item for item in items if item not in wanted]
    shown_by = {
        item.nodeid
        for name in settings.tests.only
        if catalogue()[name].passive
        for item in witnesses(items, catalogue()[name])
    }
    left: list[pytest.Item] = []
    deselected: list[pytest.Item] = []
    for item in items:
        named = (
            not settings.tests.only
            or settings.tests.only.intersection(requirements_of(item))
            or item.nodeid in shown_by
        )
        named = named and not (settings.tests.quick and item.get_closest_marker("quick") is None)
        (left if named and _is_of_apis(item, settings.target) else deselected).append(item)
    return left, deselected


def _is_of_apis(item: pytest.Item, target: Target) -> bool:
    """Return whether a test is about an API that the run tests; those of an integration name it by requirements."""
    if INTEGRATION not in item.path.parents:
        return api_of(item) in target.apis
    return any(catalogue()[name].api in target.apis for name in requirements_of(item))


def tests_that_ask(items: list[pytest.Item], requirement: Requirement) -> list[pytest.Item]:
    """Return the tests that name a requirement; for a passive one, also some that send what shows it."""
    named = [item for item in items if requirement.id in requirements_of(item)]
    return [*named, *witnesses(items, requirement)] if requirement.passive else named


def witnesses(items: list[pytest.Item], requirement: Requirement) -> list[pytest.Item]:
    """Choose some tests that send requests for a passive requirement, which has no test."""
    others = [other for other in catalogue().of(requirement.api) if not other.passive]
    if _area(requirement.id).rpartition("-")[2] in EVERYWHERE:
        return _spread(items, others)
    shown = shown_by(requirement.api).get(requirement.id, frozenset()) | (
        {requirement.operation} if requirement.operation else set()
    )
    near = [{other.id for other in others if other.operation == operation} for operation in sorted(shown)]
    if not any(near):
        near = [{other.id for other in others if _area(other.id) == _area(requirement.id)}]
    tests = [item for named in near for item in _tests_of(items, named)]
    return tests or _tests_of(items, {other.id for other in others if RECEIVERS & other.needs & requirement.needs})


def _tests_of(items: list[pytest.Item], near: set[str]) -> list[pytest.Item]:
    making = [item for item in items if near.intersection(requirements_of(item)) and age_of(item) < 0]
    return making[:: max(1, len(making) // WITNESSES)]


def _spread(items: list[pytest.Item], others: list[Requirement]) -> list[pytest.Item]:
    """Choose one test for each operation and status that a requirement names, and one for each open point.

    A refusal that is stated for no single operation is tested on each route: then every case counts.
    """
    keys = {
        other.id: other.id if other.level is Level.OPEN else f"{other.operation} {other.refusals}" for other in others
    }
    everywhere = {other.id for other in others if other.operation is None and other.refusals}
    first: dict[str, pytest.Item] = {}
    for item in items:
        for requirement in requirements_of(item):
            if requirement in keys and age_of(item) < 0:
                first.setdefault(f"{keys[requirement]} {item.name if requirement in everywhere else ''}", item)
    return list(first.values())


def _area(requirement: str) -> str:
    return requirement.rpartition("-")[0]


def api_of(item: pytest.Item) -> str:
    """Return the API that a test of the suites tests. Raises UsageError for another test."""
    if not item.path.is_relative_to(SUITES):
        raise pytest.UsageError(f"{item.nodeid} is no test of the suites: run it by a command of its own")
    return item.path.relative_to(SUITES).parts[0]


def in_order(items: list[pytest.Item]) -> list[pytest.Item]:
    """Keep the order of the files; deferred tests come after them, by age, and last what judges the whole run."""
    return sorted(items, key=lambda item: (item.get_closest_marker("whole_run") is not None, age_of(item)))


def is_unneeded(path: Path, config: pytest.Config, chosen_tests: ChosenTests, tests: Iterable[str] = ()) -> bool:
    """Return whether no test in this file of the suites is one of `tests`, or decides a requirement of `--only`.

    Without `tests`, by node id, a file is needed if its text has the id of such a requirement, or the question that it
    answers. Every file is needed for a passive requirement and with `--again`, because any test may have sent what
    shows it, and if the command names files.
    """
    if path.suffix != ".py" or SUITES not in path.parents or not all(map(_has_all, _paths(config))):
        return False
    if files := {test.partition("::")[0] for test in tests}:
        return path.relative_to(TEST_TREE).as_posix() not in files
    if not chosen_tests.only or chosen_tests.again or any(catalogue()[name].passive for name in chosen_tests.only):
        return False
    text = path.read_text(encoding="utf-8")
    return not any(is_asked_in(text, catalogue()[name]) for name in chosen_tests.only)


def asked_by(items: Sequence[pytest.Item]) -> dict[str, tuple[AskingTest, ...]]:
    """Map each requirement to the tests that name it, one entry for each function."""
    cases: dict[str, Counter[str]] = {}
    words: dict[str, str] = {}
    for item in items:
        name = item.nodeid.partition("[")[0]
        words.setdefault(name, _words(item))
        for requirement in requirements_of(item):
            cases.setdefault(requirement, Counter())[name] += 1
    return {
        requirement: tuple(AskingTest(name, words[name], count) for name, count in counts.items())
        for requirement, counts in cases.items()
    }


def _words(item: pytest.Item) -> str:
    """Return the name of a test in words, followed by its docstring."""
    function = getattr(item, "function", None)
    name = getattr(function, "__name__", item.name).removeprefix("test_").replace("_", " ")
    return f"{name}. {' '.join((getattr(function, '__doc__', None) or '').split())}".rstrip()
