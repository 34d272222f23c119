"""Judges a recorded bundle again with the matchers and descriptions of this suite; nothing is sent."""

import shutil
from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pix_conformance.checks.relation  # noqa: F401  # lets `read` know relations
from pix_conformance.checks import passive
from pix_conformance.checks.conclusion import Broken, Unknown
from pix_conformance.checks.matchers import Computed, Matcher, read
from pix_conformance.model.catalogue import load
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import MASK, Api, Judgement, Level, Outcome, Requirement, Verdict
from pix_conformance.recording.bundle import reader
from pix_conformance.recording.bundle.values import Bundle, BundleError, Entry
from pix_conformance.recording.bundle.writer import write_results
from pix_conformance.recording.findings import KEPT
from pix_conformance.verdicts.exit_status import whole_run_of
from pix_conformance.verdicts.requirement_outcome import Breach, Evidence, decide, of_traffic

NOT_RECORDED = "they cannot be computed again from the recording (they rest on secrets, times or several responses)"
NO_TRANSACTION_ID = b"0503***"
UNKNOWN_MATCHER = "a matcher that this suite does not know, or that compares with what was not recorded"


@dataclass(frozen=True)
class Shown:
    """What one recorded answer shows of a requirement: `api.operation`, the evidence, and the problem or None."""

    operation: str
    evidence: str
    problem: str | None


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
    again = _Again(bundle, bundle.succeeded)
    entries = tuple(map(again.entry, bundle.entries))
    changes = tuple(
        f"{new.id}: {old.outcome} -> {new.outcome} {new.reason}".rstrip()
        for old, new in zip(bundle.entries, entries, strict=True)
        if (old.outcome, old.reason) != (new.outcome, new.reason)
    )
    return Rejudged(_concluded(replace(bundle, entries=entries), changes, again.kept), changes, again.kept)


def write(found: Rejudged, source: Path, target: Path) -> None:
    """Write the bundle as judged again, with pytest's page and the recording as they are."""
    for name in (reader.EXCHANGES, reader.DELIVERIES, "pytest.html"):
        if (source / name).is_file():
            shutil.copyfile(source / name, target / name)
    write_results(target, found.bundle)


@dataclass
class _Again:
    """Judges the requirements of one bundle again, and notes which verdicts it keeps and why."""

    bundle: Bundle
    succeeded: Container[str]
    kept: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def __post_init__(self) -> None:
        """Judge every recorded answer."""
        self._shown = _shown_by_answers(self.bundle)

    def entry(self, entry: Entry) -> Entry:
        """Judge one requirement again; one that was not judged, is waived or that no document states stays as it is."""
        known = load().get(entry.id)
        if known is None or entry.outcome in {Outcome.NOT_APPLICABLE, Outcome.OBSERVED, Outcome.WAIVED}:
            if entry.outcome is Outcome.WAIVED:
                self.kept["waived"].add(entry.id)
            return entry
        entry = replace(entry, level=known.level, statement=known.statement)
        lasting = [one for one in entry.verdicts if not any(name.startswith("exchange") for name in one.evidence)]
        judgements = [self._judgement(one) for one in entry.judgements if not _is_passive(one)]
        broken, of_answers = self._of_answers(known, entry) if known.level is not Level.OPEN else ([], [])
        of_tests, of_deliveries = [one for one in lasting if one.test], [one for one in lasting if not one.test]
        traffic = [*of_answers, *of_deliveries]
        found = Evidence(
            requirement=known.id, level=known.level, of_tests=of_tests, judgements=judgements, traffic=traffic
        )
        verdicts = found.weighed(self.succeeded)
        if not verdicts:
            return entry
        decision = decide(verdicts)
        reason = decision.reason or ("" if decision.outcome is Outcome.PASS else entry.reason)
        return replace(
            entry,
            judgements=(*judgements, *broken),
            outcome=decision.outcome,
            reason=reason,
            why=decision.why if decision.reason or decision.outcome is Outcome.PASS else entry.why,
            evidence=decision.evidence,
        )

    def _judgement(self, one: Judgement) -> Judgement:
        """Hold recorded matchers against the recorded message; one that cannot be judged again stays as it is."""
        message = self._whole_message(one.evidence)
        if not one.matchers:
            return self._keep("shown by a delivery", one)
        if message is None:
            return self._keep("not recorded whole", one)
        try:
            matchers: list[Matcher] = [read(each, self._compared) for each in one.matchers]
        except (KeyError, TypeError):
            return self._keep(UNKNOWN_MATCHER, one)
        if any(isinstance(each, Computed) for each in matchers):
            self.kept[NOT_RECORDED].add(one.requirement)
        conclusions = [matcher.judge(message) for matcher in matchers]
        if any(isinstance(conclusion, Unknown) for conclusion in conclusions):
            return self._keep(NOT_RECORDED, one)
        found = tuple(conclusion.sentence for conclusion in conclusions if isinstance(conclusion, Broken))
        if found != one.mismatches and is_masked(message):
            return self._keep("masked in the recording", one)
        return replace(one, mismatches=found)

    def _keep(self, why: str, one: Judgement) -> Judgement:
        self.kept[why].add(one.requirement)
        return one

    def _whole_message(self, evidence: str) -> Exchange | Delivery | None:
        message = self.bundle.message(evidence)
        return message if not isinstance(message, Exchange) or _is_whole(message) else None

    def _compared(self, evidence: str) -> Exchange | Delivery:
        """Return a message that a relation compares with; KeyError where not all of it was recorded."""
        found = self._whole_message(evidence)
        if found is None or (isinstance(found, Exchange) and is_masked(found)):
            raise KeyError(evidence)
        return found

    def _of_answers(self, known: Requirement, entry: Entry) -> tuple[list[Judgement], list[Verdict]]:
        """Weigh what all recorded answers show of a requirement; the first that broke it become judgements."""
        shown = self._shown.get(known.id, [])
        before = {one.evidence: one for one in entry.judgements}
        met = {one.operation: one.evidence for one in shown if one.problem is None}
        broken = list(_breaches(shown, before))[:KEPT]
        verdicts = of_traffic(known, met, broken, self.succeeded)
        return [_of_breach(known.id, one, before.get(one.evidence)) for one in broken], verdicts


