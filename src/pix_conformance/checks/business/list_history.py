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
    made: dict[str, dict[str, Made]] = defaultdict(dict)
    asked = [one for one in exchanges if one.api == Api.BUSINESS and one.status in ACCEPTED]
    ends = _ends(asked)
    for one in sorted(asked, key=attrgetter("started")):
        answer, own = one.json_object, made[one.role]
        name = str(answer.get("id", MASK))
        if one.operation == "create_charge" and MASK not in name and not _is_of_another(name, one.role, made):
            own.setdefault(name, Made(one.started, one.ended, {}))
        elif one.operation == "get_charge" and name in own and ends[one.role, name] == {answer.get("status")}:
            own[name].done.setdefault(str(answer["status"]), one.ended)
        elif one.operation == "list_charges" and (known := _known(one, own)):
            yield one, _gap(known, own, one.started - SETTLED_S, _chosen(one))


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
    made: dict[str, dict[str, Listed]] = defaultdict(dict)
    asked = [one for one in exchanges if one.api == Api.BUSINESS and one.status in ACCEPTED]
    for one in sorted(asked, key=attrgetter("started")):
        answer, own = one.json_object, made[one.role]
        if one.operation == "create_charge" and MASK not in (name := str(answer.get("id", MASK))):
            with suppress(ValueError):
                created_at = read_utc(answer.get("created_at"))
                own.setdefault(name, Listed(name, one.started, one.ended, created_at, []))
        elif one.operation in ENDS:
            for name in named(one) & own.keys():
                own[name].ends.append(f"{ENDS[one.operation]} in {one.evidence}")
        elif one.operation == "list_charges" and len(known := [own[name] for name in _ids(one) if name in own]) > 1:
            yield one, _late(known)


def _late(known: list[Listed]) -> str | None:
    """Return a problem if one of the charges, in the order of the list, stands before a newer one."""
    oldest = known[0]
    for one in known[1:]:
        if one.begun > oldest.over + APART_S and one.created_at > oldest.created_at:
            return f"{oldest.words} stands before {one.words}"
        oldest = min(oldest, one, key=attrgetter("over"))
    return None


def _is_of_another(name: str, role: str, made: dict[str, dict[str, Made]]) -> bool:
    """Return whether another account made a charge with that id, so that the id does not identify a charge."""
    return any(name in own for other, own in made.items() if other != role)


def _ends(asked: Iterable[Exchange]) -> dict[tuple[str, str], set[str]]:
    """Return by role and id the final statuses that were shown or caused. Several of them are no ground for a list."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in asked:
        if one.operation in ENDS:
            for name in named(one):
                found[one.role, name].add(ENDS[one.operation])
        if one.operation == "get_charge" and (answer := one.json_object).get("status") in FINAL:
            found[one.role, str(answer.get("id", MASK))].add(str(answer["status"]))
    return found


def _known(listing: Exchange, made: dict[str, Made]) -> set[str]:
    """Return the ids of the account's own charges in a list."""
    return made.keys() & _ids(listing)


def _ids(listing: Exchange) -> list[str]:
    """Return the ids of the charges in a list, in its order."""
    return [str(row.get("id")) for row in rows_of(listing)]


def _chosen(listing: Exchange) -> str | None:
    return next(iter(parse_qs(urlsplit(listing.request.url).query).get("status", [])), None)


def _gap(shown: set[str], made: dict[str, Made], until: float, chosen: str | None) -> str | None:
    """Return a problem if the list lacks a charge older than `until` and newer than the list's oldest charge."""
    oldest = min(shown, key=lambda name: made[name].over)
    for name, charge in made.items():
        since = charge.over if chosen is None else charge.done.get(chosen)
        newer = charge.begun > made[oldest].over + ONE_AGE_S
        if since is not None and since < until and newer and name not in shown:
            what = f"{name}, {chosen}" if chosen else name
            return f"the list lacks the charge {what}, but has {oldest}, which was made before"
    return None
