"""`expect`, the one function that fails a test; `precondition`, what must work first; `Observer`, for open points."""

import json
import traceback
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeGuard

from _pytest.outcomes import Skipped

from pix_conformance.checks.conclusion import Broken, Unknown, not_tested, why_undecided
from pix_conformance.checks.matchers import Matcher, Status, StatusClass, has
from pix_conformance.harness.current_test import CurrentTest
from pix_conformance.harness.events import Awaited, AwaitedToTheEnd, LateExpectation
from pix_conformance.harness.outcomes import (
    Inconclusive,
    NotApplicable,
    RequirementFailed,
    RequirementWarned,
    outcome_of,
)
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.printable import clip
from pix_conformance.model.undecided import UNAUTHORIZED
from pix_conformance.model.vocabulary import Level, Observation
from pix_conformance.model.why import Why
from pix_conformance.receiver import Delivery
from pix_conformance.recording.facts import Expected

LARGEST_OBSERVATION = 20_000
REFUSED = 400


def expect(subject: Exchange | Delivery, *awaited: Matcher | Awaited, of: str | Sequence[str] = ()) -> None:
    """Judge an exchange or delivery by matchers, for the requirements of the test (or only for those in `of`).

    Raises RequirementFailed for a must, RequirementWarned for a should, Inconclusive if there is no response to judge,
    Inconclusive or NotApplicable if a matcher cannot conclude. Within `judging_all` a failure that leaves requirements
    of the test to judge is raised later. The expectation, met or not, is a fact. A request that the suite cut is judged
    by its events.
    """
    __tracebackhide__ = True
    test = _current_test(subject)
    ids = tuple([of] if isinstance(of, str) else of) or test.requirements
    if subject.evidence in test.of_wrong_status and not all(map(_is_of_status, awaited)):
        raise_failure(test.failures)
    if isinstance(subject, Exchange) and not subject.is_cut and not subject.by_integration:
        unless_undecided(
            subject, {code for matcher in awaited if isinstance(matcher, Status) for code in matcher.codes}
        )
    matchers = tuple(event if isinstance(event, Matcher) else _after(subject, event) for event in awaited)
    problems = _problems(subject, matchers)
    line = test.curl(subject) if problems else None
    expected = test.facts.expect(
        requirements=ids,
        test=test.node,
        evidence=subject.evidence,
        matchers=_rows(matchers),
        mismatches=problems,
        control=_control(subject, matchers),
        curl=line,
    )
    if not problems:
        return
    if any(isinstance(event, AwaitedToTheEnd) for event in awaited):
        test.late_events.append(LateExpectation(expected, partial(_with_late_events, subject, awaited, matchers)))
    must = any(catalogue()[requirement].level is Level.MUST for requirement in ids)
    failure = (RequirementFailed if must else RequirementWarned)(_sentence(ids, problems, subject, line))
    if test.failures is None or not set(test.requirements) - set(ids):
        raise failure
    place = traceback.extract_stack(limit=2)[0]
    failure.add_note(f"expected in {place.filename}:{place.lineno}: {place.line}")
    test.failures.append(failure)
    if not all(is_met(matcher, subject) for matcher in matchers if _is_of_status(matcher)):
        test.of_wrong_status.add(subject.evidence)


@contextmanager
def judging_all(test: CurrentTest) -> Iterator[None]:
    """Let a test of several requirements go on after a failure, until it would send a request or ends.

    So what is judged after a failure is about messages that had come before; of a response with a wrong status nothing
    but the status is judged. Then the failures are raised as one.
    """
    __tracebackhide__ = True
    test.failures = failures = []
    try:
        yield
    except (Exception, Skipped) as last:
        if isinstance(last, RequirementFailed | RequirementWarned) and last not in failures:
            failures.append(last)
        if not failures:
            raise
    finally:
        test.failures = None
        test.of_wrong_status.clear()
    failures.sort(key=lambda failure: isinstance(failure, RequirementWarned))
    for other in failures[1:]:
        failures[0].add_note(str(other))
    raise_failure(failures)


