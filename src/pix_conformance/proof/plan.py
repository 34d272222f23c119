"""The runs of the proof: recall, collateral failures, precision, battery."""

import itertools
import math
import random
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.paths import TEST_TREE
from pix_conformance.model.vocabulary import Api, Level, Outcome
from pix_conformance.proof import examples, publish
from pix_conformance.proof.runner import (
    LONGEST_RUN_S,
    MORE_WORKERS,
    NO_RESULT,
    TOO_LONG,
    Job,
    JobResult,
    all_fail,
    run_all,
)
from pix_conformance.sandbox.apis import APIS
from pix_conformance.sandbox.mutants.registry import Mutant, all_mutants
from pix_conformance.sandbox.variants.registry import all_variants, alternatives
from pix_conformance.verdicts.exit_status import OUR_ERROR

T = TypeVar("T")
BATTERY = (sys.executable, "-m", "pytest", "-m", "battery", "-q")
SHARES = 3
"""Number of processes among which the tests are divided, because most of them wait for deadlines."""
ONE_RUN = "tests/proof/test_hostile_text.py"
"""Tests of this file share their runs, so one process executes all of them."""


@dataclass(frozen=True)
class MutantResult:
    """The result of one mutant: outcomes of the requirements that it breaks, and collateral failures."""

    mutant: str
    exit: int
    group: str
    outcomes: dict[str, str]
    killed: bool
    collateral_failures: tuple[str, ...] | None
    seconds: float
    killers: tuple[str, ...]
    """The test cases that failed: of what it breaks, before the run ended; in runs of a whole API, all."""
    error: str = ""
    """An error of the mutant's own code. Such a mutant fails by its 500, not by its fault, and is not killed."""


@dataclass(frozen=True)
class VariantResult:
    """The result of one right server: the musts that failed, or why the run did not end."""

    variants: tuple[str, ...]
    exit: int
    failed: dict[str, str]
    seconds: float


def recall(
    mutants: Iterable[Mutant], seconds: float = math.inf, longest_s: int = LONGEST_RUN_S
) -> Iterator[MutantResult]:
    """Run for each mutant the tests that decide its requirements; if it survives, more tests, then its whole API.

    Starts no further run after `seconds`; ends a run after `longest_s`.
    """
    by_id, shown = {mutant.id: mutant for mutant in mutants}, []
    lacking = {mutant.id for mutant in examples.lacking(all_mutants())}
    jobs = [job_of(mutant, shown=mutant.id in lacking, longest_s=longest_s) for mutant in by_id.values()]
    for result in run_all(jobs, seconds):
        mutant = by_id[result.name]
        shown.append((mutant, result.wrong))
        yield mutant_result(mutant, result, is_whole=False)
    examples.complete(shown, all_mutants())


def job_of(mutant: Mutant, *, shown: bool, longest_s: int = LONGEST_RUN_S) -> Job:
    """Return the job that tests what the mutant breaks, with other tests that send what history checks need.

    With `shown`, keep an example of the failure.
    """
    only = (*mutant.breaks, *mutant.seen_in)
    alone = Job(mutant.id, (mutant.rules_name,), only, mutant.breaks, shown=shown, seconds=longest_s)
    job = replace(alone, only=(), apis=api(mutant))
    return replace(alone, then=replace(alone, only=(*mutant.breaks, *APIS[api(mutant)].traffic), then=job))


def collateral(mutants: Iterable[Mutant], seconds: float) -> Iterator[MutantResult]:
    """Look for a mutant of each must that fails no other must, in runs of a whole API.

    Starts no further run after `seconds`.
    """
    waiting, ends = list(mutants), time.monotonic() + seconds
    left = {must for mutant in waiting for must in musts(mutant)}
    while time.monotonic() < ends and (covering := cover(waiting, left)):
        waiting = [mutant for mutant in waiting if mutant not in covering]
        for result in whole_api(covering, ends - time.monotonic()):
            left -= exact(result)
            yield result


def whole_api(mutants: Iterable[Mutant], seconds: float = math.inf) -> Iterator[MutantResult]:
    """Run for each mutant all tests of its API to their end. Starts no further run after `seconds`."""
    by_id = {mutant.id: mutant for mutant in mutants}
    for result in run_all(
        [Job(mutant.id, (mutant.rules_name,), apis=api(mutant)) for mutant in by_id.values()], seconds
    ):
        yield mutant_result(by_id[result.name], result, is_whole=True)


