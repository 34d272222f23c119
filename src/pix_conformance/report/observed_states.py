"""The state machine of each kind of object: the documented transitions, and those that the run saw.

A replay repeats an older answer, and of two requests on their way at once either may have been handled first:
neither shows a transition.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pix_conformance.model.exchange import Exchange, key_of
from pix_conformance.model.json_reader import Row
from pix_conformance.model.operations import Effect, of
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.states import states_of
from pix_conformance.model.vocabulary import Api
from pix_conformance.recording.bundle.values import Bundle

COVERED, NEVER, UNDOCUMENTED = "covered", "never reached", "undocumented"
START = ""
"""The state of an object that does not exist yet."""
UNKNOWN = "unknown"
"""The state of an object of which this run has not seen, or cannot know, the status."""
BY_ITSELF = "no request of this run; seen by"
"""What moved an object whose new status a query showed first."""
ANY = "any status"
"""Where a documented transition leads when the documents leave its status open."""


@dataclass(frozen=True, slots=True)
class ObservedMachine:
    """A kind of object that has states, and the route of the requests about it, as a pattern."""

    api: str
    kind: str
    path: str

    def place(self, exchange: Exchange) -> tuple[str, str] | None:
        """Read id and trigger off an exchange; the id is empty for a creation, None for other routes."""
        match = re.search(rf"{self.path}(?:/([^/?#]+))?(?:/([a-z]+))?(?:[?#].*)?$", exchange.request.url)
        if not match or exchange.api != self.api:
            return None
        if not match[1]:
            return (START, "create") if exchange.request.method == "POST" else None
        return match[1], match[2] or "query"


MACHINES = tuple(
    ObservedMachine(api, row.kind, row.path)
    for api in Api
    for row in of(api, Effect.CREATES)
    if row.kind and row.kind != PROFILES[api].removes
)


@dataclass(slots=True)
class Edge:
    """One way from state to state. `seen` are the exchanges that show it, `requirements` state it."""

    source: str
    target: str
    trigger: str
    requirements: tuple[str, ...] = ()
    seen: list[int] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """COVERED, NEVER (documented and not seen) or UNDOCUMENTED (seen and not documented)."""
        if not self.requirements:
            return UNDOCUMENTED
        return COVERED if self.seen else NEVER


@dataclass(frozen=True, slots=True)
class Move:
    """Transitions of one kind that one trigger causes to one target, a line of the report."""

    sources: tuple[str, ...]
    trigger: str
    target: str
    requirements: tuple[str, ...]
    seen: int


@dataclass(frozen=True, slots=True)
class ObservedStates:
    """A machine with all its transitions, documented or seen."""

    machine: ObservedMachine
    edges: tuple[Edge, ...]

    @property
    def moves(self) -> list[Move]:
        """The transitions, those of one trigger, target and kind as one; creations first, unseen ones last."""
        groups: dict[tuple[str, str, str], list[Edge]] = {}
        for edge in sorted(self.edges, key=lambda edge: (not edge.seen, edge.source != START)):
            groups.setdefault((edge.trigger, edge.target, edge.kind), []).append(edge)
        moves = []
        for (trigger, target, _), edges in groups.items():
            stated = tuple(dict.fromkeys(requirement for edge in edges for requirement in edge.requirements))
            sources, seen = tuple(edge.source for edge in edges), sum(len(edge.seen) for edge in edges)
            moves.append(Move(sources, trigger, target, stated, seen))
        return moves


def observed_states(bundle: Bundle) -> list[ObservedStates]:
    """List every machine with a transition that is documented or was seen."""
    drawn = (_observed_machine(machine, bundle.exchanges) for machine in MACHINES)
    return [machine for machine in drawn if machine.edges]


def _observed_machine(machine: ObservedMachine, exchanges: Iterable[Exchange]) -> ObservedStates:
    edges: dict[tuple[str, str], Edge] = {}
    for edge in _documented(machine):
        known = edges.setdefault((edge.source, edge.target), edge)
        if known is not edge:
            known.trigger = " or ".join(dict.fromkeys((*known.trigger.split(" or "), edge.trigger)))
            known.requirements = tuple(dict.fromkeys(known.requirements + edge.requirements))
    free = {source: edges.pop((source, target)) for source, target in list(edges) if target == ANY}
    for source, target, trigger, number in _observed(machine, exchanges):
        stated = free[source].requirements if source in free else ()
        edges.setdefault((source, target), Edge(source, target, trigger, stated)).seen.append(number)
    seen_from = {edge.source for edge in edges.values()}
    edges |= {(source, ANY): edge for source, edge in free.items() if source not in seen_from}
    return ObservedStates(machine, tuple(edges.values()))


def _documented(machine: ObservedMachine) -> Iterator[Edge]:
    """Yield the transitions that the document names, one edge each."""
    states = states_of(Api(machine.api)).get(machine.kind)
    for row in states.transitions if states else ():
        yield Edge(row.source or START, row.target or ANY, row.trigger, (row.requirement,))


def _observed(machine: ObservedMachine, exchanges: Iterable[Exchange]) -> Iterator[tuple[str, str, str, int]]:
    """Yield (source, target, trigger, exchange) for each change of status that an object showed.

    After overlapping exchanges the status counts as unknown until the next answer that shows it.
    """
    now: dict[tuple[str, str], str] = {}
    pushed: dict[tuple[str, str], str] = {}
    for step in _steps(machine, exchanges):
        called = step.exchange.operation or step.trigger
        before = START if step.trigger == "create" else now.get(step.key, UNKNOWN)
        if not step.alone:
            now[step.key] = UNKNOWN
        elif step.status and step.status != before:
            by = called if step.trigger != "query" else pushed.get(step.key, f"{BY_ITSELF} {called}")
            if before != UNKNOWN:
                yield before, step.status, by, step.exchange.id
            now[step.key] = step.status
            pushed.pop(step.key, None)
        elif step.trigger != "query":
            pushed[step.key] = called
            now.setdefault(step.key, before)


@dataclass(slots=True)
class _Step:
    """An exchange about one object, which role and id name; `alone` unless another one overlaps it in time."""

    exchange: Exchange
    key: tuple[str, str]
    trigger: str
    status: str
    alone: bool = True

    @property
    def request(self) -> tuple[str, ...]:
        """Role, method, URL and idempotency key, which a repetition shares; empty without an idempotency key."""
        sent = self.exchange.request
        key = key_of(sent)
        return (self.exchange.role, sent.method, sent.url, key) if key else ()


def _steps(machine: ObservedMachine, exchanges: Iterable[Exchange]) -> Iterator[_Step]:
    """Yield the successful exchanges of a machine in the order of sending, without replays."""
    steps = sorted(_placed(machine, exchanges), key=lambda step: (step.exchange.started, step.exchange.id))
    _mark_overlaps(steps)
    created: set[tuple[str, str]] = set()
    used: set[tuple[str, ...]] = set()
    for step in steps:
        creates = step.trigger == "create"
        if not step.exchange.ok or step.request in used or (creates and step.key in created):
            continue
        if step.request:
            used.add(step.request)
        if creates:
            created.add(step.key)
        yield step


def _placed(machine: ObservedMachine, exchanges: Iterable[Exchange]) -> Iterator[_Step]:
    for exchange in exchanges:
        if place := machine.place(exchange):
            body = Row.of(exchange.json)
            shown = body.row("data") if "data" in body.fields else body  # the envelope of either API
            yield _Step(exchange, (exchange.role, place[0] or shown.text("id")), place[1], shown.text("status"))


def _mark_overlaps(steps: Iterable[_Step]) -> None:
    """Mark each exchange that was sent before another one about the same object was answered, and that other one."""
    longest: dict[tuple[str, str], _Step] = {}
    for step in steps:
        before = longest.get(step.key)
        if before and 0 < step.exchange.started < before.exchange.ended:
            step.alone = before.alone = False
        if before is None or step.exchange.ended > before.exchange.ended:
            longest[step.key] = step
