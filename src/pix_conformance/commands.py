"""The console scripts: each finds the suite (in a checkout, or bundled in the wheel), then hands over."""

from __future__ import annotations

import os
import sys
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

INTERRUPTED = 2
BUNDLED = Path(__file__).parent / "_bundle"
ROOT = BUNDLED if BUNDLED.is_dir() else Path(__file__).parents[2]


def _find_suite() -> None:
    """Put the rooms on the path, first: their names are common ones."""
    sys.path.insert(0, str(ROOT))


def conformance() -> int:
    """pix-conformance: the whole suite, with the options of pytest in a checkout; the report goes to this folder."""
    words = sys.argv[1:]
    if "--version" in words:
        print(f"pix-conformance {version('pix-conformance')}, pytest {version('pytest')}")  # noqa: T201  # asked for
        return 0

    _find_suite()
    fixed = ["-c", str(ROOT / "pyproject.toml"), f"--rootdir={ROOT}", "-p", "no:cacheprovider"]
    with TemporaryDirectory(prefix="pix-conformance-") as kept:
        os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", kept)  # else it would stay in the user's folder
        try:
            import pytest  # noqa: PLC0415  # the other scripts start faster without it

            return int(pytest.main([*fixed, *words, *_asked(words)]))
        except KeyboardInterrupt:  # before the run takes over the signals
            return INTERRUPTED


def _asked(words: list[str]) -> list[str]:
    """Ask all suites unless the words name one."""
    named = any(not one.startswith("-") and "suites" in one for one in words)
    return [] if named else [str(ROOT / "suites")]


def sandbox() -> int:
    """pix-sandbox: the reference by hand, for integrators to develop against."""
    _find_suite()
    from fixtures.sandbox_command import main  # noqa: PLC0415  # only now can it be found

    return main(sys.argv[1:])


def receiver() -> int:
    """pix-receiver: the webhook receiver alone, on a public host."""
    _find_suite()
    from fixtures.receiver_command import main  # noqa: PLC0415

    return main(sys.argv[1:])


def report() -> int:
    """pix-report: pages from a bundle, again; diff and comparison of bundles."""
    _find_suite()
    from reports.command import main  # noqa: PLC0415

    return main(sys.argv[1:])
