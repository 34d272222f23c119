"""Runs side by side: two of them, with what got better or worse, or many targets on one page."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import chain, combinations

from pix_conformance.checks.comparable_text import stable
from pix_conformance.model.printable import one_line
from pix_conformance.model.vocabulary import SHOWN_ORDER, Level, Outcome
from pix_conformance.model.why import is_of_selection
from pix_conformance.recording.bundle.values import Bundle, Entry
from pix_conformance.recording.webhook_times import WebhookTimes
from pix_conformance.report.differences import AnswerDifference, difference, seen, wording
from pix_conformance.report.open_points import answer
from pix_conformance.report.template import render

RANK = {Outcome.FAIL: 0, Outcome.ERROR: 1, Outcome.INCONCLUSIVE: 1, Outcome.WAIVED: 1, Outcome.WARN: 2, Outcome.PASS: 3}
"""How good an outcome is; one that is not here cannot be better or worse, only different."""


class Change(StrEnum):
    """What became of a requirement from one run to the next."""

    WORSE = "worse"
    """Its outcome is a worse one, or it is a must that fails and was not tested before."""
    BETTER = "better"
    DIFFERENT = "different"
    REWORDED = "reworded"
    """The target does the same, and says it in other words."""


@dataclass(frozen=True, slots=True)
class Step:
    """One requirement that did not stay the same; None on a side where the run does not know it."""

    change: Change
    before: Entry | None
    after: Entry | None

    @property
    def entry(self) -> Entry:
        """The requirement, as the newer run that knows it has it."""
        entry = self.after or self.before
        assert entry is not None, "a step has at least one side"  # noqa: S101 # holds by construction
        return entry

    @property
    def said(self) -> tuple[str, str]:
        """What each run saw; of a target that only says the same in other words, these words."""
        if self.change is Change.REWORDED and self.before and self.after:
            before, after = seen(self.before), seen(self.after)
            return wording(before, [after]), wording(after, [before])
        return _said(self.before), _said(self.after)


@dataclass(frozen=True, slots=True)
class Diff:
    """Two bundles and what changed between them, worse first."""

    before: Bundle
    after: Bundle
    steps: tuple[Step, ...]
    left_out: int = 0
    """How many requirements one of the runs was not asked for; they are not compared."""

    def of(self, change: Change) -> list[Step]:
        """Choose the changes of one kind."""
        return [step for step in self.steps if step.change is change]

    @property
    def status(self) -> int:
        """The exit status: 1 when anything got worse."""
        return 1 if self.of(Change.WORSE) else 0

    @property
    def headline(self) -> str:
        """The diff in one sentence."""
        counts = ", ".join(f"{len(self.of(change))} {change}" for change in Change if self.of(change))
        beside = f" {_requirements(self.left_out)} not selected in both runs." if self.left_out else ""
        return f"From {self.before.target} to {self.after.target}: {counts or 'nothing changed'}.{beside}"


def compare_two(before: Bundle, after: Bundle) -> Diff:
    """Hold two runs against each other, requirement by requirement."""
    old, new = ({entry.id: entry for entry in bundle.entries} for bundle in (before, after))
    pairs = [(old.get(name), new.get(name)) for name in dict.fromkeys((*old, *new))]
    steps = [Step(change, a, b) for a, b in pairs if (change := _change(a, b))]
    left_out = sum(any(side and _left_out(side) for side in pair) and not _change(*pair) for pair in pairs)
    return Diff(before, after, tuple(sorted(steps, key=lambda step: list(Change).index(step.change))), left_out)


def render_diff(diff: Diff) -> str:
    """Draw the page."""
    return render("diff.html.j2", diff=diff, changes=tuple(Change))


def diff_text(diff: Diff) -> str:
    """Write the diff as lines for a terminal."""
    lines = [one_line(diff.headline)]
    for change in Change:
        for step in diff.of(change):
            sides = zip(("before", "after"), (step.before, step.after), step.said, strict=True)
            lines += [
                "",
                f"{change.upper()} {step.entry.id} ({step.entry.level}): {step.entry.statement}",
                *(f"  {name:6}  {one_line(f'{_outcome(side)} {said}')}" for name, side, said in sides),
            ]
    return "\n".join(lines)


def _change(before: Entry | None, after: Entry | None) -> Change | None:
    untested = before is None or before.outcome is Outcome.NOT_APPLICABLE
    if untested and after and after.outcome is Outcome.FAIL:
        return Change.WORSE
    if any(side and _left_out(side) for side in (before, after)):
        return None
    if before is None or after is None:
        return Change.DIFFERENT
    old, new = RANK.get(before.outcome), RANK.get(after.outcome)
    if old is not None and new is not None and old != new:
        return Change.BETTER if new > old else Change.WORSE
    if before.outcome is not after.outcome:
        return Change.DIFFERENT
    kinds = {AnswerDifference.WORDING: Change.REWORDED, AnswerDifference.BEHAVIOR: Change.DIFFERENT}
    kind = difference(seen(before), seen(after))
    return kinds.get(kind) if kind else None


def _outcome(entry: Entry | None) -> str:
    return entry.outcome if entry else ""


def _left_out(entry: Entry) -> bool:
    return entry.outcome is Outcome.NOT_APPLICABLE and is_of_selection(entry.why)


def _said(entry: Entry | None) -> str:
    return stable(answer(entry)) if entry else "(not known to this run)"


def _requirements(count: int) -> str:
    return "1 requirement was" if count == 1 else f"{count} requirements were"


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
        return min((SHOWN_ORDER.index(cell.outcome) for cell in self.cells if cell), default=len(SHOWN_ORDER))


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
        level: [(outcome, counts[level, outcome]) for outcome in SHOWN_ORDER if counts[level, outcome]]
        for level in Level
    }
