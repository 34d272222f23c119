"""Which files of the repository mention a requirement, or a word: `git grep` finds them."""

import subprocess
from collections import defaultdict
from collections.abc import Iterable

from pix_conformance.model.paths import TEST_TREE

UNREAD = (
    "specs/*/requirements.toml",
    "specs/editions",
    "src/pix_conformance/data",
    "docs/requirements.md",
    "docs/proof.*",
)
"""Files that mention ids and are not reread: the requirements themselves, and files that commands write."""
SAME_WHEN_REMOVED = ("specs/editions", "docs/requirements.md", "docs/proof.*", "CHANGELOG.md", "uv.lock")
"""Files that a removed word does not concern: what was released, and pages that follow."""


def files_with(word: str) -> list[str]:
    """Return the files, but for those that are never edited, in which a word stands."""
    return _grep("-lwF", word, SAME_WHEN_REMOVED)


def mentions() -> dict[str, list[str]]:
    """Return the files to reread that mention each requirement."""
    files: dict[str, list[str]] = defaultdict(list)
    for line in dict.fromkeys(_grep("-oE", "(PAY|BUS)-[A-Z]+-[0-9][0-9]", UNREAD)):
        file, _, name = line.rpartition(":")
        files[name].append(file)
    return files


def _grep(option: str, pattern: str, left_out: Iterable[str]) -> list[str]:
    """Return the lines that git prints; none if nothing matches. Raises CalledProcessError without a repository."""
    command = ["git", "grep", option, "-e", pattern, "--", ".", *(f":!{path}" for path in left_out)]
    done = subprocess.run(  # noqa: S603  # git, with patterns of this file
        command, cwd=TEST_TREE, text=True, capture_output=True, check=False
    )
    if done.returncode > 1:
        done.check_returncode()
    return done.stdout.splitlines()
