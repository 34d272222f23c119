"""What was classified by hand of the mutants of the reference's source."""

from __future__ import annotations

import pytest

from pix_conformance.proof.runner import Result
from pix_conformance.proof.source_run import ALLOWED, BREAKS, EQUIVALENT, _end, classes


@pytest.mark.parametrize(("name", "row"), classes().items(), ids=list(classes()))
def test_every_classified_mutant_has_a_class_and_a_reason(name: str, row: dict[str, str]) -> None:
    assert name.count("/") == 1
    assert row["class"] in {ALLOWED, BREAKS, EQUIVALENT}
    assert row["reason"].endswith(".")


@pytest.mark.parametrize(
    ("outcomes", "status", "end"),
    [
        ({"PAY-IDEM-02": "fail", "PAY-IDEM-01": "pass"}, 1, "killed"),
        ({"PAY-CHG-44": "warn", "PAY-IDEM-01": "pass"}, 0, "killed"),
        ({"PAY-IDEM-02": "pass"}, 0, "survived"),
        ({"PAY-IDEM-02": "inconclusive", "PAY-IDEM-01": "inconclusive"}, 6, "not viable"),
        ({}, 99, "not viable"),
    ],
)
def test_the_end_of_a_run_says_what_became_of_the_mutant(outcomes: dict[str, str], status: int, end: str) -> None:
    result = Result("x", status, 1.0, outcomes, {}, {}, {}, {})
    assert _end(result)["end"] == end
