"""Makes and checks what a release needs.

`edition` writes specs/editions/X.Y.toml, the requirements of the release whose version tools/version.py has.
`check` says what HEAD lacks to be released, a sentence each, and returns 1 if it lacks anything.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.editions import EDITIONS, current, newer_than
from pix_conformance.model.paths import DATA, without_settings
from pix_conformance.model.paths import TEST_TREE as ROOT
from pix_conformance.proof import proof_page
from tools import pages
from tools.version import NUMBER, version

MEASURED = ("examples.json", "kills.json")
CODE = ("src", "suites", "fixtures", "specs", ":!specs/editions")
"""What the figures of the proof depend on. The edition of the release is written after them."""
SAMPLED = ("collateral",)
"""Parts that measure as much as a time allows."""
HEAD = "# The requirements of release {}, as released: written by `python -m tools.release edition`, never edited.\n"


def git(*words: str) -> str:
    """Return what git prints. Raises CalledProcessError if it fails."""
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout  # noqa: S603, S607  # fixed words


def edition_file(version: str) -> Path:
    """Return the file of the edition of a version: patches share that of their minor release."""
    return EDITIONS / f"{'.'.join(version.split('.')[:2])}.toml"


def write_edition(number: str) -> Path:
    """Write the edition of a release. Raises ValueError if it is no release, or has an edition already."""
    path = edition_file(number)
    if path.exists() or "dev" in number:
        raise ValueError(f"{path.name} is there already" if path.exists() else f"{number} is no release")
    values = ((row.id, json.dumps([row.level, row.statement], ensure_ascii=False)) for row in catalogue().values())
    path.write_text(
        "".join([HEAD.format(number), *(f"{name} = {value}\n" for name, value in values)]), encoding="utf-8"
    )
    return path


def missing() -> Iterator[str]:
    """Say what HEAD lacks to be released."""
    if git("status", "--porcelain"):
        yield "there are changes that are not committed"
    yield from missing_of_version(NUMBER, (ROOT / "CHANGELOG.md").read_text("utf-8"))
    yield from (f"{path.relative_to(ROOT)} is out of date: python -m tools.pages" for path in pages.outdated())
    yield from missing_of_proof(proof_page.figures())
    if unmeasured := [name for name in MEASURED if not (DATA / name).exists()]:
        yield f"missing in {DATA.relative_to(ROOT)}: {', '.join(unmeasured)}: python -m pix_conformance.proof data"
    with tempfile.TemporaryDirectory() as directory:
        yield from missing_of_wheel(Path(directory))


def missing_of_version(number: str, changelog: str) -> Iterator[str]:
    """Say what is missing of the version, its section of the changelog, and its edition."""
    if "dev" in number:
        yield f"{number} is the version of no release: set that of tools/version.py"
        number = number.partition(".dev")[0]
    sections = {head: text.strip() for head, _, text in (part.partition("\n") for part in changelog.split("\n## "))}
    if not sections.get(number):
        yield f"CHANGELOG.md says nothing of {number}"
    if "Unreleased" in sections:
        yield "CHANGELOG.md has a section Unreleased: give it the version"
    path = edition_file(number)
    if not path.exists():
        yield f"{path.name} is missing: python -m tools.release edition"
    elif newer_than(path.stem) or (number.endswith(".0") and current() != path.stem):
        yield f"the requirements are not those of {path.name}"
    if changed := git("log", "--diff-filter=M", "--format=", "--name-only", "--", str(EDITIONS)).split():
        yield f"an edition is never edited, but these were: {', '.join(sorted(set(changed)))}"


def missing_of_proof(figures: Mapping[str, dict[str, Any]]) -> Iterator[str]:
    """Say which part of the proof is not whole, is not of the code of HEAD, or has a row that is wrong."""
    for name in proof_page.TITLES:
        part = figures.get(name)
        if part is None:
            yield f"{name} was not measured"
            continue
        if part["rows"] < part["known"] and name not in SAMPLED:
            yield f"{name} is not whole: {part['rows']} of {part['known']} rows"
        if part["right"] < part["rows"]:
            yield f"{name} has {part['rows'] - part['right']} wrong rows of {part['rows']}"
        if not part.get("commits"):
            yield f"{name} does not name the commit on which it was measured"
        elif part["lists"] != proof_page.lists(name) or not all(map(is_of_head, part["commits"])):
            yield f"{name} was measured on other code"


def is_of_head(commit: str) -> bool:
    """Whether the code of a commit is that of HEAD."""
    words = ["git", "diff", "--quiet", commit, "HEAD", "--", *CODE]
    return subprocess.run(words, cwd=ROOT, check=False, capture_output=True).returncode == 0  # noqa: S603  # fixed words and a commit


def missing_of_wheel(directory: Path) -> Iterator[str]:
    """Say whether two builds differ, and whether the wheel does not run in an environment of its own."""
    python, report = directory / "venv" / "bin" / "python", directory / "report"
    try:
        _run("uv", "build", "--out-dir", str(directory / "1"), str(ROOT))  # the wheel is built from the sdist
        _run("uv", "build", "--wheel", "--out-dir", str(directory / "2"), str(ROOT))
        first, second = (path for number in "12" for path in (directory / number).glob("*.whl"))
        if first.read_bytes() != second.read_bytes():
            yield "two builds of the wheel differ, one from the sdist and one from the checkout"
        _run("uv", "venv", "--quiet", str(directory / "venv"))
        _run("uv", "pip", "install", "--quiet", "--python", str(python), str(first))
        words = ("--only", "PAY-AUTH-01", "--report-dir", str(report))
        _run(str(python.with_name("pix-conformance")), *words, cwd=directory)
        if (suite := json.loads((report / "results.json").read_text("utf-8"))["suite"]) != version():
            yield f"the report of the wheel names the version {suite}, not {version()}"
    except subprocess.CalledProcessError as error:
        yield f"the wheel cannot be used: {' '.join(error.cmd)}: {(error.stderr or error.stdout).strip()[-300:]}"


def _run(*words: str, cwd: Path = ROOT) -> None:
    environment = without_settings()
    environment.pop("VIRTUAL_ENV", None)
    subprocess.run(words, cwd=cwd, env=environment, check=True, capture_output=True, text=True)  # noqa: S603  # our own project


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command."""
    parser = argparse.ArgumentParser(prog="python -m tools.release", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("edition")
    commands.add_parser("check")
    options = parser.parse_args(arguments)
    if options.command == "check":
        sentences = list(missing())
        print(*sentences or ["nothing is missing"], sep="\n")  # noqa: T201  # the output of the command
        return 1 if sentences else 0
    try:
        print(f"wrote {write_edition(NUMBER)}")  # noqa: T201  # the output of the command
    except ValueError as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
