"""Mutants and variants are in the module of the first requirement that they break or are silent in."""

from __future__ import annotations

from pix_conformance.proof.mutants.registry import listed
from pix_conformance.proof.variants.registry import load

APIS = {"PAY": "payments", "BUS": "business"}
MODULES = {
    "GEN": "general", "AUTH": "auth", "CHG": "charges", "CUS": "customers", "ITEM": "items", "SPL": "splits",
    "PAYS": "pay", "TRF": "transfers", "KEY": "pix_keys", "CMP": "completion", "IDEM": "idempotency", "BAL": "balance",
    "WH": "webhooks", "EVT": "events", "SIG": "signatures", "ERR": "errors", "ENV": "environments", "ISO": "isolation",
    "RATE": "rate_limit", "VER": "versioning", "QR": "qr_code", "LIST": "list", "CAN": "cancel", "PAY": "pay",
    "EXP": "expiry", "STATE": "states", "FIN": "finance", "RETRY": "retries",
}  # fmt: skip
"""The module of each area of requirements. A large area has several modules with that prefix."""


def is_filed(module: str, requirement: str) -> bool:
    api, area, _ = requirement.split("-")
    wanted = f"{APIS[api]}.{MODULES[area]}"
    return module == wanted or module.startswith(f"{wanted}_")


def test_a_mutant_is_in_the_module_of_the_first_requirement_that_it_breaks() -> None:
    assert [one.id for one in listed().values() if not is_filed(one.module, one.breaks[0])] == []


def test_a_variant_is_in_the_module_of_the_first_requirement_that_it_is_silent_in() -> None:
    assert [one.id for one in load().values() if not is_filed(one.module, one.silent_in[0])] == []
