"""Every row of the table of exit statuses: all files, the headline and the exit status agree."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.model.vocabulary import Level, Outcome
from pix_conformance.model.why import Why
from pix_conformance.proof.suite_run import run_suite
from pix_conformance.report.all_pages import write_pages
from pix_conformance.verdicts.exit_status import Result, WholeRun
from tests.support import bundles
from tests.support.servers import always, serving

Reason = tuple[Why | None, str]
NOT_SELECTED: dict[str, Reason] = {"not applicable": (Why.NOT_SELECTED, "not selected")}
LACKING: dict[str, Reason] = {"not applicable": (Why.NOT_SET, "PIX_OTHER_CLIENT_ID is not set")}


@dataclass(frozen=True)
class Case:
    """The musts of a run by outcome, its circumstances, and the expected results."""

    musts: str
    exit: int
    headline: str
    color: str
    shoulds: str = ""
    more: dict[str, Any] = field(default_factory=dict)
    stopped: int | None = None
    reasons: dict[str, Reason] = field(default_factory=lambda: NOT_SELECTED)

    @property
    def results(self) -> list[Result]:
        """Return each outcome as a requirement of the payments API."""
        rows = [(Level.MUST, self.musts), (Level.SHOULD, self.shoulds)]
        every = [(level, word.strip()) for level, text in rows for word in text.split(",") if word.strip()]
        reasons = [self.reasons.get(outcome, (None, "")) for _, outcome in every]
        return [
            Result("payments", level, Outcome(outcome), words, why)
            for (level, outcome), (why, words) in zip(every, reasons, strict=True)
        ]


CASES = {
    "conforms": Case("pass, pass", 0, "T conforms: all 2 tested mandatory requirements pass", "brightgreen"),
    "not all tested": Case(
        "pass, not applicable",
        0,
        "T conforms: the 1 tested mandatory requirement passes (1 not tested)",
        "brightgreen",
        reasons=LACKING,
    ),
    "waived": Case(
        "pass, waived",
        0,
        "T passes with 1 waived failure: 0 of 2 tested mandatory requirements failed",
        "green",
    ),
    "selected": Case(
        "pass, pass, not applicable", 0, "T: the 2 selected requirements pass", "blue", more={"partial": True}
    ),
    "selected should": Case(
        "not applicable", 0, "T: the 1 selected requirement warned", "blue", "warn", more={"partial": True}
    ),
    "one API": Case(
        "pass",
        0,
        "T conforms: the 1 tested mandatory requirement passes; only the payments API was tested (no PIX_API_KEY)",
        "brightgreen",
        more={"apis": ("payments",)},
    ),
    "failed": Case(
        "pass, fail, not applicable",
        1,
        "T does not conform: 1 of 2 tested mandatory requirements failed (1 not tested)",
        "red",
    ),
    "failed, selected": Case(
        "pass, fail, waived",
        1,
        "T: of the 3 selected requirements 1 failed, 1 waived, 1 passed",
        "red",
        more={"partial": True},
    ),
    "warned at level must": Case(
        "pass", 0, "T conforms: the 1 tested mandatory requirement passes", "brightgreen", "warn"
    ),
    "warned at level should": Case(
        "pass",
        1,
        "T does not conform: the 1 tested mandatory requirement passes, the 1 tested recommended requirement failed",
        "red",
        "warn",
        more={"level": Level.SHOULD},
    ),
    "gate": Case(
        "pass",
        1,
        "gate failed: the waiver of PAY-BAL-01 is no longer needed; T: the 1 tested mandatory requirement passes",
        "red",
        more={"gate": ("the waiver of PAY-BAL-01 is no longer needed",)},
    ),
    "failed and gate": Case(
        "fail",
        1,
        "T does not conform: the 1 tested mandatory requirement failed; "
        "gate failed: the required capability funds is missing",
        "red",
        more={"gate": ("the required capability funds is missing",)},
    ),
    "interrupted": Case(
        "pass, inconclusive",
        2,
        "T was not fully tested because the run was interrupted: the 1 tested mandatory requirement passes "
        "(1 not tested); 1 requirement not reached",
        "yellow",
        stopped=2,
        reasons={"inconclusive": (Why.INTERRUPTED, "not reached: the run was interrupted")},
    ),
    "our error": Case(
        "pass, error",
        3,
        "T could not be judged because the suite itself failed: "
        "the 1 tested mandatory requirement passes (1 not tested)",
        "yellow",
    ),
    "collection failed": Case(
        "inconclusive",
        3,
        "T could not be judged because the suite itself failed: no mandatory requirement was tested (1 not tested); "
        "1 requirement without a test",
        "yellow",
        stopped=3,
        reasons={"inconclusive": (Why.NO_TEST, "no test yet")},
    ),
    "inconclusive": Case(
        "pass, inconclusive",
        6,
        "T is not fully judged (1 requirement inconclusive): the 1 tested mandatory requirement passes (1 not tested)",
        "yellow",
    ),
    "nothing judged": Case(
        "not applicable", 6, "T: nothing was judged (PIX_OTHER_CLIENT_ID is not set)", "lightgrey", reasons=LACKING
    ),
    "nothing judged but a should": Case(
        "not applicable",
        6,
        "T: nothing was judged (PIX_OTHER_CLIENT_ID is not set)",
        "lightgrey",
        "pass",
        reasons=LACKING,
        more={"partial": True},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_every_file_of_a_run_says_the_same(name: str, tmp_path: Path) -> None:
    """Exit status, headline, badge, JUnit, page and summary agree in each case."""
    case = CASES[name]
    run = WholeRun("T", case.results, **case.more)
    status = case.stopped or run.exit_status
    said = run.headline(status)
    written(tmp_path, case, status, said)

    assert (status, said) == (case.exit, case.headline)
    assert json.loads((tmp_path / "badge.json").read_text())["color"] == case.color
    assert said in (tmp_path / "summary.md").read_text().replace("\\", "")
    page = (tmp_path / "index.html").read_text()
    assert f"<h1>{said}</h1>" in page
    assert f'class="verdict {SLUGS[status]}"' in page
    counts = kinds(tmp_path / "junit.xml")
    assert bool(counts["failure"]) == (status == 1)
    assert bool(counts["error"]) == (status in {2, 3, 6})


SLUGS = {0: "pass", 1: "fail", 2: "inconclusive", 3: "error", 6: "inconclusive"}


def kinds(path: Path) -> Counter[str]:
    """Return the number of results of each kind in a JUnit file, whose totals must agree."""
    suite = ET.parse(path).getroot()[0]  # noqa: S314  # written by this test
    counts = Counter(result.tag for case in suite for result in case)
    assert [int(suite.attrib[f"{name}s"]) for name in ("failure", "error")] == [counts["failure"], counts["error"]]
    return counts


def written(directory: Path, case: Case, status: int, headline: str) -> None:
    """Write the bundle of a case with its pages."""
    content = bundles.results(0)
    content["headline"] = headline
    content["run"]["exit"] = status
    content["run"] |= {key: value for key, value in case.more.items() if key in {"partial", "level", "gate"}}
    content["target"] |= {"name": "T", "apis": list(case.more.get("apis", ("payments", "business")))}
    content["requirements"] = [
        bundles.requirement(2 * number, outcome=row.outcome, level=row.level, reason=row.reason, why=row.why)
        for number, row in enumerate(case.results)
    ]
    (directory / "results.json").write_text(json.dumps(content))
    write_pages(directory)


@pytest.mark.parametrize(
    ("ids", "why"),
    [
        ("PAY-ISO-01", "PIX_OTHER_CLIENT_ID is not set"),
        ("BUS-CHG-01", "PIX_API_KEY is not set"),
        ("PAY-GEN-12", "unobservable"),
    ],
)
def test_a_run_that_judges_nothing_is_not_green(tmp_path: Path, ids: str, why: str) -> None:
    """If the requirement lacks a credential or is unobservable, the run ends with 6 and names the reason."""
    with serving(always(200, b"{}")) as url:
        given = {"PIX_BASE_URL": url, "PIX_CLIENT_ID": "a", "PIX_CLIENT_SECRET": "b"}
        done = run_suite(tmp_path / "out", "--only", ids, **given)
    assert done.exit == 6
    assert f"nothing was judged ({why}" in done.output
    assert kinds(tmp_path / "out" / "junit.xml")["error"] == 1


def test_a_run_of_selected_requirements_does_not_claim_conformity(tmp_path: Path) -> None:
    done = run_suite(tmp_path / "out", "--only", "PAY-BAL-01")
    assert done.exit == 0
    assert "the embedded reference: the 1 selected requirement passes" in done.output
    assert "conforms" not in done.results["headline"]


def test_a_waived_failure_is_not_red_in_the_last_lines(tmp_path: Path) -> None:
    """pytest's own summary counts the tests as waived, and lists none of them as failed."""
    waiver = '[[waiver]]\nrequirement = "BUS-FIN-01"\nreason = "known"\nticket = "T-1"\nexpires = 2099-01-31\n'
    (tmp_path / "waivers.toml").write_text(waiver)
    with serving(always(200, b"{}")) as url:
        given = {"PIX_BASE_URL": url, "PIX_API_KEY": "ak_test_x", "PIX_WAIVERS": str(tmp_path / "waivers.toml")}
        done = run_suite(tmp_path / "out", "--only", "BUS-FIN-01", **given)
    assert (done.exit, done.outcome("BUS-FIN-01")) == (0, "waived")
    assert "BUS-FIN-01 waived" in done.output
    assert "FAILED" not in done.output
    assert " failed" not in done.output.splitlines()[-1]
    assert "1/1, 1 waived, " in done.output


