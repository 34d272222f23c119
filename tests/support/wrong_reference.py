"""A pytest plugin that makes the embedded reference wrong: WRONG has the rules of mutants, separated by blanks."""

from __future__ import annotations

import os


def pytest_pix_reference_rules() -> list[str]:
    """Return the rules that the embedded reference has instead of its own."""
    return os.environ.get("WRONG", "").split()
