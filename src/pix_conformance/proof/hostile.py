"""Runs the hostile battery, each test of which is one server that breaks HTTP, TLS or the page."""

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
"""Into how many parts what waits for deadlines is dealt; the parts run at once."""
ONE_RUN = "tests/proof/test_hostile_text.py"
"""Its tests look at the same runs, which two parts would make twice."""


def rows() -> list[dict[str, Any]]:
    """Run it; return for each test its name, whether it passed and if not why, and its seconds."""
    tests = _tests()
    alone = [one for one in tests if not one.startswith(ONE_RUN)]
    shares = [[ONE_RUN], *(alone[first::SHARES] for first in range(SHARES))]
    with ThreadPoolExecutor(len(shares)) as pool:
        found = list(chain.from_iterable(pool.map(_met, shares)))
    if len(found) != len(tests):
        message = f"{len(tests)} tests were collected, {len(found)} ran"
        raise RuntimeError(message)
    return found


def _tests() -> list[str]:
    """The ids of its tests."""
    words = [*PYTEST, "tests", "--collect-only"]
    told = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True)  # noqa: S603  # our own tests
    return [line for line in told.stdout.splitlines() if "::" in line]


def _met(share: list[str]) -> list[dict[str, Any]]:
    with TemporaryDirectory(prefix="pix-battery-") as made:
        report = Path(made) / "junit.xml"
        words = [*PYTEST, *share, f"--junitxml={report}"]
        subprocess.run(words, cwd=ROOT, check=False, stdout=subprocess.DEVNULL)  # noqa: S603  # our own tests
        cases = ET.parse(report).getroot().iter("testcase")  # noqa: S314  # written by the line before
        return [
            {
                "test": f"{one.get('classname')}::{one.get('name')}",
                "passed": not (found := _red(one)),
                "why": found,
                "seconds": round(float(one.get("time") or 0), 1),
            }
            for one in cases
        ]


def _red(case: ET.Element) -> str:
    return "".join(each.text or "without a word" for kind in ("failure", "error") for each in case.iter(kind))
