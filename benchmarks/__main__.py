"""`python -m benchmarks`: measures, writes docs/performance.json, and the page and pictures that are made from it."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from benchmarks import comparison
from benchmarks.costs import Figures, costs, late_s
from benchmarks.sample import breaks_a_must, sample
from benchmarks.tools import TOOLS
from docs import generate
from docs.performance_page import FIGURES
from pix_conformance.model.paths import TEST_TREE
from pix_conformance.proof.mutants.registry import load

VERSIONS = ("pix-conformance", "schemathesis", "pytest", "hypothesis")


def main(words: list[str]) -> int:
    """Measure on a quiet machine: nothing else may run."""
    options = _parser().parse_args(words)
    if options.costs:
        return _measure_costs(options.seed)
    begun = time.monotonic()
    about = _about(options.seed)
    measured = costs(options.seed)
    _say(f"costs of the suites: {time.monotonic() - begun:.0f} s")
    right = list(comparison.on_right_server(TOOLS, options.seed))
    known = comparison.false_alarms(right)
    _say(f"tools on the right server: {time.monotonic() - begun:.0f} s")
    mutants = sample(load().values(), options.mutants, options.seed)
    rows, ends = [], time.monotonic() + options.seconds
    for row in comparison.on_mutants(TOOLS, mutants, known, options.seed, ends):
        rows.append(row)
        _say(f"{time.monotonic() - begun:5.0f} s  {row.mutant}  {row.tool}: {row.run.first or 'not killed'}")
    figures = about | {
        "seconds": round(time.monotonic() - begun),
        "known_mutants": sum(map(breaks_a_must, load().values())),
        "wanted_mutants": options.mutants,
        "costs": _rounded(measured),
        "right": [row.to_json() for row in right],
        "mutants": [row.to_json() for row in rows],
    }
    _write(figures)
    _say("a target that takes 1.5 s for a response: 15 minutes")
    measured["very_late_s"] = late_s(options.seed, 1_500)
    _write(figures | {"costs": _rounded(measured), "seconds": round(time.monotonic() - begun)})
    return generate.main([])


def _measure_costs(seed: int) -> int:
    """Measure what a run costs, but for the slowest target, and keep all other figures."""
    begun, about = time.monotonic(), _about(seed)
    kept = json.loads(FIGURES.read_text(encoding="utf-8"))
    measured = kept["costs"] | _rounded(costs(seed))
    _write(kept | {"costs": measured, "costs_again": about | {"seconds": round(time.monotonic() - begun)}})
    return generate.main([])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--mutants", type=int, default=40, help="size of the sample (default: %(default)s)")
    parser.add_argument(
        "--seconds", type=int, default=900, help="seconds after which no further mutant begins (default: %(default)s)"
    )
    parser.add_argument(
        "--costs", action="store_true", help="measure only what a run costs, 5 minutes, and keep the other figures"
    )
    parser.add_argument("--seed", type=int, default=1, help="chooses the sample and the inputs (default: %(default)s)")
    return parser


def _about(seed: int) -> dict[str, Any]:
    """Return where, when and of what the figures are."""
    head = ["git", "rev-parse", "--short=12", "HEAD"]
    commit = subprocess.run(head, cwd=TEST_TREE, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603  # git
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit,
        "seed": seed,
        "cores": os.cpu_count(),
        "load_before": round(os.getloadavg()[0], 1),
        "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "versions": {name: version(name) for name in VERSIONS},
    }


def _rounded(costs: Figures) -> Figures:
    return {name: round(value, 2) for name, value in costs.items()}


def _write(figures: dict[str, Any]) -> None:
    """Write a line for each run, so that the difference of two measurements can be read."""
    parts = [f"{json.dumps(name)}: {_value(value)}" for name, value in figures.items()]
    FIGURES.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def _value(value: Any) -> str:
    return "[\n " + ",\n ".join(map(json.dumps, value)) + "\n]" if isinstance(value, list) else json.dumps(value)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201  # progress of a long command


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
