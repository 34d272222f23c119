"""Finds every conforming variant of this package."""

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.vocabulary import Api
from pix_conformance.sandbox import apis
from pix_conformance.sandbox.difference import Difference
from pix_conformance.sandbox.mutants.registry import of_package

ROOM = Path(__file__).parent


@dataclass(frozen=True)
class Variant:
    """A right server: its id, the requirements in which its documents are silent, and its difference."""

    id: str
    silent_in: tuple[str, ...]
    difference: Difference
    module: str

    @property
    def rules_name(self) -> str:
        """Return the name by which the reference loads it."""
        return f"{__name__}:mixin:{self.id}"

    @property
    def sentence(self) -> str:
        """Say why it is right."""
        return self.difference.sentence

    @property
    def choice(self) -> str:
        """Return the first requirement. Variants of the same one are alternatives: no server has two of them."""
        return self.id.partition("/")[0]

    @property
    def api(self) -> Api:
        """Return the API whose rules it changes."""
        return catalogue()[self.silent_in[0]].api


@cache
def mixin(name: str) -> type:
    """Make the rules of a variant; KeyError for an unknown id."""
    variant = all_variants()[name]
    return variant.difference.rules(apis.rules_of(variant.silent_in[0]))


@cache
def all_variants() -> dict[str, Variant]:
    """Return the variants of all files by their ids."""
    variants = {}
    for name, (module, difference) in of_package(ROOM, __package__ or "", "VARIANTS").items():
        silent_in = (name.partition("/")[0], *difference.further)
        variants[name] = Variant(name, silent_in, difference, module.__name__.removeprefix(f"{__package__}."))
    return variants


def alternatives(api: Api | None = None) -> dict[str, list[str]]:
    """Return the ids of the variants of one API, or of both, by the requirement under which they are listed."""
    by_choice: dict[str, list[str]] = defaultdict(list)
    for variant in all_variants().values():
        if api in {None, variant.api}:
            by_choice[variant.choice].append(variant.id)
    return dict(sorted(by_choice.items()))


def rules_of(name: str) -> str:
    """Return the name by which the reference loads a variant; ValueError for an unknown id."""
    if name not in all_variants():
        raise ValueError(f"no variant is called {name!r}")
    return all_variants()[name].rules_name
