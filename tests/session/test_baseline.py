"""`--baseline`: a run fails only on what is worse than in an earlier report."""

from pathlib import Path

import pytest

from pix_conformance.model.vocabulary import Outcome, UsageError
from pix_conformance.proof.suite_run import Finished, run_suite
from pix_conformance.sandbox.mutants.registry import all_mutants
from pix_conformance.verdicts.baseline import Baseline, KnownProblem, fingerprint, read_baseline
from tests.support import bundles

DEBIT, LENGTH, CANCEL = (
    "PAY-BAL-14/completion-debits-again",
    "PAY-CHG-12/bytes-counted",
    "BUS-CAN-05/canceled-is-cancelable",
)


def night(directory: Path, *words: str, mutants: tuple[str, ...]) -> Finished:
    """Run the tests of three requirements against the reference with these mutants."""
    rules = " ".join(all_mutants()[name].rules for name in mutants)
    only = ",".join(name.partition("/")[0] for name in (DEBIT, LENGTH, CANCEL))
    return run_suite(directory, "-p", "tests.support.altered_run", "--only", only, *words, WRONG=rules)


def test_three_nights_with_a_change_in_between(tmp_path: Path) -> None:
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
    with pytest.raises(UsageError, match="no bundle"):
        read_baseline(tmp_path / "absent")


def test_what_is_inconclusive_is_counted_apart_from_what_is_worse(tmp_path: Path) -> None:
    rows = bundles.run(
        tmp_path, bundles.requirement(1, outcome="inconclusive"), bundles.requirement(2, outcome="fail")
    ).entries
    worse = rows[1].id
    assert Baseline({}, "2026-11-20").changes(rows) == [
        f"worse than the baseline of 2026-11-20: {worse}",
        "inconclusive now and not in the baseline of 2026-11-20: 1",
    ]
