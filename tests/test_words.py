"""The words of the shipped tests: docstrings are sentences, and names say what they hold."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from pix_conformance.model.paths import TEST_TREE as ROOT

FEWEST_WORDS = 6
FOLDERS = ("src", "suites", "fixtures", "tests", "tools")
SOURCES = frozenset({".py", ".toml", ".yaml", ".md"})
CEILINGS = {"one": 0, "some": 0, "found": 0, "each": 0, "made": 2, "kept": 2}
"""How many names that say nothing of their value are left; a number may only fall. Two are in recordings: `made` of
webhooks, and the verdicts that rejudge has `kept`."""
VAGUE = re.compile(r"\b(whatever|whichever|whoever|nobody|wherever|anew)\b", re.IGNORECASE)
"""Words that leave open which responses, fields or statuses a sentence means."""
MADE = {"node_modules", "made", "editions"}
"""Folders of what tests/openapi/check.sh installs and makes, and of the statements of earlier releases."""
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
    counts = Counter(name for _, module in modules() for name in names(module))
    assert {word: counts[word] for word, ceiling in CEILINGS.items() if counts[word] > ceiling} == {}


def test_no_class_name_stands_in_two_rooms() -> None:
    rooms = defaultdict(set)
    for path, module in modules():
        room = path.parts[2] if path.parts[0] == "src" else path.parts[0]
        for node in ast.walk(module):
            if isinstance(node, ast.ClassDef):
                rooms[node.name].add(room)
    assert [(name, sorted(places)) for name, places in rooms.items() if len(places) > 1] == []


def test_each_file_that_the_glossary_names_is_there() -> None:
    named = re.findall(r"`([\w/]+\.\w+)`", (ROOT / "docs/glossary.md").read_text("utf-8"))
    places = (ROOT, ROOT / "src" / "pix_conformance")
    assert [name for name in named if "/" in name and not any((place / name).exists() for place in places)] == []


def citing(pattern: re.Pattern[str], folders: Iterable[str], pages: str) -> list[str]:
    """Return what a pattern matches in the texts of folders and in some pages, each with its file."""
    paths = [*ROOT.glob(pages), *(path for folder in folders for path in (ROOT / folder).rglob("*.*"))]
    return [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in sorted(paths)
        if path.suffix in SOURCES and not MADE.intersection(path.parts)
        for match in pattern.finditer(path.read_text("utf-8"))
    ]


def test_no_text_leaves_open_what_it_means() -> None:
    assert citing(VAGUE, ("src", "suites", "fixtures", "specs"), "docs/*.md") == []


def test_only_the_requirements_cite_lines() -> None:
    """A document whose lines move changes `lines` and `context` in specs/*/requirements.toml, and no other text."""
    assert citing(CITED_LINES, (*FOLDERS, "specs", "docs", "examples"), "*.md") == []


def test_the_docstring_of_each_test_is_a_sentence_of_six_words_or_more() -> None:
    short = []
    for path in sorted((ROOT / "suites").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                text = ast.get_docstring(node) or ""
                if len(text.split()) < FEWEST_WORDS or not text.split("\n\n")[0].endswith("."):
                    short.append(f"{path.relative_to(ROOT)}::{node.name}: {text!r}")
    assert short == []
