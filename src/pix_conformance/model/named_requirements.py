"""The words that name requirements, of `--only` and of `pix-mutants`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from fnmatch import fnmatchcase

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.exceptions import UsageError
from pix_conformance.model.vocabulary import Level

KINDS = "an id (PAY-IDEM-02), an area (PAY-IDEM), an API (PAY), a level (open) or a pattern (BUS-*)"
SIMILAR = 0.7
"""How similar a name must be to be what a wrong one may mean, from 0 to 1."""


def named_requirements(text: str) -> frozenset[str]:
    """Return the ids that words name, which blanks or commas separate: ids, areas, APIs, levels, patterns.

    Raises UsageError for a word that names no requirement, with the names that resemble it.
    """
    return frozenset(name for word in re.split(r"[\s,]+", text.strip(" ,")) if word for name in _named(word))


def _named(word: str) -> list[str]:
    name = word.upper()
    ids = [
        requirement.id
        for requirement in catalogue().values()
        if name in {requirement.level.upper(), requirement.id} or requirement.id.startswith(f"{name}-")
    ]
    ids = ids or [requirement for requirement in catalogue() if fnmatchcase(requirement, name)]
    if not ids:
        close = ", ".join(_close(name))
        raise UsageError(f"no requirement is called {word}: {f'did you mean {close}?' if close else f'give {KINDS}'}")
    return ids


def _close(name: str) -> Iterator[str]:
    """Yield the names that a wrong one may mean: first that with another zero before its number."""
    area, _, number = name.rpartition("-")
    if number.isdecimal() and (other := f"{area}-{int(number):02}") in catalogue():
        yield other
        return
    areas = {requirement.rpartition("-")[0] for requirement in catalogue()}
    known = {
        word.upper(): word
        for word in (*Level, *sorted({prefix.partition("-")[0] for prefix in areas} | areas), *catalogue())
    }
    yield from (known[match] for match in get_close_matches(name, known, 3, SIMILAR))
