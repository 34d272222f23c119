"""A pattern of failures is recognised by the defect that leaves it; silence where nothing is like it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fixtures.defects.registry import Defect
from reports import bundle
from reports.fingerprints import diagnosis, likenesses
from tests import bundles
from tests.proof.fingerprints import fingerprints, store

KNOWN = [
    {"defect": "A", "sentence": "Sums are floats", "failed": ["PAY-A-01", "PAY-A-02", "PAY-A-03"]},
    {"defect": "B", "sentence": "The replay pays twice", "failed": ["PAY-B-01"]},
    {"defect": "C", "sentence": "Sums are rounded", "failed": ["PAY-A-01", "PAY-A-02"]},
]
DEFECT = Defect("Floats", "m:Floats", ("PAY-A-01",), "limits", "Sums are floats.\n\nMore.")
ROW = {"defect": "Floats", "outcomes": {"PAY-A-01": "fail", "PAY-A-02": "pass"}, "beside": ["PAY-A-03"]}


@pytest.fixture
def known(tmp_path: Path) -> Path:
    path = tmp_path / "fingerprints.json"
    path.write_text(json.dumps(KNOWN))
    return path


def test_the_nearest_defects_come_first(known: Path) -> None:
    found = likenesses(["PAY-A-01", "PAY-A-02", "PAY-A-03"], path=known)
    assert [one.sentence for one in found] == ["Sums are floats", "Sums are rounded"]
    assert found[0].similarity == 1


def test_a_pattern_that_is_unknown_is_like_nothing(known: Path) -> None:
    assert likenesses(["PAY-X-01", "PAY-X-02", "PAY-A-01"], path=known) == []


def test_a_warning_that_no_defect_explains_is_no_part_of_the_pattern(known: Path) -> None:
    assert [one.sentence for one in likenesses(["PAY-B-01"], ["PAY-W-01"], known)] == ["The replay pays twice"]


def test_without_a_measured_file_nothing_is_said(tmp_path: Path) -> None:
    assert likenesses(["PAY-A-01"], path=tmp_path / "none.json") == []


def test_a_bundle_is_told_what_it_looks_like(known: Path, tmp_path: Path) -> None:
    recorded = bundle.read(bundles.write(tmp_path / "b", requirements=12))
    failed = [one.id for one in recorded.entries if one.outcome == "fail"]
    known.write_text(json.dumps([{"sentence": "A key pays twice", "failed": failed}]))
    assert diagnosis(recorded, known) == "this failure looks like: A key pays twice"


def test_a_fingerprint_is_all_that_failed_with_a_defect() -> None:
    assert fingerprints([ROW], {"Floats": DEFECT}) == [
        {"defect": "Floats", "sentence": "Sums are floats", "failed": ["PAY-A-01", "PAY-A-03"]}
    ]


def test_the_file_is_written_from_the_localisation_alone(tmp_path: Path) -> None:
    path = tmp_path / "made.json"
    assert store({"recall": {"rows": [ROW]}}, {"Floats": DEFECT}, path) == 0
    assert not path.exists()
    assert store({"localisation": {"rows": [ROW]}}, {"Floats": DEFECT}, path) == 1
    assert [one.sentence for one in likenesses(["PAY-A-01", "PAY-A-03"], path=path)] == ["Sums are floats"]
