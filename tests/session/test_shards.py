"""The shards of workers: each test is in one, and the reports of all together are the report of one run."""

import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pix_conformance.verdicts.joined_workers import merge

from pix_conformance.model.vocabulary import Api, Judgement
from pix_conformance.model.why import Why
from pix_conformance.proof.suite_run import run_suite
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import Bundle
from pix_conformance.reference.process import Running
from pix_conformance.reference.sandbox_server import variables
from pix_conformance.session import whole_run_tests
from pix_conformance.session.shards import divided

ONLY = "PAY-CHG-41,PAY-CHG-71,PAY-BAL-01,PAY-TRF-70,BUS-FIN-01"


@dataclass(frozen=True)
class Divided:
    """What the division looks at of a test."""

    nodeid: str
    fixturenames: tuple[str, ...] = ()
    whole_run: bool = False

    def get_closest_marker(self, name: str) -> object:
        return SimpleNamespace() if self.whole_run and name == "whole_run" else None


HISTORY = Divided("suites/payments/test_charges.py::test_of_all_1", whole_run=True)
RECEIVING = Divided("suites/payments/test_charges.py::test_of_an_event_1", ("payments_receiver",))


def requests(nodeid: str) -> float:
    """The weight of a test: the number in its name."""
    return float(nodeid.rpartition("_")[2])


@pytest.fixture
def every(monkeypatch: pytest.MonkeyPatch) -> list[pytest.Item]:
    """80 files with 1 to 8 tests, which send 4 to 64 requests."""
    monkeypatch.setattr("pix_conformance.session.shards.weight", requests)
    names = [f"suites/test_{file}.py::test_{4 * 2 ** (test % 5)}" for file in range(80) for test in range(file % 8 + 1)]
    return cast("list[pytest.Item]", [*map(Divided, [*dict.fromkeys(names)]), HISTORY, RECEIVING])


@pytest.mark.parametrize("count", [1, 2, 4, 7, 8])
def test_each_test_is_in_one_shard_a_history_check_in_all_and_shards_send_about_as_many_requests(
    every: list[pytest.Item], count: int
) -> None:
    parts = divided(every, count)
    names = sorted(item.nodeid for some in parts for item in some)
    assert names == sorted([*(item.nodeid for item in every), *[HISTORY.nodeid] * (count - 1)])
    weights = [sum(requests(item.nodeid) for item in some) for some in parts]
    assert max(weights) < 1.1 * sum(weights) / count


@pytest.mark.parametrize("worker", [1, 2])
def test_the_tests_of_a_file_stay_together_and_webhooks_come_to_one_shard(
    every: list[pytest.Item], worker: int
) -> None:
    parts = divided(every, 4, lambda api: worker if api is Api.PAYMENTS else 1)
    assert cast("Any", RECEIVING) in parts[worker - 1]
    plain = [
        {item.nodeid.partition("::")[0] for item in some if item.nodeid not in {HISTORY.nodeid, RECEIVING.nodeid}}
        for some in parts
    ]
    assert sum(map(len, plain)) == len(set.union(*plain))


@pytest.fixture(scope="module")
def halves(server: Running, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The reports of two workers for a few requirements."""
    directory = tmp_path_factory.mktemp("shards")
    given = variables(server.credentials) | {"KEPT_WORKERS": str(directory)}
    words = ("-p", "tests.support.altered_run", "-n", "2", "--only", ONLY, "--no-waiting")
    run_suite(directory / "report", *words, **given)
    return [directory / "1", directory / "2"]


def merged(halves: list[Path], directory: Path) -> Bundle:
    """Join the reports; the tests that judge the whole run are run in a process of their own."""
    directory.mkdir()
    file = directory / "whole-run.json"
    words = [sys.executable, "-m", whole_run_tests.__name__, *map(str, halves), str(file)]
    subprocess.run(words, check=True)  # noqa: S603  # this Python
    return merge([read(half) for half in halves], whole_run_tests.read(file), {})


def histories(judgements: Iterable[Judgement]) -> Counter[tuple[str, str, bool]]:
    """Count what the history checks judged, by requirement, test, and whether something did not match."""
    rows = ((row.requirement, str(row.test), bool(row.mismatches)) for row in judgements)
    return Counter(row for row in rows if row[0] in ONLY and "/test_whole_run.py" in row[1])


def outcomes(bundle: Bundle) -> dict[str, str]:
    return {entry.id: entry.outcome for entry in bundle.entries}


def test_merged_shards_have_the_outcomes_of_one_run(halves: list[Path], server: Running, tmp_path: Path) -> None:
    given = variables(server.credentials)
    alone = run_suite(tmp_path / "alone", "--only", ONLY, "--no-waiting", **given)
    together = merged(halves, tmp_path / "merged")
    assert together.run.exit == alone.exit == 0
    assert outcomes(together) == outcomes(read(alone.directory))
    live = [judgement for entry in read(alone.directory).entries for judgement in entry.judgements]
    joined = whole_run_tests.read(tmp_path / "merged" / "whole-run.json")
    assert histories(joined.judgements) == histories(live) != {}
    assert together.run.partial


def test_a_worker_says_what_it_has_not_seen(halves: list[Path]) -> None:
    said = {(entry.why, entry.reason) for half in halves for entry in read(half).entries}
    assert (Why.OTHER_WORKER, "not selected: another worker asks it") in said


def test_history_checks_judge_the_exchanges_of_all_workers(halves: list[Path], tmp_path: Path) -> None:
    """A charge of the second worker gets the id of one of the first: only both together show that."""
    copies = [shutil.copytree(half, tmp_path / half.name) for half in halves]
    texts = [(copy / "exchanges.jsonl").read_text() for copy in copies]
    first, second = map(_id_of_new_charge, texts)
    (copies[1] / "exchanges.jsonl").write_text(texts[1].replace(second, first))
    together = merged(copies, tmp_path / "merged")
    failed = {name for name, outcome in outcomes(together).items() if outcome == "fail"}
    assert (together.run.exit, failed) == (1, {"PAY-CHG-41"})


def _id_of_new_charge(text: str) -> str:
    rows = [json.loads(line) for line in text.splitlines()]
    new = next(row for row in rows if row["operation"] == "create_charge" and row["api"] == "payments")
    return str(json.loads(new["response"]["body"])["data"]["id"])
