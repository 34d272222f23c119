"""The text of the pages, and that no text of a server becomes markup."""

import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from pix_conformance.checks.comparable_text import stable
from pix_conformance.checks.expectation_in_words import expectation
from pix_conformance.model.printable import clip, visible
from pix_conformance.recording.bundle.reader import read
from pix_conformance.report.cards import cards
from pix_conformance.report.ci_files import render_junit, xml
from pix_conformance.report.failure_blocks import failure_blocks
from pix_conformance.report.pages import render_index, write_pages
from pix_conformance.report.summary import markdown, render_summary
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
    files = {
        name: (tmp_path / name).read_text("utf-8") for name in ("index.html", "summary.md", "junit.xml", "badge.json")
    }
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
    page = render_index(bundle, cards(bundle))
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
    suite = ET.fromstring(render_junit(bundle, cards(bundle)))[0]  # noqa: S314 # written a line above
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
    assert "exchanges.jsonl is missing" in render_summary(read(tmp_path), cards(read(tmp_path))).replace("\\", "")


def test_a_warning_has_its_block_after_the_failures(tmp_path: Path) -> None:
    rows = [bundles.requirement(number, outcome=outcome) for number, outcome in enumerate(("warn", "pass", "fail"))]
    heads = [line for line in failure_blocks(bundles.run(tmp_path, *rows)) if line and not line.startswith(" ")]

    assert [head.split(" (")[0] for head in heads] == [f"FAIL {rows[2]['id']}", f"WARN {rows[0]['id']}"]
