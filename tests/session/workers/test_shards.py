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


HISTORY = {
    api: Divided(f"suites/{api}/test_charges.py::test_of_all_1", whole_run=True) for api in ("payments", "business")
}
RECEIVING = {
    api: Divided(f"suites/{api}/test_charges.py::test_of_an_event_1", (fixture,))
    for api, fixture in (("payments", "payments_receiver"), ("business", "webhook_endpoint"))
}
OF_WEBHOOKS = [*HISTORY.values(), *RECEIVING.values()]


def requests(nodeid: str) -> float:
    """The weight of a test: the number in its name."""
    return float(nodeid.rpartition("_")[2])


@pytest.fixture
def every(monkeypatch: pytest.MonkeyPatch) -> list[pytest.Item]:
    """80 files with 1 to 8 tests, which send 4 to 64 requests."""
    monkeypatch.setattr("pix_conformance.session.workers.shards.weight", requests)
    names = [f"suites/test_{file}.py::test_{4 * 2 ** (test % 5)}" for file in range(80) for test in range(file % 8 + 1)]
    return cast("list[pytest.Item]", [*map(Divided, [*dict.fromkeys(names)]), *OF_WEBHOOKS])


@pytest.mark.parametrize("count", [1, 2, 4, 7, 8])
def test_each_test_is_in_one_shard_and_shards_send_about_as_many_requests(every: list[pytest.Item], count: int) -> None:
    parts = divided(every, count)
    names = sorted(item.nodeid for part in parts for item in part)
    assert names == sorted(item.nodeid for item in every)
    weights = [sum(requests(item.nodeid) for item in part) for part in parts]
    assert max(weights) < 1.1 * sum(weights) / count


@pytest.mark.parametrize(("api", "count", "place"), [("business", 4, 0), ("payments", 4, 1), ("payments", 1, 0)])
def test_the_tests_of_a_file_stay_together_and_webhooks_come_to_one_shard_which_judges_the_whole_run(
    every: list[pytest.Item], api: str, count: int, place: int
) -> None:
    parts = divided(every, count)
    assert {cast("Any", RECEIVING[api]), cast("Any", HISTORY[api])} <= set(parts[place])
    plain = [
        {item.nodeid.partition("::")[0] for item in part if cast("Any", item) not in OF_WEBHOOKS} for part in parts
    ]
    assert sum(map(len, plain)) == len(set.union(*plain))


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
