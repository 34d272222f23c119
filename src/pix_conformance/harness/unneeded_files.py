"""The files of the suites that pytest need not collect for `--only`, because none of their tests would run."""

from __future__ import annotations

from pathlib import Path

import pytest

from pix_conformance.harness.selection import asks_only_all
from pix_conformance.model.catalogue import load
from pix_conformance.model.paths import SUITES
from pix_conformance.model.target import Target


def is_unneeded(path: Path, config: pytest.Config, target: Target) -> bool:
    """Return whether no test in this file of the suites decides a requirement of `--only`.

    A file is needed if its text has the id of such a requirement. Every file is needed for a passive requirement and
    with `--again`, because any test may have sent what shows it, and if the command names files.
    """
    if path.suffix != ".py" or SUITES not in path.parents or not target.only or not asks_only_all(config):
        return False
    if target.again or any(load()[one].passive for one in target.only):
        return False
    text = path.read_text(encoding="utf-8")
    return not any(one in text for one in target.only)
