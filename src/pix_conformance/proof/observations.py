"""Whether observations at open points distinguish right servers: each variant compared with the plain reference."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pix_conformance.checks.comparable_text import stable
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.vocabulary import Api, Level
from pix_conformance.proof.plan import rules_of
from pix_conformance.proof.runner import Job, JobResult, run_all
from pix_conformance.sandbox.apis import APIS
from pix_conformance.sandbox.variants.registry import all_variants

PLAIN = ("plain", "plain once more")
NUMBER = re.compile(r"\d+(\.\d+)?")


@dataclass(frozen=True)
class Compared:
    """The observation of one variant at one open point, and that of the plain reference."""

    variant: str
    requirement: str
    seen: tuple[str, ...]
    plain: tuple[str, ...]

    @property
    def differs(self) -> bool:
        """Whether there is an observation that differs from the plain reference's."""
        return bool(self.seen) and self.seen != self.plain


def points(api: Api) -> set[str]:
    """Return the observable open requirements of an API."""
    observable = (requirement for requirement in catalogue().of(api) if not requirement.unobservable)
    return {requirement.id for requirement in observable if requirement.level is Level.OPEN}


def used(api: Api) -> dict[str, tuple[str, ...]]:
    """Return for each variant the open points of an API in which it is silent."""
    ids = points(api)
    points_of = {variant.id: tuple(sorted(ids.intersection(variant.silent_in))) for variant in all_variants().values()}
    return {name: requirements for name, requirements in points_of.items() if requirements}


def compared(api: Api, only: str = "") -> Iterator[Compared]:
    """Observe these points on the plain reference and on each variant; `only` selects by text."""
    points_of = {name: ids for name, ids in used(api).items() if only in " ".join((name, *ids))}
    asked = tuple(sorted({requirement for ids in points_of.values() for requirement in ids}))
    beside = APIS[api].beside
    plain = list(run_all([Job(name, (), asked + beside, apis=api) for name in PLAIN]))
    read = {requirement: _reader(requirement, plain) for requirement in asked}
    jobs = [Job(name, rules_of([name]), ids + beside, apis=api) for name, ids in points_of.items()]
    for result in run_all(jobs):
        for requirement in points_of[result.name]:
            yield Compared(result.name, requirement, read[requirement](result), read[requirement](plain[0]))


def unmoved(compared_points: Sequence[Compared]) -> list[str]:
    """Return the points at which all variants show the same as the plain reference."""
    ways: dict[str, set[tuple[str, ...]]] = {}
    for point in compared_points:
        ways.setdefault(point.requirement, set()).update({point.plain, point.seen} if point.seen else {point.plain})
    return sorted(requirement for requirement, ways in ways.items() if len(ways) == 1)


def _reader(requirement: str, plain: Sequence[JobResult]) -> Callable[[JobResult], tuple[str, ...]]:
    """Return a function that reads an observation, without numbers if these differ between two plain runs."""

    def words(result: JobResult) -> tuple[str, ...]:
        return tuple(sorted(map(stable, _seen(result.observed, requirement))))

    def without_numbers(result: JobResult) -> tuple[str, ...]:
        return tuple(NUMBER.sub("#", word) for word in words(result))

    return words if len(set(map(words, plain))) == 1 else without_numbers


def _seen(observed: Mapping[str, Sequence[str]], requirement: str) -> Sequence[str]:
    return observed.get(requirement, ())
