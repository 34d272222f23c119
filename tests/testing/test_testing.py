"""What test authors import: few statements in each suite, and lists in which each name has one home and a use."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from importlib import import_module
from statistics import mean

import pytest

from pix_conformance.model.paths import SUITES

TESTING = "pix_conformance.testing"
LISTS = {
    "payments": (TESTING, f"{TESTING}.payments", "fixtures", "fixtures.payments"),
    "business": (TESTING, f"{TESTING}.business", "fixtures", "fixtures.business"),
}
MOST_IMPORTS = 6


def _imports(text: str) -> list[ast.stmt]:
    return [node for node in ast.parse(text).body if isinstance(node, ast.Import | ast.ImportFrom)]


def _words(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names)


def test_suites_open_with_six_imports_on_average() -> None:
    assert mean(len(_imports(path.read_text("utf-8"))) for path in SUITES.rglob("*.py")) <= MOST_IMPORTS


@pytest.mark.parametrize("api", LISTS)
def test_each_name_has_one_home(api: str) -> None:
    names = [name for module in LISTS[api] for name in import_module(module).__all__]
    assert sorted(names) == sorted(set(names))


def test_each_name_is_used_by_a_suite() -> None:
    used = {
        api: {word for path in (SUITES / api).glob("*.py") for word in _words(path.read_text("utf-8"))} for api in LISTS
    }
    unused = [
        f"{module}.{name}"
        for module in sorted({module for modules in LISTS.values() for module in modules})
        for name in import_module(module).__all__
        if not any(name in used[api] for api in LISTS if module in LISTS[api])
    ]
    assert unused == []


@pytest.mark.parametrize("module", sorted({module for modules in LISTS.values() for module in modules}))
def test_pydoc_shows_a_line_for_each_name(module: str) -> None:
    names = import_module(module).__all__
    lines = [line.split(maxsplit=1) for line in (inspect.getdoc(import_module(module)) or "").splitlines()]
    shown = {line[0] for line in lines if len(line) > 1}
    assert [name for name in names if name not in shown] == []


@pytest.mark.parametrize("module", sorted({module for modules in LISTS.values() for module in modules}))
def test_no_name_is_taken_for_a_test_by_pytest(module: str) -> None:
    assert [name for name in import_module(module).__all__ if name.lower().startswith("test")] == []
