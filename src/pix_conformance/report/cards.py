"""Cards: the failures of a run, by what causes them. Every output tells one card as one thing to mend."""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from urllib.parse import urlsplit

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import name_in
from pix_conformance.model.exchange import DELIVERS_EVENT, Exchange
from pix_conformance.model.operations import find
from pix_conformance.model.vocabulary import SHOWN_ORDER, Judgement, Outcome
from pix_conformance.recording.bundle.values import Bundle, Entry
from pix_conformance.report.counts import with_outcome
from pix_conformance.report.recorded_exchanges import RecordedExchanges
from pix_conformance.report.script_requests import easiest_first, is_about_events, is_of_route, simultaneous_before
from pix_conformance.report.scripts import Script, Scripts
from pix_conformance.report.signs import Sign, Signs, findings, is_of_description

RED = (Outcome.FAIL, Outcome.ERROR)


@dataclass(frozen=True)
class Card:
    """Failures of one cause. `entries` are its requirements; the first is the one to read first."""

    entries: tuple[Entry, ...]
    headline: str
    """What was asked, in which case of its test, and what is wrong with the answer first of all."""
    scripts: Scripts
    """Those of its run."""

    @property
    def id(self) -> str:
        """The id of the first requirement: each stands on one card of a run."""
        return self.entries[0].id

    @property
    def outcome(self) -> Outcome:
        """The strongest outcome of its requirements."""
        return self.entries[0].outcome

    @property
    def requirements(self) -> list[str]:
        """The ids of its requirements."""
        return [entry.id for entry in self.entries]

    @property
    def shown(self) -> Judgement | None:
        """The failure to look at first, the easiest to reproduce; None of an error of the suite."""
        first = self.entries[0]
        return None if first.outcome is Outcome.ERROR else next(iter(self.easiest_first(first)), None)

    @property
    def script(self) -> Script | None:
        """The script that reproduces it; None where none can."""
        return self.scripts.of(self.entries[0])

    @property
    def race(self) -> list[Exchange]:
        """The simultaneous requests whose result the message of its first failure shows; empty without any."""
        return simultaneous_before(self.scripts.recorded, self.shown) if self.shown else []

    def easiest_first(self, entry: Entry) -> list[Judgement]:
        """Return the failures of one of its requirements, those first that are the easiest to reproduce."""
        return easiest_first(self.scripts.recorded, entry.missed)


def cards_of(bundle: Bundle) -> list[Card]:
    """Return the cards of a run: those that fail first, then those with warnings alone, then waived failures."""
    recorded = RecordedExchanges(bundle)
    signs, scripts = Signs(recorded), Scripts(recorded)
    groups = [
        *_joined(signs, with_outcome(bundle, Outcome.FAIL, Outcome.ERROR, Outcome.WARN)),
        *_joined(signs, with_outcome(bundle, Outcome.WAIVED)),
    ]
    ordered = [_leader_first(recorded, group) for group in groups]
    cards = [Card(tuple(group), _headline(recorded, group[0]), scripts) for group in ordered]
    return sorted(cards, key=lambda card: SHOWN_ORDER.index(card.outcome))


def _joined(signs: Signs, failed: list[Entry]) -> Iterator[list[Entry]]:
    """Yield the failures in groups: any two with a sign in common are in one."""
    groups: list[tuple[set[Sign], list[Entry]]] = []
    for entry in failed:
        joined, members = signs.of(entry), [entry]
        for group in [group for group in groups if group[0] & joined]:
            groups.remove(group)
            joined, members = joined | group[0], [*group[1], *members]
        groups.append((joined, members))
    yield from (members for _, members in groups)


