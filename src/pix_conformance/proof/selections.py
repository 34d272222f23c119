"""Whether a verdict depends on what else is asked: random selections of requirements, held against whole runs."""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.vocabulary import Level, Outcome
from pix_conformance.proof.plan import rules_names_of
from pix_conformance.proof.runner import Job, JobResult, run_all

SHARE = 0.03
"""Which share of all requirements a selection has."""
NOT_ASKED = frozenset({Outcome.NOT_APPLICABLE, Outcome.OBSERVED})
"""Outcomes of a requirement of which a smaller run saw nothing, and of an open point."""


@dataclass(frozen=True)
class OtherVerdict:
    """A requirement with another outcome in a selection than in the whole run against the same server."""

    variants: tuple[str, ...]
    selection: int
    requirement: str
    whole: str
    selected: str
    reason: str


def selections(seed: int, count: int) -> list[tuple[str, ...]]:
    """Return so many random selections of requirements."""
    generator = random.Random(seed)  # noqa: S311  # a sample, not a secret
    names = sorted(name for name, requirement in catalogue().items() if not requirement.unobservable)
    return [tuple(sorted(generator.sample(names, int(len(names) * SHARE)))) for _ in range(count)]


def differences(
    servers: Iterable[tuple[str, ...]], chosen: Sequence[tuple[str, ...]], workers: int
) -> Iterator[OtherVerdict]:
    """Run everything and each selection against servers with these variants, and yield what came out otherwise.

    That a smaller run saw nothing of a requirement is no difference, and so are open points; a must that fails is one.
    """
    by_name = {" ".join(variants) or "reference": variants for variants in servers}
    jobs = [
        Job(f"{name}#{number}", rules_names_of(variants), only)
        for name, variants in by_name.items()
        for number, only in enumerate([(), *chosen])
    ]
    results = {result.name: result for result in run_all(jobs, workers=workers)}
    for name, variants in by_name.items():
        whole = results[f"{name}#0"]
        for number, only in enumerate(chosen, start=1):
            yield from _differences(variants, number, only, whole, results[f"{name}#{number}"])


def _differences(
    variants: tuple[str, ...], number: int, only: Sequence[str], whole: JobResult, selected: JobResult
) -> Iterator[OtherVerdict]:
    for name in only:
        before, after = whole.outcomes.get(name, "no result"), selected.outcomes.get(name, "no result")
        is_open = catalogue()[name].level is Level.OPEN
        if after != before and not is_open and after not in NOT_ASKED:
            yield OtherVerdict(variants, number, name, before, after, selected.reasons.get(name, ""))
