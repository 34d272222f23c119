"""Judges a recorded bundle again with the matchers and descriptions of this suite; nothing is sent."""

import re
import shutil
from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pix_conformance.checks.relation  # noqa: F401  # lets `read` know relations
from pix_conformance.checks import passive
from pix_conformance.checks.built_routes import unbuilt_routes
from pix_conformance.checks.conclusion import Broken, Unknown
from pix_conformance.checks.matchers import Matcher, read
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.editions import requirements_of_edition
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import MASK, Api, Judgement, Level, Outcome, Requirement, Verdict
from pix_conformance.model.why import Why
from pix_conformance.recording.bundle import reader
from pix_conformance.recording.bundle.values import Bundle, BundleError, Entry
from pix_conformance.recording.bundle.writer import write_results
from pix_conformance.recording.facts import Concluded, Ended, Facts, Shown
from pix_conformance.recording.masking import DIGITS
from pix_conformance.recording.recorder import KEPT
from pix_conformance.verdicts.exit_status import concluded, whole_run_of
from pix_conformance.verdicts.judge import (
    Decision,
    Evidence,
    Recording,
    RequirementResult,
    judge,
    judged_fields,
    lasting_verdicts,
    newer_than,
)
from pix_conformance.verdicts.messages import MessageFinding, findings_of_deliveries
from pix_conformance.verdicts.not_built import NotBuilt, not_built, said_of

UNDECIDED = "what the recording shows does not decide them"
NO_TRANSACTION_ID = b"0503***"
COMPARABLE = re.compile(rf"{re.escape(MASK)} [0-9a-f]{{{DIGITS}}}".encode())
"""A masked value of another object than the run's: equal values are masked equally (`recording.masking`)."""
STAY = {Outcome.NOT_APPLICABLE, Outcome.OBSERVED, Outcome.WAIVED}
"""Outcomes that stay as they are."""
UNKNOWN_MATCHER = "a matcher that this suite does not know, or that compares with what was not recorded"


@dataclass(frozen=True)
class Rejudged:
    """The bundle judged again, a line for each requirement whose verdict changed, and the verdicts kept, by reason."""

    bundle: Bundle
    changes: tuple[str, ...]
    kept: dict[str, set[str]]


def rejudge(directory: Path) -> Rejudged:
    """Judge the bundle in `directory` again. BundleError where it holds none, or one too old to be judged again."""
    bundle = reader.read(directory)
    if bundle.succeeded is None:
        raise BundleError(f"{directory} was written by a suite that did not yet keep what judging again takes")
    again = _Again(bundle, frozenset(bundle.succeeded))
    again.succeeded -= again.absent.routes.keys()
    judged = [entry for entry in bundle.entries if entry.id in catalogue() and entry.outcome not in STAY]
    recording = Recording([again.evidence(entry) for entry in judged], again.succeeded, again.absent.unasked)
    results = judge(recording, newer_than(bundle.run.edition))
    by_id = {result.requirement.id: result for result in results}
    entries = tuple(_entry(entry, by_id[entry.id]) if entry.id in by_id else entry for entry in bundle.entries)
    if waived := {entry.id for entry in bundle.entries if entry.outcome is Outcome.WAIVED}:
        again.kept["waived"] |= waived
    changes = tuple(
        f"{new.id}: {old.outcome} -> {new.outcome} {new.reason}".rstrip()
        for old, new in zip(bundle.entries, entries, strict=True)
        if (old.outcome, old.reason) != (new.outcome, new.reason)
    )
    return Rejudged(_concluded(replace(bundle, entries=entries), changes, again.kept), changes, again.kept)


def _entry(entry: Entry, result: RequirementResult) -> Entry:
    requirement = result.requirement
    return replace(entry, **judged_fields(result), level=requirement.level, statement=requirement.statement)


def write(rejudged: Rejudged, source: Path, target: Path) -> None:
    """Write the bundle as judged again, with pytest's page and the recording as they are."""
    for name in (reader.EXCHANGES, reader.DELIVERIES, "pytest.html"):
        if (source / name).is_file():
            shutil.copyfile(source / name, target / name)
    write_results(target, rejudged.bundle)


