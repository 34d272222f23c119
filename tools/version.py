"""The version of the project, which hatchling asks for when it builds: `uv run pix-conformance --version` prints it.

`NUMBER` is that of a release in the commit of the release; any other commit has `X.Y.0.dev0`, to which its id is added.
"""

import subprocess
from pathlib import Path

NUMBER = "1.2.0.dev0"
ARCHIVED = "$Format:%H$"
"""The commit in what `git archive` makes, such as the archive that GitHub gives an action."""
LENGTH = 12


def version() -> str:
    """Return the number, with the commit where it is no release and the commit is known."""
    commit = commit_of(Path(__file__).parent.parent, ARCHIVED)
    return f"{NUMBER}+g{commit[:LENGTH]}" if commit and "dev" in NUMBER else NUMBER


def commit_of(root: Path, archived: str) -> str:
    """Return the commit of a checkout or of an archive; an empty text without git and in a copy of the files."""
    if not archived.startswith("$"):
        return archived
    if not (root / ".git").exists():  # git would name the commit of a repository around it
        return ""
    words = ["git", "rev-parse", "HEAD"]
    try:
        return subprocess.run(words, cwd=root, check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603  # fixed words
    except (OSError, subprocess.CalledProcessError):
        return _head(root / ".git")


def _head(git: Path) -> str:
    """Return the commit that the files of a repository name, where no git is there: the build of the image has none."""
    try:
        head = (git / "HEAD").read_text(encoding="utf-8").strip()
        name = head.removeprefix("ref: ")
        if name == head:
            return head
        packed = (git / "packed-refs").read_text(encoding="utf-8") if (git / "packed-refs").is_file() else ""
        commits = {ref: commit for commit, _, ref in (line.partition(" ") for line in packed.splitlines())}
        return (git / name).read_text(encoding="utf-8").strip() if (git / name).is_file() else commits.get(name, "")
    except OSError:
        return ""
