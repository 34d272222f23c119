"""Runs the battery: each of its tests is one server that breaks HTTP, TLS or the report."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pix_conformance.model.paths import TEST_TREE

ROOT = TEST_TREE
PYTEST = (sys.executable, "-m", "pytest", "-m", "battery", "-q")
SHARES = 3
"""Number of processes among which the tests are divided, because most of them wait for deadlines."""
ONE_RUN = "tests/proof/test_hostile_text.py"
"""Tests of this file share their runs, so one process executes all of them."""


def rows() -> list[dict[str, Any]]:
    """Run the battery. Return for each test its name, whether it passed, the failure, and its seconds."""
    tests = _tests()
    alone = [test for test in tests if not test.startswith(ONE_RUN)]
    shares = [[ONE_RUN], *(alone[first::SHARES] for first in range(SHARES))]
    with ThreadPoolExecutor(len(shares)) as pool:
        results = list(chain.from_iterable(pool.map(_rows_of, shares)))
    if len(results) != len(tests):
        message = f"{len(tests)} tests were collected, {len(results)} ran"
        raise RuntimeError(message)
    return results


def _tests() -> list[str]:
    """Return the node ids of the battery's tests."""
    words = [*PYTEST, "tests", "--collect-only"]
    collected = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True)  # noqa: S603  # our own tests
    return [line for line in collected.stdout.splitlines() if "::" in line]


def _rows_of(share: list[str]) -> list[dict[str, Any]]:
    with TemporaryDirectory(prefix="pix-battery-") as directory:
        report = Path(directory) / "junit.xml"
        words = [*PYTEST, *share, f"--junitxml={report}"]
        subprocess.run(words, cwd=ROOT, check=False, stdout=subprocess.DEVNULL)  # noqa: S603  # our own tests
        cases = ET.parse(report).getroot().iter("testcase")  # noqa: S314  # pytest has just written it
        return [
            {
                "test": f"{case.get('classname')}::{case.get('name')}",
                "passed": not (why := _red(case)),
                "why": why,
                "seconds": round(float(case.get("time") or 0), 1),
            }
            for case in cases
        ]


def _red(case: ET.Element) -> str:
    return "".join(problem.text or "without a word" for kind in ("failure", "error") for problem in case.iter(kind))
