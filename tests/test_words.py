"""The words of the shipped tests: docstrings are sentences, and names say what they hold."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from pix_conformance.model.paths import TEST_TREE as ROOT
from tests.support.programs import WRITTEN_BY_TOOLS

FEWEST_WORDS = 6
FOLDERS = ("src", "suites", "fixtures", "tests", "tools")
SOURCES = frozenset({".py", ".toml", ".yaml", ".md"})
CEILINGS = {"one": 0, "some": 0, "found": 0, "each": 0, "made": 2, "kept": 2}
"""How many names that say nothing of their value are left; a number may only fall. Two are in recordings: `made` of
webhooks, and the verdicts that rejudge has `kept`."""
VAGUE = re.compile(r"\b(whatever|whichever|whoever|nobody|wherever|anew)\b", re.IGNORECASE)
"""Words that leave open which responses, fields or statuses a sentence means."""
LONGEST_LINE = 120
NEW_LINE = "\n"
MADE = {"node_modules", "made", "editions"}
"""Folders of what tests/openapi/check.sh installs and makes, and of the statements of earlier releases."""
LARGE = "four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen"
LISTED = "event|status|name|wallet|field|header|type|code|operation|route|error|member"
COUNTS = re.compile(
    rf"\b((all|the)\s+({LARGE})(?!\s+(oldest|or|minutes|seconds))|({LARGE})[\s-]+(\w+[\s-]+)?({LISTED})(e?s)?"
    rf"|the three\s+(\w+\s+)?({LISTED})e?s)\b",
    re.IGNORECASE,
)
"""How many names a list of a document has, in words: no list that becomes longer changes them."""
CITED_LINES = re.compile(r"(payments|business)\.md,?[\s#\"]+(lines?\s+)?\d|\(lines?\s+\d+|\bnote = .*\b[Ll]ines? \d")
"""A citation by the numbers of lines, also one that is broken at the end of a line."""


def modules() -> Iterator[tuple[Path, ast.Module]]:
    """Yield each module of the repository, by its path in it."""
    for path in (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        if not MADE.intersection(path.parts):
            yield path.relative_to(ROOT), ast.parse(path.read_text("utf-8"))


def names(module: ast.Module) -> Iterator[str]:
    """Yield each name that a module gives to a value, a parameter, a function or a class."""
    for node in ast.walk(module):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name


def test_names_that_say_nothing_become_fewer() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path, module in modules():
        for name in names(module):
            places[name].append(str(path))
    more = {word: places[word] for word, ceiling in CEILINGS.items() if len(places[word]) > ceiling}
    assert more == {}, "name what the value holds, such as `charge` or `responses`"


def test_no_class_name_stands_in_two_rooms() -> None:
    rooms = defaultdict(set)
    for path, module in modules():
        room = path.parts[2] if path.parts[0] == "src" else path.parts[0]
        for node in ast.walk(module):
            if isinstance(node, ast.ClassDef):
                rooms[node.name].add(room)
    twice = [(name, sorted(places)) for name, places in rooms.items() if len(places) > 1]
    assert twice == [], "give one of the classes another name, or import it from the other room"


def test_each_file_that_the_glossary_names_is_there() -> None:
    named = re.findall(r"`([\w/]+\.\w+)`", (ROOT / "docs/glossary.md").read_text("utf-8"))
    places = (ROOT, ROOT / "src" / "pix_conformance")
    gone = [name for name in named if "/" in name and not any((place / name).exists() for place in places)]
    assert gone == [], "name in docs/glossary.md where the word stands now, or take the word out"


def citing(pattern: re.Pattern[str], folders: Iterable[str], pages: str) -> list[str]:
    """Return what a pattern matches in the texts of folders and in some pages, each with its file and line."""
    paths = [*ROOT.glob(pages), *(path for folder in folders for path in (ROOT / folder).rglob("*.*"))]
    texts = {
        path: path.read_text("utf-8")
        for path in sorted(paths)
        if path.suffix in SOURCES and not MADE.intersection(path.parts)
    }
    return [
        f"{path.relative_to(ROOT)}:{text.count(NEW_LINE, 0, match.start()) + 1}: {match[0]}"
        for path, text in texts.items()
        for match in pattern.finditer(text)
    ]


def test_no_text_leaves_open_what_it_means() -> None:
    vague = citing(VAGUE, ("src", "suites", "fixtures", "specs"), "docs/*.md")
    assert vague == [], "name the response, field or status that is meant; of several `each ...` or `a ... that ...`"


def test_no_text_counts_what_a_document_lists() -> None:
    """A new event, status or field makes the number wrong, and no hash of a cited line says so."""
    counts = citing(COUNTS, ("suites", "fixtures", "specs", "src/pix_conformance/sandbox"), "docs/sandbox.md")
    assert counts == [], (
        "write no number of what a document lists: `all statuses`, `each field` or `the events` in the place of "
        "`the four statuses`, and the names where few are meant, such as `canceled and refused`"
    )


def lines_of_prose(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a page that a person wraps, by number.

    Not the output and the commands in fences, which are as they are, nor the parts between marks that
    `python -m tools.pages` writes, nor pictures. A row of a table cannot be wrapped: those of docs/ may be longer.
    """
    fenced = marked = False
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        fenced ^= line.strip().startswith("```")
        marked = (marked or line.startswith("<!--")) and not line.startswith("<!-- /")
        row = line.startswith("|") and path.parent.name == "docs"
        if not (fenced or marked or row or line.startswith("![")):
            yield number, line


def test_a_line_of_a_page_has_at_most_120_characters() -> None:
    pages = [path for folder in (".", "docs", "reports") for path in (ROOT / folder).glob("*.md")]
    long = [
        f"{path.relative_to(ROOT)}:{number}: {len(line)} characters"
        for path in sorted(pages)
        if path not in WRITTEN_BY_TOOLS
        for number, line in lines_of_prose(path)
        if len(line) > LONGEST_LINE
    ]
    assert not long, "\n".join(long)


def test_only_the_requirements_cite_lines() -> None:
    """A document whose lines move changes `lines` and `context` in specs/*/requirements.toml, and no other text."""
    cited = citing(CITED_LINES, (*FOLDERS, "specs", "docs", "examples"), "*.md")
    assert cited == [], "cite the id of the requirement that has these lines in `lines`"


def test_the_docstring_of_each_test_is_a_sentence_of_six_words_or_more() -> None:
    short = []
    for path in sorted((ROOT / "suites").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                text = ast.get_docstring(node) or ""
                if len(text.split()) < FEWEST_WORDS or not text.split("\n\n")[0].endswith("."):
                    short.append(f"{path.relative_to(ROOT)}::{node.name}: {text!r}")
    assert short == [], f"write what the API does, in {FEWEST_WORDS} words or more that end in a full stop"
