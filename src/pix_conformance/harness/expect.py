"""`expect`, the one function that fails; `given`, what must work first; `Observer`, for open points."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pix_conformance.checks.matchers import Matcher, Status
from pix_conformance.checks.outcomes import Inconclusive, NotApplicable, RequirementFailed, RequirementWarned
from pix_conformance.harness.receiver import Delivery
from pix_conformance.model.catalogue import load
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.printable import clip
from pix_conformance.model.vocabulary import Judgement, Level, Observation, RecordsJudgements
from pix_conformance.results.curl import curl

LARGEST_OBSERVATION = 20_000
TOO_MANY, UNAUTHORIZED, REFUSED = 429, 401, 400


def expect(subject: Exchange | Delivery, *matchers: Matcher, of: str | Sequence[str] = ()) -> None:
    """Hold matchers against an exchange or delivery, for the requirements of the test (or only for those `of`).

    Raises Mismatched on a must, Unmet on a should, Inconclusive where there is no answer to judge.
    """
    __tracebackhide__ = True
    record = _record(subject)
    ids = tuple([of] if isinstance(of, str) else of) or record.requirements
    if isinstance(subject, Exchange):
        _answered(subject, matchers)
    problems = tuple(clip(found) for one in matchers if (found := one.mismatch(subject)) is not None)
    line = _curl(subject) if problems else None
    for one in ids:
        record.judgements.append(
            Judgement(
                requirement=one,
                test=record.test,
                evidence=subject.evidence,
                matchers=tuple(m.to_dict() for m in matchers),
                mismatches=problems,
                control=_control(subject, matchers),
                curl=line,
            )
        )
    if problems:
        must = any(load()[one].level is Level.MUST for one in ids)
        raise (RequirementFailed if must else RequirementWarned)(_sentence(ids, problems, subject, line))


def precondition(subject: Exchange, *matchers: Matcher) -> Exchange:
    """Return the exchange if it is a success that also meets the matchers; Inconclusive if not.

    For the plain, valid twin of a question and for every other step that is not the question itself.
    """
    __tracebackhide__ = True
    problems = [clip(found) for one in matchers if (found := one.mismatch(subject)) is not None]
    if not subject.ok or problems:
        why = subject.fault or "; ".join([f"status is {subject.status}", *problems])
        raise Inconclusive(f"not tested: {subject.operation or subject.request.method} ({subject.evidence}): {why}")
    return subject


@dataclass(frozen=True)
class Observer:
    """Records what was seen at open points of one run; the tests have it as the fixture `observe`."""

    record: RecordsJudgements

    def __call__(self, requirement: str, words: str, data: Any = None, *subjects: Exchange | Delivery) -> None:
        """Record what was seen at an open point, in words and as data."""
        evidence = tuple(one.evidence for one in subjects)
        seen = Observation(requirement, self.record.redact(clip(words)), _bounded(data), evidence)
        self.record.observations.append(seen)


def _record(subject: Exchange | Delivery) -> RecordsJudgements:
    if subject.run is None:
        raise RuntimeError(f"{subject.evidence} belongs to no run")
    return subject.run


def _bounded(data: Any) -> Any:
    text = json.dumps(data, default=str)
    return data if len(text) <= LARGEST_OBSERVATION else clip(text)


def inconclusive(why: str) -> Inconclusive:
    """Say why a question could not be asked; to be raised."""
    return Inconclusive(why)


def not_applicable(why: str) -> NotApplicable:
    """Say what the target was not given; to be raised."""
    return NotApplicable(why)


def _answered(subject: Exchange, matchers: Sequence[Matcher]) -> None:
    wanted = {code for one in matchers if isinstance(one, Status) for code in one.codes}
    if subject.status is None:
        raise Inconclusive(f"no answer ({subject.evidence}): {subject.fault}")
    if subject.status == TOO_MANY and TOO_MANY not in wanted:
        raise Inconclusive(f"rate-limited ({subject.evidence}): 429 beyond the patience of the run")
    unknown = (subject.api, subject.role) not in _record(subject).accepted
    if subject.status == UNAUTHORIZED and UNAUTHORIZED not in wanted and unknown:
        raise Inconclusive(f"the credential of the role {subject.role} was never accepted ({subject.evidence})")


def _control(subject: Exchange | Delivery, matchers: Sequence[Matcher]) -> str | None:
    """Name the operation that must have worked in this run for a refusal to count."""
    refusal = any(isinstance(one, Status) and min(one.codes) >= REFUSED for one in matchers)
    if isinstance(subject, Exchange) and refusal and subject.operation:
        return f"{subject.api}.{subject.operation}"
    return None


def _curl(subject: Exchange | Delivery) -> str | None:
    if isinstance(subject, Delivery):
        return None
    return curl(subject, _record(subject).base_url, _record(subject).redact)


def _sentence(ids: Sequence[str], problems: Sequence[str], subject: Exchange | Delivery, line: str | None) -> str:
    """Write the failure: what is wrong, the law, the exchange, and the line that reproduces it."""
    law = [f"{one} ({load()[one].level}): {load()[one].statement} [{load()[one].place}]" for one in ids]
    redact = _record(subject).redact
    parts = [*problems, *law, *_transcript(subject), *([f"reproduce: {line}"] if line else [])]
    return "\n".join(redact(one) for one in parts)


def _transcript(subject: Exchange | Delivery) -> list[str]:
    body = subject.body.decode("utf-8", "backslashreplace")[:1_000]
    if isinstance(subject, Delivery):
        return [f"{subject.evidence}: {subject.method} {subject.path}", f"> {body}"]
    sent = subject.request.body.decode("utf-8", "backslashreplace")[:1_000]
    return [
        f"{subject.evidence}: > {subject.request.method} {subject.request.url}",
        *([f"> {sent}"] if sent else []),
        f"< {subject.status} {body}",
    ]