def musts(mutant: Mutant) -> set[str]:
    """Return the musts that a mutant breaks."""
    return {name for name in mutant.breaks if catalogue()[name].level is Level.MUST}


def exact(result: MutantResult) -> set[str]:
    """Return the musts that a mutant breaks, if these failed and no others."""
    return set(result.outcomes) if result.killed and not result.collateral_failures else set()


def cover(mutants: Sequence[Mutant], wanted: set[str]) -> list[Mutant]:
    """Choose few mutants that together break all wanted requirements, as far as possible."""
    left, chosen = wanted & {name for mutant in mutants for name in mutant.breaks}, []
    while left:
        chosen.append(max(mutants, key=lambda mutant: len(left & set(mutant.breaks))))
        left -= set(chosen[-1].breaks)
    return chosen


def precision(
    combinations: Iterable[tuple[str, ...]], seconds: float, longest_s: int = LONGEST_RUN_S
) -> Iterator[VariantResult]:
    """Run everything against right servers with these variants, until `seconds` are over; a run takes `longest_s`."""
    by_name = {" ".join(combination): combination for combination in combinations}
    jobs = [
        Job(name, rules_names_of(combination), apis=_apis(combination), seconds=longest_s)
        for name, combination in by_name.items()
    ]
    for result in run_all(jobs, seconds, MORE_WORKERS):
        wrong = {requirement: result.reasons[requirement] for requirement in sorted(result.failed())}
        if result.exit in {TOO_LONG, NO_RESULT}:
            wrong["run"] = f"it did not end within {longest_s} s" if result.exit == TOO_LONG else "it broke off"
        elif result.exit == OUR_ERROR:
            wrong["run"] = "it found an error of the suite itself"
        if result.error:
            wrong["reference"] = result.error
        yield VariantResult(by_name[result.name], result.exit, wrong, round(result.seconds, 1))


def right_servers_asked(requirements: Iterable[str], seconds: float) -> Iterator[VariantResult]:
    """Ask each variant alone these requirements and no others, until `seconds` are over.

    A should that is not met counts as failed where the variant is not said to be silent in it.
    """
    only = tuple(requirements)
    apis = {catalogue()[name].api for name in only}
    variants = {name: variant for name, variant in all_variants().items() if variant.api in apis}
    jobs = [Job(name, (variant.rules_name,), only, apis=variant.api) for name, variant in variants.items()]
    for result in run_all(jobs, seconds, MORE_WORKERS):
        warned = {name for name, outcome in result.outcomes.items() if outcome == Outcome.WARN}
        wrong = result.failed() | (warned - {*variants[result.name].silent_in})
        failed = {name: result.reasons[name] for name in sorted(wrong)}
        yield VariantResult((result.name,), result.exit, failed, round(result.seconds, 1))


def singles() -> list[tuple[str, ...]]:
    """Return each variant alone."""
    return [(name,) for name in all_variants()]


def right_servers(seed: int) -> list[tuple[str, ...]]:
    """Return what a whole measurement of precision runs: all pairs, and random combinations of both APIs."""
    return [*pairwise(seed), *mixed(seed, 20)]


def mixed(seed: int, count: int, size: int = 4) -> list[tuple[str, ...]]:
    """Return random combinations of variants that are no alternatives of each other."""
    generator = random.Random(seed)  # noqa: S311  # a sample, not a secret
    choices = alternatives()
    rows: list[tuple[str, ...]] = []
    while len(rows) < count:
        row = tuple(generator.choice(choices[choice]) for choice in sorted(generator.sample(sorted(choices), size)))
        rows += [row] if all(itertools.starmap(can_join, itertools.combinations(row, 2))) else []
    return rows


def spread(long: Sequence[T], short: Sequence[T]) -> list[T]:
    """Mix runs that mostly wait among runs that compute, so that no long run starts near the end."""
    placed = [(0.8 * place / len(long), run) for place, run in enumerate(long)]
    placed += [(place / len(short), run) for place, run in enumerate(short)]
    return [run for _, run in sorted(placed, key=lambda pair: pair[0])]


def pairwise(seed: int) -> list[tuple[str, ...]]:
    """Return combinations in which any two variants of one API that can be joined occur together at least once.

    What the reference does without a variant counts as an alternative: each variant occurs beside it too.
    """
    pairs = (_pairs(alternatives(part), random.Random(seed)) for part in Api)  # noqa: S311  # likewise
    return list(itertools.chain.from_iterable(pairs))


