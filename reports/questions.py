"""What is asked for each requirement, in the words of its tests: read from the suites' source, never run."""

import ast
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SUITES = Path(__file__).parent.parent / "suites"


@dataclass(frozen=True, slots=True)
class Question:
    """One test: its name as pytest gives it, and what its docstring says."""

    test: str
    words: str


@cache
def questions() -> dict[str, tuple[Question, ...]]:
    """Return the questions of every requirement that a test names; none where the suites are not at hand."""
    found: dict[str, list[Question]] = defaultdict(list)
    for path in sorted(SUITES.rglob("test_*.py")):
        place = f"suites/{path.relative_to(SUITES).as_posix()}"
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for name in _requirements(node):
                    found[name].append(Question(f"{place}::{node.name}", _words(node)))
    return {name: tuple(some) for name, some in found.items()}


def _requirements(node: ast.FunctionDef) -> dict[str, None]:
    """Name what `requirement("...")` names among the decorators, marks of single cases included."""
    calls = (each for decorator in node.decorator_list for each in ast.walk(decorator))
    named = (call for call in calls if isinstance(call, ast.Call) and _called(call) == "requirement")
    texts = (argument.value for call in named for argument in call.args if isinstance(argument, ast.Constant))
    return dict.fromkeys(text for text in texts if isinstance(text, str))


def _called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def _words(node: ast.FunctionDef) -> str:
    name = node.name.removeprefix("test_").replace("_", " ")
    told = " ".join((ast.get_docstring(node) or "").split())
    return f"{name}. {told}".rstrip()
