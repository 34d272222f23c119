"""What the expectations of the tests say together: which of them count, and as which judgements."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from pix_conformance.model.vocabulary import Judgement
from pix_conformance.recording.facts import Expected, Facts


def judgements_of(facts: Facts) -> dict[str, list[Judgement]]:
    """Return by requirement the judgements of the tests.

    What was asked again counts in place of what was asked before. Of a test with generated requests the last failure
    of a requirement counts, since hypothesis ends with the smallest input.
    """
    again = {expected.again: expected for expected in facts.expected if expected.again}
    steps = {walked.expected: walked.steps for walked in facts.walked}
    first = [expected for expected in facts.expected if not expected.again]
    generated = {end.test for end in facts.ended if end.is_generated}
    generated |= {str(expected.test) for expected in first if expected.number in steps}
    judgements: dict[str, list[Judgement]] = defaultdict(list)
    for requirement, group in _by_requirement(again.get(expected.number, expected) for expected in first).items():
        smallest = _smallest(group, generated)
        for expected in group:
            number = expected.again or expected.number
            if not (expected.mismatches and expected.test in generated):
                judgements[requirement].append(expected.judgement(requirement, steps=steps.get(number, ())))
            elif expected.number in smallest:
                count = smallest[expected.number]
                walk = steps.get(number, ())
                judgements[requirement].append(expected.judgement(requirement, smallest_of=count, steps=walk))
    return judgements


def tests_and_requirements(facts: Facts) -> set[tuple[str | None, str]]:
    """Return each test with each requirement that it asked."""
    return {(expected.test, name) for expected in facts.expected for name in expected.requirements}


def _by_requirement(expected: Iterable[Expected]) -> dict[str, list[Expected]]:
    by_requirement: dict[str, list[Expected]] = defaultdict(list)
    for expectation in expected:
        for name in expectation.requirements:
            by_requirement[name].append(expectation)
    return by_requirement


def _smallest(group: Sequence[Expected], generated: set[str]) -> Mapping[int, int]:
    """Return, by the number of the last failure of each generated test, how many failures that test had."""
    last: dict[str | None, int] = {}
    count: dict[str | None, int] = defaultdict(int)
    for expected in group:
        if expected.mismatches and expected.test in generated:
            last[expected.test] = expected.number
            count[expected.test] += 1
    return {number: count[test] for test, number in last.items()}
