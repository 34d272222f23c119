"""What test authors import: lists in which each name has one home and a use."""

import ast
import inspect
from collections.abc import Iterator
from importlib import import_module

import pytest

from pix_conformance.model.paths import SUITES, TEST_TREE

TESTING = "pix_conformance.testing"
LISTS = {
    "payments": (TESTING, f"{TESTING}.payments", "fixtures", "fixtures.payments"),
    "business": (TESTING, f"{TESTING}.business", "fixtures", "fixtures.business"),
}
MODULES = sorted({module for modules in LISTS.values() for module in modules})


def _words(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names)


def test_no_star_replaces_a_name_that_a_module_imports() -> None:
    replaced = []
    for path in (*SUITES.rglob("*.py"), *(TEST_TREE / "fixtures").rglob("*.py")):
        imports = [node for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.ImportFrom)]
        names = {name.asname or name.name for node in imports for name in node.names}
        stars = [str(node.module) for node in imports if node.names[0].name == "*"]
        exported = {name for star in stars for name in import_module(star).__dict__.get("__all__", ())}
        replaced += [(path.name, name) for name in sorted(names & exported)]
    assert replaced == []


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
        for module in MODULES
        for name in import_module(module).__all__
        if not any(name in used[api] for api in LISTS if module in LISTS[api])
    ]
    assert unused == []


@pytest.mark.parametrize("module", MODULES)
def test_pydoc_shows_a_line_for_each_name(module: str) -> None:
    names = import_module(module).__all__
    lines = [line.split(maxsplit=1) for line in (inspect.getdoc(import_module(module)) or "").splitlines()]
    shown = {line[0] for line in lines if len(line) > 1}
    assert [name for name in names if name not in shown] == []
