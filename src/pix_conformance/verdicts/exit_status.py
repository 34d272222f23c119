"""What the verdicts of a run mean together: its exit status and its headline. Every page and file says the same."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pix_conformance.model.printable import clip
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import Api, Level, Outcome, Role
from pix_conformance.model.why import Why, is_of_selection
from pix_conformance.recording.bundle.values import Bundle

TESTED = frozenset({Outcome.PASS, Outcome.FAIL, Outcome.WARN, Outcome.WAIVED})
PASSED, FAILED, INTERRUPTED, OUR_ERROR, NOT_JUDGED = 0, 1, 2, 3, 6
TERMINATED = 143
NAMES = {Level.MUST: "mandatory", Level.SHOULD: "recommended"}
SHARES = {
    Outcome.FAIL: "failed",
    Outcome.WARN: "warned",
    Outcome.WAIVED: "waived",
    Outcome.PASS: "passed",
    Outcome.ERROR: "not judged because of an error",
    Outcome.INCONCLUSIVE: "inconclusive",
    Outcome.NOT_APPLICABLE: "not tested",
}
MOST_WARNED = 5
"""Recommended requirements that failed, and that the headline names."""
LONGEST_REASON = 300
"""Characters of one reason that a line of the terminal or the headline shows."""


@dataclass(frozen=True, slots=True)
class Result:
    """One requirement of the run, with what the verdict on the whole takes of it."""

    api: str
    level: Level
    outcome: Outcome
    reason: str
    why: Why | None = None
    unobservable: bool = False
    """Whether no test from outside can decide it, and no message of the run did."""
    id: str = ""


@dataclass(frozen=True)
class WholeRun:
    """All results of one run. `gate` lists in words why the run fails though no requirement did."""

    target: str
    results: Sequence[Result]
    level: Level = Level.MUST
    apis: Sequence[str] = tuple(Api)
    api_chosen: bool = False
    partial: bool = False
    gate: Sequence[str] = field(default_factory=tuple)
    edition: str = ""
    newer: Sequence[Outcome] = ()
    """The outcomes of what is newer than the edition, which do not count."""
    left_out_by: str = ""
    """The option that left out a part of the suites, such as `--quick`; empty without one."""

    @property
    def exit_status(self) -> int:
        """1, 3, 6 or 0: the first that applies. Interruption and usage errors come before all of them."""
        if self.gate or self.red:
            return FAILED
        if self._count(Outcome.ERROR):
            return OUR_ERROR
        if self._unknown or not self.judged:
            return NOT_JUDGED
        return PASSED

    @property
    def judged(self) -> bool:
        """Whether a must that was selected got a verdict; where no must was selected, whether anything did."""
        selected = [result for result in self._of_tested_apis if not is_of_selection(result.why)]
        musts = [result for result in selected if result.level is Level.MUST]
        seen = TESTED if musts else TESTED | {Outcome.OBSERVED}
        return any(must.outcome in seen for must in musts or selected)

    @property
    def red(self) -> bool:
        """Whether a requirement of the gated level is not met."""
        warned = self.level is Level.SHOULD and self._count(Outcome.WARN)
        return bool(self._count(Outcome.FAIL) or warned)

    def headline(self, exit_status: int) -> str:
        """The verdict in one sentence."""
        if exit_status == NOT_JUDGED and not self.judged:
            return f"{self.target}: nothing was judged{self._why()}"
        verb = self._verb(exit_status)
        part = f"part of the suites ({self.left_out_by}): " if self.left_out_by and self.partial else ""
        results = self._selected() if self.partial else self._all()
        sentence = f"{self.target}{f' {verb}' if verb else ''}: {part}{results}"
        gate = [f"gate failed: {'; '.join(self.gate)}"] if self.gate and exit_status == FAILED else []
        parts = [sentence, *gate] if self.red else [*gate, sentence]
        return "; ".join([*parts, *self._tail(exit_status)])

    @property
    def _of_tested_apis(self) -> list[Result]:
        return [result for result in self.results if result.api in self.apis]

    @property
    def _unknown(self) -> int:
        levels = {Level.MUST, self.level}
        return sum(result.outcome is Outcome.INCONCLUSIVE and result.level in levels for result in self.results)

    def _count(self, *outcomes: Outcome) -> int:
        return sum(result.outcome in outcomes for result in self.results)

    def _verb(self, exit_status: int) -> str:
        waived = self._count(Outcome.WAIVED)
        passes = f"passes with {_plural(waived, 'waived failure')}" if waived else "conforms"
        return {
            PASSED: "" if self.partial else passes,
            FAILED: "does not conform" if self.red and not self.partial else "",
            INTERRUPTED: "was not fully tested because the run was interrupted",
            TERMINATED: "was not fully tested because the run was terminated",
            OUR_ERROR: "could not be judged because the suite itself failed",
            NOT_JUDGED: f"is not fully judged ({_plural(self._unknown, 'requirement')} inconclusive)",
        }[exit_status]

    def _selected(self) -> str:
        """What came out of the requirements that were selected; the open points that were seen are counted apart."""
        named = {result.api for result in self.results if is_of_selection(result.why)} | {*self.apis}
        every = [result for result in self.results if result.api in named]  # without an API that no setting names
        selected = [result for result in every if not is_of_selection(result.why)]
        asked = [result for result in selected if result.outcome is not Outcome.OBSERVED]
        counts = Counter(result.outcome for result in asked if not result.unobservable)
        shares = [
            f"{counts[outcome]:,} {word}{self._reason_of(outcome, asked)}"
            for outcome, word in SHARES.items()
            if counts[outcome]
        ]
        shares += [f"{count:,} not observable" for count in [sum(result.unobservable for result in asked)] if count]
        parts = [f"of the {_plural(len(asked), 'selected requirement')} {', '.join(shares)}"] if asked else []
        if asked and len(shares) == 1:
            word = shares[0].partition(" ")[2]
            parts = [f"the {_plural(len(asked), 'selected requirement')} {word}"]
        if asked and counts[Outcome.PASS] == len(asked):
            parts = [f"the {_plural(len(asked), 'selected requirement passes', 'selected requirements pass')}"]
        if observed := len(selected) - len(asked):
            parts.append(f"{_plural(observed, 'open point')} recorded")
        return ", ".join(parts) or "no requirement was tested"

    @staticmethod
    def _reason_of(outcome: Outcome, asked: Sequence[Result]) -> str:
        """The most frequent reason for which requirements were not tested, and for how many of them."""
        if outcome is not Outcome.NOT_APPLICABLE:
            return ""
        reasons = Counter(result.reason for result in asked if result.outcome is outcome and not result.unobservable)
        first, count = reasons.most_common(1)[0]
        return f" ({'' if len(reasons) == 1 else f'{count:,} of them: '}{clip(first, LONGEST_REASON)})"

    def _all(self) -> str:
        if self.level is not Level.MUST:
            return ", ".join(map(self._of_level, (Level.MUST, Level.SHOULD)))
        return ", ".join(filter(None, [self._of_level(Level.MUST), self._warned()]))

    def _warned(self) -> str:
        """Count and name the recommended requirements that failed, where they do not make the run fail."""
        warned = [result.id for result in self._of_tested_apis if result.outcome is Outcome.WARN]
        more = f" and {len(warned) - MOST_WARNED} more" if len(warned) > MOST_WARNED else ""
        words = _plural(len(warned), f"{NAMES[Level.SHOULD]} one failed", f"{NAMES[Level.SHOULD]} ones failed")
        return f"{words}: {', '.join(warned[:MOST_WARNED])}{more}" if warned else ""

    def _of_level(self, level: Level) -> str:
        counts = Counter(result.outcome for result in self._of_tested_apis if result.level is level)
        tested = sum(counts[outcome] for outcome in TESTED)
        failed = counts[Outcome.FAIL] + counts[Outcome.WARN]
        unobservable = sum(result.unobservable for result in self._of_tested_apis if result.level is level)
        left = {"not tested": sum(counts.values()) - tested - unobservable, "not observable": unobservable}
        shares = ", ".join(f"{count:,} {word}" for word, count in left.items() if count)
        rest = f" ({shares})" if shares else ""
        if not tested:
            return f"no {NAMES[level]} requirement was tested{rest}"
        if tested == 1 and (counts[Outcome.PASS] or failed):
            return f"the 1 tested {NAMES[level]} requirement {'failed' if failed else 'passes'}{rest}"
        if counts[Outcome.PASS] == tested:
            return f"all {tested:,} tested {NAMES[level]} requirements pass{rest}"
        return f"{failed:,} of {tested:,} tested {NAMES[level]} requirements failed{rest}"

    def _why(self) -> str:
        """The most frequent reason for which what was asked was not judged; else why nothing was asked."""
        selected = [result for result in self.results if not is_of_selection(result.why)]
        if not selected:
            return f" (no requirement{f' of edition {self.edition}' if self.newer else ''} was selected)"
        unknown = [
            result
            for result in selected
            if result.reason and result.level is Level.MUST and result.outcome not in TESTED
        ]
        asked = [result for result in unknown if result.outcome is not Outcome.NOT_APPLICABLE]
        observable = [result for result in unknown if not result.unobservable]
        reasons = Counter(result.reason for result in asked or observable or unknown)
        return f" ({clip(reasons.most_common(1)[0][0], LONGEST_REASON)})" if reasons else ""

    def _tail(self, exit_status: int) -> list[str]:
        tail = []
        if self.newer:
            newer, missed = _plural(len(self.newer), "newer requirement"), self.newer.count(Outcome.WAIVED)
            tail.append(f"by edition {self.edition}: {newer} not counted, {missed:,} of them not passed")
        ended_early = exit_status in {INTERRUPTED, TERMINATED}
        wanted, words = (
            ({Why.INTERRUPTED, Why.NOT_REACHED}, "not reached") if ended_early else ({Why.NO_TEST}, "without a test")
        )
        if count := sum(result.why in wanted for result in self.results):
            tail.append(f"{_plural(count, 'requirement')} {words}")
        if self.apis and (absent := [profile for profile in PROFILES.values() if profile.api not in self.apis]):
            lacking = " and ".join(profile.variables(Role.MERCHANT)[0] for profile in absent)
            words = "was selected" if self.api_chosen else f"was tested (no {lacking})"
            tail.append(f"only the {' and '.join(self.apis)} API {words}")
        return tail


def concluded(bundle: Bundle, exit_status: int) -> Bundle:
    """Return the bundle with its exit status and the headline that goes with it."""
    headline = whole_run_of(bundle).headline(exit_status)
    return replace(bundle, run=replace(bundle.run, exit=exit_status), headline=headline)


def whole_run_of(bundle: Bundle) -> WholeRun:
    """Return the outcomes of a bundle together, for the exit status and the headline."""
    results = [
        Result(row.document, row.level, row.outcome, row.reason, row.why, row.is_unobservable, row.id)
        for row in bundle.entries
        if row.why is not Why.NEWER
    ]
    newer = [row.outcome for row in bundle.entries if row.why is Why.NEWER]
    run = bundle.run
    name = "the embedded reference" if bundle.embedded else bundle.target
    return WholeRun(
        *(name, results, run.level, bundle.apis, bundle.api_chosen, run.partial, run.gate, run.edition, newer),
        left_out_by=run.left_out_by,
    )


def _plural(count: int, word: str, many: str = "") -> str:
    return f"{count:,} {word if count == 1 else many or f'{word}s'}"