def test_the_last_line_of_the_progress_counts_all_requests(tmp_path: Path) -> None:
    """Those of the end too, which remove webhooks."""
    done = run_suite(tmp_path / "out", "--only", "PAY-WH-01")

    assert f", {done.results['totals']['requests']} requests: finished" in done.output
    assert done.results["totals"]["requests"] > 0


MIXED = (
    Result("payments", Level.MUST, Outcome.PASS, ""),
    Result("business", Level.MUST, Outcome.NOT_APPLICABLE, "--receiver is off"),
    Result("business", Level.MUST, Outcome.NOT_APPLICABLE, "not selected", Why.NOT_SELECTED),
    Result("payments", Level.OPEN, Outcome.OBSERVED, "200"),
)
UNOBSERVABLE = Result("payments", Level.MUST, Outcome.NOT_APPLICABLE, "unobservable: no route", unobservable=True)
UNREACHED = Result("payments", Level.MUST, Outcome.INCONCLUSIVE, "no connection to http://h")


def test_a_partial_run_counts_what_was_selected_and_says_why_a_part_was_not_tested() -> None:
    words = "of the 2 selected requirements 1 passed, 1 not tested (--receiver is off), 1 open point recorded"
    assert WholeRun("T", MIXED, partial=True).headline(0) == f"T: {words}"


