"""The test cases of the suites that have a marker, such as those whose requests are generated."""

from __future__ import annotations

import subprocess
import sys

from pix_conformance.model.paths import TEST_TREE, without_settings


def marked(name: str) -> frozenset[str]:
    """Collect the suites in a process of their own; return the node ids of the test cases with this marker, or of all.

    Raises CalledProcessError if the suites cannot be collected.
    """
    words = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", name, "suites"]
    result = subprocess.run(words, cwd=TEST_TREE, env=without_settings(), capture_output=True, text=True, check=True)  # noqa: S603  # our own suite, by our own interpreter
    return frozenset(line for line in result.stdout.splitlines() if "::" in line)
