"""Nothing imports upwards: the table of rooms in the design, kept by machine."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("specs", "fixtures", "suites", "reports", "tests")
MAY_IMPORT = {
    "specs": ("specs",),
    "fixtures/reference": ("fixtures.reference",),
    "fixtures/defects": ("fixtures.defects", "fixtures.reference"),
    "fixtures/freedoms": ("fixtures.freedoms", "fixtures.reference"),
    "fixtures": ("specs", "fixtures"),
    "suites/payments": ("specs", "fixtures"),
    "suites/business": ("specs", "fixtures"),
    "reports": ("reports", "specs"),
}
NEVER = {
    "fixtures/clients": ("fixtures.stories",),
    "fixtures/receiver": ("fixtures.stories",),
    "suites": ("fixtures.reference", "fixtures.defects", "fixtures.freedoms"),
    "suites/payments": ("specs.business", "fixtures.clients.business", "fixtures.builders.business"),
    "suites/business": ("specs.payments", "fixtures.clients.payments", "fixtures.builders.payments"),
}

LISTS = ("fixtures.defects", "fixtures.freedoms", "fixtures.scenarios")


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{one.name}" for one in node.names)


def _ours(name: str) -> bool:
    return name.split(".", maxsplit=1)[0] in ROOMS


def _within(name: str, rooms: tuple[str, ...]) -> bool:
    return any(name == one or name.startswith(f"{one}.") for one in rooms)


def forbidden(path: str, name: str) -> bool:
    """Whether a file at that path (relative to the root) may not import that dotted name."""
    room = max((one for one in MAY_IMPORT if path.startswith(f"{one}/")), key=len, default="")
    if not room or not _ours(name):
        return False
    barred = [one for place, names in NEVER.items() if path.startswith(f"{place}/") for one in names]
    return not _within(name, MAY_IMPORT[room]) or _within(name, tuple(barred))


def _files() -> list[str]:
    return [
        str(one.relative_to(ROOT))
        for room in ("specs", "fixtures", "suites", "reports")
        for one in (ROOT / room).rglob("*.py")
    ]


@pytest.mark.parametrize("path", _files())
def test_a_file_imports_only_what_its_room_may(path: str) -> None:
    assert [one for one in _imported(ROOT / path) if forbidden(path, one)] == []


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("specs/a.py", "fixtures.exchange"),
        ("fixtures/reference/a.py", "specs.catalogue"),
        ("fixtures/reference/payments/a.py", "fixtures.exchange"),
        ("fixtures/defects/a.py", "specs.catalogue"),
        ("reports/a.py", "fixtures.ledger"),
        ("suites/payments/a.py", "fixtures.reference.server"),
        ("suites/payments/a.py", "specs.business"),
        ("suites/business/a.py", "fixtures.clients.payments"),
    ],
)
def test_an_upward_import_is_seen(path: str, name: str) -> None:
    assert forbidden(path, name)


def _graph() -> dict[str, set[str]]:
    """Map each module, but for the lists of defects and freedoms, to the modules that it imports."""
    names = {one: one.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for one in _files()}
    modules = {path: name for path, name in names.items() if not name.startswith(LISTS)}
    return {name: set(_imported(ROOT / path)) & set(modules.values()) - {name} for path, name in modules.items()}


def test_no_modules_import_each_other() -> None:
    """Imports for type checkers count too: what imports no module that is left is taken away, until all are."""
    left = _graph()
    while leaves := {name for name, imports in left.items() if not imports & left.keys()}:
        left = {name: imports for name, imports in left.items() if name not in leaves}
    assert not left


@pytest.mark.parametrize("path", [one for one in _files() if one.count("/") == 1 and one.startswith("fixtures/")])
def test_what_runs_the_tests_knows_no_scenario(path: str) -> None:
    assert not [one for one in _imported(ROOT / path) if _within(one, ("fixtures.stories",))]
