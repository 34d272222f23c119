"""Cards: the failures of a run, by what causes them. Every output tells one card as one thing to mend."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import name_in
from pix_conformance.model.operations import find
from pix_conformance.model.vocabulary import MERGE_ORDER, Api, Judgement, Outcome
from pix_conformance.recording.bundle.values import Bundle, Entry
from pix_conformance.report.counts import with_outcome
from pix_conformance.report.dependency_chain import RecordedExchanges
from pix_conformance.report.reproduction import NONE, in_order
from pix_conformance.report.signs import Sign, Signs

RED = (Outcome.FAIL, Outcome.ERROR)


@dataclass(frozen=True)
class Card:
    """Failures of one cause. `entries` are its requirements; the first is the one to read first."""

    entries: tuple[Entry, ...]
    headline: str
    """What was asked, in which case of its test, and what is wrong with the answer first of all."""

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
        return None if first.outcome is Outcome.ERROR else next(iter(in_order(first.missed)), None)

    @property
    def lines(self) -> list[str]:
        """The lines of curl that reproduce it; empty where none can."""
        curl = (self.shown.curl if self.shown else None) or NONE
        return [] if curl.startswith(NONE) else curl.splitlines()


def cards(bundle: Bundle) -> list[Card]:
    """Return the cards of a run: those that fail first, then those with warnings alone, then waived failures."""
    signs = Signs(RecordedExchanges(bundle))
    groups = [
        *_joined(signs, with_outcome(bundle, Outcome.FAIL, Outcome.ERROR, Outcome.WARN)),
        *_joined(signs, with_outcome(bundle, Outcome.WAIVED)),
    ]
    rows = [Card(tuple(group), _headline(bundle, group[0])) for group in map(_first_the_easiest, groups)]
    return sorted(rows, key=lambda card: MERGE_ORDER.index(card.outcome))


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


def _first_the_easiest(entries: list[Entry]) -> list[Entry]:
    """Put the requirement first, of those with the strongest outcome, whose failure is the easiest to reproduce."""
    ordered = sorted(entries, key=lambda entry: MERGE_ORDER.index(entry.outcome))
    strongest = [entry for entry in ordered if entry.outcome is ordered[0].outcome]
    easiest = in_order([in_order(entry.missed)[0] for entry in strongest if entry.missed])
    first = next((entry for entry in strongest if easiest and easiest[0] in entry.missed), ordered[0])
    return [first, *(entry for entry in ordered if entry is not first)]


def _headline(bundle: Bundle, entry: Entry) -> str:
    if not entry.missed or entry.outcome is Outcome.ERROR:
        return entry.reason
    judgement = in_order(entry.missed)[0]
    case = "" if entry.passive else (judgement.test or "").partition("[")[2]
    asked = f"{_asked(bundle, judgement.evidence)}{case and f' [{case}'}"
    return f"{asked}: {judgement.mismatches[0]}"


def _asked(bundle: Bundle, evidence: str) -> str:
    """Return the operation of a message as method and path, or the name of its event."""
    message = bundle.message(evidence)
    if message is None:
        return evidence
    if isinstance(message, Delivery):
        return name_in(message.parsed_body) or "an event"
    row = find(message.api, message.operation) if message.api in tuple(Api) else None
    return f"{row.method} {row.path}" if row else message.request.method


def command(bundle: Bundle, *requirements: str) -> str:
    """Write the shell line that asks requirements again; credentials come from the environment."""
    address = "" if bundle.embedded else f" --base-url {shlex.quote(bundle.base_url)}"
    return f"{bundle.run.command or f'pytest{address}'} --only {shlex.quote(','.join(requirements))}"
