"""The console scripts of pyproject.toml, one function each. They import the code of their command when called."""

import os
import sys
from argparse import ArgumentError
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from pix_conformance.model.command_options import USAGE
from pix_conformance.model.paths import PYTEST_SETTINGS, SUITES, TEST_TREE
from pix_conformance.model.vocabulary import Api
from pix_conformance.session import PLUGINS

INTERRUPTED = 2


def _caught(command: Callable[[], int]) -> Callable[[], int]:
    """Return the command, which ends with a sentence and exit status 3 for an error that nothing else caught."""

    @wraps(command)
    def run() -> int:
        try:
            return command()
        except Exception as error:  # noqa: BLE001  # the last net
            from pix_conformance.session.error_sentences import status_of  # noqa: PLC0415  # most commands need it never

            return status_of(error)

    return run


@_caught
def conformance() -> int:
    """pix-conformance: run the suites with pytest; the report is written to the current directory."""
    if sys.argv[1:2] == ["doctor"]:
        from pix_conformance.session.doctor import main  # noqa: PLC0415  # the other scripts start faster without it

        return main(sys.argv[2:])
    if sys.argv[1:2] == ["todo"]:
        from pix_conformance.session.todo_command import main as list_what_to_build  # noqa: PLC0415  # see above

        with _reader_may_leave():
            return list_what_to_build(sys.argv[2:])
        return 0
    if sys.argv[1:2] == ["integration"]:
        if {"--help", "-h"} & set(sys.argv):
            from pix_conformance.session.command_line import integration_help_text  # noqa: PLC0415  # see above

            _show(integration_help_text())
            return 0
        return _run_suites([*sys.argv[2:], str(SUITES / "integration")])
    return _run_suites(sys.argv[1:])


@_caught
def load() -> int:
    """pix-load: let Locust's users send requests, and run the tests that judge all requests of a run."""
    words = sys.argv[1:]
    if {"--help", "-h"} & set(words):
        from pix_conformance.session.command_line import LOAD_TEXT  # noqa: PLC0415  # the other scripts start faster without it

        _show(LOAD_TEXT)
        return 0
    files = (path for api in Api for path in sorted((SUITES / api).glob("*.py")))
    judging = [str(path) for path in files if "whole_run" in path.read_text("utf-8")]
    return _run_suites(["-p", "fixtures.load", "-m", "whole_run", *words, *judging])


def _run_suites(words: list[str]) -> int:
    if "--version" in words:
        _show(f"pix-conformance {version('pix-conformance')}, pytest {version('pytest')}")
        return 0
    if {"--help", "-h"} & set(words):
        from pix_conformance.session.command_line import help_text  # noqa: PLC0415  # the other scripts start faster without it

        _show(help_text())
        return 0
    words = ["--help" if word == "--help-pytest" else word for word in words]
    sys.path.insert(0, str(TEST_TREE))  # first in the path, because other packages may be named `fixtures` too
    named = [word for plugin in PLUGINS for word in ("-p", plugin)]
    fixed = ["-c", str(PYTEST_SETTINGS), f"--rootdir={TEST_TREE}", *named, "-p", "no:cacheprovider"]
    with TemporaryDirectory(prefix="pix-conformance-") as directory:
        os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", directory)  # removed at the end
        try:
            import pytest  # noqa: PLC0415  # the other scripts start faster without it

            from pix_conformance.session.other_tools import words_of  # noqa: PLC0415  # see above

            words_of(os.environ)
            return int(pytest.main([*fixed, *_with_suites(words)]))
        except ArgumentError as conflict:
            print(f"another pytest plugin conflicts ({conflict}): give -p no:NAME", file=sys.stderr)  # noqa: T201  # a command line speaks
            return USAGE
        except KeyboardInterrupt:  # before the run takes over the signals
            return INTERRUPTED


@contextmanager
def _reader_may_leave() -> Iterator[None]:
    """Let the reader of the output, such as head, leave before its end."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python complains when it closes it


def _show(text: str) -> None:
    with _reader_may_leave():
        print(text)  # noqa: T201  # asked for


def _with_suites(words: list[str]) -> list[str]:
    """Return the words, with the full paths of suites and files, and with all suites if none is named."""
    from pix_conformance.session.command_line import paths  # noqa: PLC0415  # the other scripts start faster without it

    named = {path for path in paths(words) if Path(path).parts[:1] == ("suites",)}
    arguments = [str(TEST_TREE / word) if word in named else word for word in words]
    inside = any(SUITES in Path(path.partition("::")[0]).resolve().parents for path in paths(words))
    return arguments if named or inside else [*arguments, str(SUITES)]


@_caught
def sandbox() -> int:
    """pix-sandbox: serve the reference implementation, for the development of clients."""
    from pix_conformance.sandbox.command import main  # noqa: PLC0415  # the other scripts start faster without it

    return main(sys.argv[1:])


@_caught
def receiver() -> int:
    """pix-receiver: receive webhooks on a public host and write them to a file."""
    from pix_conformance.receiver.receiver_command import main  # noqa: PLC0415  # the other scripts start faster without it

    return main(sys.argv[1:])


@_caught
def report() -> int:
    """pix-report: write the pages of a bundle again, or compare bundles."""
    from pix_conformance.report.report_command import main  # noqa: PLC0415  # the other scripts start faster without it

    return main(sys.argv[1:])


@_caught
def mutants() -> int:
    """pix-mutants: run or list the mutants of a requirement."""
    from pix_conformance.proof.mutants_command import main  # noqa: PLC0415  # the other scripts start faster without it

    with _reader_may_leave():
        return main(sys.argv[1:])
    return 0
