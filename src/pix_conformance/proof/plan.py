"""The runs of the proof: recall, collateral failures, precision."""

from __future__ import annotations

import itertools
import math
import random
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

from pix_conformance.model.catalogue import load
from pix_conformance.model.vocabulary import Api, Level
from pix_conformance.proof import examples
from pix_conformance.proof.runner import LONGEST_RUN_S, MORE_WORKERS, RED, TOO_LONG, Job, Result, run_all
from pix_conformance.sandbox.apis import APIS
from pix_conformance.sandbox.mutants.registry import Mutant
from pix_conformance.sandbox.mutants.registry import load as load_mutants
from pix_conformance.sandbox.variants.registry import alternatives
from pix_conformance.sandbox.variants.registry import load as load_variants

T = TypeVar("T")


@dataclass(frozen=True)
class MutantResult:
    """The result of one mutant: outcomes of the requirements that it breaks, and collateral failures."""

    mutant: str
    group: str
    outcomes: dict[str, str]
    killed: bool
    collateral_failures: tuple[str, ...] | None
    seconds: float
    killers: tuple[str, ...]
    """The test cases that failed: of what it breaks, before the run ended; in runs of a whole API, all."""


@dataclass(frozen=True)
class VariantResult:
    """The result of one right server: the musts that failed, or why the run did not end."""

    variants: tuple[str, ...]
    exit: int
    failed: dict[str, str]
    seconds: float


def recall(mutants: Iterable[Mutant], seconds: float = math.inf) -> Iterator[MutantResult]:
    """Run for each mutant the tests that decide its requirements; if it survives, more tests, then its whole API.

    Starts no further run after `seconds`.
    """
    some, shown = {one.id: one for one in mutants}, []
    lacking = {one.id for one in examples.lacking(load_mutants())}
    for result in run_all([asked(one, shown=one.id in lacking) for one in some.values()], seconds):
        mutant = some[result.name]
        shown.append((mutant, result.wrong))
        yield kill(mutant, result, whole=False)
    examples.complete(shown, load_mutants())


def asked(mutant: Mutant, *, shown: bool) -> Job:
    """Return the job that tests what the mutant breaks, with other tests that send what history checks need.

    With `shown`, keep an example of the failure.
    """
    alone = Job(mutant.id, (mutant.rules,), (*mutant.breaks, *mutant.seen_in), mutant.breaks, shown=shown)
    whole = replace(alone, only=(), apis=api(mutant))
    return replace(alone, then=replace(alone, only=(*mutant.breaks, *APIS[api(mutant)].traffic), then=whole))


def collateral(mutants: Iterable[Mutant], seconds: float) -> Iterator[MutantResult]:
    """Look for a mutant of each must that fails no other must, in runs of a whole API.

    Starts no further run after `seconds`.
    """
    waiting, ends = list(mutants), time.monotonic() + seconds
    wanted = {each for one in waiting for each in musts(one)}
    while time.monotonic() < ends and (some := cover(waiting, wanted)):
        waiting = [one for one in waiting if one not in some]
        for kill in whole_api(some, ends - time.monotonic()):
            wanted -= exact(kill)
            yield kill


def whole_api(mutants: Iterable[Mutant], seconds: float = math.inf) -> Iterator[MutantResult]:
    """Run for each mutant all tests of its API to their end. Starts no further run after `seconds`."""
    some = {one.id: one for one in mutants}
    for result in run_all([Job(one.id, (one.rules,), apis=api(one)) for one in some.values()], seconds):
        yield kill(some[result.name], result, whole=True)


def musts(mutant: Mutant) -> set[str]:
    """Return the musts that a mutant breaks."""
    return {one for one in mutant.breaks if load()[one].level is Level.MUST}


def exact(kill: MutantResult) -> set[str]:
    """Return the musts that a mutant breaks, if these failed and no others."""
    return set(kill.outcomes) if kill.killed and not kill.collateral_failures else set()


def cover(mutants: Sequence[Mutant], wanted: set[str]) -> list[Mutant]:
    """Choose few mutants that together break all wanted requirements, as far as possible."""
    left, found = wanted & {each for one in mutants for each in one.breaks}, []
    while left:
        found.append(max(mutants, key=lambda one: len(left & set(one.breaks))))
        left -= set(found[-1].breaks)
    return found


