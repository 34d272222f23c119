"""The shards of workers: each test is in one, and what all of them find is what one run finds."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pix_conformance.proof.suite_run import run_suite
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import Bundle
from pix_conformance.reference.process import Running
from pix_conformance.reference.sandbox_server import variables
from pix_conformance.session.workers.shards import divided

ONLY = "PAY-CHG-41,PAY-CHG-71,PAY-BAL-01,PAY-TRF-70,BUS-FIN-01"


@dataclass(frozen=True)
class Divided:
    """What the division looks at of a test."""

    nodeid: str
    fixturenames: tuple[str, ...] = ()
    whole_run: bool = False

    def get_closest_marker(self, name: str) -> object:
        return SimpleNamespace() if self.whole_run and name == "whole_run" else None


HISTORY = Divided("suites/business/test_charges.py::test_of_all_1", whole_run=True)
RECEIVING = Divided("suites/business/test_charges.py::test_of_an_event_1", ("webhook_endpoint",))


def requests(nodeid: str) -> float:
    """The weight of a test: the number in its name."""
    return float(nodeid.rpartition("_")[2])


@pytest.fixture
def every(monkeypatch: pytest.MonkeyPatch) -> list[pytest.Item]:
    """80 files with 1 to 8 tests, which send 4 to 64 requests."""
    monkeypatch.setattr("pix_conformance.session.workers.shards.weight", requests)
    names = [f"suites/test_{file}.py::test_{4 * 2 ** (test % 5)}" for file in range(80) for test in range(file % 8 + 1)]
    return cast("list[pytest.Item]", [*map(Divided, [*dict.fromkeys(names)]), HISTORY, RECEIVING])


@pytest.mark.parametrize("count", [1, 2, 4, 7, 8])
def test_each_test_is_in_one_shard_and_shards_send_about_as_many_requests(every: list[pytest.Item], count: int) -> None:
    parts = divided(every, count)
    names = sorted(item.nodeid for part in parts for item in part)
    assert names == sorted(item.nodeid for item in every)
    weights = [sum(requests(item.nodeid) for item in part) for part in parts]
    assert max(weights) < 1.1 * sum(weights) / count


def test_the_tests_of_a_file_stay_together_and_those_of_an_endpoint_are_in_the_first_shard_which_judges_the_whole_run(
    every: list[pytest.Item],
) -> None:
    parts = divided(every, 4)
    assert {cast("Any", RECEIVING), cast("Any", HISTORY)} <= set(parts[0])
    plain = [
        {item.nodeid.partition("::")[0] for item in part if item.nodeid not in {HISTORY.nodeid, RECEIVING.nodeid}}
        for part in parts
    ]
    assert sum(map(len, plain)) == len(set.union(*plain))


@pytest.mark.parametrize(("count", "shards"), [(1, {0}), (2, {1}), (3, {1, 2}), (8, {1, 2})])
def test_two_shards_receive_the_webhooks_that_name_their_address(
    every: list[pytest.Item], count: int, shards: set[int]
) -> None:
    names = [f"suites/payments/test_{file}.py::test_{test}" for file in range(9) for test in (2, 20)]
    receiving = cast("list[pytest.Item]", [Divided(name, ("payments_receiver",)) for name in names])
    parts = divided([*every, *receiving], count)
    assert {place for place, part in enumerate(parts) if set(part).intersection(receiving)} == shards
    for item in receiving:
        alike = {other for other in receiving if other.nodeid.partition("::")[0] == item.nodeid.partition("::")[0]}
        assert sum(bool(alike.intersection(part)) for part in parts) == 1


def test_tests_of_a_fixture_share_a_shard_where_that_saves_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    costs = {"fixtures": {"races": {"requests": 50}}, "tests": {}}
    monkeypatch.setattr("pix_conformance.session.costs.measured_costs", lambda: costs)
    monkeypatch.setattr("pix_conformance.session.workers.shards.weight", requests)
    monkeypatch.setattr("pix_conformance.session.workers.shards.fixtures_of", lambda item: item.fixturenames)
    names = ["suites/test_a.py::test_1", "suites/test_b.py::test_2", "suites/test_c.py::test_3"]
    items = cast(
        "list[pytest.Item]", [*(Divided(name, ("races",)) for name in names), Divided("suites/x/test_d.py::test_40")]
    )
    assert [len(part) for part in divided(items, 2)] == [3, 1]


def histories(bundle: Bundle) -> Counter[tuple[str, str, bool]]:
    """Count what the history checks judged, by requirement, test, and whether something did not match."""
    judgements = (judgement for entry in bundle.entries for judgement in entry.judgements)
    rows = ((row.requirement, str(row.test), bool(row.mismatches)) for row in judgements)
    return Counter(row for row in rows if row[0] in ONLY and "/test_whole_run.py" in row[1])


def outcomes(bundle: Bundle) -> dict[str, str]:
    return {entry.id: entry.outcome for entry in bundle.entries}


def test_workers_have_the_outcomes_of_one_run(server: Running, tmp_path: Path) -> None:
    words, given = ("--only", ONLY, "--no-waiting"), variables(server.credentials)
    alone = run_suite(tmp_path / "alone", *words, **given)
    together = run_suite(tmp_path / "together", "-n", "2", *words, **given)
    bundles = [read(done.directory) for done in (alone, together)]
    assert (together.exit, alone.exit) == (0, 0), together.output
    assert outcomes(bundles[1]) == outcomes(bundles[0])
    assert histories(bundles[1]) == histories(bundles[0]) != {}
    assert bundles[1].run.partial
