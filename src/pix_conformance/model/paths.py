"""Where the files of the package are, and those of the tests: in a checkout at its root, in a wheel in the package."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parents[1]
_SHIPPED = PACKAGE / "testtree"
TEST_TREE = _SHIPPED if _SHIPPED.is_dir() else PACKAGE.parents[1]
"""The folder of `specs`, `suites` and `fixtures`."""
SPECS, SUITES = TEST_TREE / "specs", TEST_TREE / "suites"
DATA = PACKAGE / "data"
"""Generated files that are shipped."""
PYTEST_SETTINGS = PACKAGE / "harness" / "pytest.toml"
