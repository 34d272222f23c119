"""Mutants and variants are in the module of the first requirement that they break or are silent in."""

from __future__ import annotations

from pix_conformance.model.catalogue import catalogue
from pix_conformance.sandbox.mutants.registry import listed
from pix_conformance.sandbox.variants.registry import all_variants

MODULES = {
    "GEN": "general", "ERR": "general", "VER": "general", "RATE": "general",
    "AUTH": "authentication", "ENV": "authentication",
    "CHG": "charges", "CUS": "charges", "ITEM": "charges", "SPL": "charges", "QR": "charges", "LIST": "list",
    "PAY": "pay", "PAYS": "pay", "STATE": "states", "CAN": "states", "EXP": "states",
    "FIN": "finance", "BAL": "balance",
    "TRF": "transfers", "KEY": "transfers", "CMP": "transfers", "IDEM": "idempotency", "ISO": "isolation",
    "WH": "webhooks", "EVT": "events", "SIG": "events", "RETRY": "retries",
}  # fmt: skip
"""The module of each area of requirements; several modules with that prefix for a large area."""


def is_filed(module: str, requirement: str) -> bool:
    wanted = f"{catalogue()[requirement].api}.{MODULES[requirement.split('-')[1]]}"
    return module == wanted or module.startswith(f"{wanted}_")


def test_a_mutant_is_in_the_module_of_the_first_requirement_that_it_breaks() -> None:
    assert [mutant.id for mutant in listed().values() if not is_filed(mutant.module, mutant.breaks[0])] == []


def test_a_variant_is_in_the_module_of_the_first_requirement_that_it_is_silent_in() -> None:
    assert [
        variant.id for variant in all_variants().values() if not is_filed(variant.module, variant.silent_in[0])
    ] == []
