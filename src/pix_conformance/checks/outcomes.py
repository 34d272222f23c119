"""The ways in which a test ends other than by passing. All but a mismatch are pytest skips with a meaning."""

from __future__ import annotations

from _pytest.outcomes import Skipped

from pix_conformance.model.printable import for_terminal


class RequirementFailed(AssertionError):  # noqa: N818  # a verdict on the target, not an error of ours
    """A `must` is not met."""

    def __init__(self, words: str) -> None:
        """Take the words, made fit for a terminal."""
        super().__init__(for_terminal(words))


class _SkippedTest(Skipped):
    def __init__(self, words: str) -> None:
        super().__init__(for_terminal(words))


class RequirementWarned(_SkippedTest):
    """A `should` is not met: a warning, red only at `--level should`."""


class Inconclusive(_SkippedTest):
    """The question could not be asked, or its answer not be seen."""


class NotApplicable(_SkippedTest):
    """The target was not given what the question needs."""
