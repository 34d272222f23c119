"""The files of the suites that pytest need not collect for `--only`, because none of their tests would run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from pix_conformance.harness.selection import asks_only_all
from pix_conformance.model.catalogue import load
from pix_conformance.model.paths import SUITES
from pix_conformance.model.target import Target
from pix_conformance.results.bundle.values import Question
from pix_conformance.results.listed_tests import listed_tests


def is_unneeded(path: Path, config: pytest.Config, target: Target) -> bool:
    """Return whether no test in this file of the suites decides a requirement of `--only`.

    A file is needed if its text has the id of such a requirement, or if the shipped list has a test in it. Every file
    is needed for a passive requirement and with `--again`, because any test may have sent what shows it, and if the
    command names files.
    """
    if path.suffix != ".py" or SUITES not in path.parents or not target.only or not asks_only_all(config):
        return False
    if target.again or any(load()[one].passive for one in target.only):
        return False
    name = path.relative_to(SUITES.parent).as_posix()
    if any(question.test.startswith(f"{name}::") for one in target.only for question in listed_tests(one)):
        return False
    text = path.read_text(encoding="utf-8")
    return not any(one in text for one in target.only)


def with_listed(collected: Mapping[str, tuple[Question, ...]], target: Target) -> dict[str, tuple[Question, ...]]:
    """Return the tests of each requirement. With `--only`, those of the others are not collected, but listed."""
    if not target.only:
        return dict(collected)
    return {one: collected.get(one, ()) if one in target.only else listed_tests(one) for one in load()}
