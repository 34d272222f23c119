"""What the suites cost: a default run, runs of one requirement, runs against other servers in real time."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import costs_plugin
from benchmarks.target import Target, environment, serve
from pix_conformance.model.paths import TEST_TREE

LONGEST_RUN_S = 1_200
ORDINARY = "PAY-IDEM-09"
"""A requirement with a few tests that do not wait: the example of CONTRIBUTING.md."""
REPEATED = 3
SHOWN = 2_000
"""Characters of the output of a run that did not pass."""
Figures = dict[str, float]


def costs(seed: int) -> Figures:
    """Measure all, one run after the other. Raises RuntimeError if a run does not pass.

    First comes a run that is not measured: Python compiles the modules once, and keeps the bytecode.
    """
    with TemporaryDirectory(prefix="pix-benchmarks-") as made:
        _run(seed, Path(made), {}, "--plan")
    default, only = _of_run(seed), [_of_run(seed, "--only", ORDINARY) for _ in range(REPEATED)]
    of_one = {f"only_{name}": statistics.median(one[name] for one in only) for name in ("wall_s", "start_s", "end_s")}
    with serve() as target:
        real_time = _wall_s(seed, target)
    return {**default, **of_one, "real_time_s": real_time, "late_s": late_s(seed, 250)}


def late_s(seed: int, latency_ms: int) -> float:
    """Return how long a run with workers took against a target that is far away. RuntimeError if it does not pass."""
    with serve([f"--latency={latency_ms}"]) as target:
        return _wall_s(seed, target, "--concurrency", "auto")


def _of_run(seed: int, *options: str) -> Figures:
    """Run the suites against the embedded reference with the plugin that measures them."""
    with TemporaryDirectory(prefix="pix-benchmarks-") as made:
        path = Path(made) / "costs.json"
        began, ended = _run(seed, Path(made), {}, "-p", costs_plugin.__name__, costs_plugin.OPTION, str(path), *options)
        return of_parts(json.loads(path.read_text(encoding="utf-8")), began, ended)


def _wall_s(seed: int, target: Target, *options: str) -> float:
    """Run the suites against a target as a user does, and return how long it took."""
    with TemporaryDirectory(prefix="pix-benchmarks-") as made:
        began, ended = _run(seed, Path(made), target.variables, *options)
        return ended - began


def _run(seed: int, directory: Path, variables: dict[str, str], *options: str) -> tuple[float, float]:
    """Run the suites, and return when the process began and ended, in epoch seconds."""
    words = ["-m", "pytest", "--seed", str(seed), "--report-dir", str(directory / "report"), *options]
    began = time.time()
    done = subprocess.run(  # noqa: S603  # our own suites, by our own interpreter
        [sys.executable, *words],
        cwd=TEST_TREE,
        env=environment(variables),
        capture_output=True,
        text=True,
        timeout=LONGEST_RUN_S,
        check=False,
    )
    ended = time.time()
    if done.returncode:
        raise RuntimeError(f"a run ended with status {done.returncode}\n{done.stdout[-SHOWN:]}{done.stderr[-SHOWN:]}")
    return began, ended


def of_parts(found: Figures, began: float, ended: float) -> Figures:
    """Turn the moments of a run (epoch seconds) into the lengths of its parts in seconds."""
    kept = {name: found[name] for name in ("requests", "cpu_s", "memory_mb", "own_ms_per_exchange")}
    return {
        **kept,
        "wall_s": ended - began,
        "start_s": found["first_request"] - began,
        "tests_s": found["last_test"] - found["first_request"],
        "end_s": ended - found["last_test"],
    }
