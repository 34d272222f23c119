"""The comparison of the tools: on the right server for their false alarms, then on each mutant of the sample."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.tool_run import ToolRun, run_on_mutant, run_on_right_server
from benchmarks.tools import Tool
from pix_conformance.model.vocabulary import Api
from pix_conformance.proof import plan
from pix_conformance.proof.mutants.registry import Mutant

SIDE_BY_SIDE = 2
"""Runs at the same time, each with its server."""
Key = tuple[str, str]
"""The name of a tool, and an API."""


@dataclass(frozen=True)
class Row:
    """A run of a tool; without a mutant, against the right server."""

    tool: str
    api: str
    mutant: str | None
    run: ToolRun

    def to_json(self) -> dict[str, Any]:
        """Return what docs/performance.json keeps: of a mutant, the first failure that is no false alarm."""
        found = {"tool": self.tool, "api": self.api, **asdict(self.run)}
        if self.mutant is None:
            return {name: value for name, value in found.items() if name != "first"}
        return {"mutant": self.mutant, **{name: value for name, value in found.items() if name != "failures"}}


def on_right_server(tools: Sequence[Tool], seed: int) -> Iterator[Row]:
    """Run each tool to its end on the reference, with as many seeds as show its false alarms."""
    jobs = [(tool, api, seed + n) for tool in tools for api in Api for n in range(tool.runs_on_right_server)]
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        runs = pool.map(lambda job: run_on_right_server(*job), jobs)
        for (tool, api, _), run in zip(jobs, runs, strict=True):
            yield Row(tool.name, api, None, run)


def false_alarms(rows: Iterable[Row]) -> dict[Key, set[str]]:
    """Return what each tool reports of the right server of each API."""
    found: dict[Key, set[str]] = defaultdict(set)
    for row in rows:
        found[row.tool, row.api] |= set(row.run.failures)
    return found


def on_mutants(
    tools: Sequence[Tool], mutants: Sequence[Mutant], known: dict[Key, set[str]], seed: int, ends: float
) -> Iterator[Row]:
    """Run all tools on each mutant, one tool after the other; no mutant begins after `ends` (monotonic clock)."""

    def rows(mutant: Mutant) -> list[Row]:
        if time.monotonic() > ends:
            return []
        api = plan.api(mutant)
        return [
            Row(tool.name, api, mutant.id, run_on_mutant(tool, api, seed, mutant.id, known[tool.name, api]))
            for tool in tools
        ]

    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        for found in pool.map(rows, mutants):
            yield from found