def _leader_first(recorded: RecordedExchanges, entries: list[Entry]) -> list[Entry]:
    """Put the requirement first that names the cause.

    Of those with the strongest outcome these are the ones about responses, as a wrong event follows from what a request
    did, of these the least general, and of these the easiest to reproduce.
    """
    ranks = {
        entry.id: (SHOWN_ORDER.index(entry.outcome), _is_about_events(entry), _generality(entry.id))
        for entry in entries
    }
    ordered = sorted(entries, key=lambda entry: ranks[entry.id])
    leaders = [entry for entry in ordered if ranks[entry.id] == ranks[ordered[0].id]]
    easiest = easiest_first(recorded, [easiest_first(recorded, entry.missed)[0] for entry in leaders if entry.missed])
    first = next((entry for entry in leaders if easiest and easiest[0] in entry.missed), ordered[0])
    return [first, *(entry for entry in ordered if entry is not first)]


def _is_about_events(entry: Entry) -> bool:
    return bool(entry.missed) and all(map(is_about_events, entry.missed))


def _headline(recorded: RecordedExchanges, entry: Entry) -> str:
    if not entry.missed or entry.outcome is Outcome.ERROR:
        return entry.reason
    judgement = easiest_first(recorded, entry.missed)[0]
    message = recorded.bundle.message(judgement.evidence)
    if message is None:
        return f"{judgement.evidence}: {judgement.mismatches[0]}"
    asked = _asked_after(simultaneous_before(recorded, judgement), message)
    if is_of_description(judgement):
        return f"{_asked(message)}: {_broken_description(entry.id, judgement, message)}"
    if is_of_route(judgement):
        return judgement.mismatches[0]
    is_event = isinstance(message, Exchange) and message.operation == DELIVERS_EVENT  # its sentence names the case
    case = "" if is_event else (judgement.test or "").partition("[")[2].removesuffix("]")
    return f"{asked}{f' [{case}]' if case not in {'', asked, entry.id} else ''}: {judgement.mismatches[0]}"


def _broken_description(requirement: str, judgement: Judgement, message: Exchange | Delivery) -> str:
    """Say what is not as described; where the recording cannot show it again, in the words of the judgement."""
    sentences = (finding.sentence for finding in findings(message) if finding.requirement == requirement)
    name = message.operation if isinstance(message, Exchange) else _asked(message)
    return next(filter(None, sentences), judgement.mismatches[0].removeprefix(f"{name}: "))


def _asked_after(race: Sequence[Exchange], message: Exchange | Delivery) -> str:
    """Return what was asked, and which simultaneous requests it was, or came after."""
    if isinstance(message, Exchange) and message.group:
        return f"simultaneous {_asked(message)}"
    before = " and ".join(dict.fromkeys(map(_asked, race)))
    return f"simultaneous {before}, then {_asked(message)}" if before else _asked(message)


def _asked(message: Exchange | Delivery) -> str:
    """Return the operation of a message as method and path, or the name of its event."""
    if isinstance(message, Delivery):
        return name_in(message.parsed_body) or "an event"
    row = find(message.api, message.operation)
    return f"{row.method} {row.path}" if row else f"{message.request.method} {urlsplit(message.request.url).path}"


def _generality(requirement: str) -> int:
    """Count whether a requirement, and most of its area, such as that of errors, are about no single operation."""
    row = catalogue().get(requirement)
    is_of_area = requirement.rpartition("-")[0] in _general_areas()
    return (row is None or row.operation is None) + is_of_area + (row is not None and row.is_general)


@cache
def _general_areas() -> frozenset[str]:
    names = Counter(name.rpartition("-")[0] for name in catalogue())
    without = Counter(name.rpartition("-")[0] for name, row in catalogue().items() if row.operation is None)
    return frozenset(name for name, count in without.items() if 2 * count > names[name])


def command(bundle: Bundle, *requirements: str) -> str:
    """Write the shell line that asks requirements again; credentials come from the environment.

    What a message showed that no test is about is asked by the tests that sent it, which the report knows.
    """
    address = "" if bundle.embedded else f" --base-url {shlex.quote(bundle.base_url)}"
    missed = (judgement for entry in bundle.entries if entry.id in requirements for judgement in entry.missed)
    shown = any(map(is_of_description, missed))
    report = f" --again {shlex.quote(bundle.run.report)}" if shown and bundle.run.report else ""
    return f"{bundle.run.command or f'pytest{address}'}{report} --only {shlex.quote(','.join(requirements))}"
