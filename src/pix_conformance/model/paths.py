"""Where the files are, at the root of a checkout or inside an installed package; the variables of a new process."""

import os
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
_SHIPPED = PACKAGE / "testtree"
TEST_TREE = _SHIPPED if _SHIPPED.is_dir() else PACKAGE.parents[1]
"""The folder of `specs`, `suites` and `fixtures`."""
SPECS, SUITES = TEST_TREE / "specs", TEST_TREE / "suites"
DATA = PACKAGE / "data"
"""The folder of measured files. A release has all of them, git has those that a test compares with the code."""
HOW_MEASURED = "`uv run python -m pix_conformance.proof data` in a checkout measures this (10 minutes)"
"""What is said where a file of DATA is missing."""
PYTEST_SETTINGS = PACKAGE / "session" / "pytest.toml"


def without_settings(**more: str) -> dict[str, str]:
    """Return the variables of this process except those of settings (PIX_...), and `more` variables."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PIX_")} | more
