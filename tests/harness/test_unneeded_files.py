"""The files of the suites that a run with `--only` does not import."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from pix_conformance.harness.unneeded_files import is_unneeded, with_listed
from pix_conformance.model.paths import SUITES
from pix_conformance.model.target import Target
from pix_conformance.results.bundle.values import Question
from pix_conformance.results.listed_tests import listed_tests

FILES = sorted(SUITES.rglob("test_*.py"))


def with_only(*ids: str) -> Target:
    """Return a target with these requirements in `--only`."""
    return Target("a target", "http://localhost", only=frozenset(ids))


def needed(*only: str, arguments: tuple[str, ...] = ("suites",)) -> set[str]:
    """Return the names of the files that are collected."""
    command: Any = SimpleNamespace(args=list(arguments), invocation_params=SimpleNamespace(dir=SUITES.parent))
    target = with_only(*only)
    return {
        one.relative_to(SUITES).as_posix()
        for one in FILES
        if not is_unneeded(one, cast("pytest.Config", command), target)
    }


def test_only_the_files_with_tests_of_the_requirement_are_needed() -> None:
    files = {one.test.partition("::")[0].removeprefix("suites/") for one in listed_tests("PAY-IDEM-02")}
    assert files
    assert files <= needed("PAY-IDEM-02")
    assert len(needed("PAY-IDEM-02")) < len(FILES) / 4


def test_every_file_is_needed_for_a_passive_requirement() -> None:
    assert len(needed("PAY-IDEM-02", "PAY-GEN-01")) == len(FILES)


def test_every_file_is_needed_without_only() -> None:
    assert len(needed()) == len(FILES)


def test_every_file_that_the_command_names_is_needed() -> None:
    assert len(needed("PAY-IDEM-02", arguments=("suites/payments/test_splits.py",))) == len(FILES)


def test_the_tests_of_requirements_that_are_not_asked_come_from_the_shipped_list() -> None:
    asked = (Question("suites/payments/test_new.py::test_new", "new", 1),)
    found = with_listed({"PAY-IDEM-02": asked, "PAY-IDEM-01": asked}, with_only("PAY-IDEM-02"))
    assert found["PAY-IDEM-02"] == asked
    assert found["PAY-IDEM-01"] == listed_tests("PAY-IDEM-01") != asked
