"""The console scripts: each finds the suite (in a checkout, or bundled in the wheel), then hands over."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentError
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

INTERRUPTED, USAGE = 2, 4
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
    if {"--help", "-h"} & set(words):
        from fixtures.help_text import help_text  # noqa: PLC0415  # only now can it be found

        print(help_text())  # noqa: T201  # asked for
        return 0
    words = ["--help" if one == "--help-pytest" else one for one in words]
    fixed = ["-c", str(ROOT / "pyproject.toml"), f"--rootdir={ROOT}", "-p", "no:cacheprovider"]
    with TemporaryDirectory(prefix="pix-conformance-") as kept:
        os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", kept)  # else it would stay in the user's folder
        try:
            import pytest  # noqa: PLC0415  # the other scripts start faster without it

            return int(pytest.main([*fixed, *_asked(words)]))
        except ArgumentError as conflict:
            print(f"another plugin of pytest is in the way ({conflict}): give -p no:NAME", file=sys.stderr)  # noqa: T201
            return USAGE
        except KeyboardInterrupt:  # before the run takes over the signals
            return INTERRUPTED


def _asked(words: list[str]) -> list[str]:
    """Return the words, suites and their files by their full paths; all suites where none is named."""
    from fixtures.command_line import paths  # noqa: PLC0415  # only now can it be found

    named = {one for one in paths(words) if Path(one).parts[:1] == ("suites",)}
    found = [str(ROOT / one) if one in named else one for one in words]
    inside = any((ROOT / "suites") in Path(one.partition("::")[0]).resolve().parents for one in paths(words))
    return found if named or inside else [*found, str(ROOT / "suites")]


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
