"""Makes what a release needs.

`edition [COMMIT]` writes specs/editions/<version>.toml from the requirements of a commit, of HEAD by default.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from pix_conformance.model.editions import EDITIONS
from pix_conformance.model.paths import TEST_TREE as ROOT
from pix_conformance.model.vocabulary import Api

HEAD = "# The requirements of release {}, as released: written by `python -m tools.release edition`, never edited.\n"


def git(*words: str) -> str:
    """Return what git prints. Raises CalledProcessError if it fails."""
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout  # noqa: S603, S607  # fixed words


def version_of(project: str) -> str:
    """Return the version in the text of a pyproject.toml."""
    return str(tomllib.loads(project)["project"]["version"])


def edition_file(version: str) -> Path:
    """Return the file of the edition of a version: patches share that of their minor release."""
    return EDITIONS / f"{'.'.join(version.split('.')[:2])}.toml"


def write_edition(commit: str) -> Path:
    """Write the edition of a commit. Raises ValueError if its version is no release or has an edition already."""
    version = version_of(git("show", f"{commit}:pyproject.toml"))
    path = edition_file(version)
    if path.exists() or "dev" in version:
        raise ValueError(f"{path.name} is there already" if path.exists() else f"{version} is no release")
    lines = [HEAD.format(version)]
    for api in Api:
        rows = tomllib.loads(git("show", f"{commit}:specs/{api}/requirements.toml"))["requirement"]
        values = ((row["id"], json.dumps([row["level"], row["statement"]], ensure_ascii=False)) for row in rows)
        lines += [f"{name} = {value}\n" for name, value in values]
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(lines), encoding="utf-8")
    return path


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command."""
    parser = argparse.ArgumentParser(prog="python -m tools.release", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("edition").add_argument("commit", nargs="?", default="HEAD")
    options = parser.parse_args(arguments)
    try:
        print(f"wrote {write_edition(options.commit)}")  # noqa: T201  # the output of the command
    except ValueError as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
