"""Many targets on one page: requirement by target, and where they differ, open points included."""

from collections.abc import Sequence
from dataclasses import dataclass

from reports.bundle import Bundle, Entry
from reports.diff import alike, words
from reports.page import render
from specs.vocabulary import Outcome


@dataclass(frozen=True, slots=True)
class Line:
    """One requirement across the targets, in their order; None where a run does not know it."""

    entry: Entry
    cells: tuple[Entry | None, ...]

    @property
    def differs(self) -> bool:
        """Whether the targets that were asked disagree, in outcome or in what was seen."""
        asked = [cell for cell in self.cells if cell and cell.outcome is not Outcome.NOT_APPLICABLE]
        return len({(cell.outcome, alike(cell)) for cell in asked}) > 1


def lines(bundles: Sequence[Bundle]) -> list[Line]:
    """Put the verdicts of all bundles side by side, in the order of the first that knows a requirement."""
    tables = [{entry.id: entry for entry in bundle.entries} for bundle in bundles]
    names = dict.fromkeys(name for table in tables for name in table)
    rows = (tuple(table.get(name) for table in tables) for name in names)
    return [Line(next(filter(None, cells)), cells) for cells in rows]


def render_compare(bundles: Sequence[Bundle]) -> str:
    """Draw the page."""
    rows = lines(bundles)
    return render(
        "compare.html.j2",
        bundles=bundles,
        lines=rows,
        differing=sum(line.differs for line in rows),
        words=words,
    )
