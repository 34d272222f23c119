"""Comparison of two runs, and of several targets."""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.model.vocabulary import Observation
from pix_conformance.proof.publish import estimates
from pix_conformance.proof.suite_run import ROOT, run_suite
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import Bundle
from pix_conformance.report import open_points
from pix_conformance.report.cards import cards_of
from pix_conformance.report.comparison import Change, compare_two, diff_text, lines, render_compare, render_diff
from pix_conformance.report.differences import BY_CHANCE, AnswerDifference, difference, is_of_responses, seen
from pix_conformance.report.open_points import answer, as_csv, reference_answers
from pix_conformance.report.pages import render_index
from pix_conformance.report.report_command import main
from pix_conformance.report.summary import render_summary
from pix_conformance.session.costs import REQUESTS_PER_TEST, measured_costs
from tests.support import bundles
from tests.support.bundles import run

NOT_SELECTED = "not selected"
Rows = dict[str, Any] | list[dict[str, Any]]
Pair = Callable[..., tuple[Bundle, Bundle]]


def row(outcome: str, reason: str = "", observation: Any = None) -> dict[str, Any]:
    """Return the requirement that changes."""
    return bundles.requirement(0, outcome=outcome, reason=reason, observation=observation)


def saw(words: str) -> dict[str, Any]:
    """Return an open requirement with this observation."""
    return row("observed", "", [bundles.seen("exchange 1", words)])


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    """Make the bundles of two runs with one requirement, or several."""

    def bundles_of(before: Rows, after: Rows, **words: str) -> tuple[Bundle, Bundle]:
        first, second = (rows if isinstance(rows, list) else [rows] for rows in (before, after))
        return run(tmp_path / "a", *first), run(tmp_path / "b", *second, **words)

    return bundles_of


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        (row("pass"), row("fail"), Change.WORSE),
        (row("pass"), row("inconclusive"), Change.WORSE),
        (row("pass"), row("warn"), Change.WORSE),
        (row("fail"), row("pass"), Change.BETTER),
        (row("inconclusive"), row("pass"), Change.BETTER),
        (row("pass"), row("not applicable"), Change.DIFFERENT),
        (row("not applicable", "PIX_SPLIT_EMAIL is not set"), row("fail"), Change.WORSE),
        (row("not applicable", NOT_SELECTED), row("fail"), Change.WORSE),
        (row("not applicable", NOT_SELECTED), row("warn"), None),
        (row("pass"), row("not applicable", NOT_SELECTED), None),
        ([], row("not applicable", NOT_SELECTED), None),
        (row("fail", "status is 200"), row("fail", "status is 500"), Change.DIFFERENT),
        (saw("an array"), saw("an object"), Change.DIFFERENT),
        (saw("an array"), saw("an array"), None),
        (row("fail", "refused (exchange 12)"), row("fail", "refused (exchange 345)"), None),
        (row("fail", "chg 0123456789abcdef is paid"), row("fail", "chg fedcba9876543210 is paid"), None),
        (row("pass"), row("pass"), None),
    ],
)
def test_a_requirement_changes(pair: Pair, before: Rows, after: Rows, change: Change | None) -> None:
    diff = compare_two(*pair(before, after))
    assert [step.change for step in diff.steps] == ([change] if change else [])
    assert diff.status == (1 if change is Change.WORSE else 0)


def test_a_requirement_that_one_run_does_not_know_is_different(pair: Pair) -> None:
    steps = compare_two(*pair(row("pass"), bundles.requirement(2))).steps
    wanted = [(Change.DIFFERENT, "PAY-IDEM-00"), (Change.DIFFERENT, "PAY-LIMI-02")]
    assert [(step.change, step.entry.id) for step in steps] == wanted


def test_the_diff_counts_in_its_headline_what_changed_and_what_was_not_selected(pair: Pair) -> None:
    diff = compare_two(*pair(row("pass"), row("fail", "status is 200"), target="next"))
    assert diff.headline == "From gateway to next: 1 worse."
    assert "status is 200" in diff_text(diff)
    assert "status is 200" in render_diff(diff)
    diff = compare_two(*pair(row("pass"), row("not applicable", NOT_SELECTED)))
    assert diff.headline == "From gateway to gateway: nothing changed. 1 requirement was not selected in both runs."


def test_hostile_runs_make_harmless_pages(pair: Pair) -> None:
    evil = " ".join(bundles.HOSTILE)
    before, after = pair(row("fail", evil), row("pass", evil), target=evil)
    for page in (render_diff(compare_two(before, after)), render_compare([before, after])):
        assert "<img" not in page
        assert page.count("<script>") == 1


def test_a_comparison_shows_where_targets_differ(pair: Pair) -> None:
    same = bundles.requirement(2)
    both = pair([row("pass"), same], [row("fail"), same])
    assert [(line.entry.id, line.difference) for line in lines(both)] == [
        ("PAY-IDEM-00", AnswerDifference.BEHAVIOR),
        ("PAY-LIMI-02", AnswerDifference.NONE),
    ]
    page = render_compare(both)
    assert "2 targets behave differently at 1 of the 2 points that both were asked, and use other words at 0." in page
    assert page.index("Totals") < page.index("Where they behave differently") < page.index("Where all agree")