@dataclass
class _Again:
    """Judges the requirements of one bundle again, and notes which verdicts it keeps and why."""

    bundle: Bundle
    succeeded: frozenset[str]
    kept: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def __post_init__(self) -> None:
        """Judge every recorded response and delivery by the rules of every message."""
        self._judged = frozenset(delivery.evidence for delivery in self.bundle.deliveries if not delivery.masked)
        self._shown: dict[str, list[MessageFinding]] = defaultdict(list)
        self.absent = _not_built(self.bundle)
        for finding in (*_shown_by_answers(self.bundle), *_shown_by_deliveries(self.bundle, self._judged)):
            if finding.shown.evidence not in self.absent.evidence:
                self._shown[finding.shown.requirement].append(finding)

    def evidence(self, entry: Entry) -> Evidence:
        """Return what the recording shows of a requirement that a document states, as this suite judges it."""
        requirement = requirements_of_edition(self.bundle.run.edition)[entry.id]
        recorded = Decision(entry.outcome, entry.why, entry.reason, entry.evidence)
        if absence := self._without_route(requirement):
            return absence
        asked = [judgement for judgement in entry.judgements if not self._is_judged_anew(judgement)]
        void = [judgement for judgement in asked if self.absent.lacks_route(requirement, judgement)]
        asked = [judgement for judgement in asked if judgement not in void]
        deciding = {judgement.test for judgement in asked}
        void = [judgement for judgement in void if judgement.test not in deciding]
        judgements = [self._judgement(judgement) for judgement in asked]
        shown = self._shown.get(entry.id, []) if requirement.level is not Level.OPEN else []
        before = {judgement.evidence: judgement for judgement in entry.judgements}
        broken = [
            _broken(finding.shown, before.get(finding.shown.evidence))
            for finding in shown
            if finding.shown.problem and not finding.unknown
        ]
        return Evidence(
            requirement=requirement,
            settled=recorded if entry.why is Why.UNUSABLE else None,
            verdicts=[
                *self._lasting(entry),
                *(self.absent.verdict_without_route(requirement, judgement) for judgement in void),
            ],
            judgements=[*judgements, *broken[:KEPT]],
            met={finding.shown.operation: finding.shown.evidence for finding in shown if not finding.shown.problem},
            unseen=recorded,
            not_asked=entry.not_asked,
        )

    def _without_route(self, requirement: Requirement) -> Evidence | None:
        """Return the evidence of a requirement that is about a route which is not built; None of any other."""
        if (route := self.absent.of_operation(requirement)) is None:
            return None
        unasked = Decision(Outcome.INCONCLUSIVE, Why.NOT_BUILT, said_of(route))
        if self.absent.stated_by(requirement):
            return Evidence(requirement=requirement, judgements=[self.absent.failure(route)], unseen=unasked)
        return Evidence(requirement=requirement, settled=unasked, unseen=unasked)

    def _lasting(self, entry: Entry) -> Iterator[Verdict]:
        """Yield the verdicts that the recording does not show again."""
        for verdict in lasting_verdicts(entry):
            if not (verdict.evidence and self._judged.issuperset(verdict.evidence)):
                yield verdict

    def _is_judged_anew(self, judgement: Judgement) -> bool:
        """Whether a judgement is by a rule of every message, on a message that such rules have judged again."""
        if judgement.matchers or judgement.test:
            return any(matcher.get("matcher") == passive.MatchesDescription.word for matcher in judgement.matchers)
        return judgement.evidence in self._judged

    def _judgement(self, judgement: Judgement) -> Judgement:
        """Hold recorded matchers against the recorded message; one that cannot be judged again stays as it is."""
        message = self._whole_message(judgement.evidence)
        if not judgement.matchers:
            return self._keep("masked in the recording", judgement)
        if message is None:
            return self._keep("not recorded whole", judgement)
        try:
            matchers: list[Matcher] = [read(row, self._compared) for row in judgement.matchers]
        except (KeyError, TypeError):
            return self._keep(UNKNOWN_MATCHER, judgement)
        conclusions = [matcher.judge(message) for matcher in matchers]
        if any(isinstance(conclusion, Unknown) for conclusion in conclusions):
            return self._keep(UNDECIDED, judgement)
        mismatches = tuple(conclusion.sentence for conclusion in conclusions if isinstance(conclusion, Broken))
        if mismatches != judgement.mismatches and is_masked(message):
            return self._keep("masked in the recording", judgement)
        return replace(judgement, mismatches=mismatches)

    def _keep(self, why: str, judgement: Judgement) -> Judgement:
        self.kept[why].add(judgement.requirement)
        return judgement

    def _whole_message(self, evidence: str) -> Exchange | Delivery | None:
        message = self.bundle.message(evidence)
        return message if not isinstance(message, Exchange) or _is_whole(message) else None

    def _compared(self, evidence: str) -> Exchange | Delivery:
        """Return a message that a relation compares with; KeyError where not all of it was recorded."""
        message = self._whole_message(evidence)
        if message is None or (isinstance(message, Exchange) and has_secret(message)):
            raise KeyError(evidence)
        return message


