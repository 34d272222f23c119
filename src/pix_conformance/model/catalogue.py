"""Reads `specs/<api>/requirements.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from pix_conformance.model.paths import SPECS
from pix_conformance.model.vocabulary import Api, Capability, Level, Requirement


class Catalogue(Mapping[str, Requirement]):
    """All requirements by id, and the SHA-256 of the documents that they cite."""

    def __init__(self, requirements: Mapping[str, Requirement], documents: Mapping[str, str]) -> None:
        """Take requirements by id and SHA-256 digests by API."""
        self._requirements = dict(requirements)
        self.documents = dict(documents)

    def __getitem__(self, key: str) -> Requirement:
        return self._requirements[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._requirements)

    def __len__(self) -> int:
        return len(self._requirements)

    def of(self, api: Api) -> list[Requirement]:
        """Return the requirements of one document, in its order."""
        return [r for r in self.values() if r.api is api]


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
        "lines": tuple((first, last) for first, last in row["lines"]),
        "refusals": tuple(row.get("refusals", ())),
        "needs": frozenset(Capability(name) for name in row.get("needs", ())),
    }
    return Requirement(**shaped)
