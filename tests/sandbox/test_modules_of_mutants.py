"""Mutants and variants of one area of requirements are in one module, or in modules whose names begin alike."""

from collections import defaultdict

import pytest

from pix_conformance.sandbox.mutants.registry import Mutant, listed
from pix_conformance.sandbox.variants.registry import Variant, all_variants


@pytest.mark.parametrize("differing", [listed().values(), all_variants().values()], ids=["mutants", "variants"])
def test_an_area_is_in_modules_whose_names_begin_alike(differing: list[Mutant | Variant]) -> None:
    modules = defaultdict(set)
    for server in differing:
        modules[server.id.partition("/")[0].rpartition("-")[0]].add(server.module.partition("_")[0])
    assert {area: names for area, names in modules.items() if len(names) > 1} == {}
