"""`--again`: the tests of what failed in an earlier report are run once more, and each failure gets a result."""

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.checks.built_routes import IsBuilt
from pix_conformance.model.vocabulary import Judgement, Outcome, Verdict
from pix_conformance.proof.suite_run import Finished, run_suite
from pix_conformance.recording.bundle.reader import bundle_of, read
from pix_conformance.recording.bundle.values import Entry
from pix_conformance.reference.process import start
from pix_conformance.reference.sandbox_server import variables
from pix_conformance.sandbox.mutants.registry import all_mutants
from pix_conformance.session.comparison import Again, became
from pix_conformance.session.earlier_report import EarlierFailure, read_earlier
from tests.support.broken_runs import broken_run, rules_of

BROKEN = {
    "PAY-AUTH-10": "PAY-AUTH-10/one-account-for-ever",  # shown by a token of 62 seconds
    "PAY-EVT-18": "PAY-EVT-18/second-pay",  # by an event after a refusal
    "PAY-BAL-07": "tests.support.reference_rules:LosesTrailingZero",  # by some balances
    "PAY-IDEM-02": "PAY-IDEM-02/any-body-matches",
    "BUS-FIN-22": "BUS-FIN-22/one-fewer",  # by the ledger of an account
    "BUS-LIST-08": "BUS-LIST-08/oldest-first-within-a-second",  # by a list of the run
}
"""Requirements, and how the reference breaks each: a mutant of it, or rules."""
TEST = "suites/payments/test_balance.py::test_it"