def raise_failure(failures: Sequence[BaseException] | None) -> None:
    """Raise the first failure, if there is one."""
    __tracebackhide__ = True
    if failures:
        raise failures[0]


def _is_of_status(awaited: Matcher | Awaited) -> TypeGuard[Status | StatusClass]:
    return isinstance(awaited, Status | StatusClass)


def expect_every(
    judged: Iterable[tuple[Exchange | Delivery, Matcher]],
    nothing: BaseException | None = None,
    *,
    of: str | Sequence[str] = (),
) -> None:
    """Expect each message to meet its matcher; the report gets the first that does not, else the last.

    Raises `nothing`, by default NotApplicable, if there is none of which its matcher can conclude.
    """
    __tracebackhide__ = True
    last: tuple[Exchange | Delivery, Matcher] | None = None
    for subject, matcher in judged:
        conclusion = matcher.judge(subject)
        if not isinstance(conclusion, Unknown):
            last = subject, matcher
        if isinstance(conclusion, Broken):
            break
    if last is None:
        raise nothing or NotApplicable("no response of this run shows it")
    expect(*last, of=of)


def expect_late_events(test: CurrentTest) -> None:
    """Ask again what was expected of events that had not come in time: each answer is one more expectation."""
    for late in test.late_events:
        matchers, problems = late.ask()
        before: Expected = late.expected
        test.facts.expect(
            requirements=before.requirements,
            test=before.test,
            evidence=before.evidence,
            matchers=_rows(matchers),
            mismatches=problems,
            control=before.control,
            curl=before.curl if problems else None,
            again=before.number,
        )


def _with_late_events(
    subject: Exchange | Delivery, awaited: Sequence[Matcher | Awaited], matchers: Sequence[Matcher]
) -> tuple[Sequence[Matcher], tuple[str, ...]]:
    """Return the matchers with the events that have come until now, and what they find wrong."""
    pairs = zip(awaited, matchers, strict=True)
    latest = [
        event.at_the_end(subject) if isinstance(event, AwaitedToTheEnd) and isinstance(subject, Exchange) else matcher
        for event, matcher in pairs
    ]
    return latest, _problems(subject, latest)


def _rows(matchers: Iterable[Matcher]) -> tuple[dict[str, Any], ...]:
    return tuple(matcher.to_dict() for matcher in matchers)


def _after(subject: Exchange | Delivery, awaited: Awaited) -> Matcher:
    if isinstance(subject, Delivery):
        raise TypeError("an event is caused by a request, not by a delivery")
    return awaited.after(subject)


def precondition(subject: Exchange, *matchers: Matcher) -> Exchange:
    """Return the exchange if it is a success that meets the matchers. Raises Inconclusive if not.

    Use it for every step of a test except the one that the requirement is about.
    """
    __tracebackhide__ = True
    problems = _problems(subject, matchers)
    if not subject.ok or problems:
        unless_undecided(subject)
        raise outcome_of(not_tested(subject, *problems))
    return subject


def require_field(delivery: Delivery, path: str, kind: str) -> Delivery:
    """Return a delivery that has a field of this kind; Inconclusive if not, which other requirements judge."""
    for problem in _problems(delivery, [has(path, kind)]):
        raise Inconclusive(f"not tested: {problem} ({delivery.evidence})")
    return delivery


def require_refusal(answer: Exchange, *codes: int) -> Exchange:
    """Return a refusal with one of the codes, or any 4xx, whose effect may be looked for; Inconclusive otherwise."""
    if answer.status not in (codes or range(400, 500)):
        unless_undecided(answer)
        raise Inconclusive(f"it was not refused: status is {answer.status} ({answer.evidence})")
    return answer


def is_met(matcher: Matcher, subject: Exchange | Delivery) -> bool:
    """Whether an exchange or delivery meets a matcher. Raises Inconclusive or NotApplicable if it cannot conclude."""
    return not _problems(subject, [matcher])


