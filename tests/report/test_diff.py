"""Comparison of two runs, and of several targets."""

from pathlib import Path
from typing import Any

import pytest

from pix_conformance.report.compare import lines, render_compare
from pix_conformance.report.diff import Change, compare_two, diff_text, render_diff
from pix_conformance.report.differences import AnswerDifference
from pix_conformance.report.report_command import main
from tests.support import bundles
from tests.support.bundles import run

NOT_SELECTED = "not selected"


def row(outcome: str, reason: str = "", observation: Any = None) -> dict[str, Any]:
    """Return the requirement that changes."""
    return bundles.requirement(0, outcome=outcome, reason=reason, observation=observation)


def saw(words: str) -> dict[str, Any]:
    """Return an open requirement with this observation."""
    return row("observed", "", [bundles.seen("exchange 1", words)])


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
        (row("fail", "status is 200"), row("fail", "status is 500"), Change.DIFFERENT),
        (saw("an array"), saw("an object"), Change.DIFFERENT),
        (saw("an array"), saw("an array"), None),
        (row("fail", "refused (exchange 12)"), row("fail", "refused (exchange 345)"), None),
        (row("fail", "chg 0123456789abcdef is paid"), row("fail", "chg fedcba9876543210 is paid"), None),
        (row("pass"), row("pass"), None),
    ],
)
def test_a_requirement_changes(tmp_path: Path, before: Any, after: Any, change: Change | None) -> None:
    diff = compare_two(run(tmp_path / "a", before), run(tmp_path / "b", after))
    assert [step.change for step in diff.steps] == ([change] if change else [])
    assert diff.status == (1 if change is Change.WORSE else 0)


def test_a_requirement_that_one_run_does_not_know_is_different(tmp_path: Path) -> None:
    diff = compare_two(run(tmp_path / "a", row("pass")), run(tmp_path / "b", bundles.requirement(2)))
    assert [(step.change, step.entry.id) for step in diff.steps] == [
        (Change.DIFFERENT, "PAY-IDEM-00"),
        (Change.DIFFERENT, "PAY-LIMI-02"),
    ]


def test_the_diff_says_it_in_one_sentence(tmp_path: Path) -> None:
    diff = compare_two(
        run(tmp_path / "a", row("pass")), run(tmp_path / "b", row("fail", "status is 200"), target="next")
    )
    assert diff.headline == "From gateway to next: 1 worse."
    assert "status is 200" in diff_text(diff)
    assert "status is 200" in render_diff(diff)


def test_hostile_runs_make_harmless_pages(tmp_path: Path) -> None:
    evil = " ".join(bundles.HOSTILE)
    before, after = run(tmp_path / "a", row("fail", evil)), run(tmp_path / "b", row("pass", evil), target=evil)
    for page in (render_diff(compare_two(before, after)), render_compare([before, after])):
        assert "<img" not in page
        assert page.count("<script>") == 1


def test_a_comparison_shows_where_targets_differ(tmp_path: Path) -> None:
    same = bundles.requirement(2)
    first, second = run(tmp_path / "a", row("pass"), same), run(tmp_path / "b", row("fail"), same)
    assert [(line.entry.id, line.difference) for line in lines([first, second])] == [
        ("PAY-IDEM-00", AnswerDifference.BEHAVIOR),
        ("PAY-LIMI-02", AnswerDifference.NONE),
    ]
    page = render_compare([first, second])
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
    tmp_path: Path, other: dict[str, Any], difference: AnswerDifference, change: Change | None
) -> None:
    first, second = run(tmp_path / "a", refused("no float")), run(tmp_path / "b", other)
    assert [line.difference for line in lines([first, second])] == [difference]
    assert [step.change for step in compare_two(first, second).steps] == ([change] if change else [])


