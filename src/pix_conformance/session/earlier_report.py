"""What failed in an earlier report, and which tests found it (`--again`)."""

import json
import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import Judgement, Outcome, UsageError
from pix_conformance.model.why import is_of_selection
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import UNMET, Bundle, BundleError, Entry
from pix_conformance.report.recorded_exchanges import RecordedExchanges
from pix_conformance.report.script_requests import causing, is_of_route
from pix_conformance.report.signs import is_of_description

MESSAGE = re.compile(r"\b(?:exchange|delivery) \d+\b")
NAME = re.compile(r"[\w.:-]{6,}")
"""A text that may be the id of an object, or the label that we gave it."""


@dataclass(frozen=True)
class EarlierFailure:
    """One requirement that failed in an earlier report. Tests are node ids."""

    requirement: str
    outcome: Outcome
    asked_by: frozenset[str]
    """The tests that found it."""
    shown_by: frozenset[str]
    """The tests that sent the requests of which a response or event broke a passive requirement."""
    operations: frozenset[str]
    """The operations and events whose messages broke a passive requirement, as `api.operation`."""
    problems: tuple[str, ...]
    """What was wrong; empty if the earlier run was itself one with `--again` that could not decide it."""
    is_of_route: bool = False
    """Whether its route was not built, which its problem says with the number of requests."""

    @property
    def tests(self) -> frozenset[str]:
        """The tests to run again."""
        return self.asked_by | self.shown_by


@dataclass(frozen=True)
class EarlierReport:
    """An earlier report with what failed in it, by requirement."""

    recorded: RecordedExchanges
    failures: Mapping[str, EarlierFailure]

    @property
    def bundle(self) -> Bundle:
        """The report as it was read."""
        return self.recorded.bundle

    def senders(self, test: str) -> frozenset[str]:
        """Return the tests that sent what a test of the whole run judged when it failed."""
        failed = (judgement for entry in self.bundle.entries for judgement in entry.missed if judgement.test == test)
        return frozenset(sender for judgement in failed for sender in _senders(judgement, self.recorded))


def read_earlier(directory: Path, only: AbstractSet[str]) -> EarlierReport:
    """Read an earlier report, of which only some requirements count if `only` names any.

    Raises UsageError if there is no report, or if nothing failed in it.
    """
    try:
        bundle = read(directory)
    except BundleError as reason:
        raise UsageError(
            f"--again: {reason}: give the directory of an earlier report, such as reports/latest"
        ) from None
    recorded = RecordedExchanges(bundle)
    failures = {entry.id: _failure(entry, recorded) for entry in bundle.entries if _is_asked_again(entry, bundle)}
    wanted = {name: failure for name, failure in failures.items() if not only or name in only}
    if not wanted:
        named = " of what --only names" if failures else ""
        raise UsageError(f"--again: nothing{named} failed in {directory}, so there is no test to run again")
    return EarlierReport(recorded, wanted)


def _is_asked_again(entry: Entry, bundle: Bundle) -> bool:
    """Whether a requirement failed, or failed in the report before and was not decided by this one."""
    if entry.outcome in UNMET or entry.missed:
        return True
    was_selected = not entry.unobservable and not is_of_selection(entry.why)
    return bundle.run.again is not None and was_selected and entry.outcome is not Outcome.PASS


def _failure(entry: Entry, recorded: RecordedExchanges) -> EarlierFailure:
    passive = [judgement for judgement in entry.missed if is_of_description(judgement)]
    asked_by = {judgement.test for judgement in entry.missed if not is_of_description(judgement)}
    asked_by |= {verdict.test for verdict in entry.verdicts if verdict.outcome in UNMET}
    if entry.outcome not in UNMET and not entry.missed:
        asked_by |= set(entry.tests)
    return EarlierFailure(
        requirement=entry.id,
        outcome=entry.outcome,
        asked_by=_node_ids(asked_by),
        shown_by=frozenset(sender for judgement in passive for sender in _senders(judgement, recorded)),
        operations=frozenset(f"{entry.document}.{judgement.mismatches[0].partition(': ')[0]}" for judgement in passive),
        problems=entry.problems,
        is_of_route=any(map(is_of_route, entry.missed)),
    )


def _senders(judgement: Judgement, recorded: RecordedExchanges) -> frozenset[str]:
    """Return the tests that sent the requests that a judgement is about.

    These are the exchanges that it names, those that caused a delivery, and those that made or changed the objects that
    it names; if it names none, the objects in its messages.
    """
    bundle, words = recorded.bundle, " ".join((*judgement.mismatches, json.dumps(judgement.matchers)))
    named = {judgement.evidence, *MESSAGE.findall(words), *(f"exchange {step}" for step in judgement.steps)}
    messages = [message for name in sorted(named) if (message := bundle.message(name))]
    exchanges = {message.id for message in messages if isinstance(message, Exchange)}
    for delivery in messages:
        if isinstance(delivery, Delivery):
            exchanges |= set(causing(recorded, delivery))
    if not (is_of_description(judgement) and exchanges):
        objects = _objects(words, recorded) or {
            name for message in messages for name in _objects(message.body.decode("utf-8", "replace"), recorded)
        }
        exchanges |= {number for name in objects for number in recorded.changes_of(name)}
    return _node_ids({bundle.exchange[number].test for number in exchanges if number in bundle.exchange})


def _objects(text: str, recorded: RecordedExchanges) -> set[str]:
    return {name for name in NAME.findall(text) if recorded.changes_of(name)}


def _node_ids(tests: AbstractSet[str | None]) -> frozenset[str]:
    """Leave out the parts of a run that are no tests, such as its cleanup."""
    return frozenset(test for test in tests if test and "::" in test)
