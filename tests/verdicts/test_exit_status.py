"""Every row of the table of exit statuses: all files, the headline and the exit status agree."""

import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.model.vocabulary import Level, Outcome, UsageError
from pix_conformance.model.why import Why
from pix_conformance.proof.suite_run import Finished, run_suite
from pix_conformance.reference.process import start
from pix_conformance.report.pages import write_pages
from pix_conformance.report.report_command import main
from pix_conformance.verdicts.exit_status import Result, WholeRun
from pix_conformance.verdicts.waivers import Waiver, gate, read
from tests.support import bundles
from tests.support.clients import account
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
        return [
            Result("payments", level, outcome, words, why, id="PAY-BAL-01") for why, words, level, outcome in reasons
        ]


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
    "warned at level must": Case("pass", 0, GREEN, f"T conforms: {ONE}, 1 recommended one failed: PAY-BAL-01", "warn"),
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
    content["target"] |= {"name": "T", "embedded": False, "apis": list(case.more.get("apis", ("payments", "business")))}
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
    mark = "warn" if status == 0 and case.shoulds == "warn" else SLUGS[status]
    assert f'class="verdict {mark}"' in page
    counts = kinds(tmp_path / "junit.xml")
    assert bool(counts["failure"]) == (status == 1)
    assert bool(counts["error"]) == (status in {2, 3, 6})


def kinds(path: Path) -> Counter[str]:
    """Return the number of results of each kind in a JUnit file, whose totals must agree."""
    suite = ET.parse(path).getroot()[0]  # noqa: S314  # written by this test
    counts = Counter(result.tag for case in suite for result in case)
    assert [int(suite.attrib[f"{name}s"]) for name in ("failure", "error")] == [counts["failure"], counts["error"]]
    return counts


@pytest.mark.parametrize(("only", "why"), [("PAY-ISO-02", "PIX_OTHER_CLIENT_ID is not"), ("PAY-GEN-12", "unobserv")])
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


TODAY = date(2026, 11, 21)
ENTRY = '[[waiver]]\nrequirement = "{0}"\nreason = "known"\nticket = "T-1"\nexpires = {1}\n'
GOOD = ENTRY.format("PAY-BAL-01", "2027-01-31")


def waivers(directory: Path, text: str) -> dict[str, Waiver]:
    path = directory / "waivers.toml"
    path.write_text(text)
    return read(path, TODAY)