def results(done: Finished) -> dict[str, str]:
    """Return what became of each requirement, as the run printed it."""
    lines = [line.partition(": ")[0] for line in done.output.splitlines()]
    return {
        name: again
        for again in Again
        for line in lines
        if line.startswith(again)
        for name in line[len(again) :].replace(",", "").split()
    }


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a run that found all mutants."""
    done = broken_run(tmp_path_factory.mktemp("run") / "out", "--only", ",".join(BROKEN), by=BROKEN.values())
    assert sorted(done.with_outcome("fail")) == sorted(BROKEN)
    return done.directory


def test_one_of_several_mutants_is_mended_and_only_the_tests_that_failed_run(earlier: Path, tmp_path: Path) -> None:
    broken = [name for name in BROKEN if name != "PAY-BAL-07"]
    done = broken_run(tmp_path / "out", "--again", str(earlier), by=[BROKEN[name] for name in broken])
    assert done.exit == 1, done.output
    assert results(done) == dict.fromkeys(broken, "still failing") | {"PAY-BAL-07": "fixed"}
    then, now = (
        next(row for row in read(path).entries if row.id == "PAY-AUTH-10") for path in (earlier, done.directory)
    )
    failed = {judgement.test for row in read(earlier).entries for judgement in row.missed}  # by a balance, too
    assert set(now.tests) == failed & set(then.tests) >= {judgement.test for judgement in then.missed}
    assert set(now.tests) < set(then.tests)


def test_on_a_right_server_all_is_fixed_and_the_report_takes_the_place_of_the_earlier_one(
    earlier: Path, tmp_path: Path
) -> None:
    same = tmp_path / "reports"
    shutil.copytree(earlier, same)
    done = run_suite(same, "--again", str(same))
    assert done.exit == 0, done.output
    assert results(done) == dict.fromkeys(BROKEN, "fixed")
    assert done.with_outcome("pass") == [row.id for row in read(same).entries if row.id in BROKEN]
    assert done.results["run"]["again"] == {"report": str(same), "gone": []}
    assert f"fixed {', '.join(done.with_outcome('pass'))}" in done.results["notices"]
    nothing = run_suite(tmp_path / "out", "--again", str(same))
    assert nothing.exit == 4
    assert "nothing failed in" in nothing.output


def test_the_plan_names_the_tests_that_would_run(earlier: Path, tmp_path: Path) -> None:
    done = run_suite(tmp_path / "out", "--again", str(earlier), "--only", "PAY-AUTH-10", "--plan")
    assert done.exit == 0
    assert re.search("^tests       1 of .* with 1 tests$", done.output, re.MULTILINE)
    assert not (tmp_path / "out").exists()


def test_workers_run_the_tests_of_what_failed(earlier: Path, tmp_path: Path) -> None:
    words = ("--only", "PAY-IDEM-02,BUS-FIN-22", "--no-waiting", "--concurrency", "2", "--receiver", "off")
    with start([rules_of(BROKEN["PAY-IDEM-02"])]) as running:
        done = run_suite(tmp_path / "out", "--again", str(earlier), *words, **variables(running.credentials))
    assert done.exit == 1, done.output
    assert results(done) == {"PAY-IDEM-02": "still failing", "BUS-FIN-22": "fixed"}
    assert "fixed BUS-FIN-22" in (tmp_path / "out" / "summary.md").read_text()


def changed(source: Path, target: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """Copy a report with another results.json."""
    shutil.copytree(source, target)
    content = json.loads((target / "results.json").read_text())
    change(content)
    (target / "results.json").write_text(json.dumps(content))
    return target


def test_a_test_that_is_gone_is_named_and_all_tests_of_its_requirement_run(earlier: Path, tmp_path: Path) -> None:
    gone = "suites/payments/test_idempotency.py::test_of_an_earlier_suite[case]"

    def rename(content: dict[str, Any]) -> None:
        (row,) = [row for row in content["requirements"] if row["id"] == "PAY-AUTH-10"]
        for judgement in row["judgements"]:
            judgement["test"] = gone

    report = changed(earlier, tmp_path / "earlier", rename)
    done = run_suite(tmp_path / "out", "--again", str(report), "--only", "PAY-AUTH-10")
    assert done.exit == 0, done.output
    assert results(done) == {"PAY-AUTH-10": "fixed"}
    assert f"{gone}, which failed then, is not in this suite" in done.output
    assert len(next(row for row in done.results["requirements"] if row["id"] == "PAY-AUTH-10")["tests"]) > 1


def test_what_could_not_be_decided_is_asked_by_the_next_run_too(earlier: Path, tmp_path: Path) -> None:
    words = ("--only", "PAY-EVT-18,PAY-IDEM-02")
    first = run_suite(tmp_path / "out", "--again", str(earlier), *words, "--receiver", "off")
    assert results(first) == {"PAY-EVT-18": "not decided", "PAY-IDEM-02": "fixed"}
    assert "not decided PAY-EVT-18: --receiver is off" in first.output
    second = run_suite(tmp_path / "out", "--again", str(tmp_path / "out"))
    assert second.exit == 0, second.output
    assert results(second) == {"PAY-EVT-18": "fixed"}


@pytest.mark.parametrize(
    ("report", "words", "reason"),
    [
        ("none", (), "none has no report of a run (No such file or directory): give the directory of"),
        ("earlier", ("--only", "PAY-CHG-06"), "nothing of what --only names failed in "),
        ("of-a-service", (), "give this address, or another"),
    ],
)
def test_a_report_that_cannot_be_asked_again_is_a_usage_error(
    earlier: Path, tmp_path: Path, report: str, words: tuple[str, ...], reason: str
) -> None:
    changed(earlier, tmp_path / "of-a-service", lambda content: content["target"].update(embedded=False))
    shutil.copytree(earlier, tmp_path / "earlier")
    done = run_suite(tmp_path / "out", "--again", str(tmp_path / report), *words)
    assert done.exit == 4, done.output
    assert reason in done.output
    assert not (tmp_path / "out").exists()


def entry(outcome: Outcome, reason: str = "", **seen: Any) -> Entry:
    """Return the entry of a requirement in the new run, with what was seen of it."""
    (empty,) = bundle_of({"requirements": [{"id": "PAY-BAL-01"}]}, (), ()).entries
    return replace(empty, outcome=outcome, reason=reason, **seen)


def failed(*mismatches: str, test: str | None = TEST) -> Judgement:
    return Judgement("PAY-BAL-01", test, "exchange 1", ({"matcher": "status"},), mismatches)


ASKED, SEEN, NONE = frozenset({TEST}), frozenset({"payments.get_balance"}), frozenset[str]()
THEN = EarlierFailure("PAY-BAL-01", Outcome.FAIL, ASKED, NONE, NONE, ("status is 200, not 401",))
UNBUILT = replace(THEN, problems=("GET /balance is not built: 404 to each of 13 requests",), is_of_route=True)
STILL_UNBUILT = replace(
    failed("GET /balance is not built: 404 to the only request"), matchers=({"matcher": IsBuilt.word},)
)
PASSIVE = replace(THEN, asked_by=NONE, shown_by=ASKED, operations=SEEN)
NOT_APPLICABLE = Verdict("PAY-BAL-01", Outcome.NOT_APPLICABLE, "--receiver is off", TEST)


@pytest.mark.parametrize(
    ("then", "now", "result"),
    [
        (THEN, entry(Outcome.PASS, tests=(TEST,)), Again.FIXED),
        (THEN, entry(Outcome.FAIL, judgements=(failed("status is 200, not 401"),)), Again.FAILING),
        (THEN, entry(Outcome.WAIVED, judgements=(failed("status is 200, not 401"),)), Again.FAILING),
        (THEN, entry(Outcome.FAIL, judgements=(failed("status is 500, not 401"),)), Again.OTHERWISE),
        (THEN, entry(Outcome.INCONCLUSIVE, reason="no answer"), Again.UNDECIDED),
        (THEN, entry(Outcome.NOT_APPLICABLE, reason="--receiver is off"), Again.UNDECIDED),
        (THEN, entry(Outcome.ERROR, reason="error of the suite: KeyError"), Again.UNDECIDED),
        (THEN, entry(Outcome.PASS, tests=("another::test",)), Again.UNDECIDED),
        (THEN, entry(Outcome.PASS, tests=(TEST, "a::b"), verdicts=(NOT_APPLICABLE,)), Again.UNDECIDED),
        (THEN, None, Again.UNDECIDED),
        (PASSIVE, entry(Outcome.PASS, judged_on=("payments.get_balance",)), Again.FIXED),
        (PASSIVE, entry(Outcome.PASS, judged_on=("payments.create_charge",)), Again.UNDECIDED),
        (UNBUILT, entry(Outcome.FAIL, judgements=(STILL_UNBUILT,)), Again.FAILING),
        (UNBUILT, entry(Outcome.FAIL, judgements=(failed("status is 500, not 200"),)), Again.OTHERWISE),
        (replace(THEN, problems=()), entry(Outcome.FAIL, judgements=(failed("it differs"),)), Again.FAILING),
    ],
)
def test_a_failure_is_fixed_only_if_it_was_asked_as_it_was_then(
    then: EarlierFailure, now: Entry | None, result: Again
) -> None:
    assert became(then, now)[0] is result


def test_a_passive_failure_is_asked_by_the_tests_whose_messages_showed_it(tmp_path: Path) -> None:
    mutant = next(name for name in all_mutants() if name.startswith("PAY-CHG-30/"))
    done = broken_run(tmp_path / "out", "--only", "PAY-CHG-30", "--api", "payments", by=[mutant])
    (failure,) = read_earlier(done.directory, frozenset()).failures.values()
    assert failure.shown_by
    assert not failure.asked_by
    fixed = run_suite(tmp_path / "again", "--again", str(done.directory))
    assert fixed.exit == 0, fixed.output
    assert results(fixed) == {"PAY-CHG-30": "fixed"}


def test_a_history_that_failed_is_asked_by_the_tests_that_sent_what_it_judged(earlier: Path) -> None:
    report = read_earlier(earlier, frozenset({"BUS-LIST-08"}))
    (history,) = report.failures["BUS-LIST-08"].asked_by
    entries = {row.id: row for row in report.bundle.entries}
    listed = [report.bundle.message(judgement.evidence) for judgement in entries["BUS-LIST-08"].missed]
    assert {getattr(message, "test", None) for message in listed} <= report.senders(history)