def _problems(subject: Exchange | Delivery, matchers: Iterable[Matcher]) -> tuple[str, ...]:
    """Return what matchers find wrong. Raises Inconclusive or NotApplicable if one of them cannot conclude."""
    conclusions = [matcher.judge(subject) for matcher in matchers]
    for conclusion in conclusions:
        if isinstance(conclusion, Unknown):
            raise outcome_of(conclusion)
    return tuple(clip(conclusion.sentence) for conclusion in conclusions if isinstance(conclusion, Broken))


@dataclass(frozen=True)
class Observer:
    """Records what a target does at open points. Tests have it as the fixture `observe`."""

    current_test: CurrentTest

    def __call__(self, requirement: str, words: str, data: Any = None, *subjects: Exchange | Delivery) -> None:
        """Record what the target did at an open point, in words and as data."""
        evidence = tuple(subject.evidence for subject in subjects)
        seen = Observation(requirement, self.current_test.redact(clip(words)), _bounded(data), evidence)
        self.current_test.facts.add(seen)


def _current_test(subject: Exchange | Delivery) -> CurrentTest:
    if not isinstance(subject.current_test, CurrentTest):
        raise RuntimeError(f"{subject.evidence} does not belong to a run")  # noqa: TRY004  # a mistake of ours
    return subject.current_test


def _bounded(data: Any) -> Any:
    text = json.dumps(data, default=str)
    return data if len(text) <= LARGEST_OBSERVATION else clip(text)


def unless_undecided(subject: Exchange, expected: Container[int | None] = ()) -> Exchange:
    """Return a response that decides something, or has an `expected` status. Raises Inconclusive for any other.

    A 401 that all requests of the role are given decides nothing.
    A gateway's response that the client returned counts as the target's, unless it is to one of simultaneous requests,
    or to a query of a foreign object.
    """
    if subject.status in expected:
        return subject
    unknown = why_undecided(subject)
    if unknown and (subject.group or subject.is_foreign or unknown.why is not Why.GATEWAY):
        raise outcome_of(unknown)
    test = subject.current_test if subject.status == UNAUTHORIZED else None
    if isinstance(test, CurrentTest) and (subject.api, subject.role) not in test.facts.accepted:
        words = f"no response of this run accepted the credential of the role {subject.role} ({subject.evidence})"
        raise Inconclusive(words, Why.UNUSABLE)
    return subject


def _control(subject: Exchange | Delivery, matchers: Sequence[Matcher]) -> str | None:
    """Return the operation that must have worked in this run before a refusal of it counts; None if there is none."""
    refusal = any(isinstance(matcher, Status) and min(matcher.codes) >= REFUSED for matcher in matchers)
    if isinstance(subject, Exchange) and refusal and subject.operation:
        return f"{subject.api}.{subject.operation}"
    return None


def _sentence(ids: Sequence[str], problems: Sequence[str], subject: Exchange | Delivery, line: str | None) -> str:
    """Write the failure: the mismatches, the requirement, the exchange, and the command that reproduces it."""
    rows = [catalogue()[requirement] for requirement in ids]
    law = [f"{row.id} ({row.level}): {row.statement} [{row.citation}]" for row in rows]
    redact = _current_test(subject).redact
    reproduced = [redact(f"reproduce: {line}")] if line else []
    return "\n".join([*map(redact, (*problems, *law)), *_transcript(subject, redact), *reproduced])


def _transcript(subject: Exchange | Delivery, redact: Callable[[str], str]) -> list[str]:
    """Write the beginning of what was sent and received, without its secrets."""
    body = redact(subject.body.decode("utf-8", "backslashreplace"))[:1_000]
    if isinstance(subject, Delivery):
        return [f"{subject.evidence}: {subject.method} {redact(subject.path)}", f"> {body}"]
    sent = redact(subject.request.body.decode("utf-8", "backslashreplace"))[:1_000]
    return [
        f"{subject.evidence}: > {subject.request.method} {redact(subject.request.url)}",
        *([f"> {sent}"] if sent else []),
        f"< {subject.status} {body}",
    ]
