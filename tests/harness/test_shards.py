"""--shard: each test is in one shard, and the reports of all shards together are the report of one run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pix_conformance.harness.plan import COSTS, weight
from pix_conformance.harness.shards import of_shard
from pix_conformance.model.shard import Shard
from pix_conformance.proof.suite_run import Finished, run_suite
from pix_conformance.reference.process import Running, start
from pix_conformance.reference.sandbox_server import variables
from pix_conformance.results.bundle.reader import read

ONLY = "PAY-CHG-41,PAY-CHG-71,PAY-BAL-01,PAY-TRF-70,BUS-FIN-01"


@dataclass(frozen=True)
class Divided:
    """What the division looks at of a test."""

    nodeid: str
    fixturenames: tuple[str, ...] = ()
    whole_run: bool = False

    def get_closest_marker(self, name: str) -> object:
        return SimpleNamespace() if self.whole_run and name == "whole_run" else None


HISTORY = Divided("suites/payments/test_charges.py::test_of_all", whole_run=True)
RECEIVING = Divided("suites/payments/test_charges.py::test_of_an_event", ("payments_receiver",))


@pytest.fixture(scope="module")
def every() -> list[pytest.Item]:
    measured = json.loads(COSTS.read_text())["tests"]
    tests = [*(Divided(name) for name in measured if "::" in name), HISTORY, RECEIVING]
    return cast("list[pytest.Item]", tests)


def shards(every: list[pytest.Item], count: int) -> list[list[pytest.Item]]:
    return [of_shard(every, Shard(number, count))[0] for number in range(1, count + 1)]


@pytest.mark.parametrize("count", [1, 2, 4, 7])
def test_each_test_is_in_one_shard_and_a_history_check_in_all(every: list[pytest.Item], count: int) -> None:
    found = [one for some in shards(every, count) for one in some]
    assert sorted(one.nodeid for one in found) == sorted(
        [*(one.nodeid for one in every), *[HISTORY.nodeid] * (count - 1)]
    )


def test_the_tests_of_a_file_stay_together_and_webhooks_come_to_the_first_shard(every: list[pytest.Item]) -> None:
    found = shards(every, 4)
    assert cast("Any", RECEIVING) in found[0]
    plain = [
        {one.nodeid.partition("::")[0] for one in some if one.nodeid not in {HISTORY.nodeid, RECEIVING.nodeid}}
        for some in found
    ]
    assert sum(map(len, plain)) == len(set.union(*plain))


@pytest.mark.parametrize("count", [2, 4, 8])
def test_the_shards_send_about_as_many_requests(every: list[pytest.Item], count: int) -> None:
    weights = [sum(map(weight, some)) for some in shards(every, count)]
    assert max(weights) < 1.1 * sum(weights) / count


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with start() as running:
        yield running


@pytest.fixture(scope="module")
def halves(server: Running, tmp_path_factory: pytest.TempPathFactory) -> list[Finished]:
    """Two shards of a few requirements."""
    directory = tmp_path_factory.mktemp("shards")
    given = variables(server.credentials) | {"PIX_BASE_URL": server.base_url}
    words = ("--only", ONLY, "--no-waiting")
    return [run_suite(directory / str(one), "--shard", f"{one}/2", *words, **given) for one in (1, 2)]


def merged(halves: list[Finished], directory: Path) -> int:
    """Run `pix-report merge`; return its exit status."""
    script = "import sys; from pix_conformance.console_scripts import report; sys.exit(report())"
    words = ["merge", *(str(one.directory) for one in halves), "--report-dir", str(directory)]
    return subprocess.run([sys.executable, "-c", script, *words], cwd=directory.parent, check=False).returncode  # noqa: S603  # this Python


def outcomes(directory: Path) -> dict[str, str]:
    return {one.id: one.outcome for one in read(directory).entries}


def test_merged_shards_have_the_outcomes_of_one_run(halves: list[Finished], server: Running, tmp_path: Path) -> None:
    given = variables(server.credentials) | {"PIX_BASE_URL": server.base_url}
    alone = run_suite(tmp_path / "alone", "--only", ONLY, "--no-waiting", **given)
    assert merged(halves, tmp_path / "merged") == alone.exit == 0
    assert outcomes(tmp_path / "merged") == outcomes(alone.directory)
    assert read(tmp_path / "merged").run.partial


def test_a_shard_says_what_it_has_not_seen(halves: list[Finished]) -> None:
    words = [one for half in halves for entry in read(half.directory).entries for one in entry.not_asked]
    assert "shard 1/2 judges its own requests only" in words
    reasons = {entry.reason for half in halves for entry in read(half.directory).entries}
    assert "not selected: another shard asks it" in reasons
    assert all(re.search(r"shard [12]/2", half.output.splitlines()[0]) for half in halves)


def test_two_shards_never_number_two_exchanges_alike(halves: list[Finished]) -> None:
    odd, even = ({one.id % 2 for one in read(half.directory).exchanges} for half in halves)
    assert (odd, even) == ({1}, {0})


def test_history_checks_judge_the_exchanges_of_all_shards(halves: list[Finished], tmp_path: Path) -> None:
    """A charge of the second shard gets the id of one of the first: only both together show that."""
    first, second = (half.directory / "exchanges.jsonl" for half in halves)
    theirs = _id_of_new_charge(first.read_text())
    before = second.read_text()
    second.write_text(before.replace(_id_of_new_charge(before), theirs))
    try:
        status = merged(halves, tmp_path / "merged")
    finally:
        second.write_text(before)
    failed = {name for name, outcome in outcomes(tmp_path / "merged").items() if outcome == "fail"}
    assert (status, failed) == (1, {"PAY-CHG-41"})


def _id_of_new_charge(text: str) -> str:
    rows = [json.loads(line) for line in text.splitlines()]
    new = next(one for one in rows if one["operation"] == "create_charge" and one["api"] == "payments")
    return str(json.loads(new["response"]["body"])["data"]["id"])
