"""`python -m tools.benchmark`: what a run of the suites costs and finds, beside schemathesis and an earlier commit.

Each tool tests the right server in a whole run, one tool after the other, several times. Then each tests mutants drawn
at random, two at a time. Every server is a `pix-sandbox` of this checkout in its own process. A tool kills a mutant if
it reports a failure that it does not report of the right server. The table is printed as Markdown; `--publish` stores
it in docs/proof.json and docs/proof.md. Nothing else may run meanwhile. `--profile` measures one embedded run instead:
its CPU time, and the shares of its parts.
"""

import argparse
import os
import random
import statistics
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.vocabulary import Level
from pix_conformance.proof import plan, proof_page, publish
from pix_conformance.sandbox.mutants import registry
from pix_conformance.sandbox.mutants.registry import Mutant
from tools.profile_of_run import profile_of_run
from tools.testing_tools import Task, Tool, ToolRun, run, tools

SIDE_BY_SIDE = 2


def main(words: Sequence[str]) -> int:
    """Print the table, and store it with --publish."""
    options = _parser().parse_args(words)
    if options.profile:
        print(profile_of_run())  # noqa: T201  # the output of the command
        return 0
    compared = tools(options.earlier and options.earlier.resolve())
    mutants = sample(options.mutants, options.seed)
    runs = in_turn(compared, options.runs, options.seed)
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        killed = {tool.name: kills(tool, mutants, options.seed, runs[tool.name], pool.map) for tool in compared}
    rows = [row_of(tool, runs[tool.name], killed[tool.name]) for tool in compared]
    part = {
        "measured": [datetime.now(UTC).date().isoformat()],
        "cores": os.cpu_count(),
        "runs": options.runs,
        "mutants": len(mutants),
        "seed": options.seed,
        "rows": rows,
    }
    print("\n".join(proof_page.benchmark(part)))  # noqa: T201  # the output of the command
    if options.publish:
        publish.write_figures({**proof_page.figures(), "benchmark": part})
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.benchmark", description=__doc__)
    parser.add_argument("--mutants", type=int, default=29, help="size of the sample (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="chooses the sample and the inputs (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=3, help="runs against the right server (default: %(default)s)")
    parser.add_argument(
        "--earlier", type=Path, metavar="DIRECTORY", help="a checkout of an earlier commit with its own .venv"
    )
    parser.add_argument("--publish", action="store_true", help="store the table in docs/proof.json and docs/proof.md")
    parser.add_argument("--profile", action="store_true", help="print the CPU time of an embedded run and its parts")
    return parser


def sample(count: int, seed: int) -> list[Mutant]:
    """Choose mutants at random that break a must: a tool need not report others."""
    breaking = [
        mutant
        for mutant in registry.all_mutants().values()
        if any(catalogue()[id_].level is Level.MUST for id_ in mutant.breaks)
    ]
    return random.Random(seed).sample(sorted(breaking, key=lambda mutant: mutant.id), count)  # noqa: S311  # no secret


def in_turn(compared: Sequence[Tool], count: int, seed: int) -> dict[str, list[ToolRun]]:
    """Run each tool on the right server, and all of them again until there are `count` whole runs of each."""
    runs: dict[str, list[ToolRun]] = {tool.name: [] for tool in compared}
    for number in range(count):
        for tool in compared:
            runs[tool.name].append(together([run(tool, Task(apis, seed + number)) for apis in tool.runs]))
    return runs


def together(runs: Sequence[ToolRun]) -> ToolRun:
    """Return the sum of runs that test a whole server between them."""
    return ToolRun(
        frozenset().union(*(end.failures for end in runs)),
        sum(end.requests for end in runs),
        sum(end.seconds for end in runs),
        sum(end.cpu_seconds for end in runs),
        all(end.succeeded for end in runs),
    )


def kills(
    tool: Tool,
    mutants: Sequence[Mutant],
    seed: int,
    right: Sequence[ToolRun],
    mapped: Callable[[Callable[[Mutant], bool], Sequence[Mutant]], Iterable[bool]],
) -> list[bool]:
    """Run a tool on each mutant, as `mapped` calls it; return whether it kills the mutant.

    Suites stop at their first failure, unless they failed the right server too: then the first may be a false alarm.
    """
    alarms = false_alarms(right)
    has_passed = all(end.succeeded for end in right)

    def is_killed(mutant: Mutant) -> bool:
        return bool(run(tool, Task((plan.api(mutant),), seed, mutant.id, has_passed)).failures - alarms)

    return list(mapped(is_killed, mutants))


def false_alarms(right: Sequence[ToolRun]) -> frozenset[str]:
    """Return what runs against the right server report."""
    return frozenset().union(*(end.failures for end in right))


def row_of(tool: Tool, right: Sequence[ToolRun], killed: Sequence[bool]) -> dict[str, Any]:
    """Return what the page says of a tool: medians of its runs on the right server, false alarms and kills."""
    return {
        "tool": tool.name,
        "version": tool.version,
        "requests": round(statistics.median(end.requests for end in right)),
        "seconds": round(statistics.median(end.seconds for end in right), 1),
        "cpu_seconds": round(statistics.median(end.cpu_seconds for end in right), 1),
        "false_alarms": len(false_alarms(right)),
        "kills": sum(killed),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
