"""The words of the shipped tests: docstrings are sentences, and names that were given up do not come back."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pix_conformance.model.paths import TEST_TREE as ROOT

FEWEST_WORDS = 6
SOURCES = frozenset({".py", ".toml", ".yaml", ".md"})
GIVEN_UP = frozenset(
    {
        *(
            "stories",
            "story",
            "plant",
            "planted",
            "planting",
            "harvest",
            "sow",
            "sown",
            "told",
            "tell",
            "heard",
            "hearing",
        ),
        *("unheard", "groundless", "surplus", "mortal", "mortals", "nobody", "whoever", "belated", "shunned", "shun"),
        *("defect", "defects", "freedom", "freedoms"),
    }
)
"""Words that are no word of HTTP, of the documents or of pytest; in no part of a name."""
VAGUE = re.compile(r"\b(whatever|whichever|whoever|nobody|wherever|anew)\b", re.IGNORECASE)
"""Words that leave open which responses, fields or statuses a sentence means."""
MADE = {"node_modules", "made"}
"""Folders of what tests/openapi/check.sh installs and makes."""
CITED_LINES = re.compile(r"(payments|business)\.md,?[\s#\"]+(lines?\s+)?\d|\(lines?\s+\d+|\bnote = .*\b[Ll]ines? \d")
"""A citation by the numbers of lines, also one that is broken at the end of a line."""
NOT_ALONE = frozenset({"once"})
"""Words that say nothing as a whole name."""


def names(path: Path) -> Iterator[tuple[str, int]]:
    """Yield each name that a module defines, and its line."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno


def words_of(name: str) -> set[str]:
    """Return the words of a name, in lower case."""
    return set(re.sub("(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_").split("_"))


@pytest.mark.parametrize("folder", ["src", "suites", "fixtures"])
def test_no_name_has_a_word_that_was_given_up(folder: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for name, line in ([(path.stem, 1), *names(path)])
        if GIVEN_UP & words_of(name) or words_of(name) <= NOT_ALONE
    ]
    assert found == []


def test_no_text_leaves_open_what_it_means() -> None:
    paths = [
        *(path for folder in ("src", "suites", "fixtures", "specs") for path in (ROOT / folder).rglob("*.*")),
        *(ROOT / "docs").glob("*.md"),
    ]
    texts = {path: path.read_text("utf-8") for path in sorted(paths) if path.suffix in SOURCES}
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path, text in texts.items()
        for number, line in enumerate(text.splitlines(), 1)
        if VAGUE.search(line)
    ]
    assert found == []


def test_only_the_requirements_cite_lines() -> None:
    """A document whose lines move changes `lines` and `context` in specs/*/requirements.toml, and no other text."""
    folders = ("src", "suites", "fixtures", "specs", "tests", "tools", "docs", "examples")
    paths = [*(path for folder in folders for path in (ROOT / folder).rglob("*.*")), *ROOT.glob("*.md")]
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in sorted(paths)
        if path.suffix in SOURCES and not MADE.intersection(path.parts)
        for match in CITED_LINES.finditer(path.read_text("utf-8"))
    ]
    assert found == []


def test_the_docstring_of_each_test_is_a_sentence_of_six_words_or_more() -> None:
    short = []
    for path in sorted((ROOT / "suites").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                text = ast.get_docstring(node) or ""
                if len(text.split()) < FEWEST_WORDS or not text.split("\n\n")[0].endswith("."):
                    short.append(f"{path.relative_to(ROOT)}::{node.name}: {text!r}")
    assert short == []