def _pairs(choices: dict[str, list[str]], generator: random.Random) -> list[tuple[str, ...]]:
    """Return the combinations for these choices. The name of a choice stands for what the reference does there."""
    options = {choice: [*variants, choice] for choice, variants in choices.items()}
    pairs = ((x, y) for a, b in itertools.combinations(options.values(), 2) for x in a for y in b)
    missing = {frozenset(pair) for pair in pairs if _can_meet(*pair) and not options.keys() >= {*pair}}
    rows = []
    while missing:
        row = _row(options, missing, generator)
        missing -= {frozenset(pair) for pair in itertools.combinations(row, 2)}
        rows.append(tuple(option for option in row if option not in options))
    return rows


def _row(options: dict[str, list[str]], missing: set[frozenset[str]], generator: random.Random) -> tuple[str, ...]:
    row = {option.partition("/")[0]: option for option in generator.choice(sorted(map(sorted, missing)))}
    for choice in generator.sample(sorted(options), len(options)):
        fitting = [option for option in options[choice] if all(_can_meet(option, other) for other in row.values())]
        if choice not in row:
            gains = {v: sum(frozenset({v, chosen}) in missing for chosen in row.values()) for v in fitting}
            row[choice] = max(gains, key=lambda option: gains[option])
    return tuple(row[choice] for choice in sorted(row))


def _can_meet(option: str, other: str) -> bool:
    return not {option, other} <= all_variants().keys() or can_join(option, other)


def can_join(variant: str, other: str) -> bool:
    """Return whether one server can have both variants. Those of different APIs change different rules."""
    first, second = all_variants()[variant], all_variants()[other]
    if first.difference.is_alone or second.difference.is_alone:
        return False
    return first.api is not second.api or first.difference.can_join(second.difference)


def _apis(variants: Iterable[str]) -> str:
    """Return the API of these variants."""
    apis = {all_variants()[variant].api for variant in variants}
    return apis.pop() if len(apis) == 1 else "both"


def rules_names_of(variants: Iterable[str]) -> tuple[str, ...]:
    """Return the names by which the reference loads these variants."""
    return tuple(all_variants()[variant].rules_name for variant in variants)


def api(mutant: Mutant) -> Api:
    """Return the API that a mutant breaks."""
    return catalogue()[mutant.breaks[0]].api


def mutant_result(mutant: Mutant, result: JobResult, *, is_whole: bool) -> MutantResult:
    """Judge a run: the mutant is killed if all it breaks has failed, and its own code raised no error.

    Runs of a whole API show collateral failures.
    """
    outcomes = {name: result.outcomes.get(name, f"no result (exit {result.exit})") for name in mutant.breaks}
    killed = not result.error and all_fail(outcomes, mutant.breaks)
    others = tuple(sorted(result.failed() - set(mutant.breaks))) if is_whole else None
    failed = result.killers if is_whole else mutant.breaks
    tests = tuple(sorted({test for name in failed for test in result.killers.get(name, ())}))
    seconds = round(result.seconds, 1)
    return MutantResult(mutant.id, result.exit, mutant.group, outcomes, killed, others, seconds, tests, result.error)


def battery() -> list[dict[str, Any]]:
    """Run the battery. Return for each test its name, whether it passed, the failure, and its seconds."""
    tests = sorted(publish.marked("battery", "tests"))
    alone = [test for test in tests if not test.startswith(ONE_RUN)]
    shares = [[ONE_RUN], *(alone[first::SHARES] for first in range(SHARES))]
    with ThreadPoolExecutor(len(shares)) as pool:
        results = list(itertools.chain.from_iterable(pool.map(_rows_of, shares)))
    if len(results) != len(tests):
        message = f"{len(tests)} tests were collected, {len(results)} ran"
        raise RuntimeError(message)
    return results


def _rows_of(share: list[str]) -> list[dict[str, Any]]:
    with TemporaryDirectory(prefix="pix-battery-") as directory:
        report = Path(directory) / "junit.xml"
        words = [*BATTERY, *share, f"--junitxml={report}"]
        subprocess.run(words, cwd=TEST_TREE, check=False, stdout=subprocess.DEVNULL)  # noqa: S603  # our own tests
        cases = ET.parse(report).getroot().iter("testcase")  # noqa: S314  # pytest has just written it
        return [
            {
                "test": f"{case.get('classname')}::{case.get('name')}",
                "passed": not (why := _red(case)),
                "why": why,
                "seconds": round(float(case.get("time") or 0), 1),
            }
            for case in cases
        ]


def _red(case: ET.Element) -> str:
    return "".join(problem.text or "without a word" for kind in ("failure", "error") for problem in case.iter(kind))
