"""Right servers that do not know the e-mails, keys and addresses that the suite makes up: no must fails on them."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.freedoms import registry
from fixtures.reference.by_hand import variables
from fixtures.reference.process import start
from tests.running import Finished, run_suite

NOWHERE = "192.0.2.1:1"
"""An address of no machine (RFC 5737), where the receiver cannot listen: the suite then makes addresses up."""


def run_against(directory: Path, freedom: str, requirements: str, **more: str) -> Finished:
    """Run these requirements against the reference with one freedom, which is told nothing beside its credentials."""
    running = start([registry.rules_of(freedom)])
    try:
        found = {name: value for name, value in variables(running.credentials).items() if "API_KEY" not in name}
        return run_suite(directory, "--only", requirements, "--no-waiting", **found, **more)
    finally:
        running.stop()


@pytest.mark.parametrize(
    ("freedom", "requirements", "variable"),
    [
        ("payments-receivers=none", ("PAY-SPL-17", "PAY-SPL-18"), "PIX_SPLIT_EMAIL"),
        ("payments-hosts=asked", ("PAY-WH-01",), "PIX_RECEIVER_URL"),
        ("payments-hosts=asked-back", ("PAY-CHG-17", "PAY-TRF-21"), "PIX_RECEIVER_URL"),
    ],
)
def test_what_only_a_known_value_can_show_is_not_applicable(
    tmp_path: Path, freedom: str, requirements: tuple[str, ...], variable: str
) -> None:
    done = run_against(tmp_path / "out", freedom, ",".join(requirements), PIX_RECEIVER_LISTEN=NOWHERE)
    rows = [one for one in done.results["requirements"] if one["id"] in requirements]
    assert [(one["outcome"], variable in one["reason"]) for one in rows] == [("not applicable", True)] * len(rows)


@pytest.mark.parametrize("value", ["at-once", "later"])
def test_a_service_that_looks_keys_up_fails_no_must(tmp_path: Path, value: str) -> None:
    done = run_against(tmp_path / "out", f"payments-lookup={value}", "PAY-KEY-01,PAY-KEY-05,PAY-CMP-01,PAY-TRF-01")
    assert done.with_outcome("fail") == []
    assert done.exit in {0, 6}
