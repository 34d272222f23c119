"""`tools.benchmark`: the commands of the tools, what they report, CPU time, and the table."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pix_conformance.model.paths import PACKAGE
from pix_conformance.model.vocabulary import Api
from pix_conformance.proof import proof_page, publish
from pix_conformance.proof.served_sandbox import ServedSandbox
from tools import benchmark, testing_tools
from tools.benchmark import in_turn, kills, row_of, sample
from tools.profile_of_run import PARTS
from tools.testing_tools import ALL, Task, Tool, ToolRun, end_of, failed_checks, suites

TARGET = ServedSandbox({}, [])
PYTHON = Path("/earlier/.venv/bin/python")
BUSY = "sum(range(20_000_000))"


def tool(name: str) -> Tool:
    return Tool(name, "abc", lambda *_: [], lambda _: frozenset())


def tool_run(failures: str = "", requests: int = 10, seconds: float = 1.0) -> ToolRun:
    return ToolRun(frozenset(failures.split()), requests, seconds, seconds / 2, not failures)


def test_each_failed_check_of_schemathesis_is_a_failure_of_its_operation(tmp_path: Path) -> None:
    failure = {"failure": {"operation": "POST /api/v1/pix/in/qrcode"}}
    failed = {"name": "not_a_server_error", "status": "failure", "failure_info": failure}
    passed = {"name": "status_code_conformance", "status": "success"}
    lines = [{"Initialize": {}}, {"ScenarioFinished": {"recorder": {"checks": {"case": [failed, passed]}}}}]
    (tmp_path / "failures.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    assert failed_checks(tmp_path) == {"not_a_server_error of POST /api/v1/pix/in/qrcode"}


def test_a_seed_draws_the_same_mutants() -> None:
    assert sample(5, 1) == sample(5, 1) != sample(5, 2)


def test_the_suites_test_both_apis_or_one_with_the_python_of_their_checkout() -> None:
    whole = suites(PYTHON, TARGET, Task(ALL, 7), Path("/made"))
    assert whole == [str(PYTHON), "-m", "pytest", "-q", "--seed", "7", "--report-dir", "/made/report"]
    words = suites(PYTHON, TARGET, Task((Api.PAYMENTS,), 7, "PAY-BAL-01/x", ends_at_failure=True), Path("/made"))
    assert " ".join(words[3:7]) == "-q -x --api payments"


@pytest.mark.parametrize("earlier", [True, False])
def test_an_earlier_checkout_is_one_of_the_tools_and_its_commit_is_named(tmp_path: Path, *, earlier: bool) -> None:
    for words in ("init --quiet", "-c user.name=t -c user.email=t@t commit -qm t --allow-empty"):
        subprocess.run(["git", *words.split()], cwd=tmp_path, check=True)  # noqa: S603, S607  # fixed words
    versions = {tool.name: tool.version for tool in testing_tools.tools(tmp_path if earlier else None)}
    assert versions.get("the suites, earlier", "") == (publish.commit(tmp_path) if earlier else "")
    assert versions["the suites"] == publish.commit()


def test_the_cpu_time_of_a_tool_contains_that_of_its_processes() -> None:
    began = f"import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-c', {BUSY!r}]) or 3)"
    status, seconds = end_of([sys.executable, "-c", began], Path.cwd(), {})
    assert status == 3
    assert seconds > 2 * end_of([sys.executable, "-c", "0"], Path.cwd(), {})[1]


def test_a_tool_that_runs_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(testing_tools, "LONGEST_RUN_S", 0.1)
    with pytest.raises(TimeoutError, match=r"more than 0\.1 s"):
        end_of([sys.executable, "-c", "import time; time.sleep(60)"], Path.cwd(), {})


def test_the_tools_run_in_turn_and_the_runs_of_a_server_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks: list[tuple[str, int]] = []

    def noted(tested_by: Tool, task: Task) -> ToolRun:
        tasks.append((tested_by.name, task.seed))
        return tool_run(task.apis[0])

    monkeypatch.setattr(benchmark, "run", noted)
    runs = in_turn([tool("a"), tool("b")], 2, 5)
    assert tasks == [("a", 5), ("a", 5), ("b", 5), ("b", 5), ("a", 6), ("a", 6), ("b", 6), ("b", 6)]
    assert runs["a"][0] == ToolRun(frozenset(Api), 20, 2.0, 1.0, succeeded=False)


@pytest.mark.parametrize(("right", "ends_at_failure"), [("", True), ("PAY-BAL-01", False)])
def test_a_kill_is_no_false_alarm(right: str, monkeypatch: pytest.MonkeyPatch, *, ends_at_failure: bool) -> None:
    tasks: list[Task] = []
    failures = iter([right, f"{right} PAY-BAL-02"])

    def noted(_: Tool, task: Task) -> ToolRun:
        tasks.append(task)
        return tool_run(next(failures))

    monkeypatch.setattr(benchmark, "run", noted)
    assert kills(tool("a"), sample(2, 1), 1, [tool_run(right)], map) == [False, True]
    assert [task.ends_at_failure for task in tasks] == [ends_at_failure] * 2


def test_the_page_has_a_row_for_each_tool_with_the_median_of_its_runs() -> None:
    right = [tool_run(seconds=4.0), tool_run("x", 30, 2.0), tool_run("y", 20, 9.04)]
    part = {"measured": ["2026-01-01"], "cores": 2, "runs": 3, "mutants": 3, "seed": 1}
    lines = proof_page.benchmark({**part, "rows": [row_of(tool("the suites"), right, [True, False, True])]})
    assert lines[-2] == "| the suites | abc | 20 | 4.0 | 2.0 | 2 | 2 of 3 |"
    assert "Measured 2026-01-01 on a machine of 2 cores" in lines[2]


def test_the_page_has_no_table_before_it_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof_page, "FIGURES", tmp_path / "proof.json")
    monkeypatch.setattr(publish, "PAGE", tmp_path / "proof.md")
    assert "Cost of a run" not in proof_page.page()
    part = {"measured": ["2026-01-01"], "cores": 2, "runs": 3, "mutants": 3, "seed": 1, "rows": []}
    publish.write_figures({"benchmark": part})
    assert "## Cost of a run" in publish.PAGE.read_text("utf-8")


@pytest.mark.parametrize(
    "place", [place for place in PARTS.values() if (PACKAGE / place.split(":")[0]).parent.is_dir()]
)
def test_a_part_of_a_profile_is_a_function(place: str) -> None:
    file, name = place.split(":")
    assert f"def {name}(" in (PACKAGE / file).read_text("utf-8")
