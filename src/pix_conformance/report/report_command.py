"""`pix-report`: pages from bundles that are already there. It sends nothing to any target."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from pix_conformance.model import editions
from pix_conformance.model.command_options import CommandOptions
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import BundleError
from pix_conformance.recording.report_directory import ReportDirectoryError, holds_a_report, prepare, publish
from pix_conformance.report.assumptions import as_toml
from pix_conformance.report.ci_files import annotations
from pix_conformance.report.comparison import compare_two, diff_text, render_compare, render_diff
from pix_conformance.report.explain import explain
from pix_conformance.report.pages import save, write_pages
from pix_conformance.verdicts.rejudge import rejudge, write
from pix_conformance.verdicts.waivers import Waiver, add, entry

USAGE = """pix-report BUNDLE                          write a bundle's pages again
       pix-report diff BEFORE AFTER [--out FILE]  what got better, worse, different; status 1 when worse
       pix-report compare BUNDLE... --out FILE    requirement by target, on one page
       pix-report rejudge BUNDLE [--out DIR]      judge a recording again with this suite's matchers
       pix-report explain ID [BUNDLE]             a requirement in words, with a right and a wrong example
       pix-report assume BUNDLE                   what the target does at open points, as a file for --assume
       pix-report annotations BUNDLE              what failed, by cause, as annotations of a GitHub job
       pix-report editions                        the editions that --edition may name
       pix-report waive BUNDLE ID --reason TEXT --ticket TEXT --expires DATE [--file FILE]
                                                  enter a known failure (default file: waivers.toml)