def refused(message: str, code: str = "INVALID_REQUEST") -> dict[str, Any]:
    """Return an open requirement whose observation is an error response with this message."""
    data = {"a float": {"status": 400, "error": code}}
    return row("observed", "", [{"words": f"a float: 400 {code} {message}", "data": data, "evidence": []}])


@pytest.mark.parametrize(
    ("other", "difference", "change"),
    [
        (refused("no float"), AnswerDifference.NONE, None),
        (refused("must be an integer"), AnswerDifference.WORDING, Change.REWORDED),
        (refused("no float", "BAD_TYPE"), AnswerDifference.BEHAVIOR, Change.DIFFERENT),
    ],
)
def test_other_words_are_not_other_behavior(
    pair: Pair, other: dict[str, Any], difference: AnswerDifference, change: Change | None
) -> None:
    both = pair(refused("no float"), other)
    assert [line.difference for line in lines(both)] == [difference]
    assert [step.change for step in compare_two(*both).steps] == ([change] if change else [])


def test_other_words_are_shown_and_nothing_else(pair: Pair) -> None:
    both = pair(refused("no float"), refused("must be an integer"))
    (step,), (line,) = compare_two(*both).steps, lines(both)
    texts = ("a float: 400 INVALID_REQUEST no float", "a float: 400 INVALID_REQUEST must be an integer")
    assert step.said == tuple(line.said(cell) for cell in line.cells if cell) == texts


def test_a_diff_in_a_terminal_has_no_markup(pair: Pair) -> None:
    text = diff_text(compare_two(*pair(row("pass"), row("fail", "a <t> is_not *b* | \x1b[31mred"))))
    assert "after   fail a <t> is_not *b* | " in text
    assert "\x1b" not in text


def test_what_only_one_target_was_asked_is_no_agreement(pair: Pair) -> None:
    both = pair(row("pass"), row("not applicable", NOT_SELECTED))
    assert [line.difference for line in lines(both)] == [None]
    page = render_compare(both)
    assert "at 0 of the 0 points that both were asked" in page
    assert "Where all agree" not in page


def test_a_comparison_shows_failures_before_open_points(pair: Pair) -> None:
    failed = bundles.requirement(2, outcome="fail", reason="status is 200")
    both = pair([saw("an array"), failed], [saw("an object"), failed])
    assert [line.entry.id for line in lines(both)] == ["PAY-LIMI-02", "PAY-IDEM-00"]


def test_the_command_writes_pages_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bundles.write(tmp_path)
    assert main([str(tmp_path)]) == 0
    assert {"index.html", "junit.xml", "summary.md", "badge.json"} <= {path.name for path in tmp_path.iterdir()}
    assert capsys.readouterr().out.strip().endswith("index.html")


def test_the_command_diffs_with_an_exit_status_and_compares(
    pair: Pair, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pair(row("pass"), row("fail"))
    before, after, page = (str(tmp_path / name) for name in ("a", "b", "page.html"))
    assert main(["diff", before, after, "--out", page]) == 1
    assert "1 worse" in Path(page).read_text("utf-8")
    assert main(["diff", after, before]) == 0
    assert "1 better" in capsys.readouterr().out
    assert main(["compare", before, after, "--out", page]) == 0
    assert "2 targets behave differently" in Path(page).read_text("utf-8")


def test_a_directory_that_is_no_bundle_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 4
    assert "no report of this suite in" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["diff"], ["compare", "a"]])
def test_a_wrong_command_line_is_a_usage_error(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 4


RESPONSES = {
    "a float": {"status": 400, "error": "INVALID_REQUEST"},
    "a text": {"status": 400, "error": "INVALID_REQUEST"},
    "null": {"status": 200, "error": None},
}
FAILED = {"status": 500, "error": None}


def point(words: str, data: Any = None, name: str = "PAY-GEN-03") -> dict[str, Any]:
    """Return an open requirement with this observation."""
    seen = {"words": words, "data": data, "evidence": []}
    return bundles.requirement(5, id=name, api="payments", level="open", outcome="observed", observation=[seen])


def test_responses_are_grouped_by_status_and_code(tmp_path: Path) -> None:
    entry = bundles.run(tmp_path, point("words of the server", RESPONSES)).entries[0]
    assert answer(entry) == "refused (400 INVALID_REQUEST): a float · a text; accepted (200): null"


@pytest.mark.parametrize(
    ("row", "differs"),
    [
        (point("refused with these words", RESPONSES), AnswerDifference.NONE),
        (point("refused with other words", RESPONSES), AnswerDifference.WORDING),
        (point("", RESPONSES | {"null": FAILED}), AnswerDifference.BEHAVIOR),
        (point("", RESPONSES, "PAY-GEN-99"), None),
    ],
)
def test_an_open_point_is_compared_with_the_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: dict[str, Any], differs: AnswerDifference | None
) -> None:
    known = bundles.run(tmp_path / "reference", point("refused with these words", RESPONSES)).entries[0]
    monkeypatch.setattr(open_points, "reference_answers", lambda: {known.id: list(known.observations)})
    bundle = bundles.run(tmp_path / "run", row)
    assert [point.differs for _, points in open_points.open_points(bundle) for point in points] == [differs]
    assert ("unlike the reference" in render_summary(bundle, cards_of(bundle))) is (differs is not None)
    assert f'data-differs="{differs or "unknown"}"' in render_index(bundle, cards_of(bundle))


