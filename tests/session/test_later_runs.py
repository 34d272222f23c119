"""`--baseline`, `--assume`, `--edition`: a run fails on what is worse than it was, or than a release asked."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from pix_conformance.model.editions import current
from pix_conformance.model.vocabulary import Outcome, UsageError
from pix_conformance.proof.suite_run import Finished, run_suite
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import BundleError
from pix_conformance.reference.process import start
from pix_conformance.report.assumptions import as_toml, read_assumptions
from pix_conformance.report.report_command import main
from pix_conformance.verdicts.baseline import Baseline, KnownProblem, fingerprint, read_baseline
from pix_conformance.verdicts.rejudge import rejudge
from tests.support import bundles
from tests.support.broken_runs import rules_of
from tests.support.clients import account

DEBIT, LENGTH = "PAY-BAL-14/completion-debits-again", "PAY-CHG-12/bytes-counted"
CANCEL = "BUS-CAN-05/canceled-is-cancelable"
NIGHTLY = (DEBIT, LENGTH, CANCEL)


def night(directory: Path, *words: str, names: Iterable[str] = NIGHTLY, mutants: Iterable[str]) -> Finished:
    """Run the tests of three requirements against a server with some mutants of them."""
    return run_at_server(directory, "--only", ",".join(name.partition("/")[0] for name in names), *words, by=mutants)


def run_at_server(directory: Path, *words: str, by: Iterable[str] = ()) -> Finished:
    """Run the suites against a server that is wrong in these ways."""
    with start(list(map(rules_of, by))) as server:
        return run_suite(directory, *words, PIX_RECEIVER="off", **account(server))


def test_three_nights_with_a_change_are_held_against_a_baseline(tmp_path: Path) -> None:
    first = night(tmp_path / "1", mutants=(DEBIT, LENGTH))
    same = night(tmp_path / "2", "--baseline", str(tmp_path / "1"), mutants=(DEBIT, LENGTH))
    changed = night(tmp_path / "3", "--baseline", str(tmp_path / "2/results.json"), mutants=(LENGTH, CANCEL))
    since = first.results["run"]["started"][:10]
    assert (first.exit, first.with_outcome("fail")) == (1, ["PAY-CHG-12", "PAY-BAL-14"])
    assert (same.exit, same.with_outcome("waived")) == (0, ["PAY-CHG-12", "PAY-BAL-14"])
    assert f"nothing is better or worse than in the baseline of {since}" in same.output
    assert f"PAY-BAL-14 known since the baseline of {since}: " in same.output
    assert (changed.exit, changed.with_outcome("fail")) == (1, ["BUS-CAN-05"])
    assert changed.with_outcome("waived") == ["PAY-CHG-12"]
    assert f"better than the baseline of {since}: PAY-BAL-14" in changed.output
    assert f"worse than the baseline of {since}: BUS-CAN-05" in changed.output


@pytest.mark.parametrize(
    ("then", "outcome", "problem", "covers"),
    [
        (Outcome.FAIL, Outcome.FAIL, "status is 200, not 409", True),
        (Outcome.FAIL, Outcome.FAIL, "status is 500, not 409", False),
        (Outcome.WAIVED, Outcome.FAIL, "status is 200, not 409", True),
        (Outcome.FAIL, Outcome.INCONCLUSIVE, "status is 200, not 409", False),
        (Outcome.INCONCLUSIVE, Outcome.INCONCLUSIVE, "no response", True),
        (Outcome.INCONCLUSIVE, Outcome.FAIL, "status is 200, not 409", False),
    ],
)
def test_only_the_same_problem_is_known(then: Outcome, outcome: Outcome, problem: str, covers: bool) -> None:  # noqa: FBT001  # a column
    known = KnownProblem(then, frozenset({fingerprint("status is 200, not 409")}), "2026-11-20")
    assert known.covers(outcome, problem) is covers


def test_a_baseline_that_judged_nothing_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text("{}")
    with pytest.raises(UsageError, match="nothing was judged"):
        read_baseline(tmp_path)
    with pytest.raises(UsageError, match="has no report of a run"):
        read_baseline(tmp_path / "absent")


def test_what_the_baseline_did_not_test_is_not_called_worse(tmp_path: Path) -> None:
    """It was not selected then, or is newer than the suite of the baseline."""
    ids = first, *others = ("PAY-BAL-01", "PAY-BAL-02", "PAY-BAL-03")
    then = [
        bundles.requirement(1, id=first, outcome="pass"),
        bundles.requirement(2, id=ids[1], outcome="not applicable"),
    ]
    assert bundles.run(tmp_path / "1", *then).entries
    assert (baseline := read_baseline(tmp_path / "1"))
    now = [bundles.requirement(number, id=name, outcome="fail") for number, name in enumerate(ids)]
    assert baseline.changes(bundles.run(tmp_path / "2", *now).entries) == [
        f"worse than the baseline of {baseline.since}: {first}",
        f"failing now, not tested in the baseline of {baseline.since}: {', '.join(others)}",
    ]


def test_what_is_inconclusive_is_counted_apart_from_what_is_worse(tmp_path: Path) -> None:
    given = [bundles.requirement(1, outcome="inconclusive"), bundles.requirement(2, outcome="fail")]
    assert Baseline({}, "2026-11-20").changes(bundles.run(tmp_path, *given).entries) == [
        f"worse than the baseline of 2026-11-20: {given[1]['id']}",
        "inconclusive now and not in the baseline of 2026-11-20: 1",
    ]


REFUSES, OPEN = "PAY-GEN-07/unknown-fields-refused", ("--only", "PAY-GEN-03,PAY-GEN-07,PAY-GEN-08")


def test_three_nights_with_a_change_are_held_against_assumptions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = run_at_server(tmp_path / "1", *OPEN)
    assert main(["assume", str(first.directory)]) == 0
    (file := tmp_path / "assumptions.toml").write_text(capsys.readouterr().out)
    same = run_at_server(tmp_path / "2", *OPEN, "--assume", str(file))
    changed = run_at_server(tmp_path / "3", *OPEN, "--assume", str(file), by=[REFUSES])
    assert (first.exit, same.exit, changed.exit) == (0, 0, 1)
    assert "an unknown field: 400 INVALID_REQUEST, assumed was 200" in changed.output
    assert changed.output.count("is answered otherwise than assumed") == 1
    file.write_text(as_toml(read(changed.directory)))
    assert run_at_server(tmp_path / "4", *OPEN, "--assume", str(file), by=[REFUSES]).exit == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[assumption]]\nrequirement = "PAY-NONE-01"\nseen = ["a"]', "name PAY-NONE-01"),
        ('[[assumption]]\nseen = ["a"]', "has no requirement"),
        ('[[assumption]]\nrequirement = "PAY-GEN-07"', "PAY-GEN-07 has no seen"),
        ('[[assumption]]\nrequirement = "PAY-GEN-07"\nrespones = {}', "unknown keys: respones"),
        ('[[webhook]]\nevent = "a"', "a has no median_at_most_s"),
        ("[[", "cannot be read"),
        ("", "no .*assumption.* and no .*webhook"),
        ("other = 1", "unknown keys: other"),
    ],
)
def test_a_file_that_holds_something_else_is_a_usage_error(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "assumptions.toml").write_text(text)
    with pytest.raises(UsageError, match=words):
        read_assumptions(tmp_path / "assumptions.toml")


def test_a_report_that_saw_nothing_is_no_source_of_assumptions(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="nothing at open points"):
        as_toml(bundles.run(tmp_path))


def test_what_a_run_did_not_see_is_named(tmp_path: Path) -> None:
    file = tmp_path / "assumptions.toml"
    file.write_text(
        '[[assumption]]\nrequirement = "PAY-GEN-07"\n[assumption.responses]\n"no such input" = "200"\n'
        '[[webhook]]\nevent = "payments none"\nmedian_at_most_s = 1\n'
    )
    run = run_at_server(tmp_path / "1", *OPEN, "--assume", str(file))
    assert run.exit == 0
    assert "2 of 2 assumptions are about what this partial run did not ask" in run.output


RELEASED = (CANCEL, "BUS-IDEM-15/conflict-cancels", "BUS-IDEM-02/replay-returns-200")
"""Mutants of what edition 1.0 asks, of what is newer, and of what it asks less strictly."""
NAMES = tuple(mutant.partition("/")[0] for mutant in RELEASED)


def outcomes(run: Finished) -> list[str]:
    return [run.outcome(name) for name in NAMES]


def test_an_edition_counts_what_it_asked_and_shows_what_is_newer(tmp_path: Path) -> None:
    today = night(tmp_path / "1", names=RELEASED, mutants=RELEASED)
    then, newer = (
        night(tmp_path / mutants[0][:6], "--edition", "1.0", names=RELEASED, mutants=mutants)
        for mutants in (RELEASED, RELEASED[1:])
    )
    assert (today.exit, outcomes(today)) == (1, ["fail", "fail", "fail"])
    assert (then.exit, outcomes(then)) == (1, ["fail", "waived", "warn"])
    assert (newer.exit, outcomes(newer)) == (0, ["pass", "waived", "warn"])
    assert "by edition 1.0: 1 newer requirement not counted, 1 of them not passed" in newer.output
    assert (today.results["run"]["edition"], newer.results["run"]["edition"]) == (current(), "1.0")
    row = next(row for row in newer.results["requirements"] if row["id"] == NAMES[1])
    assert row["why"] == "newer"
    assert row["reason"].startswith("newer than edition 1.0: ")
    again = rejudge(newer.directory).bundle
    assert "by edition 1.0" in again.headline
    assert [row.outcome for name in NAMES for row in again.entries if row.id == name] == outcomes(newer)


def test_a_run_of_newer_requirements_alone_judges_nothing(tmp_path: Path) -> None:
    run = run_at_server(tmp_path, "--only", NAMES[1], "--edition", "1.0")
    assert run.exit == 6
    assert "no requirement of edition 1.0 was selected" in run.output


def test_an_unknown_edition_is_a_usage_error(tmp_path: Path) -> None:
    run = run_suite(tmp_path, "--edition", "0.9", PIX_BASE_URL="http://127.0.0.1:9", PIX_API_KEY="ak_test_1")
    assert run.exit == 4
    assert "--edition is '0.9': one of 1.0" in run.output
