"""The exceptions that end a test with an outcome. All but RequirementFailed are pytest skips.

`session.outcome_of_test.record_test_end` records them.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from _pytest.outcomes import Skipped

from pix_conformance.checks.conclusion import Undecided, Unknown
from pix_conformance.model.printable import for_terminal
from pix_conformance.model.why import Why


class RequirementFailed(AssertionError):  # noqa: N818  # a verdict on the target, not an error of ours
    """The target does not meet a `must`."""

    def __init__(self, words: str) -> None:
        super().__init__(for_terminal(words))


class _SkippedTest(Skipped):
    why: Why | None = None
    """Why the requirement was not decided."""

    def __init__(self, words: str, why: Why | None = None) -> None:
        super().__init__(for_terminal(words))
        self.why = why or self.why


class RequirementWarned(_SkippedTest):
    """The target does not meet a `should`: a warning, which fails the run only with `--level should`."""


class Inconclusive(_SkippedTest):
    """The requirement could not be tested in this run, or its effect could not be observed."""

    why = Why.PRECONDITION


class NotApplicable(_SkippedTest):
    """The requirement needs a setting or feature that the target does not have."""

    why = Why.NOT_SHOWN


def outcome_of(unknown: Unknown) -> Inconclusive | NotApplicable:
    """Return the outcome of a test whose check cannot conclude."""
    outcome = NotApplicable if unknown.why in {Why.NOT_SHOWN, Why.LEFT_OUT} else Inconclusive
    return outcome(unknown.sentence, unknown.why)


@contextmanager
def undecided_ends_test() -> Iterator[None]:
    """Give a test its outcome where something in the block raises Undecided."""
    try:
        yield
    except Undecided as reason:
        raise outcome_of(reason.unknown) from None