def test_the_reasons_of_what_was_not_tested_are_counted() -> None:
    more = [Result("payments", Level.MUST, Outcome.NOT_APPLICABLE, "PIX_SPLIT_EMAIL is not set")] * 2
    headline = WholeRun("T", [*MIXED, *more], partial=True).headline(0)
    assert "of the 4 selected requirements 1 passed, 3 not tested (2 of them: PIX_SPLIT_EMAIL is not set)" in headline


def test_an_api_without_credentials_was_not_selected() -> None:
    lacking = [Result("business", Level.MUST, Outcome.NOT_APPLICABLE, "PIX_API_KEY is not set")] * 9
    headline = WholeRun("T", [MIXED[0], *lacking], apis=("payments",), partial=True).headline(0)
    assert headline.startswith("T: the 1 selected requirement passes; only the payments API was tested")


def test_unobservable_requirements_are_counted_apart() -> None:
    assert WholeRun("T", [MIXED[0], UNOBSERVABLE], partial=True).headline(0).endswith("1 passed, 1 not observable")
    words = WholeRun("T", [MIXED[0], MIXED[1], UNOBSERVABLE]).headline(0)
    assert words.endswith("the 1 tested mandatory requirement passes (1 not tested, 1 not observable)")


def test_a_run_that_judged_nothing_names_no_unobservable_reason() -> None:
    reasons = [UNOBSERVABLE] * 3 + [UNREACHED]
    reasons += [Result("payments", Level.MUST, Outcome.NOT_APPLICABLE, "PIX_CLIENT_ID is not set")] * 2
    assert WholeRun("T", reasons, partial=True).headline(6) == "T: nothing was judged (no connection to http://h)"
    nothing = [Result("payments", Level.MUST, Outcome.NOT_APPLICABLE, "not selected", Why.NOT_SELECTED)]
    assert WholeRun("T", nothing, partial=True).headline(6) == "T: nothing was judged (no requirement was selected)"
