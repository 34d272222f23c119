"""The benchmark beside schemathesis: what counts as a failure, and the table."""

import json
from pathlib import Path

from tools.benchmark import failed_checks, sample, table


def test_each_failed_check_of_schemathesis_is_a_failure_of_its_operation(tmp_path: Path) -> None:
    failed = {
        "name": "not_a_server_error",
        "status": "failure",
        "failure_info": {"failure": {"operation": "POST /api/v1/pix/in/qrcode"}},
    }
    passed = {"name": "status_code_conformance", "status": "success"}
    lines = [{"Initialize": {}}, {"ScenarioFinished": {"recorder": {"checks": {"case": [failed, passed]}}}}]
    (tmp_path / "failures.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    assert failed_checks(tmp_path) == {"not_a_server_error of POST /api/v1/pix/in/qrcode"}


def test_a_seed_draws_the_same_mutants() -> None:
    assert sample(5, 1) == sample(5, 1) != sample(5, 2)


def test_the_table_has_a_line_for_each_tool() -> None:
    assert table([["the suites", "40 of 40", "0", "1468", "68 s"]]).splitlines() == [
        "| tool | mutants found | false alarms | requests | seconds |",
        "| --- | --- | --- | --- | --- |",
        "| the suites | 40 of 40 | 0 | 1468 | 68 s |",
    ]
