"""An object that must age: a test gets it at a stated age only, and no right server fails however long a run takes."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from pathlib import Path

import pytest

from pix_conformance.harness.deferred import PREPARED, PreparedEarly, PreparedToAge
from pix_conformance.proof.suite_run import ROOT, run_suite
from tests.support import run_is_old

ENDS = ("expires_in_seconds", "ExpiringCharge", "expiring_charges", "charges_with_lifetimes", "token")
"""Words in the making of something that ends: its age decides what is right."""


@pytest.fixture(scope="module")
def prepared() -> list[PreparedEarly[object] | PreparedToAge[object]]:
    """Return all objects that the suites create at the start of a run."""
    for path in sorted((ROOT / "suites").rglob("test_*.py")):
        importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    return [one for one in PREPARED if isinstance(one, PreparedEarly | PreparedToAge)]


def test_what_must_age_is_had_at_an_age_only() -> None:
    fields = {one.name for one in dataclasses.fields(PreparedToAge)}
    offered = {name for name in dir(PreparedToAge) if not name.startswith("_")} - fields
    assert offered == {"after_age", "create", "is_created"}


def test_what_ends_is_never_had_at_any_age(prepared: list[PreparedEarly[object] | PreparedToAge[object]]) -> None:
    making = {one.make.__name__: inspect.getsource(one.make) for one in prepared if isinstance(one, PreparedEarly)}
    assert making
    assert [name for name, source in making.items() if any(word in source for word in ENDS)] == []


@pytest.mark.parametrize("seconds", ["50.5", "54", "61"])
def test_no_deferred_test_fails_a_right_server_in_a_run_of_that_length(tmp_path: Path, seconds: str) -> None:
    words = (
        "suites",
        "--deselect",
        "suites/business/test_retries.py",
        "-m",
        "deferred",
        "--no-waiting",
        "-p",
        run_is_old.__name__,
    )
    done = run_suite(tmp_path, *words, **{run_is_old.SECONDS: seconds})
    assert done.exit in {0, 6}, done.output
    assert done.with_outcome("fail") + done.with_outcome("warn") + done.with_outcome("error") == []
