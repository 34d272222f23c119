"""The command `pix-mutants`: the mutants of a requirement, and whether the suites kill them."""

import argparse
import inspect
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from pix_conformance.model.catalogue import catalogue, named_requirements
from pix_conformance.model.command_options import USAGE, CommandOptions
from pix_conformance.model.paths import HOW_MEASURED, TEST_TREE
from pix_conformance.model.vocabulary import Api, Level, UsageError
from pix_conformance.proof import plan
from pix_conformance.proof.runner import WORKERS, run_all
from pix_conformance.report.explain import Example, kills, lines_of
from pix_conformance.sandbox.mutants import schema
from pix_conformance.sandbox.mutants.registry import ROOM, Mutant, all_mutants

IDS = re.compile(r"(?:PAY|BUS)-[A-Z]+-\d\d")
BEGINNING = re.compile(r'f"((?:PAY|BUS)-[A-Z]+-\d\d/[^"{]+)\{')
"""How ids begin that a row makes for several mutants."""
OF_NO_MUTANT = ("docs", "tests", "reports", "examples", ".github", ".ci")
"""Directories whose files change no verdict."""
NO_MUTANT_SUFFIXES = (".md", ".html", ".css", ".js", ".yml")
EPILOG = """Examples:
  pix-mutants PAY-IDEM-02                   run the mutants of a requirement
  pix-mutants PAY-IDEM --list               list the mutants of an area, and which test killed each
  pix-mutants PAY-IDEM-02/ignores-amount    run one mutant
  pix-mutants --since main                  run the mutants that the changes since a commit can affect
Exit status: 0 all were killed; 1 one survived; 4 usage."""


class GitError(Exception):
    """The changes since a commit cannot be read."""


@dataclass(frozen=True)
class MutantRow:
    """A mutant, and what is known of its end."""

    mutant: Mutant
    tests: tuple[str, ...]
    killed: bool | None
    """None if it was not measured."""
    outcomes: dict[str, str]
    example: Example | None = None

    @property
    def state(self) -> str:
        """Say it in one word or two."""
        return "not measured" if self.killed is None else "killed" if self.killed else "SURVIVED"

    def as_json(self) -> dict[str, Any]:
        """Return the row as a JSON value."""
        file, line = source_line(self.mutant)
        return {
            "id": self.mutant.id,
            "breaks": list(self.mutant.breaks),
            "sentence": self.mutant.sentence,
            "file": file,
            "line": line,
            "state": self.state.lower(),
            "killed_by": list(self.tests),
            "outcomes": self.outcomes,
        }


def main(argv: Sequence[str]) -> int:
    """List or run mutants. Return 1 if one survived."""
    asked = _parser().parse_args(argv)
    try:
        mutants = _chosen(asked)
    except (UsageError, ValueError, GitError) as problem:
        print(f"pix-mutants: {problem}", file=sys.stderr)  # noqa: T201  # the output of a command
        return USAGE
    if asked.since and not asked.list:
        print(f"{len(mutants)} mutants; Ctrl-C ends the run", file=sys.stderr)  # noqa: T201  # likewise
    rows = [_measured(mutant) for mutant in mutants] if asked.list else list(_run(mutants))
    _print(json.dumps([row.as_json() for row in rows], indent=1) if asked.json else "\n".join(_text(rows)))
    if asked.list and not asked.json and not kills():
        _print(f"Not measured here: which tests kill which mutant; {HOW_MEASURED}")
    return int(not asked.list and any(not row.killed for row in rows))


def _parser() -> CommandOptions:
    parser = CommandOptions(
        prog="pix-mutants",
        usage="pix-mutants [REQUIREMENT | ID ...] [options]",
        description="Runs the suites against mutants: servers that are wrong in one way.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "words",
        nargs="*",
        metavar="WORD",
        help="how an id begins, or requirements that are broken, named as with --only",
    )
    parser.add_argument("--list", action="store_true", help="run nothing, show which tests killed them (default: run)")
    parser.add_argument("--since", metavar="COMMIT", help="only those that a file changed since the commit can affect")
    parser.add_argument("--json", action="store_true", help="write JSON (default: text)")
    return parser


def _chosen(asked: argparse.Namespace) -> list[Mutant]:
    """Return the mutants that were asked for. Raises ValueError or UsageError if a word names none."""
    if not (asked.words or asked.since or asked.list):
        raise ValueError("name a requirement or a mutant, or give --since or --list")
    every = sorted(all_mutants().values(), key=lambda mutant: mutant.id)
    mutants = [mutant for mutant in every if not asked.words or mutant.id in _named(asked.words, every)]
    if asked.since:
        ids = {mutant.id for file in _changed(asked.since) for mutant in mutants_of_file(PurePosixPath(file), mutants)}
        mutants = [mutant for mutant in mutants if mutant.id in ids]
    return mutants


def _named(words: Sequence[str], every: Sequence[Mutant]) -> set[str]:
    """Return the mutants that words name: how an id with a slash begins, or the requirements that are broken."""
    ids: set[str] = set()
    for word in words:
        broken = frozenset() if "/" in word else named_requirements(word)
        matching = {
            mutant.id for mutant in every if broken & {*mutant.breaks} or ("/" in word and mutant.id.startswith(word))
        }
        if broken and all(map(_is_undecided, broken)):
            print(f"{word}: open or unobservable, so no mutant breaks it", file=sys.stderr)  # noqa: T201  # likewise
        elif not matching:
            raise ValueError(f"no mutant breaks {word!r} or is called so; --list shows them all")
        ids |= matching
    return ids


