"""Runs the suite as a user does: as a process, with a clean environment."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pix_conformance.model.paths import TEST_TREE
from pix_conformance.recording.bundle.reader import read_results

ROOT = TEST_TREE
LONGEST_RUN_S = 300


@dataclass(frozen=True)
class Finished:
    """The exit status of a run, its output and its bundle."""

    exit: int
    output: str
    directory: Path

    @property
    def has_report(self) -> bool:
        """Whether the run came so far that it wrote a report."""
        return (self.directory / "results.json").is_file()

    @property
    def results(self) -> dict[str, Any]:
        """The parsed results.json."""
        return read_results(self.directory)

    def outcome(self, requirement: str) -> str:
        """Return the outcome of one requirement."""
        return str(next(verdict["outcome"] for verdict in self.results["requirements"] if verdict["id"] == requirement))

    def with_outcome(self, outcome: str) -> list[str]:
        """Return the ids of the requirements with that outcome."""
        return [verdict["id"] for verdict in self.results["requirements"] if verdict["outcome"] == outcome]


def run_suite(directory: Path, *words: str, **environment: str) -> Finished:
    """Run `pytest` with options and variables. PIX_ variables and proxies of this process are not passed on."""
    prefixes = ("PIX_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
    clean = {name: value for name, value in os.environ.items() if not name.upper().startswith(prefixes)}
    result = subprocess.run(  # noqa: S603  # our own suite, by our own interpreter
        [sys.executable, "-m", "pytest", "--report-dir", str(directory), *words],
        cwd=ROOT,
        env=clean | environment,
        capture_output=True,
        text=True,
        timeout=LONGEST_RUN_S,
        check=False,
    )
    return Finished(result.returncode, result.stdout + result.stderr, directory)
