"""The text of the pages, and that no text of a server becomes markup."""

import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from jsonschema import Draft202012Validator

from pix_conformance.checks.comparable_text import stable
from pix_conformance.model.paths import PACKAGE
from pix_conformance.model.printable import clip, visible
from pix_conformance.proof.runner import Forking, Job, lines_of
from pix_conformance.recording.bundle.reader import read
from pix_conformance.report.cards import cards_of
from pix_conformance.report.ci_files import render_junit, xml
from pix_conformance.report.failure_blocks import failure_blocks
from pix_conformance.report.matchers_in_words import expectation
from pix_conformance.report.pages import render_index, write_pages
from pix_conformance.report.summary import markdown, render_summary
from pix_conformance.sandbox.mutants.registry import all_mutants
from tests.support import bundles

CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e]")
EVIL = " ".join(bundles.HOSTILE)


class Tags(HTMLParser):
    """Collects the elements and attributes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def test_hostile_text_is_text_in_every_file(tmp_path: Path) -> None:
    write_pages(bundles.write(tmp_path, text=EVIL))
    names = ("index.html", "summary.md", "junit.xml", "badge.json")
    files = {name: (tmp_path / name).read_text("utf-8") for name in names}
    assert [name for name, text in files.items() if CONTROL.search(text)] == []
    suite = ET.fromstring(files["junit.xml"])[0]  # noqa: S314 # written by this test
    assert int(suite.attrib["tests"]) == len(suite.findall("testcase")) == 24
    assert [words for words in ("<script", "<img", "[click]") if words in files["summary.md"]] == []
    rows = [line for line in files["summary.md"].split("### Failures")[1].splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {4, 5}
    tags = Tags(files["index.html"]).seen
    assert [attrs for _, attrs in tags if any(name.startswith("on") for name in attrs)] == []
    assert sum(tag == "script" for tag, _ in tags) == 3  # the code, transcripts, explanations
    assert not {"img", "iframe", "object", "link", "base"} & {tag for tag, _ in tags}
    for tag, attrs in tags:  # the page loads nothing
        assert "src" not in attrs, tag
        assert (attrs.get("href") or "#").startswith("#"), tag


def test_a_megabyte_in_one_line_is_clipped(tmp_path: Path) -> None:
    bundle = read(bundles.write(tmp_path, requirements=6, exchanges=6, text=bundles.LONG_LINE))
    page = render_index(bundle, cards_of(bundle))
    assert "more characters)" in page
    assert len(page) < 1_000_000


@pytest.mark.parametrize(
    ("matcher", "words"),
    [
        ({"matcher": "status", "codes": [400, 409]}, "status 400 or 409"),
        ({"matcher": "field", "path": "error", "expected": "NOT_FOUND"}, 'error = "NOT_FOUND"'),
        ({"matcher": "new one", "depth": 3}, "new one: depth 3"),
        ({}, "expected: "),
    ],
)
def test_a_matcher_reads_as_words(matcher: dict[str, object], words: str) -> None:
    assert expectation(matcher) == words


def test_junit_names_the_run_and_has_a_case_per_requirement_of_the_right_kind(tmp_path: Path) -> None:
    bundle = read(bundles.write(tmp_path, requirements=48))
    suite = ET.fromstring(render_junit(bundle, cards_of(bundle)))[0]  # noqa: S314 # written a line above
    given = {row.attrib["name"]: row.attrib["value"] for row in suite.iterfind("properties/property")}
    assert (given["target"], given["suite"], given["seed"]) == ("embedded reference", "1.0.0", "1")
    kinds = {"fail": "failure", "error": "error"} | dict.fromkeys(("waived", "not applicable"), "skipped")
    for case, entry in zip(suite.findall("testcase"), bundle.entries, strict=True):
        unknown = {"inconclusive": "error" if entry.level == "must" else "skipped"}
        kind = next((child.tag for child in case if child.tag in kinds.values()), None)
        assert kind == (kinds | unknown).get(entry.outcome)
        assert case.attrib["time"] == "0.250"


def test_control_characters_and_markup_are_shown_as_text() -> None:
    assert visible("\x1b[31m\x00\ud800\u202e\x9b") == "\\x1b[31m\\x00\\ud800\\u202e\\x9b"
    assert xml("a\x00\ud800\x1bb") == "ab"
    assert clip("abcdef", 2) == "ab … (4 more characters)"
    assert markdown("c:\\|x") == r"c:\\\|x"
    assert markdown("a|b\n# <b> @you") == "a\\|b \\# &lt;b&gt; @\u200byou"


def test_stable_text_masks_ids_and_times() -> None:
    assert stable("chg 3f2b8c1e-0000-4000-8000-000000000001 at 2026-11-21T01:02:03Z") == "chg … at …"
    assert stable("status is 200, not 409") == "status is 200, not 409"


def test_an_empty_run_still_has_pages(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text("{}")
    write_pages(tmp_path)
    assert "This run left no headline." in (tmp_path / "index.html").read_text("utf-8")
    assert "exchanges.jsonl is missing" in render_summary(read(tmp_path), cards_of(read(tmp_path))).replace("\\", "")


def test_a_warning_has_its_block_after_the_failures(tmp_path: Path) -> None:
    rows = [bundles.requirement(number, outcome=outcome) for number, outcome in enumerate(("warn", "pass", "fail"))]
    heads = [line for line in failure_blocks(bundles.run(tmp_path, *rows)) if line and not line.startswith(" ")]

    assert [head.split(" (")[0] for head in heads] == [f"FAIL {rows[2]['id']}", f"WARN {rows[0]['id']}"]


SCHEMA = Draft202012Validator(json.loads((PACKAGE / "report" / "failures.schema.json").read_text("utf-8")))
KEY_IGNORED, AMOUNT_IS_TEXT = "PAY-IDEM-01/header-ignored", "BUS-CHG-47/get_charge.amount_cents:wrong-type"
SERVERS = {"one": (KEY_IGNORED,), "two": (KEY_IGNORED, AMOUNT_IS_TEXT), "three": ("BUS-CHG-13/required",)}


def broken_by(name: str) -> set[str]:
    return set(all_mutants()[name].breaks)


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The reports of the servers: each asks what its mutants break."""
    directory = tmp_path_factory.mktemp("cards")
    jobs = []
    for server, names in SERVERS.items():
        asked = tuple(sorted(set().union(*map(broken_by, names))))
        jobs.append(Job(server, tuple(all_mutants()[name].rules_name for name in names), asked, shown=True))
    assert len(list(lines_of(lambda _, results: Forking(jobs, len(jobs), math.inf, directory, results)))) == len(jobs)
    for place in range(len(jobs)):
        write_pages(directory / str(place))
    return {job.name: directory / str(place) for place, job in enumerate(jobs)}


