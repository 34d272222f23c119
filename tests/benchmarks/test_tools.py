"""What the tools of the benchmark report, and which of it kills a mutant."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchmarks.comparison import Row, false_alarms
from benchmarks.sample import breaks_a_must, sample
from benchmarks.target import Target, serve
from benchmarks.tool_run import ToolRun, complete_lines, run_on_mutant, run_on_right_server
from benchmarks.tools import FILE, TOOLS, Failure, Schemathesis, Suites
from pix_conformance.model.vocabulary import Api
from pix_conformance.proof.mutants.registry import load

MUTANT = "BUS-EVT-05/business.pix.paid.id:missing"
SENDS = """
import json, os, time, urllib.error, urllib.request
with open({path!r}, "a") as file:
    for name in {names!r}:
        for _ in range(6):
            try:
                urllib.request.urlopen(os.environ["PIX_BASE_URL"] + "/v1/business/finance", timeout=10)
            except urllib.error.HTTPError:
                pass
        time.sleep(0.2)
        print(json.dumps({{"what": name, "at": time.time()}}), file=file, flush=True)
        time.sleep(0.2)
    time.sleep({waits})
"""


@dataclass(frozen=True)
class SixRequestsEach:
    """A tool that sends six requests before each failure, and then waits."""

    names: tuple[str, ...]
    waits: int = 0
    name: str = "six"
    cwd: Path | None = None
    runs_on_right_server: int = 1

    def command(self, target: Target, api: Api, directory: Path, seed: int, *, all_failures: bool) -> list[str]:
        del target, api, seed, all_failures
        text = SENDS.format(path=str(directory / FILE), names=self.names, waits=self.waits)
        return [sys.executable, "-c", text]

    def failures(self, line: dict[str, Any]) -> Iterator[Failure]:
        yield Failure(line["what"], line["at"])


def scenario(*checks: dict[str, Any]) -> dict[str, Any]:
    recorder = {"checks": {"one": list(checks)}, "interactions": {"one": {"timestamp": 5.5}}}
    return {"ScenarioFinished": {"recorder": recorder}}


def check(name: str, operation: str) -> dict[str, Any]:
    return {"name": name, "status": "failure", "failure_info": {"failure": {"operation": operation}}}


def row(failures: tuple[str, ...], api: Api) -> Row:
    return Row("six", api, None, ToolRun(10, 1.0, failures, None))


def test_a_failure_of_schemathesis_is_named_by_check_and_operation() -> None:
    passed = {"name": "not_a_server_error", "status": "success"}
    line = scenario(passed, check("ignored_auth", "GET /a"), check("not_a_server_error", "GET /a"))
    assert list(Schemathesis("st").failures(line)) == [
        Failure("ignored_auth of GET /a", 5.5),
        Failure("not_a_server_error of GET /a", 5.5),
    ]


@pytest.mark.parametrize("line", [{"Initialize": {}}, {"ScenarioFinished": {"recorder": {"label": "GET /a"}}}])
def test_other_lines_of_schemathesis_have_no_failure(line: dict[str, Any]) -> None:
    assert list(Schemathesis("st").failures(line)) == []


def test_a_failure_of_the_suites_is_a_must() -> None:
    line = json.loads('{"requirement": "PAY-IDEM-02", "at": 3.25}')
    assert list(Suites("suites").failures(line)) == [Failure("PAY-IDEM-02", 3.25)]


def test_a_run_ends_at_the_first_failure_that_the_right_server_does_not_show() -> None:
    tool = SixRequestsEach(("alarm", "wrong", "later"), waits=200)
    run = run_on_mutant(tool, Api.BUSINESS, 1, MUTANT, {"alarm"})
    assert (run.first, run.requests) == ("wrong", 12)
    assert run.seconds < 200


def test_a_mutant_on_which_only_false_alarms_are_reported_is_not_killed() -> None:
    run = run_on_mutant(SixRequestsEach(("alarm", "alarm")), Api.BUSINESS, 1, MUTANT, {"alarm"})
    assert (run.first, run.requests) == (None, 12)


def test_a_run_on_the_right_server_goes_to_its_end() -> None:
    run = run_on_right_server(SixRequestsEach(("b", "a")), Api.PAYMENTS, 1)
    assert (run.requests, run.failures, run.first) == (12, ("a", "b"), None)


def test_a_tool_that_sends_nothing_to_the_right_server_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="six: 0 requests"):
        run_on_right_server(SixRequestsEach(()), Api.PAYMENTS, 1)


def test_false_alarms_are_those_of_all_seeds_for_one_tool_and_api() -> None:
    known = false_alarms([row(("a",), Api.PAYMENTS), row(("b",), Api.PAYMENTS), row(("c",), Api.BUSINESS)])
    assert known["six", Api.PAYMENTS] == {"a", "b"}
    assert known["six", Api.BUSINESS] == {"c"}
    assert known["other", Api.PAYMENTS] == set()


def test_a_line_that_is_not_complete_is_read_later(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    assert complete_lines(path, 0) == ([], 0)
    path.write_bytes(b"first\nsec")
    assert complete_lines(path, 0) == ([b"first"], 6)
    path.write_bytes(b"first\nsecond\n")
    assert complete_lines(path, 6) == ([b"second"], 13)


def test_a_target_without_requests_has_counted_none() -> None:
    with serve() as target:
        assert target.base_url.startswith("http://127.0.0.1:")
        assert target.variables["PIX_BUSINESS_WEBHOOK_SECRET"]
    assert target.requests_until(float("inf")) == 0


def test_requests_are_counted_until_a_moment_and_with_it() -> None:
    target = Target({}, [1.0, 2.0, 3.0])
    assert [target.requests_until(moment) for moment in (0.5, 2.0, 9.0)] == [0, 2, 3]


def test_a_sample_has_every_class_and_begins_a_longer_one() -> None:
    every = list(load().values())
    groups = {one.group for one in every}
    some = sample(every, 40, seed=3)
    assert {one.group for one in some[: len(groups)]} == groups
    assert len({one.id for one in some}) == 40
    assert all(map(breaks_a_must, some))
    assert sample(every, 15, seed=3) == some[:15]
    assert sample(every, 15, seed=4) != some[:15]


def test_each_tool_has_a_name_of_its_own() -> None:
    assert len({one.name for one in TOOLS}) == len(TOOLS)
