"""The verdicts that follow from how a test ended: by an exception, or without any judgement."""

import traceback
from pathlib import Path

import pytest
from hypothesis.errors import FlakyFailure

from pix_conformance.harness.outcomes import Inconclusive, NotApplicable, RequirementFailed, RequirementWarned
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.paths import PACKAGE, SUITES, TEST_TREE
from pix_conformance.model.vocabulary import Level, Outcome, Verdict
from pix_conformance.model.why import Why
from pix_conformance.recording.recorder import Recorder

OURS = frozenset({PACKAGE, SUITES, TEST_TREE / "fixtures"})
RUNNERS = frozenset({"_pytest", "pluggy"})
"""Directories of the packages that call a test."""
NOT_REACHED = "not reached: the test ended on another requirement before it"
LONGEST_TRACE = 8_000
"""Characters of a traceback that are kept: its end."""


def record_test_end(
    recorder: Recorder, test: str, ids: tuple[str, ...], call: pytest.CallInfo[None], *, is_generated: bool = False
) -> None:
    """Add verdicts for one phase of a test, unless its judgements already give them.

    What a test of generated requests did not judge is inconclusive: the objects of the target may have ended before.
    """
    raised = call.excinfo.value if call.excinfo else None
    if raised is None:
        if call.when == "call":
            _record_unjudged(recorder, test, ids, is_generated=is_generated)
        return
    outcome, reason = _outcome_of(raised)
    why = _why(raised)
    error = _place_and_trace(recorder, raised) if outcome is Outcome.ERROR else ("", "")
    for requirement in ids:
        if outcome is not None:
            recorder.verdicts.append(Verdict(requirement, outcome, recorder.redact(reason), test, (), *error, why=why))
        elif not _is_judged(recorder, test, requirement):
            recorder.verdicts.append(Verdict(requirement, Outcome.INCONCLUSIVE, NOT_REACHED, test, why=Why.NOT_REACHED))


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


def _place_and_trace(recorder: Recorder, raised: BaseException) -> tuple[str, str]:
    """Return file and line of the innermost frame of this project, and the traceback from below pytest's frames."""
    frames = list(traceback.extract_tb(raised.__traceback__))
    runners = [number for number, frame in enumerate(frames) if RUNNERS.intersection(Path(frame.filename).parts)]
    frames = frames[runners[-1] + 1 :] if runners and runners[-1] + 1 < len(frames) else frames
    ours = [frame for frame in frames if OURS.intersection(Path(frame.filename).parents)] or frames
    place = f"{ours[-1].filename}:{ours[-1].lineno}" if ours else "no line of this project"
    lines = [*traceback.format_list(frames), *traceback.format_exception_only(raised)]
    return _short(place), recorder.redact(_short("".join(lines)[-LONGEST_TRACE:]))


def _short(text: str) -> str:
    """Leave out the directory of the project, and that of installed packages."""
    for directory in (Path(pytest.__file__).parents[1], TEST_TREE):
        text = text.replace(f"{directory}/", "")
    return text


def _is_judged(recorder: Recorder, test: str, requirement: str) -> bool:
    latest_first = reversed(recorder.judgements)
    judged = any(judgement.test == test and judgement.requirement == requirement for judgement in latest_first)
    return judged or any(observation.requirement == requirement for observation in recorder.observations)


def _record_unjudged(recorder: Recorder, test: str, ids: tuple[str, ...], *, is_generated: bool) -> None:
    """Add an error for each requirement that a passing test neither judged nor observed; see `record_test_end`."""
    for name in ids:
        if not _is_judged(recorder, test, name) and is_generated:
            recorder.verdicts.append(
                Verdict(name, Outcome.INCONCLUSIVE, "no generated request could show it", test, why=Why.NOT_SHOWN)
            )
        elif not _is_judged(recorder, test, name):
            what = "observed" if catalogue()[name].level is Level.OPEN else "judged"
            reason, place = f"error of the suite: nothing was {what}", test.partition("[")[0]
            recorder.verdicts.append(Verdict(name, Outcome.ERROR, reason, test, (), place, f"{test} ended without it"))
