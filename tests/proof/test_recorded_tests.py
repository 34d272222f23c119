"""What a measured run records of its tests: which shared fixture sent which request."""

from __future__ import annotations

from pathlib import Path

from pix_conformance.proof.measured_run import measured_run
from pix_conformance.proof.recorded_tests import OPTION, RecordedTests
from pix_conformance.proof.recorded_tests import __name__ as plugin
from pix_conformance.proof.suite_run import run_suite
from pix_conformance.results.bundle.reader import read

FILE = "suites/payments/test_charge_queries.py"
SHARED = "pending_charge"


def test_the_requests_of_a_shared_fixture_belong_to_no_test(tmp_path: Path) -> None:
    record = tmp_path / "tests.json"
    done = run_suite(tmp_path / "out", "-p", plugin, OPTION, str(record), FILE)
    found = RecordedTests.read(record)
    run = measured_run(read(done.directory), found)

    assert run.fixtures[SHARED].requests == 1
    assert ("payments.create_charge") in run.fixtures[SHARED].succeeded
    users = [test for test, names in found.used.items() if SHARED in names and "::test_" in test]
    assert len(users) > 1
    assert all(SHARED in run.tests[test].fixtures for test in users)
    sent = sum(one.requests for one in [*run.tests.values(), *run.fixtures.values(), run.preflight])
    assert sent == len(read(done.directory).exchanges)
    assert any(one.startswith(FILE) for one in found.whole_run)
