"""Finds every mutant of this package."""

import importlib
import pkgutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

from pix_conformance.sandbox.apis import rules_of
from pix_conformance.sandbox.difference import Difference, differences_of_file
from pix_conformance.sandbox.mutants import schema

ROOM = Path(__file__).parent
UNDER_LOAD = "under_load"


@dataclass(frozen=True)
class Mutant:
    """A wrong server: its id, its difference, what that breaks, and the file that lists it."""

    id: str
    breaks: tuple[str, ...]
    difference: Difference
    module: str
    group: str

    @property
    def rules_name(self) -> str:
        """Return the name by which the reference loads it."""
        return f"{__name__}:mixin:{self.id}"

    @property
    def size(self) -> int:
        """Return how much it says, in characters: the smallest of equal mutants is the one to read."""
        return len(self.sentence) + 10 * len(self.difference.guards)

    @property
    def sentence(self) -> str:
        """Say what is wrong."""
        return self.difference.sentence

    @property
    def seen_in(self) -> tuple[str, ...]:
        """Name the requirements whose tests send what shows it, if not those of what it breaks."""
        return self.difference.tests_of


def mixin(name: str) -> type:
    """Make the rules of a mutant; KeyError for an unknown id."""
    mutant = listed().get(name) or under_load().get(name) or all_mutants()[name]
    return mutant.difference.rules(rules_of(mutant.breaks[0]))


@cache
def all_mutants() -> dict[str, Mutant]:
    """Return every mutant by its id: those that are listed, and those that follow from the OpenAPI descriptions."""
    return listed() | {name: _mutant(name, schema, difference) for name, difference in schema.differences().items()}


@cache
def listed() -> dict[str, Mutant]:
    """Return the mutants of all files but those that only a run under load can kill."""
    return {name: mutant for name, mutant in _all().items() if mutant.module != UNDER_LOAD}


@cache
def under_load() -> dict[str, Mutant]:
    """Return the mutants that only a run under load can kill."""
    return {name: mutant for name, mutant in _all().items() if mutant.module == UNDER_LOAD}


@cache
def _all() -> dict[str, Mutant]:
    """Return the mutants of all files; ValueError if one does not say to which group it belongs."""
    mutants = {name: _mutant(name, *row) for name, row in of_package(ROOM, __package__ or "", "MUTANTS").items()}
    for mutant in mutants.values():
        if not mutant.group:
            raise ValueError(f"the mutant {mutant.id} lacks its group")
    return mutants


def of_package(room: Path, package: str, table: str) -> dict[str, tuple[ModuleType, Difference]]:
    """Return the differences of a package with their files by their ids; ValueError if an id is there twice."""
    differences: dict[str, tuple[ModuleType, Difference]] = {}
    for place in pkgutil.walk_packages([str(room)], f"{package}."):
        if place.ispkg or place.name == f"{package}.registry":
            continue
        module = importlib.import_module(place.name)
        for name, difference in differences_of_file(module, table):
            if differences.setdefault(name, (module, difference))[1] is not difference or not difference.sentence:
                raise ValueError(f"{name} is listed twice, or says nothing")
    return differences


def _mutant(name: str, module: ModuleType, difference: Difference) -> Mutant:
    requirement = name.partition("/")[0]
    place = module.__name__.removeprefix(f"{__package__}.")
    of_area: dict[str, str] = getattr(module, "GROUP_OF_AREA", {})
    group = difference.group or of_area.get(requirement.rpartition("-")[0]) or str(getattr(module, "GROUP", ""))
    return Mutant(name, (requirement, *difference.further), difference, place, group)
