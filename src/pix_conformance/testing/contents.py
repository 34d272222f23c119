"""The names of a module that re-exports them, as `python -m pydoc` shows them: each with a line of its docstring."""

import inspect
import reprlib
from collections import defaultdict
from collections.abc import Mapping, Sequence

ORDER = (
    "fixtures",
    "harness",
    "integration",
    "receiver",
    "generation",
    "recording",
    "checks",
    "model",
    "oracles",
    "values",
)
"""The folders that define the names, in the order in which they are shown. Values have no docstring."""


def contents(names: Sequence[str], namespace: Mapping[str, object]) -> str:
    """Return one line for each name, below the name of the module that defines it."""
    lines = defaultdict(list)
    for name in names:
        module, line = _described(namespace[name])
        lines[module.removeprefix("pix_conformance.")].append(f"    {name:<28} {line}")
    modules = sorted(lines, key=lambda module: (ORDER.index(module.partition(".")[0]), module))
    return "\n\n".join("\n".join([module, *lines[module]]) for module in modules)


def _described(value: object) -> tuple[str, str]:
    """Return the module that defines a function, class or module, and the first line of its docstring."""
    line = (inspect.getdoc(value) or "").partition("\n")[0]
    if inspect.ismodule(value):
        return value.__name__.rpartition(".")[0], line
    if inspect.isclass(value) or inspect.isfunction(inspect.unwrap(value)):  # type: ignore[arg-type]  # takes any object
        return value.__module__, line
    return "values", f"= {reprlib.repr(value)}"
