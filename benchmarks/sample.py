"""A random sample of the mutants in which each class is represented."""

from __future__ import annotations

import random
from collections.abc import Iterable

from pix_conformance.model.catalogue import load
from pix_conformance.model.vocabulary import Level
from pix_conformance.proof.mutants.registry import Mutant


def breaks_a_must(mutant: Mutant) -> bool:
    """Return whether a mutant breaks a must: a tool need not report others."""
    return any(load()[one].level is Level.MUST for one in mutant.breaks)


def sample(mutants: Iterable[Mutant], count: int, seed: int) -> list[Mutant]:
    """Choose mutants at random: one of each class first, then of all others. A shorter sample begins a longer one."""
    left = sorted((one for one in mutants if breaks_a_must(one)), key=lambda one: one.id)
    random.Random(seed).shuffle(left)  # noqa: S311  # a sample, not a secret
    first_of_class = {one.group: one for one in reversed(left)}
    first = [one for one in left if first_of_class[one.group] is one]
    others = [one for one in left if first_of_class[one.group] is not one]
    return [*first, *others][:count]
