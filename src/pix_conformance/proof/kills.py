"""Which test cases killed which mutant when recall was last measured: data/kills.json, which reports read too."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pix_conformance.report import explain


def store(rows: Iterable[Mapping[str, Any]], known: Iterable[str]) -> None:
    """Enter rows of recall beside those of the other known mutants; a survivor has no test."""
    every = set(known)
    killers = {name: tests for name, tests in explain.kills().items() if name in every}
    killers |= {row["mutant"]: tuple(row["killers"]) if row["killed"] else () for row in rows if row["mutant"] in every}
    explain.KILLS.write_text(_written(killers), encoding="utf-8")
    explain.kills.cache_clear()


def _written(killers: Mapping[str, tuple[str, ...]]) -> str:
    """Write each test case once, and for each mutant the positions of its killers."""
    tests = sorted({test for names in killers.values() for test in names})
    position = {test: place for place, test in enumerate(tests)}
    first = ",\n".join(json.dumps(test, ensure_ascii=False) for test in tests)
    rows = [
        f"{json.dumps(name)}: {json.dumps([position[test] for test in names])}"
        for name, names in sorted(killers.items())
    ]
    second = ",\n".join(rows)
    return f'{{"tests": [\n{first}\n],\n"mutants": {{\n{second}\n}}}}\n'
