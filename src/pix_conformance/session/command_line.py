"""The command line of a run: which words are options of ours, and the command that runs one requirement again."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pix_conformance.session.options import SETTINGS

THIS_RUN_ONLY = frozenset({"again", "only", "plan", "quick", "report_dir"})
TAKING_A_VALUE = frozenset(setting.option for setting in SETTINGS if setting.option and not setting.flag)
UV = "UV_RUN_RECURSION_DEPTH"
"""A variable that `uv run` sets for the programs that it starts."""


def started_as(words: Sequence[str], environment: Mapping[str, str]) -> str:
    """Write the program and the options of the target as the user typed them, without the variables.

    >>> started_as(["/venv/bin/pytest", "-q", "--base-url=http://h", "--only", "PAY-BAL-01"], {UV: "1"})
    'uv run pytest --base-url http://h'
    >>> started_as(["/venv/bin/pix-load", "--rate=5"], {})
    'pix-load --rate 5'
    """
    rest = [part for key, given in options(words[1:]) if key not in THIS_RUN_ONLY for part in given]
    return shlex.join([*(["uv", "run"] if environment.get(UV) else []), *_program(words[0]), *rest])


def options(words: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield our options among the words: the key of each setting, then option and value as two words."""
    ours = {setting.option: setting for setting in SETTINGS if setting.option}
    left = iter(words)
    for word in left:
        name, equals, value = word.partition("=")
        if name not in ours:
            continue
        if ours[name].flag:
            yield ours[name].key, [name]
        elif equals:
            yield ours[name].key, [name, value]
        elif (following := next(left, None)) is not None:
            yield ours[name].key, [name, following]


def paths(words: Sequence[str]) -> list[str]:
    """Return the words that are neither an option nor the value of one of our options.

    >>> paths(["--report-dir", "suites-report", "-q", "suites/payments"])
    ['suites/payments']
    """
    values, left = [], iter(words)
    for word in left:
        if word in TAKING_A_VALUE:
            next(left, None)
        elif not word.startswith("-"):
            values.append(word)
    return values


def _program(path: str) -> list[str]:
    if Path(path).name == "__main__.py":
        return ["python", "-m", Path(path).parent.name]
    known = {"pix-conformance", "pix-load", "pytest", "py.test"}
    return [Path(path).stem if Path(path).stem in known else "pytest"]
