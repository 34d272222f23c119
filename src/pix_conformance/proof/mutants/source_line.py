"""Where a mutant is written."""

from __future__ import annotations

import inspect
from functools import cache
from pathlib import Path

from pix_conformance.model.paths import TEST_TREE
from pix_conformance.proof.mutants import schema
from pix_conformance.proof.mutants.registry import ROOM, Mutant


def source_line(mutant: Mutant) -> tuple[str, int]:
    """Return the file and the line of a mutant: its row, its class, or what generates it."""
    file = ROOM / f"{mutant.module.replace('.', '/')}.py"
    requirement, _, slug = mutant.id.partition("/")
    lines = _lines(file)
    beginning = next((at for at, line in enumerate(lines) if line.startswith(f'    "{requirement}": {{')), 0)
    wanted = (f'"{slug}":', f'"{mutant.id}"')
    at = next((at for at in range(beginning, len(lines)) if any(one in lines[at] for one in wanted)), None)
    if at is None and ":" in slug:
        at = inspect.getsourcelines(schema.differences)[1] - 1
    return _shown(file), (at or 0) + 1


@cache
def _lines(file: Path) -> list[str]:
    return file.read_text("utf-8").splitlines()


def _shown(file: Path) -> str:
    return str(file.relative_to(TEST_TREE)) if file.is_relative_to(TEST_TREE) else str(file)
