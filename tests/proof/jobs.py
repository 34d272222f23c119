"""One run of the suites against one departing reference, in a forked process that has all imports already."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LONGEST_RUN_S = 240


@dataclass(frozen=True)
class Job:
    """Which reference to hold against which requirements; no `only` is the whole suite."""

    name: str
    rules: tuple[str, ...]
    only: tuple[str, ...] = ()
    apis: str = "both"


@dataclass(frozen=True)
class Result:
    """What the suite said: exit status, and the outcome and reason of each requirement that was selected."""

    name: str
    exit: int
    seconds: float
    outcomes: dict[str, str]
    reasons: dict[str, str]

    def failed(self) -> set[str]:
        """The musts that failed."""
        return {one for one, outcome in self.outcomes.items() if outcome == "fail"}


class Departing:
    """A pytest plugin that names the rules of the embedded reference."""

    def __init__(self, rules: tuple[str, ...]) -> None:
        """Take the dotted names."""
        self._rules = rules

    def pytest_pix_reference_rules(self) -> list[str]:
        """Hand them over."""
        return list(self._rules)


def run_all(jobs: Iterable[Job], workers: int = 2) -> Iterator[Result]:
    """Run every job, `workers` at once, each in a process of its own; results come as they end."""
    _warm()
    with multiprocessing.get_context("fork").Pool(workers, maxtasksperchild=1) as pool:
        yield from pool.imap_unordered(run, jobs, chunksize=1)


def _warm() -> None:
    """Import what every run imports, so that forked processes share it."""
    import schemathesis  # noqa: F401, PLC0415  # only for its side effect of being loaded

    from specs.catalogue import load  # noqa: PLC0415  # likewise
    from specs.openapi import operations  # noqa: PLC0415
    from specs.vocabulary import Api  # noqa: PLC0415

    load()
    for api in Api:
        operations(api)


def run(job: Job) -> Result:
    """Run one job; exit 99 if it took longer than LONGEST_RUN_S."""
    directory = Path(tempfile.mkdtemp(prefix="pix-proof-"))
    begun = time.monotonic()
    signal.alarm(LONGEST_RUN_S)
    signal.signal(signal.SIGALRM, _too_long)
    try:
        status = _pytest(job, directory)
        outcomes, reasons = _outcomes(directory / "results.json")
    except TimeoutError:
        status, outcomes, reasons = 99, {}, {}
    finally:
        signal.alarm(0)
        shutil.rmtree(directory, ignore_errors=True)
    return Result(job.name, status, time.monotonic() - begun, outcomes, reasons)


def _too_long(*_: object) -> None:
    raise TimeoutError


def _pytest(job: Job, directory: Path) -> int:
    for name in [one for one in os.environ if one.startswith("PIX_")]:
        del os.environ[name]
    os.chdir(ROOT)
    words = [
        "suites",
        "-q",
        "-p",
        "no:reports.plugin",
        "-p",
        "no:html",
        "--tb=no",
        "--assert=plain",
        "--report-dir",
        str(directory),
    ]
    words += ["--only", ",".join(job.only)] if job.only else []
    words += ["--api", job.apis]
    with (directory.parent / f"{directory.name}.log").open("w") as log:
        sys.stdout = sys.stderr = log
        status = int(pytest.main(words, plugins=[Departing(job.rules)]))
    Path(log.name).unlink()
    return status


def _outcomes(path: Path) -> tuple[dict[str, str], dict[str, str]]:
    if not path.exists():
        return {}, {}
    rows = json.loads(path.read_text(encoding="utf-8"))["requirements"]
    return {one["id"]: one["outcome"] for one in rows}, {one["id"]: one["reason"] for one in rows}