@pytest.mark.parametrize("server", SERVERS)
def test_each_mutant_has_one_card_in_every_output(reports: dict[str, Path], server: str) -> None:
    directory, causes = reports[server], sorted(map(sorted, map(broken_by, SERVERS[server])))
    bundle = read(directory)
    assert sorted(sorted(card.requirements) for card in cards_of(bundle)) == causes

    heads = [line for line in failure_blocks(bundle) if line.startswith("FAIL ")]
    assert len(heads) == len(causes)
    rows = (directory / "summary.md").read_text("utf-8").split("### Failures")[1].splitlines()
    assert sum(row.startswith("| ✕") for row in rows) == len(causes)
    assert (directory / "index.html").read_text("utf-8").count('<div class="group">') == len(causes)
    document = ET.parse(directory / "junit.xml").getroot()  # noqa: S314 # written by this test
    groups: dict[str, list[str]] = {}
    for case in document.iter("testcase"):
        for element in case.iterfind("properties/property[@name='card']"):
            groups.setdefault(element.attrib["value"], []).append(case.attrib["name"].split()[0])
    assert sorted(map(sorted, groups.values())) == causes
    listed = failures(directory)["cards"]
    assert sorted(sorted(row["id"] for row in card["requirements"]) for card in listed) == causes


def failures(directory: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((directory / "failures.json").read_text("utf-8"))
    SCHEMA.validate(content)
    return content


def test_a_card_has_a_headline_the_request_to_look_at_first_and_the_lines_that_reproduce_it(
    reports: dict[str, Path],
) -> None:
    (card,) = failures(reports["one"])["cards"]
    (shown,) = cards_of(read(reports["one"]))
    method, path, _ = re.split(": | ", card["headline"], maxsplit=2)
    assert (method, path) == ("POST", "/api/v1/pix/out/pixkey")
    assert card["request"]["method"] == "POST"
    assert card["request"]["url"].endswith(path)
    assert card["response"]["status"] == getattr(read(reports["one"]).message(card["evidence"]), "status", None)
    assert shown.script
    assert "\n".join([*card["curl"], ""]) == shown.script.text == (reports["one"] / card["script"]).read_text("utf-8")
    assert card["again"].endswith(f" --only {','.join(shown.requirements)}")
    block = "\n".join(failure_blocks(read(reports["one"])))
    assert all(f"{row['id']} (must)" in block for row in card["requirements"])
    page = (reports["one"] / "index.html").read_text("utf-8")
    assert f"{len(card['requirements'])} requirements, one cause: POST {path}" in page


def test_a_requirement_of_an_operation_leads_before_a_general_one(reports: dict[str, Path]) -> None:
    (card,) = failures(reports["three"])["cards"]
    *of_operation, last = (row["id"] for row in card["requirements"])
    assert (set(of_operation), last) == ({"BUS-CHG-01", "BUS-CHG-13"}, "BUS-ERR-04")


def test_a_headline_says_what_was_expected_of_a_field_and_what_came(reports: dict[str, Path]) -> None:
    headlines = [card["headline"] for card in failures(reports["two"])["cards"]]
    wanted = 'GET /v1/business/pix-charges/{id}: amount_cents has to be of type integer, and is "[0-9]+"'
    assert any(re.fullmatch(wanted, words) for words in headlines), headlines


def test_what_was_inconclusive_stands_beside_the_cards_with_the_kind_of_its_reason(tmp_path: Path) -> None:
    bundles.run(tmp_path, bundles.requirement(7, why="rate limited"))
    write_pages(tmp_path)
    content = failures(tmp_path)
    ((row,), cards_of_run) = content["inconclusive"], content["cards"]
    assert (row["outcome"], row["why"], cards_of_run) == ("inconclusive", "rate limited", [])


def test_the_first_failure_of_a_card_stands_once_and_its_requirement_links_there(reports: dict[str, Path]) -> None:
    page = (reports["one"] / "index.html").read_text("utf-8").partition('id="requirements"')[0]
    (card,) = cards_of(read(reports["one"]))
    assert page.count(f'id="card-{card.id}"') == page.count(f'href="#card-{card.id}"') == 1
    assert page.count("<h4>Wrong") == page.count("Transcript: ")
    assert card.shown
    assert page.count(f'Response <span class="muted">in {card.shown.evidence}</span>') == 1


def test_a_waived_failure_is_on_no_card_of_a_failure(tmp_path: Path) -> None:
    rows = [bundles.requirement(number, outcome=outcome) for number, outcome in enumerate(("fail", "waived", "error"))]
    for row in rows:
        row["judgements"] = [bundles.judgement("exchange 1", "fail")]
    grouped = cards_of(bundles.run(tmp_path, *rows))
    assert [(card.outcome, card.requirements) for card in grouped] == [
        ("fail", [rows[0]["id"], rows[2]["id"]]),
        ("waived", [rows[1]["id"]]),
    ]


def test_the_file_of_failures_keeps_to_its_schema_whatever_a_server_sends(tmp_path: Path) -> None:
    write_pages(bundles.write(tmp_path, text=" ".join(bundles.HOSTILE)))
    assert failures(tmp_path)["cards"]