def is_masked(message: Exchange | Delivery) -> bool:
    """Return whether something was masked in a body; a PIX code has `***` itself, where it has no transaction id."""
    return MASK.encode() in message.body.replace(NO_TRANSACTION_ID, b"")


def _is_passive(judgement: Judgement) -> bool:
    return any(one.get("matcher") == passive.MatchesDescription.word for one in judgement.matchers)


def _breaches(shown: Sequence[Shown], before: dict[str, Judgement]) -> Iterator[Breach]:
    for one in shown:
        if one.problem:
            known = before.get(one.evidence)
            yield Breach(one.operation, one.problem, one.evidence, known.test if known else None)


def _of_breach(requirement: str, breach: Breach, before: Judgement | None) -> Judgement:
    matcher = passive.MatchesDescription(requirement, *breach.operation.split(".", 1)).to_dict()
    curl = before.curl if before else None
    return Judgement(requirement, breach.test, breach.evidence, (matcher,), (breach.reason,), curl=curl)


def _shown_by_answers(bundle: Bundle) -> dict[str, list[Shown]]:
    """Judge every recorded answer, and list by requirement what each shows."""
    shown: dict[str, list[Shown]] = defaultdict(list)
    for exchange in bundle.exchanges:
        if not _is_whole(exchange) or not exchange.operation or exchange.api not in tuple(Api):
            continue
        for one in passive.judge(Api(exchange.api), exchange.operation, exchange):
            masked = one.mismatch is not None and MASK.encode() in exchange.body
            if not masked:
                found = Shown(f"{exchange.api}.{exchange.operation}", exchange.evidence, one.mismatch)
                shown[one.requirement].append(found)
    return shown


def _is_whole(exchange: Exchange) -> bool:
    return exchange.response is not None and not exchange.response.truncated


def _concluded(bundle: Bundle, changes: Sequence[str], kept: dict[str, set[str]]) -> Bundle:
    """Set exit status and headline, and add a notice for each reason why verdicts were kept."""
    whole = whole_run_of(bundle)
    changed = f"{len(changes)} verdicts changed" if changes else "no verdict changed"
    notices = [f"{len(ids)} verdicts kept, {why} ({', '.join(sorted(ids)[:8])}...)" for why, ids in kept.items()]
    return replace(
        bundle,
        run=replace(bundle.run, exit=whole.exit_status),
        headline=f"judged again from the recording, {changed}: {whole.headline(whole.exit_status)}",
        notices=(*bundle.notices, *notices),
    )
