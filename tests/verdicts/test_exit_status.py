"""Every row of the table of exit statuses: all files, the headline and the exit status agree."""

import json
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.model.vocabulary import Level, Outcome
from pix_conformance.model.why import Why
from pix_conformance.proof.suite_run import Finished, run_suite
from pix_conformance.report.pages import write_pages
from pix_conformance.verdicts.exit_status import Result, WholeRun
from tests.support import bundles
from tests.support.servers import always, serving

Reason = tuple[Why | None, str]
NOT_SELECTED: dict[str, Reason] = {"not applicable": (Why.NOT_SELECTED, "not selected")}
LACKING: dict[str, Reason] = {"not applicable": (Why.NOT_SET, "PIX_OTHER_CLIENT_ID is not set")}
PARTIAL = {"partial": True}
ONE, TESTED = "the 1 tested mandatory requirement passes", "tested mandatory requirements"
NOT, OURS = "T does not conform", "T could not be judged because the suite itself failed"
GREEN, OF_ONE, STALE = "brightgreen", {"apis": ("payments",)}, "the waiver of PAY-BAL-01 is no longer needed"
NOTHING = "T: nothing was judged (PIX_OTHER_CLIENT_ID is not set)"


@dataclass(frozen=True)
class Case:
    """The musts of a run by outcome, the expected results, and the circumstances."""

    musts: str
    exit: int
    color: str
    headline: str
    shoulds: str = ""
    more: dict[str, Any] = field(default_factory=dict)
    stopped: int | None = None
    reasons: dict[str, Reason] = field(default_factory=lambda: NOT_SELECTED)

    @property
    def results(self) -> list[Result]:
        """Return each outcome as a requirement of the payments API."""
        rows = [(Level.MUST, self.musts), (Level.SHOULD, self.shoulds)]
        outcomes = [(level, Outcome(word)) for level, text in rows for word in text.split(", ") if word]
        reasons = [(*self.reasons.get(outcome, (None, "")), level, outcome) for level, outcome in outcomes]
        return [Result("payments", level, outcome, words, why) for why, words, level, outcome in reasons]


CASES = {
    "conforms": Case("pass, pass", 0, GREEN, f"T conforms: all 2 {TESTED} pass"),
    "not all tested": Case("pass, not applicable", 0, GREEN, f"T conforms: {ONE} (1 not tested)", reasons=LACKING),
    "waived": Case("pass, waived", 0, "green", f"T passes with 1 waived failure: 0 of 2 {TESTED} failed"),
    "selected": Case("pass, pass, not applicable", 0, "blue", "T: the 2 selected requirements pass", more=PARTIAL),
    "selected should": Case("not applicable", 0, "blue", "T: the 1 selected requirement warned", "warn", PARTIAL),
    "one API": Case(
        "pass", 0, GREEN, f"T conforms: {ONE}; only the payments API was tested (no PIX_API_KEY)", more=OF_ONE
    ),
    "failed": Case("pass, fail, not applicable", 1, "red", f"{NOT}: 1 of 2 {TESTED} failed (1 not tested)"),
    "failed, selected": Case(
        "pass, fail, waived", 1, "red", "T: of the 3 selected requirements 1 failed, 1 waived, 1 passed", more=PARTIAL
    ),
    "warned at level must": Case("pass", 0, GREEN, f"T conforms: {ONE}", "warn"),
    "warned at level should": Case(
        "pass", 1, "red", f"{NOT}: {ONE}, the 1 tested recommended requirement failed", "warn", {"level": Level.SHOULD}
    ),
    "gate": Case("pass", 1, "red", f"gate failed: {STALE}; T: {ONE}", more={"gate": (STALE,)}),
    "failed and gate": Case(
        "fail",
        1,
        "red",
        f"{NOT}: the 1 tested mandatory requirement failed; gate failed: {STALE}",
        more={"gate": (STALE,)},
    ),
    "interrupted": Case(
        *("pass, inconclusive", 2, "yellow"),
        f"T was not fully tested because the run was interrupted: {ONE} (1 not tested); 1 requirement not reached",
        stopped=2,
        reasons={"inconclusive": (Why.INTERRUPTED, "not reached: the run was interrupted")},
    ),
    "our error": Case("pass, error", 3, "yellow", f"{OURS}: {ONE} (1 not tested)"),
    "collection failed": Case(
        *("inconclusive", 3, "yellow"),
        f"{OURS}: no mandatory requirement was tested (1 not tested); 1 requirement without a test",
        stopped=3,
        reasons={"inconclusive": (Why.NO_TEST, "no test yet")},
    ),
    "inconclusive": Case(
        "pass, inconclusive", 6, "yellow", f"T is not fully judged (1 requirement inconclusive): {ONE} (1 not tested)"
    ),
    "nothing judged": Case("not applicable", 6, "lightgrey", NOTHING, reasons=LACKING),
    "nothing judged but a should": Case("not applicable", 6, "lightgrey", NOTHING, "pass", PARTIAL, reasons=LACKING),
}
SLUGS = {0: "pass", 1: "fail", 2: "inconclusive", 3: "error", 6: "inconclusive"}


