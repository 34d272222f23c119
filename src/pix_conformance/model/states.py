"""Reads `specs/<api>/states.toml`: the tables of states of both documents."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

from pix_conformance.model.paths import SPECS
from pix_conformance.model.vocabulary import Api

UNREQUESTED_KEYS = frozenset({"from", "to", "event", "announced", "postback"})
"""What a transition without a trigger says."""


@dataclass(frozen=True)
class Transition:
    """One transition from a status to another.

    `source` is None for a creation. `trigger` is the operation that causes the transition. `condition` is in words.
    `target` is None if the document does not state the status. `event` is None if it names none. `requirement` is the
    id of the requirement that states the transition, `announced` of the one that states that the event is sent,
    `accepted` of the one that states that the request succeeds (None: the response is open). `moves_money` says whether
    the balance of the account changes with it.
    """

    source: str | None
    trigger: str
    condition: str
    target: str | None
    event: str | None
    requirement: str
    accepted: str | None = None
    announced: str | None = None
    moves_money: bool = False


@dataclass(frozen=True)
class UnrequestedTransition:
    """A transition that no request causes: queries show one of the first statuses, then another one of the second.

    `announced` is the requirement that its event is sent to webhooks, `postback` the one that it is sent to the
    postbackUrl; None if the document states no such thing.
    """

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    event: str
    announced: str
    postback: str | None = None

    def is_shown_by(self, before: object, after: object) -> bool:
        """Return whether two statuses that queries showed, in this order, are those before and after it."""
        return before != after and before in self.sources and after in self.targets


@dataclass(frozen=True)
class StateRefusal:
    """The status code that an operation returns for an object of one status, and the requirement that states it."""

    source: str
    trigger: str
    code: int
    requirement: str


@dataclass(frozen=True)
class States:
    """The statuses of one kind of object, and its documented transitions."""

    statuses: tuple[str, ...]
    transitions: tuple[Transition, ...]
    table: Mapping[str, Any]
    """The whole table of the file."""
    refusals: tuple[StateRefusal, ...] = ()
    unrequested: tuple[UnrequestedTransition, ...] = ()
    """The rows without a trigger."""

    @property
    def creation(self) -> Transition:
        """The transition that creates the object."""
        return next(transition for transition in self.transitions if transition.source is None)

    def requirements(self, name: str) -> Mapping[str, str]:
        """Return one of the tables that map statuses to requirements: `stays`, `never_alone`."""
        table: Mapping[str, str] = self.table.get(name, {})
        return table

    @property
    def events(self) -> Mapping[str, str]:
        """The events that announce transitions, each with the operation that triggers it."""
        return {transition.event: transition.trigger for transition in self.transitions if transition.event}

    def from_status(self, status: str | None, trigger: str) -> tuple[Transition, ...]:
        """Return the transitions that a trigger may cause from a status, under any condition."""
        return tuple(
            transition
            for transition in self.transitions
            if transition.source == status and transition.trigger == trigger
        )

    def followed_by(self, status: str | None) -> tuple[str, ...]:
        """Return the other statuses that transitions without a request lead to from a status."""
        rows = (row for row in self.unrequested if status in row.sources)
        return tuple(dict.fromkeys(target for row in rows for target in row.targets if target != status))

    def has_request_to(self, status: str) -> bool:
        """Return whether a request leads to a status."""
        return any(transition.target == status for transition in self.transitions)

    def refusal(self, status: str | None, trigger: str) -> StateRefusal | None:
        """Return the refusal that a status causes; None if no requirement states one."""
        return next(
            (refusal for refusal in self.refusals if refusal.source == status and refusal.trigger == trigger), None
        )


@cache
def states_of(api: Api) -> Mapping[str, States]:
    """Return the states of each kind of object of one API."""
    tables = tomllib.loads((SPECS / api / "states.toml").read_text(encoding="utf-8"))
    return {kind: states_in(table) for kind, table in tables.items()}


def states_in(table: Mapping[str, Any]) -> States:
    """Read one table.

    Raises ValueError for a transition without a trigger that cannot be read, and for two rows that show one change.
    """
    rows = tuple(_unrequested(table))
    _require_different_rows(table)
    return States(tuple(table["statuses"]), tuple(_transitions(table)), table, tuple(_refusals(table)), rows)


def announced_events(api: Api) -> Mapping[str, str]:
    """Return the events of all transitions of an API, each with the requirement that states that it is sent.

    Of several transitions with one event it is the first, whose requirement a further one neither replaces nor hides.
    """
    tables = states_of(api).values()
    requested = [(row.event, row.announced) for states in tables for row in states.transitions]
    by_itself = [(row.event, row.announced) for states in tables for row in states.unrequested]
    announced: dict[str, str] = {}
    for event, rule in (*requested, *by_itself):
        if event and rule:
            announced.setdefault(event, rule)
    return announced


def _transitions(table: Mapping[str, Any]) -> Iterator[Transition]:
    for row in (row for row in table["transition"] if "trigger" in row):
        for source in row.get("from", [None]):
            yield Transition(
                source=source,
                trigger=row["trigger"],
                condition=row["condition"],
                target=row.get("to"),
                event=row.get("event"),
                requirement=row["requirement"],
                accepted=row.get("accepted"),
                announced=row.get("announced"),
                moves_money=row.get("moves_money", False),
            )


def _unrequested(table: Mapping[str, Any]) -> Iterator[UnrequestedTransition]:
    for row in (row for row in table["transition"] if "trigger" not in row):
        if others := sorted(row.keys() - UNREQUESTED_KEYS):
            raise ValueError(f"a transition without `trigger` has no `{others[0]}` in states.toml: {row}")
        yield UnrequestedTransition(
            _listed(table, row["from"]),
            _listed(table, row["to"]),
            row["event"],
            row["announced"],
            row.get("postback"),
        )


def _require_different_rows(table: Mapping[str, Any]) -> None:
    """Raise ValueError for two rows with the same status before, after, and the same trigger, or event without one."""
    first: dict[tuple[str | None, ...], Mapping[str, Any]] = {}
    for row in (*table["transition"], *table.get("refusal", ())):
        cause = row.get("trigger") or row.get("event")
        for change in product(_listed(table, row.get("from", [None])), _targets(table, row), [cause]):
            if (other := first.setdefault(change, row)) is not row:
                shown = "{} to {} by {}".format(*change)
                raise ValueError(
                    f"two rows of states.toml show the same change, {shown}: {dict(other)} and {dict(row)}"
                )


def _targets(table: Mapping[str, Any], row: Mapping[str, Any]) -> Sequence[str | None]:
    """Return the statuses after a transition: lists have a name or many statuses only where no request causes it."""
    target = row.get("to", "refused" if "status" in row else None)
    return [target] if "trigger" in row else _listed(table, target)


def _listed(table: Mapping[str, Any], statuses: str | Sequence[str]) -> tuple[str, ...]:
    """Return the statuses of a list, or of the list of the table with that name."""
    if isinstance(statuses, str) and statuses not in table:
        raise ValueError(f'"{statuses}" is no list of this table of states.toml; one status is written ["{statuses}"]')
    return tuple(table[statuses] if isinstance(statuses, str) else statuses)


def _refusals(table: Mapping[str, Any]) -> Iterator[StateRefusal]:
    for row in table.get("refusal", ()):
        for source in row["from"]:
            yield StateRefusal(source, row["trigger"], row["status"], row["requirement"])
