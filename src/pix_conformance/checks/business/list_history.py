"""History checks of lists: every list of a run against the charges made before it (BUS-LIST)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from urllib.parse import parse_qs, urlsplit

from pix_conformance.checks.business.exchange_history import ACCEPTED, rows_of
from pix_conformance.checks.history import (
    SETTLED_S,
    Violations,
    named,
)
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.operations import Effect, of
from pix_conformance.model.vocabulary import MASK, Api
from pix_conformance.oracles.timestamp import read_utc

ONE_AGE_S = 2.0
"""Seconds between two creations within which their order is uncertain."""
APART_S = 0.01
"""Seconds between the end of one creation and the begin of another, for a certain order."""
ENDS = {row.name: row.status for row in of(Api.BUSINESS, Effect.CHANGES) if row.status}
FINAL = ("paid", "expired", "canceled")
"""Statuses that a charge keeps, so that later lists of that status must contain it."""


@dataclass(frozen=True)
class Made:
    """A charge: begin and end of its creation, and when each final status was first seen (epoch seconds)."""

    begun: float
    over: float
    done: dict[str, float]


def omitted_newer_charges(exchanges: Iterable[Exchange]) -> Violations:
    """Yield each list, with a problem if it lacks a charge although it has an older one."""
    by_role: dict[str, dict[str, Made]] = defaultdict(dict)
    asked = [exchange for exchange in exchanges if exchange.api == Api.BUSINESS and exchange.status in ACCEPTED]
    ends = _ends(asked)
    for exchange in sorted(asked, key=attrgetter("started")):
        answer, own = exchange.json_object, by_role[exchange.role]
        name = str(answer.get("id", MASK))
        if (
            exchange.operation == "create_charge"
            and MASK not in name
            and not _is_of_another(name, exchange.role, by_role)
        ):
            own.setdefault(name, Made(exchange.started, exchange.ended, {}))
        elif exchange.operation == "get_charge" and name in own and ends[exchange.role, name] == {answer.get("status")}:
            own[name].done.setdefault(str(answer["status"]), exchange.ended)
        elif exchange.operation == "list_charges" and (known := _known(exchange, own)):
            yield exchange, _gap(known, own, exchange.started - SETTLED_S, _chosen(exchange))


@dataclass(frozen=True)
class Listed:
    """A charge that lists show: its id, begin and end of its creation (epoch seconds), its `created_at`."""

    name: str
    begun: float
    over: float
    created_at: datetime
    ends: list[str]
    """What happened to it since, such as `paid in exchange 17`."""

    @property
    def words(self) -> str:
        """The charge for a sentence."""
        return f"{self.name} ({', '.join([f'created at {self.created_at.isoformat()}', *self.ends])})"


def out_of_order(exchanges: Iterable[Exchange]) -> Violations:
    """Yield each list with several charges of its account, with a problem if one stands after an older one.

    A charge is older than another if its creation ended before the other's began, and its `created_at` is earlier.
    """
    by_role: dict[str, dict[str, Listed]] = defaultdict(dict)
    asked = [exchange for exchange in exchanges if exchange.api == Api.BUSINESS and exchange.status in ACCEPTED]
    for exchange in sorted(asked, key=attrgetter("started")):
        answer, own = exchange.json_object, by_role[exchange.role]
        if exchange.operation == "create_charge" and MASK not in (name := str(answer.get("id", MASK))):
            with suppress(ValueError):
                created_at = read_utc(answer.get("created_at"))
                own.setdefault(name, Listed(name, exchange.started, exchange.ended, created_at, []))
        elif exchange.operation in ENDS:
            for name in named(exchange) & own.keys():
                own[name].ends.append(f"{ENDS[exchange.operation]} in {exchange.evidence}")
        elif (
            exchange.operation == "list_charges"
            and len(known := [own[name] for name in _ids(exchange) if name in own]) > 1
        ):
            yield exchange, _late(known)


def _late(known: list[Listed]) -> str | None:
    """Return a problem if one of the charges, in the order of the list, stands before a newer one."""
    oldest = known[0]
    for charge in known[1:]:
        if charge.begun > oldest.over + APART_S and charge.created_at > oldest.created_at:
            return f"{oldest.words} stands before {charge.words}"
        oldest = min(oldest, charge, key=attrgetter("over"))
    return None


def _is_of_another(name: str, role: str, by_role: dict[str, dict[str, Made]]) -> bool:
    """Return whether another account made a charge with that id, so that the id does not identify a charge."""
    return any(name in own for other, own in by_role.items() if other != role)


def _ends(asked: Iterable[Exchange]) -> dict[tuple[str, str], set[str]]:
    """Return by role and id the final statuses that were shown or caused. Several of them are no ground for a list."""
    ends: dict[tuple[str, str], set[str]] = defaultdict(set)
    for exchange in asked:
        if exchange.operation in ENDS:
            for name in named(exchange):
                ends[exchange.role, name].add(ENDS[exchange.operation])
        if exchange.operation == "get_charge" and (answer := exchange.json_object).get("status") in FINAL:
            ends[exchange.role, str(answer.get("id", MASK))].add(str(answer["status"]))
    return ends


def _known(listing: Exchange, charges: dict[str, Made]) -> set[str]:
    """Return the ids of the account's own charges in a list."""
    return charges.keys() & _ids(listing)


def _ids(listing: Exchange) -> list[str]:
    """Return the ids of the charges in a list, in its order."""
    return [str(row.get("id")) for row in rows_of(listing)]


def _chosen(listing: Exchange) -> str | None:
    return next(iter(parse_qs(urlsplit(listing.request.url).query).get("status", [])), None)


def _gap(shown: set[str], charges: dict[str, Made], until: float, chosen: str | None) -> str | None:
    """Return a problem if the list lacks a charge older than `until` and newer than the list's oldest charge."""
    oldest = min(shown, key=lambda name: charges[name].over)
    for name, charge in charges.items():
        since = charge.over if chosen is None else charge.done.get(chosen)
        newer = charge.begun > charges[oldest].over + ONE_AGE_S
        if since is not None and since < until and newer and name not in shown:
            what = f"{name}, {chosen}" if chosen else name
            return f"the list lacks the charge {what}, but has {oldest}, which was made before"
    return None
