"""Many targets on one page: totals by target, then where they differ, in what they do and in what they say."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations

from pix_conformance.checks.comparable_text import stable
from pix_conformance.model.vocabulary import MERGE_ORDER, Level, Outcome
from pix_conformance.recording.bundle.values import Bundle, Entry
from pix_conformance.recording.webhook_times import WebhookTimes
from pix_conformance.report.differences import AnswerDifference, difference, seen, wording
from pix_conformance.report.open_points import answer
from pix_conformance.report.template import render


@dataclass(frozen=True)
class Line:
    """One requirement across the targets, in their order; None where a run does not know it."""

    entry: Entry
    cells: tuple[Entry | None, ...]

    @property
    def asked(self) -> list[Entry]:
        """The targets that were asked."""
        return [cell for cell in self.cells if cell and cell.outcome is not Outcome.NOT_APPLICABLE]

    @cached_property
    def difference(self) -> AnswerDifference | None:
        """How the targets that were asked differ: in outcome or behavior, in words only, or not at all.

        None where no two of them were asked the same.
        """
        if len({cell.outcome for cell in self.asked}) > 1:
            return AnswerDifference.BEHAVIOR
        kinds = {difference(cell, other) for cell, other in combinations(map(seen, self.asked), 2)}
        ranked = (AnswerDifference.BEHAVIOR, AnswerDifference.WORDING, AnswerDifference.NONE)
        return next((kind for kind in ranked if kind in kinds), None)

    def said(self, cell: Entry) -> str:
        """What one target does; where the targets differ in words only, these words."""
        if self.difference is AnswerDifference.WORDING and any(cell is entry for entry in self.asked):
            return wording(seen(cell), [seen(entry) for entry in self.asked if entry is not cell])
        return stable(answer(cell))

    @property
    def rank(self) -> int:
        """Where the line stands: failures before warnings before open points."""
        return min((MERGE_ORDER.index(cell.outcome) for cell in self.cells if cell), default=len(MERGE_ORDER))


def lines(bundles: Sequence[Bundle]) -> list[Line]:
    """Put the verdicts of all bundles side by side, what failed anywhere first, then in the order of the first."""
    tables = [{entry.id: entry for entry in bundle.entries} for bundle in bundles]
    names = dict.fromkeys(name for table in tables for name in table)
    rows = (tuple(table.get(name) for table in tables) for name in names)
    return sorted((Line(next(filter(None, cells)), cells) for cells in rows), key=lambda line: line.rank)


def render_compare(bundles: Sequence[Bundle]) -> str:
    """Draw the page."""
    rows = lines(bundles)
    kinds = {kind: [line for line in rows if line.difference is kind] for kind in AnswerDifference}
    return render(
        "compare.html.j2",
        bundles=bundles,
        totals=[(bundle, _totals(bundle)) for bundle in bundles],
        levels=tuple(Level),
        webhook_times=_webhook_times(bundles),
        behaving=kinds[AnswerDifference.BEHAVIOR],
        reworded=kinds[AnswerDifference.WORDING],
        agreeing=kinds[AnswerDifference.NONE],
        alone=[line for line in rows if line.difference is None],
    )


def _webhook_times(bundles: Sequence[Bundle]) -> list[tuple[str, list[WebhookTimes | None]]]:
    """Put how late the webhooks of each event came side by side; None where a target sent none."""
    tables = [{f"{row.api} {row.event}": row for row in bundle.webhook_times} for bundle in bundles]
    return [(event, [table.get(event) for table in tables]) for event in sorted({*chain.from_iterable(tables)})]


def _totals(bundle: Bundle) -> dict[Level, list[tuple[Outcome, int]]]:
    """Count the outcomes of one target by level, strongest first."""
    counts = Counter((entry.level, entry.outcome) for entry in bundle.entries)
    return {
        level: [(outcome, counts[level, outcome]) for outcome in MERGE_ORDER if counts[level, outcome]]
        for level in Level
    }
