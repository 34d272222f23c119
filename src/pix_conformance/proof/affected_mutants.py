"""Which mutants a change of files can affect."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from pix_conformance.model.paths import TEST_TREE
from pix_conformance.model.vocabulary import Api
from pix_conformance.proof import plan
from pix_conformance.report.explain import kills
from pix_conformance.sandbox.mutants.registry import Mutant

IDS = re.compile(r"(?:PAY|BUS)-[A-Z]+-\d\d")
OF_NO_MUTANT = ("docs", "tests", "reports", "examples", ".github", ".ci")
"""Directories whose files change no verdict."""
NO_MUTANT_SUFFIXES = (".md", ".html", ".css", ".js", ".yml")


class GitError(Exception):
    """The changes since a commit cannot be read."""


def since(commit: str, mutants: Iterable[Mutant]) -> set[str]:
    """Return the ids of the mutants that a file changed since a commit can affect; GitError if git cannot tell."""
    known = list(mutants)
    return {mutant.id for file in _changed(commit) for mutant in of_file(PurePosixPath(file), known)}


def _changed(commit: str) -> list[str]:
    """Return the files that differ from the commit, and those that git does not know yet."""
    return [
        line
        for words in (("diff", "--name-only", commit, "--"), ("ls-files", "--others", "--exclude-standard"))
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


def of_file(file: PurePosixPath, mutants: list[Mutant]) -> Iterator[Mutant]:
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