def test_the_table_is_written_as_csv(tmp_path: Path) -> None:
    rows = list(csv.DictReader(as_csv(bundles.run(tmp_path, point('=1+1, then "none"', 1))).splitlines()))
    wanted = ("Money", "PAY-GEN-03", '\'=1+1, then "none"')
    assert [(row["topic"], row["requirement"], row["answer"]) for row in rows] == [wanted]


def seconds(*given: float | None) -> dict[str, Any]:
    """Return an open requirement whose observation is how long something took."""
    words = ", ".join("?" if number is None else f"{number:.2f}" for number in given)
    return point(f"pauses: {words} s", list(given))


@pytest.mark.parametrize(
    ("row", "other", "differs"),
    [
        (point("", RESPONSES | {"asked of one": FAILED}), point("", RESPONSES), AnswerDifference.NONE),
        (point("", {"a": RESPONSES["null"]}), point("", {"b": RESPONSES["null"]}), None),
        (
            point("a float: 400 no", {"a float": RESPONSES["a float"]}),
            point("", RESPONSES),
            AnswerDifference.WORDING,
        ),
        (seconds(0.25, 0.76), seconds(0.31, 0.9), AnswerDifference.NONE),
        (seconds(0.25, 0.76), seconds(1.01, 3.02), AnswerDifference.BEHAVIOR),
        (seconds(0.25, None, 1.0), seconds(0.25, 0.5), AnswerDifference.NONE),
        (point("an array"), point("an object"), AnswerDifference.BEHAVIOR),
        (point("created, paid", name="PAY-EVT-23"), point("paid, created", name="PAY-EVT-23"), None),
        (point("no", name="PAY-ERR-13"), point("nothing", name="PAY-ERR-13"), AnswerDifference.WORDING),
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
    unlike = [point for point in points if point.differs is not AnswerDifference.NONE]
    assert [(row.entry.id, row.answer, row.reference) for row in unlike if row.entry.id not in BY_CHANCE] == []
    known = reference_answers()
    seen_inputs = {row.entry.id: inputs(row.entry.observations) for row in points}
    assert [name for name, labels in seen_inputs.items() if labels != inputs(known[name])] == []
    return len(points)


def test_a_whole_run_sends_what_is_said_of_it(whole_run: tuple[Bundle, str]) -> None:
    """About as many requests a test as `--plan` estimates where nothing was measured, and not many more than 2,200.

    On a busy machine a run polls more often, which makes some 40 more than on a quiet one.
    """
    bundle, output = whole_run
    (tests,) = map(int, re.findall("collected ([0-9]+) items", output))
    assert len(bundle.exchanges) <= 2_280
    assert len(bundle.exchanges) / tests == pytest.approx(REQUESTS_PER_TEST, rel=0.1)


def test_a_plan_of_a_clone_has_the_numbers_of_a_whole_run(whole_run: tuple[Bundle, str]) -> None:
    """Of nearly all functions: those of tests that were added since are estimated. To write the file again:

    `python -m pix_conformance.proof estimates` does.
    """
    bundle, _ = whole_run
    tests = {test for entry in bundle.entries for test in entry.tests}
    now, planned = estimates(bundle.exchanges, bundle.journal, tests, {}), measured_costs()
    assert planned["tests"].keys() - now.keys() == set()
    assert len(now.keys() - planned["tests"].keys()) <= len(now) / 20
    of_plan = [*planned["tests"].values(), *planned["fixtures"].values()]
    for kind in ("requests", "charges", "transfers", "webhooks", "cents"):
        sums = [sum(row.get(kind, 0) for row in rows) for rows in (now.values(), of_plan)]
        assert sums[1] == pytest.approx(sums[0], rel=0.1), kind


def test_a_whole_run_creates_what_the_readme_says(whole_run: tuple[Bundle, str]) -> None:
    text = " ".join((ROOT / "README.md").read_text("utf-8").split())
    stated = re.findall(r"leaves some (\d+) charges and (\d+) transfers .*?; about (\d+) webhooks", text)
    counts = Counter(created.kind for created in whole_run[0].journal)
    for kind, count in zip(("charge", "transfer", "webhook"), map(int, *stated), strict=True):
        assert count == pytest.approx(counts[kind], rel=0.1), kind


def inputs(observations: Iterable[Observation]) -> set[str]:
    """Return the names of the inputs whose responses were observed."""
    return {label for observation in observations if is_of_responses(observation.data) for label in observation.data}