def test_a_waiver_covers_only_failures_that_are_known(tmp_path: Path) -> None:
    waiver = waivers(tmp_path, GOOD + 'signature = ["status is 500", "no token"]')["PAY-BAL-01"]
    assert waiver.covers(Outcome.FAIL, "status is 500, not 200")
    assert not waiver.covers(Outcome.FAIL, "status is 404, not 200")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (ENTRY.format("PAY-NONE-01", "2027-01-31"), "no document states"),
        (ENTRY.format("PAY-BAL-01", "2026-11-20"), "expired on 2026-11-20"),
        (ENTRY.format("PAY-BAL-01", '"2027-01-31"'), "not a date such as 2027-01-31"),
        (ENTRY.format("PAY-BAL-01", "2027-01-31T00:00:00"), "not a date such as 2027-01-31"),
        (GOOD.replace('ticket = "T-1"\n', ""), "the entry PAY-BAL-01 has no ticket"),
        (GOOD + 'owner = "me"', "unknown keys: owner"),
        (GOOD + "signature = 3", "text or a list of texts"),
        ("[[waiver]]\n", "has no requirement, no reason, no ticket, no expires"),
        ("waiver = 3", "nothing but"),
        (GOOD.replace("waiver", "waivers"), "nothing but"),
        (ENTRY.format("PAY-CHG-07", "2027-01-31"), "an open point: it is recorded, it cannot fail"),
        (GOOD + GOOD, "twice"),
        (GOOD.replace("T-1", ""), "none of them empty"),
        (ENTRY.format("PAY-BAL-01", "2027-01-31").replace('"PAY-BAL-01"', "1"), "none of them empty"),
        ("[[", "cannot be read"),
    ],
)
def test_a_wrong_entry_is_a_usage_error(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        waivers(tmp_path, text)


@pytest.mark.parametrize(
    ("outcome", "gone"),
    [(Outcome.PASS, True), (Outcome.INCONCLUSIVE, False), (Outcome.NOT_APPLICABLE, False), (Outcome.WAIVED, False)],
)
def test_only_a_pass_makes_a_waiver_stale(tmp_path: Path, outcome: Outcome, gone: bool) -> None:  # noqa: FBT001  # a column
    sentences = gate({"PAY-BAL-01": outcome}, waivers(tmp_path, GOOD))
    assert sentences == (["the waiver of PAY-BAL-01 is no longer needed"] if gone else [])


def test_the_written_entries_turn_the_next_run_green_also_in_its_last_lines(tmp_path: Path) -> None:
    """pytest's own summary counts the tests as waived, and lists none of them as failed."""
    file, suite, names = str(tmp_path / "waivers.toml"), "suites/business/test_finance.py", ("BUS-FIN-01", "BUS-GEN-02")
    given = {"PIX_API_KEY": "ak_test_x", "PIX_ONLY": ",".join(names), "PIX_LEVEL": "should"}
    words = ["--reason", "a proxy", "--ticket", "T-7", "--expires", "2099-01-01", "--file", file]
    with serving(always(200, b"{}", "text/html")) as url:
        first = run_suite(tmp_path / "1", suite, PIX_BASE_URL=url, **given)
        written = [main(["waive", str(tmp_path / "1"), name, *words]) for name in (*names, names[0])]
        second = run_suite(tmp_path / "2", suite, "--waivers", file, PIX_BASE_URL=url, **given)
    assert written == [0, 0, 4]
    assert (first.exit, *map(first.outcome, names)) == (1, "fail", "warn")
    assert (second.exit, *map(second.outcome, names)) == (0, "waived", "waived")
    assert "BUS-FIN-01 waived" in second.output
    assert "FAILED" not in second.output
    assert " failed" not in second.output.splitlines()[-1]
    assert re.search(r"\d/\d+, \d waived, ", second.output)


def test_a_waiver_whose_failure_is_gone_and_a_required_receiver_that_is_off_are_red(tmp_path: Path) -> None:
    (tmp_path / "waivers.toml").write_text(GOOD)
    words = ("--waivers", str(tmp_path / "waivers.toml"), "--receiver", "off", "--require", "receiver")
    with start() as server:
        done = run_suite(tmp_path / "out", "--only", "PAY-BAL-01", *words, **account(server))
    assert done.exit == 1
    assert "gate failed: " in done.output
    assert "the waiver of PAY-BAL-01 is no longer needed" in done.output
    assert "the required capability receiver is missing: it needs --receiver auto" in done.output


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"--expires": "2020-01-31"}, "--expires 2020-01-31 is in the past"),
        ({"--expires": "31/01/2027"}, "'31/01/2027' is not a date such as 2027-01-31"),
        ({"--reason": " "}, "must not be empty"),
        ({"--file": "binary"}, "is not a waiver file"),
        ({"--file": "."}, "directory"),
    ],
)
def test_an_entry_that_would_end_the_next_run_is_not_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changed: dict[str, str], words: str
) -> None:
    (tmp_path / "binary").write_bytes(b"\xff")
    bundles.write(tmp_path / "run")
    given = {"--reason": "a", "--ticket": "b", "--expires": "2099-01-01", "--file": "w.toml", **changed}
    given["--file"] = str(tmp_path / given["--file"])
    arguments = ["waive", str(tmp_path / "run"), "PAY-ERRO-04", *(word for pair in given.items() for word in pair)]
    with suppress(SystemExit):
        assert main(arguments) == 4
    assert words in capsys.readouterr().err
    assert not (tmp_path / "w.toml").exists()


def test_a_requirement_that_did_not_fail_cannot_be_waived(
    right_run: Finished, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--reason", "a", "--ticket", "b", "--expires", "2099-01-01", "--file", str(tmp_path / "w")]
    assert main(["waive", str(right_run.directory), "PAY-BAL-01", *words]) == 4
    assert "did not fail" in capsys.readouterr().err
