"""Whether observations at open points distinguish right servers: each variant compared with the plain reference."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pix_conformance.checks.comparable_text import stable
from pix_conformance.model.catalogue import load
from pix_conformance.model.vocabulary import Api, Level
from pix_conformance.proof.plan import rules_of
from pix_conformance.proof.runner import Job, Result, run_all
from pix_conformance.sandbox.apis import APIS
from pix_conformance.sandbox.variants.registry import load as load_variants

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
    return {one.id for one in load().of(api) if one.level is Level.OPEN and not one.unobservable}


def used(api: Api) -> dict[str, tuple[str, ...]]:
    """Return for each variant the open points of an API in which it is silent."""
    known = points(api)
    found = {one.id: tuple(sorted(known.intersection(one.silent_in))) for one in load_variants().values()}
    return {name: some for name, some in found.items() if some}


def compared(api: Api, only: str = "") -> Iterator[Compared]:
    """Observe these points on the plain reference and on each variant; `only` selects by text."""
    wanted = {name: some for name, some in used(api).items() if only in " ".join((name, *some))}
    asked = tuple(sorted({one for some in wanted.values() for one in some}))
    beside = APIS[api].beside
    plain = list(run_all([Job(name, (), asked + beside, apis=api) for name in PLAIN]))
    read = {one: _reader(one, plain) for one in asked}
    for result in run_all([Job(one, rules_of([one]), some + beside, apis=api) for one, some in wanted.items()]):
        for one in wanted[result.name]:
            yield Compared(result.name, one, read[one](result), read[one](plain[0]))


def unmoved(found: Sequence[Compared]) -> list[str]:
    """Return the points at which all variants show the same as the plain reference."""
    shown: dict[str, set[tuple[str, ...]]] = {}
    for one in found:
        shown.setdefault(one.requirement, set()).update({one.plain, one.seen} if one.seen else {one.plain})
    return sorted(one for one, ways in shown.items() if len(ways) == 1)


def _reader(requirement: str, plain: Sequence[Result]) -> Callable[[Result], tuple[str, ...]]:
    """Return a function that reads an observation, without numbers if these differ between two plain runs."""

    def words(result: Result) -> tuple[str, ...]:
        return tuple(sorted(map(stable, _seen(result.observed, requirement))))

    def without_numbers(result: Result) -> tuple[str, ...]:
        return tuple(NUMBER.sub("#", one) for one in words(result))

    return words if len(set(map(words, plain))) == 1 else without_numbers


def _seen(observed: Mapping[str, Sequence[str]], requirement: str) -> Sequence[str]:
    return observed.get(requirement, ())
