"""Every list of a run, held against the charges that its caller had made by then (business.md, lines 109-110)."""

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
    json_body,
    named,
)
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import MASK, Api
from pix_conformance.oracles.timestamp import read_utc

ONE_AGE_S = 2.0
"""Within how many seconds of each other charges have no sure order."""
APART_S = 0.01
"""By how much one creation is over before another begins."""
ENDS = {"pay_charge": "paid", "cancel_charge": "canceled"}
FINAL = ("paid", "expired", "canceled")
"""What a charge stays, so that a list asked for it has to hold the charge from then on."""


@dataclass(frozen=True)
class Made:
    """A charge: when its creation began and was over, and when it was first seen in a final state."""

    begun: float
    over: float
    done: dict[str, float]


def gaps(exchanges: Iterable[Exchange]) -> Violations:
    """Give each list, with the charge that it leaves out though it holds one that was made before."""
    made: dict[str, dict[str, Made]] = defaultdict(dict)
    asked = [one for one in exchanges if one.api == Api.BUSINESS and one.status in ACCEPTED]
    ends = _ends(asked)
    for one in sorted(asked, key=attrgetter("started")):
        answer, own = json_body(one.body), made[one.role]
        name = str(answer.get("id", MASK))
        if one.operation == "create_charge" and MASK not in name and not _is_of_another(name, one.role, made):
            own.setdefault(name, Made(one.started, one.ended, {}))
        elif one.operation == "get_charge" and name in own and ends[one.role, name] == {answer.get("status")}:
            own[name].done.setdefault(str(answer["status"]), one.ended)
        elif one.operation == "list_charges" and (known := _known(one, own)):
            yield one, _gap(known, own, one.started - SETTLED_S, _chosen(one))


def misplaced(exchanges: Iterable[Exchange]) -> Violations:
    """Give each list of several charges of its caller, with what is wrong if one stands after an older one.

    A charge is older than another if its creation was over before the other's began, and its created_at is less.
    """
    made: dict[str, dict[str, tuple[float, float, datetime]]] = defaultdict(dict)
    asked = [one for one in exchanges if one.api == Api.BUSINESS and one.status in ACCEPTED]
    for one in sorted(asked, key=attrgetter("started")):
        answer, own = json_body(one.body), made[one.role]
        if one.operation == "create_charge" and MASK not in (name := str(answer.get("id", MASK))):
            with suppress(ValueError):
                own.setdefault(name, (one.started, one.ended, read_utc(answer.get("created_at"))))
        elif one.operation == "list_charges" and len(known := [own[name] for name in _ids(one) if name in own]) > 1:
            yield one, _late(known)


def _late(known: list[tuple[float, float, datetime]]) -> str | None:
    """Say that of charges, as a list has them, one stands after an older one."""
    oldest = known[0]
    for one in known[1:]:
        if one[0] > oldest[1] + APART_S and one[2] > oldest[2]:
            return f"a charge created at {one[2].isoformat()} stands after one created at {oldest[2].isoformat()}"
        oldest = min(oldest, one, key=lambda each: each[1])
    return None


def _is_of_another(name: str, role: str, made: dict[str, dict[str, Made]]) -> bool:
    """Whether another caller made a charge of that id, so that it says not whose the charge is."""
    return any(name in own for other, own in made.items() if other != role)


def _ends(asked: Iterable[Exchange]) -> dict[tuple[str, str], set[str]]:
    """Return by role and id in which final states a charge was seen or put; more than one say nothing of lists."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in asked:
        if one.operation in ENDS:
            for name in named(one):
                found[one.role, name].add(ENDS[one.operation])
        if one.operation == "get_charge" and (answer := json_body(one.body)).get("status") in FINAL:
            found[one.role, str(answer.get("id", MASK))].add(str(answer["status"]))
    return found


def _known(listing: Exchange, made: dict[str, Made]) -> set[str]:
    """Return which charges that the caller made are in a list."""
    return made.keys() & _ids(listing)


def _ids(listing: Exchange) -> list[str]:
    """Return the ids of the charges in a list, in its order."""
    return [str(row.get("id")) for row in rows_of(listing)]


def _chosen(listing: Exchange) -> str | None:
    return next(iter(parse_qs(urlsplit(listing.request.url).query).get("status", [])), None)


def _gap(shown: set[str], made: dict[str, Made], until: float, chosen: str | None) -> str | None:
    """Name a charge that is settled, newer than the oldest that is shown, and not shown."""
    oldest = min(made[name].over for name in shown) + ONE_AGE_S
    for name, charge in made.items():
        since = charge.over if chosen is None else charge.done.get(chosen)
        if since is not None and since < until and charge.begun > oldest and name not in shown:
            return f"the list lacks the charge {name}, and holds one that was made before"
    return None
