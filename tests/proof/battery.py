"""Runs the hostile battery, each test of which is one server that breaks HTTP, TLS or the page."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[2]


def rows() -> list[dict[str, Any]]:
    """Run it; return for each test its name, whether it passed and if not why, and its seconds."""
    with TemporaryDirectory(prefix="pix-battery-") as made:
        report = Path(made) / "junit.xml"
        words = [sys.executable, "-m", "pytest", "tests", "-m", "battery", "-q", f"--junitxml={report}"]
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
