"""Recall as runs are made: each wrong server in a process of its own, in real time, tested with or without workers."""

import random
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.paths import TEST_TREE, without_settings
from pix_conformance.proof.plan import MutantResult
from pix_conformance.proof.runner import all_fail
from pix_conformance.proof.served_sandbox import serve
from pix_conformance.recording.bundle.reader import read_results
from pix_conformance.recording.bundle.values import BundleError
from pix_conformance.sandbox.apis import APIS
from pix_conformance.sandbox.mutants.registry import Mutant

LATENCY_MS = 60.0
LONGEST_S = 420
"""Seconds after which a run is ended."""


@dataclass(frozen=True)
class RunForm:
    """How the runs are made: workers of each (0: as many as the suite takes), ms a response, how many side by side."""

    workers: int = 0
    latency_ms: float = 0.0
    at_once: int = 2


def sample(mutants: Sequence[Mutant], count: int, seed: int) -> list[Mutant]:
    """Choose so many mutants, of all classes: of each class in turn one at random."""
    generator = random.Random(seed)  # noqa: S311  # a sample, not a secret
    classes: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in generator.sample(mutants, len(mutants)):
        classes[mutant.group].append(mutant)
    chosen: list[Mutant] = []
    while len(chosen) < min(count, len(mutants)):
        chosen += [group.pop() for group in classes.values() if group]
    return chosen[:count]


def recall(mutants: Iterable[Mutant], form: RunForm, seconds: float) -> Iterator[MutantResult]:
    """Run for each mutant the tests that decide its requirements. Starts no further run after `seconds`."""
    ends = time.monotonic() + seconds
    with ThreadPoolExecutor(form.at_once) as pool:
        for result in pool.map(lambda mutant: _run(mutant, form, ends), mutants):
            if result is not None:
                yield result


def _run(mutant: Mutant, form: RunForm, ends: float) -> MutantResult | None:
    """Run the tests of what the mutant breaks; if it survives, with them those that send all kinds of requests."""
    if time.monotonic() > ends:
        return None
    own, traffic = (*mutant.breaks, *mutant.seen_in), APIS[catalogue()[mutant.breaks[0]].api].traffic
    result = _run_of(mutant, form, own)
    return result if result.killed else _run_of(mutant, form, (*own, *traffic))


def _run_of(mutant: Mutant, form: RunForm, requirements: Sequence[str]) -> MutantResult:
    begun, only = time.monotonic(), ",".join(requirements)
    with TemporaryDirectory(prefix="pix-recall-") as directory, serve(_served(mutant, form)) as server:
        words = ["--only", only, "--report-dir", f"{directory}/out", "-q"]
        words += ["--concurrency", str(form.workers)] if form.workers else []
        status = _status([sys.executable, "-m", "pytest", *words], server.variables)
        try:
            rows = {row["id"]: row for row in read_results(Path(directory) / "out")["requirements"]}
        except BundleError:
            rows = {}
    outcomes = {name: str(rows.get(name, {}).get("outcome", f"no result (exit {status})")) for name in mutant.breaks}
    killed = all_fail(outcomes, mutant.breaks)
    took = round(time.monotonic() - begun, 1)
    return MutantResult(mutant.id, status, mutant.group, outcomes, killed, None, took, ())


def _served(mutant: Mutant, form: RunForm) -> list[str]:
    latency = [f"--latency={form.latency_ms:g}"] if form.latency_ms else []
    return ["--mutant", mutant.id, *latency]


def _status(command: Sequence[str], variables: dict[str, str]) -> int:
    """Return the exit status of a run, or -1 if it took too long."""
    try:
        done = subprocess.run(  # noqa: S603  # our own suites, by our own interpreter
            command,
            cwd=TEST_TREE,
            env=without_settings(**variables),
            check=False,
            capture_output=True,
            timeout=LONGEST_S,
        )
    except subprocess.TimeoutExpired:
        return -1
    return done.returncode
