"""State machines twice over each other: the documented transitions and those that the run saw."""

import importlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from reports.bundle import Bundle, Exchange
from reports.rows import Row

COVERED, NEVER, UNDOCUMENTED = "covered", "never reached", "undocumented"
START = ""
"""The state of an object that does not exist yet."""
ANY = "any status"
"""Where a documented transition leads when the documents leave its status open."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What has a life, and the route on which its exchanges are found."""

    api: str
    kind: str
    path: str

    def place(self, exchange: Exchange) -> tuple[str, str] | None:
        """Read id and trigger off an exchange; the id is empty for a creation, None for other routes."""
        match = re.search(rf"{self.path}(?:/([^/?#]+))?(?:/([a-z]+))?(?:[?#].*)?$", exchange.url)
        if not match or exchange.api != self.api:
            return None
        if not match[1]:
            return (START, "create") if exchange.method == "POST" else None
        return match[1], match[2] or "query"


MACHINES = (
    Machine("payments", "charge", "/api/v1/pix/in/qrcode"),
    Machine("payments", "transfer", "/api/v1/pix/out/pixkey"),
    Machine("business", "charge", "/v1/business/pix-charges"),
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
        """Whether the documents, the run or both know this transition."""
        if not self.requirements:
            return UNDOCUMENTED
        return COVERED if self.seen else NEVER


@dataclass(frozen=True, slots=True)
class Life:
    """A machine with all its transitions and statuses, documented or seen, the documents' order first."""

    machine: Machine
    documented: tuple[str, ...]
    states: tuple[str, ...]
    edges: tuple[Edge, ...]


def lives(bundle: Bundle) -> list[Life]:
    """Draw up every machine of which the documents or the run know anything."""
    drawn = (_life(machine, bundle.exchanges) for machine in MACHINES)
    return [life for life in drawn if life.edges]


def _life(machine: Machine, exchanges: Iterable[Exchange]) -> Life:
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
    documented = tuple(_statuses(machine))
    seen = (state for edge in edges.values() for state in (edge.source, edge.target))
    return Life(machine, documented, tuple(dict.fromkeys((START, *documented, *seen))), tuple(edges.values()))


def _documented(machine: Machine) -> Iterator[Edge]:
    """Yield the rows of the specs' table, one edge each."""
    for row in _table(machine, machine.kind.upper()) or _table(machine, "TRANSITIONS"):
        yield Edge(row.source or START, row.target or ANY, row.trigger, (row.requirement,))


def _statuses(machine: Machine) -> list[str]:
    """List the documented statuses, so that one without any transition is drawn too."""
    statuses = _table(machine, f"{machine.kind.upper()}_STATUSES") or _table(machine, "STATUSES")
    return list(statuses) if isinstance(statuses, tuple) else sorted(statuses)


def _table(machine: Machine, name: str) -> Iterable[Any]:
    rows: Iterable[Any] = getattr(importlib.import_module(f"specs.{machine.api}.lifecycle"), name, ())
    return rows


def _observed(machine: Machine, exchanges: Iterable[Exchange]) -> Iterator[tuple[str, str, str, int]]:
    """Yield (source, target, trigger, exchange) for each change of status that an object showed."""
    now: dict[str, str] = {}
    pushed: dict[str, str] = {}
    for exchange in exchanges:
        place = machine.place(exchange)
        if place is None or exchange.response is None or exchange.response.status // 100 != 2:  # noqa: PLR2004 # 2xx
            continue
        name, status = _status(exchange.response.body.json, place[0])
        called = exchange.operation or place[1]
        trigger = called if place[1] != "query" else pushed.get(name, called)
        if status and now.get(name, START) != status:
            yield now.get(name, START), status, trigger, exchange.id
            now[name] = status
            pushed.pop(name, None)
        elif place[1] != "query":
            pushed[name] = trigger


def _status(body: Any, name: str) -> tuple[str, str]:
    """Read id and status of the object that an answer shows, in either API's envelope."""
    row = Row.of(body)
    shown = row.row("data") if "data" in row.fields else row
    return name or shown.text("id"), shown.text("status")
