"""The last net: an error that nothing else caught is one sentence, a file with its trace, and exit status 3.

pytest.toml names this module as the first plugin, so that it also catches what pytest raises while it starts.
"""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Never

import pytest

from pix_conformance.harness.run import empty_run
from pix_conformance.model.paths import TEST_TREE
from pix_conformance.model.vocabulary import UsageError
from pix_conformance.session.error_sentences import OUR_ERROR, say, sentence_of
from pix_conformance.session.other_tools import check_python, check_variables
from pix_conformance.session.selection import asks_the_suites
from pix_conformance.session.source_tree_settings import is_pytest_command
from pix_conformance.session.state import KEY


def pytest_addoption(pluginmanager: pytest.PytestPluginManager, parser: pytest.Parser) -> None:
    """Begin to catch, before pytest loads another plugin; name a variable that would keep it from doing so."""
    if is_pytest_command():
        sys.excepthook = end_with_sentence
    else:  # an unknown option would be said to be one of "pytest.main()"
        parser.prog = Path(sys.argv[0]).name
    parser.extra_info |= {name: os.environ[name] for name in ("PYTEST_ADDOPTS",) if os.environ.get(name)}
    try:
        check_python()
        check_variables(os.environ, partial(pluginmanager.import_plugin, consider_entry_points=True))
    except UsageError as reason:
        raise pytest.UsageError(str(reason)) from None


def end_with_sentence(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> Never:
    """End a `pytest` command that raised an error, as Python's `sys.excepthook`."""
    del kind, trace
    say(sentence_of(error))
    raise SystemExit(OUR_ERROR)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Set what the variables and the path of other projects must not change."""
    if getattr(config.option, "timeout", ...) is None:  # else PYTEST_TIMEOUT, meant for another project, counts
        config.option.timeout = float(config.getini("timeout"))
    config.args = relative_paths(config, config.args)
    if asks_the_suites(config):
        config.pluginmanager.register(InternalErrors(config), "pix-internal-errors")


def relative_paths(config: pytest.Config, words: Sequence[str]) -> list[str]:
    """Return the paths, relative to the suites if that has brackets: pytest takes the first one for parameters."""
    if not any("[" in word.partition("::")[0] for word in words):
        return list(words)
    here = config.invocation_params.dir
    config.invocation_params = replace(config.invocation_params, dir=TEST_TREE)
    return [os.path.relpath(Path(here, path), TEST_TREE) + rest for path, rest in map(_split, words)]


def _split(word: str) -> tuple[str, str]:
    path, colons, names = word.partition("::")
    return path, colons + names


def pytest_plugin_registered(plugin: object, plugin_name: str, manager: pytest.PytestPluginManager) -> None:
    """Take over what pytest's terminal prints of an internal error, in a run of the suites."""
    config: Any = manager.get_plugin("pytestconfig")
    if plugin_name == "terminalreporter" and config and asks_the_suites(config):
        manager.hook.pytest_internalerror._remove_plugin(plugin)  # noqa: SLF001  # pytest has no other way


@dataclass(eq=False)  # pytest keeps its plugins in sets
class InternalErrors:
    """A pytest plugin that says an internal error in one sentence."""

    config: pytest.Config
    has_begun: bool = False
    """Whether the session has begun, at whose end the notices of the report are printed."""

    def pytest_sessionstart(self) -> None:
        """Note that the session has begun."""
        self.has_begun = True

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> bool:
        """Print the sentence, also into the report. A run that could not begin is not begun again at its end."""
        state = self.config.stash.get(KEY, None)
        sentence = sentence_of(excinfo.value, state.current_test.redact if state else None)
        if state:
            state.facts.note(sentence)
            state.run = state.run or empty_run(state.settings, state.current_test, state.waits)
        if not state or not state.draft or not self.has_begun:
            say(sentence)
        return True
