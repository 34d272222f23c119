"""Open points by topic: one line each, compared with the reference, on the page, in the summary and as CSV."""

import csv
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.model.vocabulary import Observation
from pix_conformance.proof.suite_run import ROOT, run_suite
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import Bundle
from pix_conformance.report import open_points
from pix_conformance.report.cards import cards
from pix_conformance.report.differences import BY_CHANCE, AnswerDifference, difference, is_of_responses, seen
from pix_conformance.report.open_points import answer, as_csv, reference_answers
from pix_conformance.report.pages import render_index
from pix_conformance.report.summary import render_summary
from pix_conformance.session.plan import REQUESTS_PER_TEST
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


def test_responses_are_grouped_by_status_and_code(tmp_path: Path) -> None:
    entry = bundles.run(tmp_path, saw("words of the server", RESPONSES)).entries[0]
    assert answer(entry) == "refused (400 INVALID_REQUEST): a float · a text; accepted (200): null"


@pytest.mark.parametrize(
    ("row", "differs"),
    [
        (saw("refused with these words", RESPONSES), AnswerDifference.NONE),
        (saw("refused with other words", RESPONSES), AnswerDifference.WORDING),
        (saw("", RESPONSES | {"null": {"status": 500, "error": None}}), AnswerDifference.BEHAVIOR),
        (saw("", RESPONSES, "PAY-GEN-99"), None),
    ],
)
def test_an_open_point_is_compared_with_the_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: dict[str, Any], differs: AnswerDifference | None
) -> None:
    known = bundles.run(tmp_path / "reference", saw("refused with these words", RESPONSES)).entries[0]
    monkeypatch.setattr(open_points, "reference_answers", lambda: {known.id: list(known.observations)})
    bundle = bundles.run(tmp_path / "run", row)
    assert [point.differs for _, points in open_points.open_points(bundle) for point in points] == [differs]
    assert ("unlike the reference" in render_summary(bundle, cards(bundle))) is True
    assert f'data-differs="{differs or "unknown"}"' in render_index(bundle, cards(bundle))


def test_the_table_is_written_as_csv(tmp_path: Path) -> None:
    rows = list(csv.DictReader(as_csv(bundles.run(tmp_path, saw('=1+1, then "none"', 1))).splitlines()))
    assert [(row["topic"], row["requirement"], row["answer"]) for row in rows] == [
        ("Money", "PAY-GEN-03", '\'=1+1, then "none"')
    ]


def seconds(*given: float | None) -> dict[str, Any]:
    """Return an open requirement whose observation is how long something took."""
    words = ", ".join("?" if number is None else f"{number:.2f}" for number in given)
    return saw(f"pauses: {words} s", list(given))


@pytest.mark.parametrize(
    ("row", "other", "differs"),
    [
        (
            saw("", RESPONSES | {"asked of one": {"status": 500, "error": None}}),
            saw("", RESPONSES),
            AnswerDifference.NONE,
        ),
        (saw("", {"a": RESPONSES["null"]}), saw("", {"b": RESPONSES["null"]}), None),
        (saw("a float: 400 no", {"a float": RESPONSES["a float"]}), saw("", RESPONSES), AnswerDifference.WORDING),
        (seconds(0.25, 0.76), seconds(0.31, 0.9), AnswerDifference.NONE),
        (seconds(0.25, 0.76), seconds(1.01, 3.02), AnswerDifference.BEHAVIOR),
        (seconds(0.25, None, 1.0), seconds(0.25, 0.5), AnswerDifference.NONE),
        (saw("an array"), saw("an object"), AnswerDifference.BEHAVIOR),
        (saw("created, paid", name="PAY-EVT-23"), saw("paid, created", name="PAY-EVT-23"), None),
        (saw("no", name="PAY-ERR-13"), saw("nothing", name="PAY-ERR-13"), AnswerDifference.WORDING),
    ],
)
def test_answers_are_compared_where_both_were_asked(
    tmp_path: Path, row: dict[str, Any], other: dict[str, Any], differs: AnswerDifference | None
) -> None:
    first, second = (bundles.run(tmp_path / name, asked).entries[0] for name, asked in (("a", row), ("b", other)))
    assert difference(seen(first), seen(second)) is differs


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bundle, str]:
    """The bundle and the output of a run against the reference with the default options."""
    done = run_suite(tmp_path_factory.mktemp("run") / "out")
    return read(done.directory), done.output


def test_the_reference_has_no_difference_from_itself(whole_run: tuple[Bundle, str]) -> None:
    assert of_no_difference(whole_run[0]) > len(reference_answers()) - 5


def test_the_reference_has_no_difference_from_itself_with_another_seed(tmp_path: Path) -> None:
    assert of_no_difference(read(run_suite(tmp_path / "out", "-m", "observes", "--seed", "4711").directory)) > 100


def of_no_difference(bundle: Bundle) -> int:
    """Compare a run with the stored answers; return the number of open points that were seen."""
    points = [point for _, points in open_points.open_points(bundle) for point in points]
    unlike = [
        point for point in points if point.differs is not AnswerDifference.NONE and point.entry.id not in BY_CHANCE
    ]
    assert [(point.entry.id, point.answer, point.reference) for point in unlike] == []
    known = reference_answers()
    assert [
        point.entry.id for point in points if inputs(point.entry.observations) != inputs(known[point.entry.id])
    ] == []
    return len(points)


def test_a_whole_run_sends_what_is_said_of_it(whole_run: tuple[Bundle, str]) -> None:
    """About as many requests a test as `--plan` estimates where nothing was measured, and not many more than 3,100.

    On a busy machine a run polls more often, which makes some 50 more.
    """
    bundle, output = whole_run
    (tests,) = map(int, re.findall("collected ([0-9]+) items", output))
    assert len(bundle.exchanges) <= 3_200
    assert len(bundle.exchanges) / tests == pytest.approx(REQUESTS_PER_TEST, rel=0.1)


def test_a_whole_run_creates_what_the_readme_says(whole_run: tuple[Bundle, str]) -> None:
    text = " ".join((ROOT / "README.md").read_text("utf-8").split())
    stated = re.findall(r"leaves some (\d+) charges and (\d+) transfers .*?; about (\d+) webhooks", text)
    counts = Counter(created.kind for created in whole_run[0].journal)
    for kind, count in zip(("charge", "transfer", "webhook"), map(int, *stated), strict=True):
        assert count == pytest.approx(counts[kind], rel=0.1), kind


def inputs(observations: Iterable[Observation]) -> set[str]:
    """Return the names of the inputs whose responses were observed."""
    return {label for observation in observations if is_of_responses(observation.data) for label in observation.data}
