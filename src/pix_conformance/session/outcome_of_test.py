"""How a test ended: by an exception, or by what it expected. `verdicts.evidence` makes verdicts of it."""

import traceback
from pathlib import Path

import pytest
from hypothesis.errors import FlakyFailure

from pix_conformance.harness.current_test import CurrentTest
from pix_conformance.harness.outcomes import Inconclusive, NotApplicable, RequirementFailed, RequirementWarned
from pix_conformance.model.paths import PACKAGE, SUITES, TEST_TREE
from pix_conformance.model.vocabulary import Outcome
from pix_conformance.model.why import Why
from pix_conformance.recording.facts import Ended

OURS = frozenset({PACKAGE, SUITES, TEST_TREE / "fixtures"})
RUNNERS = frozenset({"_pytest", "pluggy"})
"""Directories of the packages that call a test."""
LONGEST_TRACE = 8_000
"""Characters of a traceback that are kept: its end."""


def record_test_end(
    test: CurrentTest, node: str, ids: tuple[str, ...], call: pytest.CallInfo[None], *, is_generated: bool = False
) -> None:
    """Record how a phase of a test ended, if it is the last one: the call, or a set-up that raised.

    `seconds` are those of that phase.
    """
    raised = call.excinfo.value if call.excinfo else None
    if raised is None and call.when != "call":
        return
    outcome, reason = _outcome_of(raised) if raised else (None, "")
    source_line, trace = _place_and_trace(test, raised) if raised and outcome is Outcome.ERROR else ("", "")
    test.facts.add(
        Ended(
            test=node,
            requirements=ids,
            seconds=round(call.duration, 4),
            outcome=outcome,
            reason=test.redact(reason),
            why=_why(raised) if raised else None,
            is_failure=raised is not None and outcome is None,
            is_generated=is_generated,
            source_line=source_line,
            trace=trace,
        )
    )


def _outcome_of(raised: BaseException) -> tuple[Outcome | None, str]:
    """Return outcome and reason of an exception. Outcome None: the judgements of the test give the verdict."""
    text = str(raised).splitlines()[0][:500] if str(raised) else type(raised).__name__
    if isinstance(raised, FlakyFailure):  # a failure of one run of a flaky test counts
        return _outcome_of(raised.exceptions[0])
    if isinstance(raised, RequirementFailed | RequirementWarned):
        return None, ""
    if isinstance(raised, NotApplicable):
        return Outcome.NOT_APPLICABLE, text
    if isinstance(raised, Inconclusive | pytest.skip.Exception):
        return Outcome.INCONCLUSIVE, text
    return Outcome.ERROR, f"error of the suite: {type(raised).__name__}: {text}"


def _why(raised: BaseException) -> Why | None:
    if isinstance(raised, FlakyFailure):
        return _why(raised.exceptions[0])
    return raised.why if isinstance(raised, Inconclusive | NotApplicable) else None


def _place_and_trace(test: CurrentTest, raised: BaseException) -> tuple[str, str]:
    """Return file and line of the innermost frame of this project, and the traceback from below pytest's frames."""
    frames = list(traceback.extract_tb(raised.__traceback__))
    runners = [number for number, frame in enumerate(frames) if RUNNERS.intersection(Path(frame.filename).parts)]
    frames = frames[runners[-1] + 1 :] if runners and runners[-1] + 1 < len(frames) else frames
    ours = [frame for frame in frames if OURS.intersection(Path(frame.filename).parents)] or frames
    place = f"{ours[-1].filename}:{ours[-1].lineno}" if ours else "no line of this project"
    lines = [*traceback.format_list(frames), *traceback.format_exception_only(raised)]
    return _short(place), test.redact(_short("".join(lines)[-LONGEST_TRACE:]))


def _short(text: str) -> str:
    """Leave out the directory of the project, and that of installed packages."""
    for directory in (Path(pytest.__file__).parents[1], TEST_TREE):
        text = text.replace(f"{directory}/", "")
    return text
