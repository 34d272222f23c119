"""Reads `specs/<api>/requirements.toml`, and the words of `--only` and `pix-mutants` that name requirements."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from pix_conformance.model.paths import SPECS
from pix_conformance.model.vocabulary import Api, Capability, Level, Party, Requirement, UsageError


class Catalogue(Mapping[str, Requirement]):
    """All requirements by id, and the SHA-256 of the documents that they cite."""

    def __init__(self, requirements: Mapping[str, Requirement], documents: Mapping[str, str]) -> None:
        """Take requirements by id and SHA-256 digests by API."""
        self._requirements = dict(requirements)
        self.documents = dict(documents)

    def __getitem__(self, key: str) -> Requirement:
        if key not in self._requirements:
            raise KeyError(f"{key} is named in specs/ or in a test, and requirements.toml has no such id")
        return self._requirements[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._requirements)

    def __len__(self) -> int:
        return len(self._requirements)

    def of(self, api: Api, party: Party = Party.SERVICE) -> list[Requirement]:
        """Return the requirements of one document that bind a party, in its order."""
        return [r for r in self.values() if r.api is api and r.party is party]

    def of_document(self, api: Api) -> list[Requirement]:
        """Return the requirements of one document, of both parties, in the order of its file."""
        return [r for r in self.values() if r.api is api]


KINDS = "an id (PAY-IDEM-02), an area (PAY-IDEM), an API (PAY), a level (open) or a pattern (BUS-*)"
SIMILAR = 0.7
"""How similar a name must be to be what a wrong one may mean, from 0 to 1."""


def source(api: Api) -> dict[str, Any]:
    """Parse the requirement file of one document."""
    return tomllib.loads((SPECS / api / "requirements.toml").read_text(encoding="utf-8"))


@cache
def catalogue() -> Catalogue:
    """Read both requirement files. Raises ValueError for a duplicate id."""
    requirements: dict[str, Requirement] = {}
    documents: dict[str, str] = {}
    for api in Api:
        raw = source(api)
        documents[api] = raw["sha256"]
        for row in raw["requirement"]:
            requirement = _requirement(api, row)
            if requirement.id in requirements:
                raise ValueError(f"{requirement.id} is stated twice")
            requirements[requirement.id] = requirement
    return Catalogue(requirements, documents)


def _requirement(api: Api, row: dict[str, Any]) -> Requirement:
    shaped = {
        **row,
        "api": api,
        "level": Level(row["level"]),
        "party": Party(row.get("party", Party.SERVICE)),
        "lines": tuple((first, last) for first, last in row["lines"]),
        "refusals": tuple(row.get("refusals", ())),
        "needs": frozenset(Capability(name) for name in row.get("needs", ())),
    }
    return Requirement(**shaped)


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
