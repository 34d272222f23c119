"""The files of the suites that a run with `--only` does not import."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from pix_conformance.harness.selection import is_unneeded
from pix_conformance.model.paths import SUITES
from pix_conformance.model.target import Target

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
    assert {"payments/test_idempotency.py", "payments/test_transfer_sequences.py"} <= needed("PAY-IDEM-02")
    assert len(needed("PAY-IDEM-02")) < len(FILES) / 4


def test_every_file_is_needed_for_a_passive_requirement() -> None:
    assert len(needed("PAY-IDEM-02", "PAY-GEN-01")) == len(FILES)


def test_every_file_is_needed_without_only() -> None:
    assert len(needed()) == len(FILES)


def test_every_file_that_the_command_names_is_needed() -> None:
    assert len(needed("PAY-IDEM-02", arguments=("suites/payments/test_splits.py",))) == len(FILES)