@pytest.mark.parametrize("name", CASES)
def test_every_file_of_a_run_says_the_same(name: str, tmp_path: Path) -> None:
    """Exit status, headline, badge, JUnit, page and summary agree in each case."""
    case = CASES[name]
    run = WholeRun("T", case.results, **case.more)
    status = case.stopped or run.exit_status
    headline = run.headline(status)
    content = bundles.results(0) | {"headline": headline}
    content["run"] |= {"exit": status} | {key: value for key, value in case.more.items() if key != "apis"}
    content["target"] |= {"name": "T", "apis": list(case.more.get("apis", ("payments", "business")))}
    content["requirements"] = [
        bundles.requirement(2 * number, outcome=row.outcome, level=row.level, reason=row.reason, why=row.why)
        for number, row in enumerate(case.results)
    ]
    (tmp_path / "results.json").write_text(json.dumps(content))
    write_pages(tmp_path)

    assert (status, headline) == (case.exit, case.headline)
    assert json.loads((tmp_path / "badge.json").read_text())["color"] == case.color
    assert headline in (tmp_path / "summary.md").read_text().replace("\\", "")
    page = (tmp_path / "index.html").read_text()
    assert f"<h1>{headline}</h1>" in page
    assert f'class="verdict {SLUGS[status]}"' in page
    counts = kinds(tmp_path / "junit.xml")
    assert bool(counts["failure"]) == (status == 1)
    assert bool(counts["error"]) == (status in {2, 3, 6})


def kinds(path: Path) -> Counter[str]:
    """Return the number of results of each kind in a JUnit file, whose totals must agree."""
    suite = ET.parse(path).getroot()[0]  # noqa: S314  # written by this test
    counts = Counter(result.tag for case in suite for result in case)
    assert [int(suite.attrib[f"{name}s"]) for name in ("failure", "error")] == [counts["failure"], counts["error"]]
    return counts


@pytest.mark.parametrize(("only", "why"), [("PAY-ISO-01", "PIX_OTHER_CLIENT_ID is not"), ("PAY-GEN-12", "unobserv")])
def test_a_run_that_judges_nothing_is_not_green(tmp_path: Path, only: str, why: str) -> None:
    """If the requirement lacks a credential or is unobservable, the run ends with 6 and names the reason."""
    with serving(always(200, b"{}")) as url:
        given = {"PIX_BASE_URL": url, "PIX_CLIENT_ID": "a", "PIX_CLIENT_SECRET": "b"}
        done = run_suite(tmp_path / "out", "--only", only, **given)
    assert done.exit == 6
    assert f"nothing was judged ({why}" in done.output
    assert kinds(tmp_path / "out" / "junit.xml")["error"] == 1


def test_a_run_of_selected_requirements_does_not_claim_conformity(right_run: Finished) -> None:
    assert right_run.exit == 0
    assert "the embedded reference: the 12 selected requirements pass" in right_run.output
    assert "conforms" not in right_run.results["headline"]


def test_the_last_line_of_the_progress_counts_all_requests(right_run: Finished) -> None:
    """Those of the end too, which remove webhooks."""
    requests = right_run.results["totals"]["requests"]
    assert requests > 0
    assert f", {requests} requests: finished" in right_run.output


MIXED = (
    Result("payments", Level.MUST, Outcome.PASS, ""),
    Result("business", Level.MUST, Outcome.NOT_APPLICABLE, "--receiver is off"),
    Result("business", Level.MUST, Outcome.NOT_APPLICABLE, "not selected", Why.NOT_SELECTED),
    Result("payments", Level.OPEN, Outcome.OBSERVED, "200"),
)
UNOBSERVABLE = Result("payments", Level.MUST, Outcome.NOT_APPLICABLE, "unobservable: no route", unobservable=True)
UNREACHED = Result("payments", Level.MUST, Outcome.INCONCLUSIVE, "no connection to http://h")


LACKED = [Result("payments", Level.MUST, Outcome.NOT_APPLICABLE, "PIX_SPLIT_EMAIL is not set")] * 2
NO_KEY = Result("business", Level.MUST, Outcome.NOT_APPLICABLE, "PIX_API_KEY is not set")
OF, PASSED, ALONE = "of the ", "selected requirements 1 passed", "T: the 1 selected requirement passes"


def selected(*results: Result, **more: Any) -> WholeRun:
    return WholeRun("T", results, partial=True, **more)


@pytest.mark.parametrize(
    ("run", "status", "words"),
    [
        (selected(*MIXED), 0, f"T: {OF}2 {PASSED}, 1 not tested (--receiver is off), 1 open point recorded"),
        (selected(*MIXED, *LACKED), 0, f"{OF}4 {PASSED}, 3 not tested (2 of them: PIX_SPLIT_EMAIL is not set)"),
        (selected(MIXED[0], *[NO_KEY] * 9, **OF_ONE), 0, f"{ALONE}; only the payments API was tested"),
        (selected(MIXED[0], UNOBSERVABLE), 0, "1 passed, 1 not observable"),
        (WholeRun("T", [MIXED[0], MIXED[1], UNOBSERVABLE]), 0, f"{ONE} (1 not tested, 1 not observable)"),
        (selected(*[UNOBSERVABLE] * 3, UNREACHED, *LACKED), 6, "T: nothing was judged (no connection to http://h)"),
        (selected(MIXED[2]), 6, "T: nothing was judged (no requirement was selected)"),
    ],
)
def test_the_headline_counts_what_was_not_tested_and_says_why(run: WholeRun, status: int, words: str) -> None:
    assert words in run.headline(status)
