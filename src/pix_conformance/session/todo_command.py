"""`pix-conformance todo`: what to build next, by the report of a run; with `--watch`, again after each change."""

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from pix_conformance.model.command_options import CommandOptions
from pix_conformance.model.printable import for_terminal
from pix_conformance.model.vocabulary import Outcome, UsageError
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import Bundle, BundleError
from pix_conformance.report.todo import to_build, todo_lines

INTERVAL_S, CONNECTS_WITHIN_S = 0.5, 1.0
"""Seconds between two looks at the files and the server, and for which a connection is tried."""
DEFAULT_REPORT, RESULTS = Path("reports/latest"), "results.json"
PASSED, FAILED = 0, 1
RUN = """\
import sys
from pix_conformance.cli import conformance
sys.argv[0] = "pix-conformance"
raise SystemExit(conformance())"""
"""The command of a run: a process of its own, whose report names the program that the user started."""
WORDS = """\
Lists the failures of a report in the order in which requirements become testable: each with its requirements, a script
to try, and the command that tests it. It sends nothing. With --watch it runs the suites first if there is no report,
and whenever a file of DIR changes or the server restarts it tests again what failed (--again), and all suites once the
first item passes; the words after -- are options of these runs. Ctrl-C ends it."""


def main(words: Sequence[str]) -> int:
    """List what to build next. Return 1 if something failed, else the exit status of the run; of --watch 0.

    Raises UsageError without a report.
    """
    place = list(words).index("--") if "--" in words else len(words)
    options, more = _parser().parse_args(words[:place]), words[place + 1 :]
    if options.watch is None:
        bundle = _report(options.report)
        _say(todo_lines(bundle))
        return FAILED if to_build(bundle) else bundle.run.exit
    with suppress(KeyboardInterrupt):
        watch(options.report, options.watch, more)
    return PASSED


def _parser() -> CommandOptions:
    parser = CommandOptions("pix-conformance todo", description=WORDS, allow_abbrev=False)
    parser.add_argument("report", type=Path, nargs="?", default=DEFAULT_REPORT, help="a report directory")
    parser.add_argument("--watch", type=Path, metavar="DIR", help="the directory of the server's source")
    return parser


def _report(directory: Path) -> Bundle:
    try:
        return read(directory)
    except BundleError as reason:
        raise UsageError(f"todo: {reason}: run pix-conformance first, or name its report") from None


def watch(report: Path, directory: Path, options: Sequence[str]) -> None:
    """Test what failed again after each change, and all suites once the first item passes.

    A file that changes during two runs in a row is one that the server writes, such as a log. Ends by
    KeyboardInterrupt.
    """
    run, tested = [sys.executable, "-c", RUN, *options], files_of(directory)
    if _written(report) is None:
        _test(run, report)
    latest, server_files = report, set[str]()
    changed = names_of(files_of(directory) ^ tested)
    while True:
        bundle = _report(latest)
        _say(todo_lines(bundle))
        wait_for_change(directory, bundle.base_url, tested, server_files)
        tested = files_of(directory)
        latest = _test_again(run, report)
        earlier, changed = changed, names_of(files_of(directory) ^ tested)
        server_files |= earlier & changed


def _test_again(run: Sequence[str], report: Path) -> Path:
    """Test what failed in a report, and all suites if its first item passes now. Return the report of the last run."""
    if cards := to_build(_report(report)):
        again = report.with_name(f"{report.name}-again")
        if not _test([*run, "--again", str(report)], again):
            return report
        passed = {entry.id for entry in _report(again).entries if entry.outcome is Outcome.PASS}
        if not passed.issuperset(cards[0].requirements):
            return again
    _test(run, report)
    return report


def _test(run: Sequence[str], report: Path) -> bool:
    """Run the tests; return whether they wrote a report, which takes the place of an earlier one."""
    earlier = _written(report)
    subprocess.run([*run, "--report-dir", str(report)], check=False)  # noqa: S603  # our own command
    return _written(report) not in {None, earlier}


def _written(report: Path) -> int | None:
    """Return when a report was written, in ns since the epoch; None without one."""
    results = report / RESULTS
    return results.stat().st_mtime_ns if results.is_file() else None


Files = frozenset[tuple[str, int]]
"""Files with the times of their last changes, ns."""


def wait_for_change(
    directory: Path,
    base_url: str,
    tested: Files,
    server_files: Collection[str] = (),
    pause: Callable[[float], None] = time.sleep,
) -> None:
    """Return when the files are not those that were tested and the server accepts connections, or has restarted.

    A file that changed during a run has not been tested; `server_files`, which the server writes, do not count.
    """
    was_away = False
    while True:
        pause(INTERVAL_S)
        is_there = _accepts(base_url)
        if is_there and (was_away or names_of(files_of(directory) ^ tested).difference(server_files)):
            return
        was_away = was_away or not is_there


def names_of(files: Files) -> set[str]:
    """Return the names of files."""
    return {name for name, _ in files}


def files_of(directory: Path) -> Files:
    """Return the files of a directory, but for hidden ones and packages."""
    files = set()
    for path in directory.rglob("*"):
        parts = path.relative_to(directory).parts
        if not any(part.startswith(".") or part == "node_modules" for part in parts):
            with suppress(OSError):  # it may be gone by now
                files |= {(str(path), path.stat().st_mtime_ns)} if path.is_file() else set()
    return frozenset(files)


def _accepts(base_url: str) -> bool:
    parts = urlsplit(base_url)
    address = parts.hostname or "", parts.port or {"https": 443}.get(parts.scheme, 80)
    try:
        socket.create_connection(address, CONNECTS_WITHIN_S).close()
    except OSError:
        return False
    return True


def _say(lines: Iterator[str]) -> None:
    for line in lines:
        print(for_terminal(line), flush=True)  # noqa: T201  # a command line speaks
