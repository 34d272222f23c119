"""Diagnosis: which known defect leaves the failures that a run shows."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from reports.bundle import Bundle
from specs.vocabulary import Outcome

FILE = Path(__file__).parent / "fingerprints.json"
ALIKE = 0.5
"""The least Jaccard similarity: as many failures are shared as are not."""
MOST = 3


@dataclass(frozen=True)
class Likeness:
    """A known defect in words, and which of the failures it explains; similarity from 0 to 1."""

    sentence: str
    similarity: float
    explained: tuple[str, ...]


def likenesses(failed: Collection[str], warned: Collection[str] = (), path: Path = FILE) -> list[Likeness]:
    """Name the known defects whose failures are most like these, best first; none where none was measured.

    A warning counts only where the defect is known to cause it: most servers have some of their own.
    """
    if not (failed or warned) or not path.is_file():
        return []
    found = dict[str, Likeness]()
    for one in json.loads(path.read_text(encoding="utf-8")):
        known = set(one["failed"])
        seen = set(failed) | (set(warned) & known)
        likeness = Likeness(one["sentence"], len(seen & known) / len(seen | known), tuple(sorted(seen & known)))
        if likeness.similarity >= ALIKE:
            found.setdefault(likeness.sentence, likeness)
    return sorted(found.values(), key=lambda one: -one.similarity)[:MOST]


def diagnosis(bundle: Bundle, path: Path = FILE) -> str:
    """Say in a sentence what the failures of a bundle look like; empty where they look like nothing known."""
    failed, warned = (
        [one.id for one in bundle.entries if one.outcome is outcome] for outcome in (Outcome.FAIL, Outcome.WARN)
    )
    alike = likenesses(failed, warned, path)
    if not alike:
        return ""
    count = len(failed) or len(alike[0].explained)
    these = "this failure looks" if count == 1 else f"these {count} failures look"
    return f"{these} like: {'; or: '.join(one.sentence for one in alike)}"