def _not_built(bundle: Bundle) -> NotBuilt:
    """Derive the routes that are not built, and what needs them, from a recording."""
    rows = [(entry.id, verdict) for entry in bundle.entries if entry.id in catalogue() for verdict in entry.verdicts]
    ended = [
        Ended(test=verdict.test, requirements=(name,), outcome=verdict.outcome, reason=verdict.reason, why=verdict.why)
        for name, verdict in rows
        if verdict.test
    ]
    return not_built(unbuilt_routes(bundle.exchanges, bundle.journal), bundle.exchanges, ended)


def is_masked(message: Exchange | Delivery) -> bool:
    """Return whether something was masked in a body; a PIX code has `***` itself, where it has no transaction id."""
    return MASK.encode() in message.body.replace(NO_TRANSACTION_ID, b"")


def has_secret(message: Exchange | Delivery) -> bool:
    """Return whether a secret was masked in a body; other people's values are masked too, but stay comparable."""
    return MASK.encode() in COMPARABLE.sub(b"", message.body.replace(NO_TRANSACTION_ID, b""))


def _broken(shown: Shown, before: Judgement | None) -> Judgement:
    """Judge a message that breaks a requirement; its test and its line are those of the judgement before."""
    judgement = passive.broken_description(shown.requirement, shown.operation, str(shown.problem), shown.evidence)
    if shown.evidence.startswith("delivery"):
        return replace(judgement, matchers=())
    return replace(judgement, test=before.test, curl=before.curl) if before else judgement


def _shown_by_deliveries(bundle: Bundle, judged: Container[str]) -> Iterator[MessageFinding]:
    """Judge every delivery that is not masked, with what the recording has of the run."""
    facts = Facts(list(bundle.exchanges), list(bundle.deliveries), created=list(bundle.journal))
    facts.concluded.append(Concluded(turns=bundle.run.turns))
    return (finding for finding in findings_of_deliveries(facts) if finding.shown.evidence in judged)


def _shown_by_answers(bundle: Bundle) -> Iterator[MessageFinding]:
    """Judge every recorded response."""
    for exchange in bundle.exchanges:
        if not _is_whole(exchange) or not exchange.operation or exchange.api not in tuple(Api):
            continue
        for finding in passive.judge(Api(exchange.api), exchange.operation, exchange):
            masked = finding.mismatch is not None and MASK.encode() in exchange.body
            if not masked:
                shown = Shown(
                    requirement=finding.requirement,
                    operation=f"{exchange.api}.{exchange.operation}",
                    evidence=exchange.evidence,
                    problem=finding.mismatch,
                )
                yield MessageFinding(shown)


def _is_whole(exchange: Exchange) -> bool:
    return exchange.response is not None and not exchange.response.truncated


def _concluded(bundle: Bundle, changes: Sequence[str], kept_ids: dict[str, set[str]]) -> Bundle:
    """Set exit status and headline, and add a notice for each reason why verdicts were kept."""
    judged = concluded(bundle, whole_run_of(bundle).exit_status)
    changed = f"{len(changes)} verdicts changed" if changes else "no verdict changed"
    notices = [f"{len(ids)} verdicts kept, {why} ({', '.join(sorted(ids)[:8])}...)" for why, ids in kept_ids.items()]
    headline = f"judged again from the recording, {changed}: {judged.headline}"
    return replace(judged, headline=headline, notices=(*bundle.notices, *notices))