def _is_undecided(requirement: str) -> bool:
    row = catalogue()[requirement]
    return row.level is Level.OPEN or row.unobservable is not None


def _changed(commit: str) -> list[str]:
    """Return the files that differ from a commit, and those that git does not know. GitError if git cannot tell.

    Of a branch that has moved on, the commit is the one from which this work began.
    """
    begin = _git("merge-base", commit, "HEAD").strip()
    return [
        line
        for words in (("diff", "--name-only", begin, "--"), ("ls-files", "--others", "--exclude-standard"))
        for line in _git(*words).splitlines()
    ]


def _git(*words: str) -> str:
    try:
        result = subprocess.run(["git", "-C", str(TEST_TREE), *words], capture_output=True, text=True, check=False)  # noqa: S603, S607  # git, of the user's path
    except FileNotFoundError as problem:
        raise GitError("git is not installed") from problem
    if result.returncode:
        raise GitError(result.stderr.strip())
    return result.stdout


def mutants_of_file(file: PurePosixPath, mutants: list[Mutant]) -> Iterator[Mutant]:
    """Yield the mutants that one changed file can affect: those of its area, of its API, or all."""
    if file.parts[0] in OF_NO_MUTANT or (file.suffix in NO_MUTANT_SUFFIXES and file.parts[0] != "specs"):
        return
    module = str(file.with_suffix("")).partition("sandbox/mutants/")[2].replace("/", ".")
    listed = [mutant for mutant in mutants if mutant.module == module]
    apis = [api for api in Api if api in file.parts] or list(Api)
    if file.parts[0] == "suites":
        yield from _asked_in(file, mutants)
    elif listed:
        yield from listed
    else:
        yield from (mutant for mutant in mutants if plan.api(mutant) in apis)


def _asked_in(file: PurePosixPath, mutants: Iterable[Mutant]) -> Iterator[Mutant]:
    """Yield the mutants that break a requirement which this file names, or that a test of it was seen to kill."""
    text = (TEST_TREE / file).read_text("utf-8") if (TEST_TREE / file).is_file() else ""
    requirements = set(IDS.findall(text))
    for mutant in mutants:
        if requirements.intersection(mutant.breaks) or any(
            test.startswith(f"{file}::") for test in kills().get(mutant.id, ())
        ):
            yield mutant


def _measured(mutant: Mutant) -> MutantRow:
    tests = kills().get(mutant.id)
    return MutantRow(mutant, tests or (), None if tests is None else bool(tests), {})


def _run(mutants: Sequence[Mutant]) -> Iterator[MutantRow]:
    """Run the suites against each mutant, with a progress bar on standard error."""
    by_id = {mutant.id: mutant for mutant in mutants}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("mutants", total=len(mutants))
        for result in run_all([plan.job_of(mutant, shown=True) for mutant in mutants], workers=WORKERS):
            measured = plan.mutant_result(by_id[result.name], result, is_whole=False)
            first = next((result.wrong[outcome] for outcome in measured.outcomes if outcome in result.wrong), None)
            yield MutantRow(by_id[result.name], measured.killers, measured.killed, measured.outcomes, first)
            progress.advance(bar)


def _text(rows: Iterable[MutantRow]) -> Iterator[str]:
    """Write each mutant in a few lines, survivors last, and how many there are; of the requests only the last one."""
    ordered = sorted(rows, key=lambda row: (row.killed is False, row.mutant.id))
    for row in ordered:
        file, line = source_line(row.mutant)
        yield f"{row.state}  {row.mutant.id}  {row.mutant.sentence}"
        yield f"    {file}:{line}"
        yield from (f"    by {test}" for test in row.tests[:3])
        yield from (f"    {name} is {outcome}" for name, outcome in row.outcomes.items() if not row.killed)
        lines = lines_of(row.example) if row.example else []
        yield from (f"    {line}" for line in lines if not line.startswith("> (before"))
    counts = {state: sum(row.state == state for row in ordered) for state in ("killed", "SURVIVED", "not measured")}
    yield ", ".join(f"{count} {state.lower()}" for state, count in counts.items() if count) or "no mutants"


def _print(text: str) -> None:
    print(text)  # noqa: T201  # the output of a command


def source_line(mutant: Mutant) -> tuple[str, int]:
    """Return the file and the line of a mutant: that of its id, or of what generates it."""
    file = ROOM / f"{mutant.module.replace('.', '/')}.py"
    generator = inspect.getsourcelines(schema.differences)[1] if ":" in mutant.id else 1
    numbers = (number for number, line in enumerate(_lines(file), start=1) if _is_row_of(line, mutant.id))
    return _shown(file), next(numbers, generator)


def _is_row_of(line: str, mutant: str) -> bool:
    """Whether a line has the id of a mutant, or the beginning of the ids of several rows."""
    return f'"{mutant}"' in line or any(map(mutant.startswith, BEGINNING.findall(line)))


@cache
def _lines(file: Path) -> list[str]:
    return file.read_text("utf-8").splitlines()


def _shown(file: Path) -> str:
    return str(file.relative_to(TEST_TREE)) if file.is_relative_to(TEST_TREE) else str(file)