def test_other_words_are_shown_and_nothing_else(tmp_path: Path) -> None:
    first, second = run(tmp_path / "a", refused("no float")), run(tmp_path / "b", refused("must be an integer"))
    (step,) = compare_two(first, second).steps
    (line,) = lines([first, second])
    said = ("a float: 400 INVALID_REQUEST no float", "a float: 400 INVALID_REQUEST must be an integer")
    assert step.said == said
    assert tuple(line.said(cell) for cell in line.cells if cell) == said


def test_a_diff_in_a_terminal_has_no_markup(tmp_path: Path) -> None:
    before, after = run(tmp_path / "a", row("pass")), run(tmp_path / "b", row("fail", "a <t> is_not *b* | \x1b[31mred"))
    assert "after   fail a <t> is_not *b* | " in diff_text(compare_two(before, after))
    assert "\x1b" not in diff_text(compare_two(before, after))


def test_what_only_one_target_was_asked_is_no_agreement(tmp_path: Path) -> None:
    first, second = run(tmp_path / "a", row("pass")), run(tmp_path / "b", row("not applicable", NOT_SELECTED))
    assert [line.difference for line in lines([first, second])] == [None]
    page = render_compare([first, second])
    assert "at 0 of the 0 points that both were asked" in page
    assert "Where all agree" not in page


def test_a_comparison_shows_failures_before_open_points(tmp_path: Path) -> None:
    failed = bundles.requirement(2, outcome="fail", reason="status is 200")
    first, second = run(tmp_path / "a", saw("an array"), failed), run(tmp_path / "b", saw("an object"), failed)
    assert [line.entry.id for line in lines([first, second])] == ["PAY-LIMI-02", "PAY-IDEM-00"]


def test_a_comparison_names_an_unnamed_target_once(tmp_path: Path) -> None:
    bundle = run(tmp_path / "a", row("pass"), target="http://127.0.0.1:1")
    assert render_compare([bundle]).count("http://127.0.0.1:1") == 3  # the totals, the head of one table, its only cell


def test_a_requirement_that_was_not_selected_is_no_difference(tmp_path: Path) -> None:
    left_out = row("not applicable", NOT_SELECTED)
    diff = compare_two(run(tmp_path / "a", row("pass")), run(tmp_path / "b", left_out))
    assert diff.steps == ()
    assert compare_two(run(tmp_path / "c"), run(tmp_path / "d", left_out)).steps == ()
    assert diff.headline == "From gateway to gateway: nothing changed. 1 requirement was not selected in both runs."


def test_the_command_writes_pages_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bundles.write(tmp_path)
    assert main([str(tmp_path)]) == 0
    assert {"index.html", "junit.xml", "summary.md", "badge.json"} <= {path.name for path in tmp_path.iterdir()}
    assert capsys.readouterr().out.strip().endswith("index.html")


def test_the_command_diffs_with_an_exit_status(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path / "a", row("pass"))
    run(tmp_path / "b", row("fail"))
    before, after, page = str(tmp_path / "a"), str(tmp_path / "b"), tmp_path / "diff.html"
    assert main(["diff", before, after, "--out", str(page)]) == 1
    assert main(["diff", after, before]) == 0
    assert page.is_file()
    assert "1 better" in capsys.readouterr().out


def test_the_command_compares(tmp_path: Path) -> None:
    run(tmp_path / "a", row("pass"))
    page = tmp_path / "all.html"
    assert main(["compare", str(tmp_path / "a"), str(tmp_path / "a"), "--out", str(page)]) == 0
    assert page.is_file()


def test_a_directory_that_is_no_bundle_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 4
    assert "no report of this suite in" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["diff", "compare", "rejudge", "explain", "annotations", "waive"])
def test_the_help_of_a_command_is_its_own(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    text = capsys.readouterr().out
    assert stop.value.code == 0
    assert text.startswith(f"usage: pix-report {command} ")
    assert text.count("pix-report ") == 1


@pytest.mark.parametrize("arguments", [[], ["diff"], ["compare", "a"]])
def test_a_wrong_command_line_is_a_usage_error(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 4
