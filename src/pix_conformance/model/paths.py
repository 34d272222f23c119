"""Where the files are: `specs`, `suites` and `fixtures` at the root of a checkout, or inside an installed package."""

from __future__ import annotations

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
