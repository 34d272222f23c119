"""Which test cases killed which mutant when recall was last measured: data/kills.json, which reports read too."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pix_conformance.report import explain


def store(rows: Iterable[Mapping[str, Any]], known: Iterable[str]) -> None:
    """Enter rows of recall beside those of the other known mutants; a survivor has no test."""
    every = set(known)
    found = {name: tests for name, tests in explain.kills().items() if name in every}
    found |= {row["mutant"]: tuple(row["killers"]) if row["killed"] else () for row in rows if row["mutant"] in every}
    explain.KILLS.write_text(_written(found), encoding="utf-8")
    explain.kills.cache_clear()


def _written(found: Mapping[str, tuple[str, ...]]) -> str:
    """Write each test case once, and for each mutant the positions of its killers."""
    tests = sorted({test for each in found.values() for test in each})
    position = {test: at for at, test in enumerate(tests)}
    first = ",\n".join(json.dumps(one, ensure_ascii=False) for one in tests)
    rows = [
        f"{json.dumps(name)}: {json.dumps([position[one] for one in each])}" for name, each in sorted(found.items())
    ]
    second = ",\n".join(rows)
    return f'{{"tests": [\n{first}\n],\n"mutants": {{\n{second}\n}}}}\n'