Variable: PIX_DOCUMENTS, the directory of payments.md and business.md: explain shows the lines that it cites (default:
none). Without --out nothing is written. Exit status: 0; 1 where diff finds something worse; 4 usage."""
FAULT = 4


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is 4 for a usage error or a directory that is no bundle."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    commands: dict[str, Callable[[list[str]], int]] = {
        "diff": _diff,
        "compare": _compare,
        "rejudge": _rejudge,
        "explain": _explain,
        "waive": _waive,
        "assume": _assume,
        "annotations": _annotations,
        "editions": _editions,
    }
    chosen = commands.get(arguments[0]) if arguments else None
    try:
        status = chosen(arguments[1:]) if chosen else _pages(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # its reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python complains when it closes it
        return 0
    except (BundleError, ReportDirectoryError, OSError) as problem:
        print(f"pix-report: {problem}", file=sys.stderr)  # noqa: T201 # a command line speaks
        return FAULT
    return status


def _pages(arguments: list[str]) -> int:
    parser = CommandOptions(prog="pix-report", usage=USAGE)
    parser.add_argument("bundle", type=Path)
    directory = parser.parse_args(arguments).bundle
    if not holds_a_report(directory):
        raise BundleError(
            f"no report of this suite in {directory}: name a directory that a run has written, such as reports/latest"
        )
    write_pages(directory)
    print(directory / "index.html")  # noqa: T201 # a command line speaks
    return 0


def _diff(arguments: list[str]) -> int:
    parser = _parser("diff", "Print what got better, worse or different from one run to another. Nothing is sent.")
    parser.epilog = "Exit status: 1 if an outcome got worse, or if a must fails that was not tested before; else 0."
    parser.add_argument("before", type=Path, help="the report directory of the earlier run")
    parser.add_argument("after", type=Path, help="the report directory of the later run")
    parser.add_argument("--out", type=Path, metavar="FILE", help="also write it as a page")
    options = parser.parse_args(arguments)
    diff = compare_two(read(options.before), read(options.after))
    if options.out:
        save(options.out, render_diff(diff))
    print(diff_text(diff))  # noqa: T201 # a command line speaks
    return diff.status


def _compare(arguments: list[str]) -> int:
    parser = _parser("compare", "Write a page that shows each requirement by target. Nothing is sent.")
    parser.add_argument("bundles", type=Path, nargs="+", metavar="bundle", help="the report directory of one target")
    parser.add_argument("--out", type=Path, metavar="FILE", required=True, help="the page, which is replaced")
    options = parser.parse_args(arguments)
    save(options.out, render_compare([read(directory) for directory in options.bundles]))
    print(options.out)  # noqa: T201 # a command line speaks
    return 0


def _rejudge(arguments: list[str]) -> int:
    parser = _parser("rejudge", "Judge a recording again with the matchers of this suite. Nothing is sent.")
    parser.add_argument("bundle", type=Path, help="the report directory of the recording")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write the report as judged again into this directory")
    options = parser.parse_args(arguments)
    if options.out:
        prepare(options.out)
    rejudged = rejudge(options.bundle)
    if options.out:
        with TemporaryDirectory(prefix="pix-report-") as draft:
            write(rejudged, options.bundle, Path(draft))
            write_pages(Path(draft))
            publish(Path(draft), options.out)
    said = [*rejudged.changes, *(f"{len(ids)} verdicts kept: {why}" for why, ids in rejudged.kept.items())]
    print(*said, rejudged.bundle.headline, sep="\n")  # noqa: T201 # a command line speaks
    return rejudged.bundle.run.exit


def _explain(arguments: list[str]) -> int:
    parser = _parser("explain", "Explain a requirement in words, with a right and a wrong example.")
    parser.add_argument("id", help="the id of a requirement, such as PAY-IDEM-02")
    parser.add_argument("bundle", type=Path, nargs="?", help="a report directory: name the tests of that run")
    options = parser.parse_args(arguments)
    print(explain(options.id, read(options.bundle) if options.bundle else None))  # noqa: T201 # a command line speaks
    return 0


def _assume(arguments: list[str]) -> int:
    parser = _parser("assume", "Print what a target does where the documents are silent, as a file for --assume.")
    parser.add_argument("bundle", type=Path, help="the report directory of the run")
    print(as_toml(read(parser.parse_args(arguments).bundle)), end="")  # noqa: T201 # a command line speaks
    return 0


def _annotations(arguments: list[str]) -> int:
    parser = _parser(
        "annotations", "Print what failed in a run or was inconclusive, by cause, as annotations of a GitHub job."
    )
    parser.add_argument("bundle", type=Path, help="the report directory of the run")
    for line in annotations(read(parser.parse_args(arguments).bundle)):
        print(line)  # noqa: T201 # a command line speaks
    return 0


def _editions(arguments: list[str]) -> int:
    parser = _parser("editions", "List the editions: how many requirements each has, and what is newer today.")
    parser.parse_args(arguments)
    for name in editions.names():
        count, newer = len(editions.edition(name)), len(editions.newer_than(name))
        print(f"{name}  {count} requirements; newer today: {newer}")  # noqa: T201 # a command line speaks
    return 0


def _waive(arguments: list[str]) -> int:
    parser = _parser("waive", "Enter a known failure into a waiver file, which a run takes with --waivers.")
    parser.add_argument("bundle", type=Path, help="the report directory of a run in which it failed")
    parser.add_argument("id", help="the id of the requirement")
    for name, words in (("--reason", "why the failure is borne"), ("--ticket", "where it is followed up")):
        parser.add_argument(name, required=True, metavar="TEXT", help=words)
    parser.add_argument("--expires", type=_day, required=True, metavar="DATE", help="the last day, such as 2027-01-31")
    parser.add_argument("--file", type=Path, default=Path("waivers.toml"), help="the waiver file (waivers.toml)")
    options = parser.parse_args(arguments)
    known = Waiver(options.id.upper(), options.reason, options.ticket, options.expires)
    text = entry(read(options.bundle), known, datetime.now(UTC).date())
    add(options.file, text)
    print(f"{options.file}:\n{text}", end="")  # noqa: T201 # a command line speaks
    return 0


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a date such as 2027-01-31") from None


def _parser(command: str, words: str) -> CommandOptions:
    return CommandOptions(prog=f"pix-report {command}", description=words)