def precision(combinations: Iterable[tuple[str, ...]], seconds: float) -> Iterator[VariantResult]:
    """Run everything against right servers with these variants, until `seconds` are over."""
    some = {" ".join(one): one for one in combinations}
    jobs = [Job(name, rules_of(chosen), apis=_apis(chosen)) for name, chosen in some.items()]
    for result in run_all(jobs, seconds, MORE_WORKERS):
        wrong = {one: result.reasons[one] for one in sorted(result.failed())}
        if result.exit == TOO_LONG:
            wrong["run"] = f"it did not end within {LONGEST_RUN_S} s"
        yield VariantResult(some[result.name], result.exit, wrong, round(result.seconds, 1))


def singles() -> list[tuple[str, ...]]:
    """Return each variant alone."""
    return [(one,) for one in load_variants()]


def mixed(seed: int, count: int, size: int = 4) -> list[tuple[str, ...]]:
    """Return random combinations of variants that are no alternatives of each other."""
    chance = random.Random(seed)  # noqa: S311  # a sample, not a secret
    choices = alternatives()
    found: list[tuple[str, ...]] = []
    while len(found) < count:
        row = tuple(chance.choice(choices[one]) for one in sorted(chance.sample(sorted(choices), size)))
        found += [row] if all(itertools.starmap(can_join, itertools.combinations(row, 2))) else []
    return found


def spread(long: Sequence[T], short: Sequence[T]) -> list[T]:
    """Mix runs that mostly wait among runs that compute, so that no long run starts near the end."""
    dealt = [(0.8 * at / len(long), one) for at, one in enumerate(long)]
    dealt += [(at / len(short), one) for at, one in enumerate(short)]
    return [one for _, one in sorted(dealt, key=lambda pair: pair[0])]


def pairwise(seed: int) -> list[tuple[str, ...]]:
    """Return combinations in which any two variants of one API that can be joined occur together at least once."""
    found = []
    for each in Api:
        found += _pairs(alternatives(each), random.Random(seed))  # noqa: S311  # likewise
    return found


def _pairs(choices: dict[str, list[str]], chance: random.Random) -> list[tuple[str, ...]]:
    pairs = ((x, y) for a, b in itertools.combinations(choices.values(), 2) for x in a for y in b)
    wanted = {frozenset(pair) for pair in pairs if can_join(*pair)}
    found = []
    while wanted:
        row = _row(choices, wanted, chance)
        wanted -= {frozenset(pair) for pair in itertools.combinations(row, 2)}
        found.append(row)
    return found


def _row(choices: dict[str, list[str]], wanted: set[frozenset[str]], chance: random.Random) -> tuple[str, ...]:
    row = {load_variants()[one].choice: one for one in chance.choice(sorted(map(sorted, wanted)))}
    for choice in chance.sample(sorted(choices), len(choices)):
        fitting = [one for one in choices[choice] if all(can_join(one, other) for other in row.values())]
        if choice not in row and fitting:
            gains = {v: sum(frozenset({v, one}) in wanted for one in row.values()) for v in fitting}
            row[choice] = max(gains, key=lambda variant: gains[variant])
    return tuple(row[choice] for choice in sorted(row))


def can_join(one: str, other: str) -> bool:
    """Return whether one server can have both variants. Those of different APIs change different rules."""
    first, second = load_variants()[one], load_variants()[other]
    if first.difference.is_alone or second.difference.is_alone:
        return False
    return first.api is not second.api or first.difference.can_join(second.difference)


def _apis(chosen: Iterable[str]) -> str:
    """Return the API of these variants."""
    found = {load_variants()[one].api for one in chosen}
    return found.pop() if len(found) == 1 else "both"


def rules_of(chosen: Iterable[str]) -> tuple[str, ...]:
    """Return the names by which the reference loads these variants."""
    return tuple(load_variants()[one].rules for one in chosen)


def api(mutant: Mutant) -> Api:
    """Return the API that a mutant breaks."""
    return load()[mutant.breaks[0]].api


def kill(mutant: Mutant, result: Result, *, whole: bool) -> MutantResult:
    """Judge a run of a mutant: it is killed if all that it breaks has failed. `whole` runs show collateral failures."""
    outcomes = {one: result.outcomes.get(one, f"no result (exit {result.exit})") for one in mutant.breaks}
    killed = all(outcomes[one] == RED[load()[one].level] for one in mutant.breaks)
    others = tuple(sorted(result.failed() - set(mutant.breaks))) if whole else None
    failed = result.killers if whole else mutant.breaks
    tests = tuple(sorted({one for each in failed for one in result.killers.get(each, ())}))
    return MutantResult(mutant.id, mutant.group, outcomes, killed, others, round(result.seconds, 1), tests)


def as_rows(found: Iterable[MutantResult | VariantResult]) -> list[dict[str, Any]]:
    """Return results as JSON values."""
    return [asdict(one) for one in found]
