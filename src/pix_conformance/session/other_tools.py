"""Variables and arguments of other tools that would keep a run from starting: each is a sentence with what mends it."""

import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence

from pix_conformance.model.vocabulary import UsageError

NO_DOCSTRINGS = 2
"""The level of PYTHONOPTIMIZE from which on Python drops docstrings."""
NEEDED = "pytest-timeout, pytest-html and pytest-xdist"
"""The plugins that a run needs and that pytest finds by itself."""


def check_python(level: int = sys.flags.optimize) -> None:
    """Raise UsageError for a Python without docstrings, which a report prints."""
    if level >= NO_DOCSTRINGS:
        raise UsageError(
            f"PYTHONOPTIMIZE={level} (or python -OO) removes the docstrings that a report prints: "
            "set PYTHONOPTIMIZE=1, or unset it"
        )


def check_variables(environment: Mapping[str, str], load: Callable[[str], None]) -> None:
    """Raise UsageError for variables of pytest that keep a run from starting. `load` loads a plugin by its name."""
    if environment.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD"):
        variable = "PYTEST_DISABLE_PLUGIN_AUTOLOAD"
        raise UsageError(f"{variable} keeps pytest from loading {NEEDED}, which a run needs: unset it")
    for name in filter(None, environment.get("PYTEST_PLUGINS", "").split(",")):
        _check_plugin(name, "PYTEST_PLUGINS", "unset the variable", load)
    for name in plugins_named(words_of(environment)):
        _check_plugin(name, "PYTEST_ADDOPTS", "remove -p from the variable", load)


def words_of(environment: Mapping[str, str]) -> list[str]:
    """Return the words of PYTEST_ADDOPTS. Raises UsageError for an open quote."""
    text = environment.get("PYTEST_ADDOPTS", "")
    try:
        return shlex.split(text)
    except ValueError:
        raise UsageError(f"PYTEST_ADDOPTS is {text!r}, with an open quote: close it, or unset it") from None


def plugins_named(words: Sequence[str]) -> Iterator[str]:
    """Yield the plugins that words of a command line have pytest load (`-p NAME`).

    >>> list(plugins_named(["-q", "-p", "no:cacheprovider", "-pxdist", "-p", "mine"]))
    ['xdist', 'mine']
    """
    left = iter(words)
    for word in left:
        if word.startswith("-p") and (name := word[2:].strip() or next(left, "")) and not name.startswith("no:"):
            yield name


def _check_plugin(name: str, variable: str, remedy: str, load: Callable[[str], None]) -> None:
    try:
        load(name)
    except Exception as reason:  # the code of a plugin may raise any
        raise UsageError(
            f"{variable} names the pytest plugin {name!r}, which cannot be loaded ({reason}): "
            f"install the plugin, or {remedy}"
        ) from reason
