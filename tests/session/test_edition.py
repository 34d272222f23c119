"""`--edition`: what a release did not ask, or asked less strictly, does not fail a run that is judged by it."""

from pathlib import Path

from pix_conformance.model.editions import current
from pix_conformance.proof.suite_run import Finished, run_suite
from pix_conformance.sandbox.mutants.registry import all_mutants
from pix_conformance.verdicts.rejudge import rejudge

OLD, NEW, RAISED = (
    "BUS-CAN-05/canceled-is-cancelable",
    "BUS-IDEM-15/conflict-cancels",
    "BUS-IDEM-02/replay-returns-200",
)
NAMES = tuple(mutant.partition("/")[0] for mutant in (OLD, NEW, RAISED))


def judged(directory: Path, *words: str, mutants: tuple[str, ...] = (OLD, NEW, RAISED)) -> Finished:
    """Run the tests of three requirements against the reference with these mutants."""
    rules = " ".join(all_mutants()[name].rules for name in mutants)
    return run_suite(directory, "-p", "tests.support.altered_run", "--only", ",".join(NAMES), *words, WRONG=rules)


def outcomes(run: Finished) -> list[str]:
    return [run.outcome(name) for name in NAMES]


def test_an_edition_counts_what_it_asked_and_shows_what_is_newer(tmp_path: Path) -> None:
    today, then = judged(tmp_path / "1"), judged(tmp_path / "2", "--edition", "1.0")
    newer = judged(tmp_path / "3", "--edition", "1.0", mutants=(NEW, RAISED))
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
    run = run_suite(tmp_path, "--only", NAMES[1], "--edition", "1.0")
    assert run.exit == 6
    assert "no requirement of edition 1.0 was selected" in run.output


def test_an_unknown_edition_is_a_usage_error(tmp_path: Path) -> None:
    run = run_suite(tmp_path, "--edition", "0.9")
    assert run.exit == 4
    assert "--edition is '0.9': one of 1.0" in run.output
