"""The modules of the project as syntax trees, for tests that read what programs spell out, and pages of tools."""

import ast
from collections.abc import Iterator
from pathlib import Path

from pix_conformance.model.paths import TEST_TREE as ROOT

WRITTEN_BY_TOOLS = {ROOT / "docs" / name for name in ("requirements.md", "proof.md")}
"""Pages that `python -m tools.pages` writes as a whole."""


def constants(node: ast.AST) -> Iterator[ast.Constant]:
    """Yield the constants within a part of a module."""
    return (part for part in ast.walk(node) if isinstance(part, ast.Constant))


def texts(node: ast.AST) -> list[str]:
    """Return the texts within a part of a module."""
    return [part.value for part in constants(node) if isinstance(part.value, str)]


def modules(*folders: str) -> Iterator[tuple[Path, ast.Module]]:
    """Yield each module of some folders, by its path in the repository."""
    for path in sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py")):
        yield path.relative_to(ROOT), ast.parse(path.read_text("utf-8"))


def values_in(node: ast.AST) -> list[str]:
    """Return the texts of a tuple, a list, a set or a dictionary, also behind a star; none of anything else."""
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            starred = [text for part in parts if isinstance(part, ast.Starred) for text in values_in(part.value)]
        case ast.Dict(keys=keys, values=parts):
            parts, starred = [*parts, *(key for key in keys if key)], []
        case _:
            return []
    plain = [part.value for part in parts if isinstance(part, ast.Constant)]
    return [*starred, *(value for value in plain if isinstance(value, str))]
