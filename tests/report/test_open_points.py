"""Open points by topic: one line each, compared with the reference, on the page, in the summary and as CSV."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.model.catalogue import load
from pix_conformance.model.topics import TOPICS, topic
from pix_conformance.model.vocabulary import Level
from pix_conformance.report import open_points
from pix_conformance.report.index_page import render_index
from pix_conformance.report.open_points import Difference, answer, as_csv, described
from pix_conformance.report.summary import render_summary
from tests.support import bundles

RESPONSES = {
    "a float": {"status": 400, "error": "INVALID_REQUEST"},
    "a text": {"status": 400, "error": "INVALID_REQUEST"},
    "null": {"status": 200, "error": None},
}


def saw(words: str, data: Any = None, name: str = "PAY-GEN-03") -> dict[str, Any]:
    """Return an open requirement with this observation."""
    seen = {"words": words, "data": data, "evidence": []}
    return bundles.requirement(5, id=name, api="payments", level="open", outcome="observed", observation=[seen])


def test_every_open_point_has_a_topic() -> None:
    asked = [one.id for one in load().values() if one.level is Level.OPEN and not one.unobservable]
    assert {topic(one) for one in asked} == set(TOPICS)
    named = [name for names in TOPICS.values() for name in names.split()]
    assert len(named) == len(set(named))
    assert all(name in load() or any(one.startswith(f"{name}-") for one in load()) for name in named)


def test_responses_are_grouped_by_status_and_code(tmp_path: Path) -> None:
    entry = bundles.run(tmp_path, saw("words of the server", RESPONSES)).entries[0]
    assert answer(entry) == "refused (400 INVALID_REQUEST): a float · a text; accepted (200): null"


@pytest.mark.parametrize(
    ("row", "differs"),
    [
        (saw("refused with these words", RESPONSES), Difference.NONE),
        (saw("refused with other words", RESPONSES), Difference.WORDING),
        (saw("", RESPONSES | {"null": {"status": 500, "error": None}}), Difference.BEHAVIOR),
        (saw("", RESPONSES, "PAY-GEN-99"), None),
    ],
)
def test_an_open_point_is_compared_with_the_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: dict[str, Any], differs: Difference | None
) -> None:
    known = bundles.run(tmp_path / "reference", saw("refused with these words", RESPONSES)).entries[0]
    monkeypatch.setattr(open_points, "_reference", lambda: {known.id: described(known)})
    bundle = bundles.run(tmp_path / "run", row)
    assert [one.differs for _, points in open_points.open_points(bundle) for one in points] == [differs]
    assert ("unlike the reference" in render_summary(bundle)) is True
    assert f'data-differs="{differs or "unknown"}"' in render_index(bundle)


def test_the_table_is_written_as_csv(tmp_path: Path) -> None:
    rows = list(csv.DictReader(as_csv(bundles.run(tmp_path, saw('=1+1, then "none"', 1))).splitlines()))
    assert [(row["topic"], row["requirement"], row["answer"]) for row in rows] == [
        ("Money", "PAY-GEN-03", '\'=1+1, then "none"')
    ]


def test_what_the_reference_does_is_known_at_every_open_point() -> None:
    asked = {one.id for one in load().values() if one.level is Level.OPEN and not one.unobservable}
    assert set(open_points._reference()) <= asked  # noqa: SLF001  # the shipped file is what is tested
    assert len(open_points._reference()) > len(asked) - 10  # noqa: SLF001
