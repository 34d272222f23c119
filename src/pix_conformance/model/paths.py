"""Where the files are: `specs`, `suites` and `fixtures` at the root of a checkout, or inside an installed package."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parents[1]
_SHIPPED = PACKAGE / "testtree"
TEST_TREE = _SHIPPED if _SHIPPED.is_dir() else PACKAGE.parents[1]
"""The folder of `specs`, `suites` and `fixtures`."""
SPECS, SUITES = TEST_TREE / "specs", TEST_TREE / "suites"
DATA = PACKAGE / "data"
"""The folder of generated files that the package contains."""
PYTEST_SETTINGS = PACKAGE / "harness" / "pytest.toml"
