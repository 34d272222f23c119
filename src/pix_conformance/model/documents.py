"""The texts of payments.md and business.md, if the user has them: the lines that a requirement cites."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.vocabulary import Api, Requirement

VARIABLE = "PIX_DOCUMENTS"
UNSET = f"To see the cited lines here, set {VARIABLE} to the directory that holds payments.md and business.md."


@dataclass(frozen=True)
class Documents:
    """The lines of each available document. `outdated` names the files with another text than the cited one."""

    lines: Mapping[Api, tuple[str, ...]] = field(default_factory=dict)
    outdated: tuple[str, ...] = ()

    def cited(self, requirement: Requirement) -> list[tuple[int, str]]:
        """Return the lines that a requirement cites, with their numbers; empty if the document is not available."""
        lines = self.lines.get(requirement.api, ())
        return [
            (n, lines[n - 1]) for first, last in requirement.lines for n in range(first, last + 1) if n <= len(lines)
        ]

    def shown(self, requirement: Requirement) -> list[str]:
        """Return the cited lines as text, or why they are not shown."""
        lines = [f"{number:4}  {text}" for number, text in self.cited(requirement)]
        return lines or ([_other(f"{requirement.api}.md")] if f"{requirement.api}.md" in self.outdated else [UNSET])

    @property
    def notices(self) -> list[str]:
        """Return which files are not shown, and why."""
        return [_other(name) for name in self.outdated]


def _other(name: str) -> str:
    return f"The lines of {name} are not shown: the file in {VARIABLE} is not the version that this suite cites."


def read(directory: Path) -> Documents:
    """Read the documents in a directory. Raises FileNotFoundError if it has neither."""
    texts = {api: path.read_bytes() for api in Api if (path := directory / f"{api}.md").is_file()}
    if not texts:
        raise FileNotFoundError(f"{directory} holds neither payments.md nor business.md")
    cited = {api: text for api, text in texts.items() if hashlib.sha256(text).hexdigest() == catalogue().documents[api]}
    lines = {api: tuple(text.decode("utf-8").splitlines()) for api, text in cited.items()}
    return Documents(lines, tuple(f"{api}.md" for api in texts if api not in cited))
