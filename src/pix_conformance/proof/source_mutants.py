"""Mutants of the reference's source, made by the operators of mutmut: faults that were not designed.

A mutant is one change of one expression or statement: a number, a text, an operator, an argument, an assignment.
mutmut is not among the locked packages, for it brings many others:
`uv run --with mutmut==3.8.1 python -m pix_conformance.proof source`.
"""

from __future__ import annotations

import difflib
import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import libcst as cst  # type: ignore[import-not-found]  # comes with mutmut
from libcst.metadata import MetadataWrapper, PositionProvider  # type: ignore[import-not-found]
from mutmut.mutation.mutators import mutation_operators  # type: ignore[import-not-found]

import pix_conformance.reference

PACKAGE = "pix_conformance.reference"
FOLDER = Path(pix_conformance.reference.__file__).parent
NOT_SERVING = frozenset({"__main__.py", "cli.py", "process.py", "process_main.py"})
"""Modules that start the reference, and serve no request."""


@dataclass(frozen=True)
class SourceMutant:
    """One change of one module of the reference: `text` is the changed source, `line` where the change begins."""

    module: str
    line: int
    text: str
    before: str
    after: str

    @property
    def id(self) -> str:
        """The module and a hash of the changed lines, which stays when other lines move."""
        changed = hashlib.sha256(f"{self.before}\n{self.after}".encode()).hexdigest()[:8]
        return f"{self.module.removeprefix(f'{PACKAGE}.')}/{changed}"


@dataclass(frozen=True)
class Place:
    """A node of a module that an operator can change, and the number of the change that it makes there."""

    path: Path
    node: int
    operator: int
    variant: int


def sample(count: int, seed: int) -> list[SourceMutant]:
    """Return that many different mutants, drawn from all places with equal chances."""
    chance, found = random.Random(seed), dict[str, SourceMutant]()  # noqa: S311  # a sample, not a secret
    places = list(all_places())
    for place in chance.sample(places, len(places)):
        if len(found) == count:
            break
        one = mutant(place)
        if one is not None:
            found.setdefault(one.id, one)
    return list(found.values())


def all_places() -> Iterator[Place]:
    """Yield every place of the modules that serve requests."""
    for path in sorted(FOLDER.rglob("*.py")):
        if path.name not in NOT_SERVING:
            yield from _places(path)


def _places(path: Path) -> Iterator[Place]:
    for number, node in enumerate(_nodes(path)[1]):
        for index, (kind, operator) in enumerate(mutation_operators):
            if isinstance(node, kind):
                for variant, _ in enumerate(operator(node)):
                    yield Place(path, number, index, variant)


@cache
def _nodes(path: Path) -> tuple[Any, list[Any]]:
    """Parse a module; return it with its nodes, in order, but for annotations, imports and docstrings."""
    wrapper = MetadataWrapper(cst.parse_module(path.read_text(encoding="utf-8")))
    return wrapper, list(_walked(wrapper.module))


def _walked(node: Any) -> Iterator[Any]:
    if isinstance(node, cst.Annotation | cst.ImportFrom | cst.Import) or _is_docstring(node):
        return
    yield node
    for child in node.children:
        yield from _walked(child)


def _is_docstring(node: Any) -> bool:
    return isinstance(node, cst.Expr) and isinstance(node.value, cst.SimpleString | cst.ConcatenatedString)


def mutant(place: Place) -> SourceMutant | None:
    """Return the mutant of a place; None if its source is the same or no Python."""
    wrapper, nodes = _nodes(place.path)
    node = nodes[place.node]
    changed = list(mutation_operators[place.operator][1](node))[place.variant]
    before = wrapper.module.code
    module = wrapper.module.deep_replace(node, changed)
    after = module.code if isinstance(module, cst.Module) else before
    if after == before or not _compiles(after):
        return None
    diff = list(difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm=""))[3:]
    line = wrapper.resolve(PositionProvider)[node].start.line
    old, new = ("\n".join(one[1:] for one in diff if one.startswith(sign)) for sign in "-+")
    return SourceMutant(_module(place.path), line, after, old, new)


def _compiles(text: str) -> bool:
    try:
        compile(text, "mutant", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def _module(path: Path) -> str:
    parts = path.relative_to(FOLDER).with_suffix("").parts
    return ".".join([PACKAGE, *(one for one in parts if one != "__init__")])
