"""History checks of lists: every list of a run against the charges made before it (BUS-LIST)."""

from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from operator import attrgetter
from urllib.parse import parse_qs, urlsplit

from pix_conformance.checks.business.exchange_history import rows_of
from pix_conformance.checks.history import SETTLED_S, Judged, named, visible_id
from pix_conformance.checks.relation import relation
from pix_conformance.model.exchange import Exchange, key_of
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
    """A charge: its creation, and when each final status was first seen (epoch seconds)."""

    creation: Exchange
    done: dict[str, float]


@relation("the list, which shows the charge of {older}, shows the charge of {newer}")
def omits_only_older_than(listing: Exchange, older: Exchange, newer: Exchange) -> str | None:
    """Expect a list to contain a charge that is newer than one in it."""
    lacking, chosen = _name(newer), _chosen(listing)
    if lacking in _ids(listing):
        return None
    what = f"{lacking}, {chosen}" if chosen else lacking
    return f"the list lacks the charge {what}, but has {_name(older)}, which was made before"


def judged_by_omissions(exchanges: Iterable[Exchange]) -> Judged:
    """Yield each list, to be held against a charge that it lacks although it has an older one, or else has."""
    by_role: dict[str, dict[str, Made]] = defaultdict(dict)
    asked = _without_repeated(exchanges)
    ends = _ends(asked)
    for exchange in asked:
        answer, own = exchange.json_object, by_role[exchange.role]
        name = _name(exchange)
        known = own.keys() & _ids(exchange) if exchange.operation == "list_charges" else set()
        # an id that another account has too does not identify a charge
        is_own = MASK not in name and not any(
            name in others for role, others in by_role.items() if role != exchange.role
        )
        if exchange.operation == "create_charge" and is_own:
            own.setdefault(name, Made(exchange, {}))
        elif exchange.operation == "get_charge" and name in own and ends[exchange.role, name] == {answer.get("status")}:
            own[name].done.setdefault(str(answer["status"]), exchange.ended)
        elif known:
            charges = [own[name].creation for name in known]
            oldest = min(charges, key=attrgetter("ended"))
            lacking = _lacking(exchange, oldest, known, own)
            yield exchange, omits_only_older_than(oldest, lacking or max(charges, key=attrgetter("started")))


@relation("the list does not show the charge of {older} before that of {newer}, if that is newer by created_at too")
def shows_newer_first(listing: Exchange, older: Exchange, newer: Exchange, changes: Sequence[Exchange]) -> str | None:
    """Compare the places of two charges; `changes` are what happened to them since, for the sentence."""
    ids = _ids(listing)
    if ids.index(_name(newer)) < ids.index(_name(older)) or read_utc(newer.at("created_at")) <= read_utc(
        older.at("created_at")
    ):
        return None
    return " stands before ".join(_described(charge, changes) for charge in (older, newer))


def judged_by_order(exchanges: Iterable[Exchange]) -> Judged:
    """Yield each list with several charges of its account, to be held against two that stand in the wrong order.

    A charge is older than another if its creation ended before the other's began, and its `created_at` is earlier.
    """
    by_role: dict[str, dict[str, Exchange]] = defaultdict(dict)
    changes: list[Exchange] = []
    for exchange in _without_repeated(exchanges):
        own = by_role[exchange.role]
        if exchange.operation == "create_charge" and MASK not in _name(exchange):
            with suppress(ValueError):
                read_utc(exchange.at("created_at"))
                own.setdefault(_name(exchange), exchange)
        elif exchange.operation in ENDS:
            changes.append(exchange)
        elif exchange.operation == "list_charges":
            known = [own[name] for name in _ids(exchange) if name in own]
            if len(known) > 1:
                older, newer = _disordered(known) or (known[-1], known[0])
                names = {_name(older), _name(newer)}
                of_both = [change for change in changes if change.role == exchange.role and named(change) & names]
                yield exchange, shows_newer_first(older, newer, of_both)


def _without_repeated(exchanges: Iterable[Exchange]) -> list[Exchange]:
    """Return the successful requests in order, without a creation whose key was used before: it may be a replay."""
    used: set[tuple[str, str]] = set()
    asked: list[Exchange] = []
    for exchange in sorted(exchanges, key=attrgetter("started")):
        key = (exchange.role, key_of(exchange.request))
        is_repeated = exchange.operation == "create_charge" and bool(key[1]) and key in used
        used.add(key)
        if exchange.api == Api.BUSINESS and exchange.ok and not is_repeated:
            asked.append(exchange)
    return asked


def _disordered(known: list[Exchange]) -> tuple[Exchange, Exchange] | None:
    """Return a charge and a newer one, where the charge stands before it in the order of the list."""
    oldest = known[0]
    for charge in known[1:]:
        later = charge.started > oldest.ended + APART_S
        if later and read_utc(charge.at("created_at")) > read_utc(oldest.at("created_at")):
            return oldest, charge
        oldest = min(oldest, charge, key=attrgetter("ended"))
    return None


def _described(charge: Exchange, changes: Iterable[Exchange]) -> str:
    name, created_at = _name(charge), read_utc(charge.at("created_at")).isoformat()
    ends = [f"{ENDS[str(change.operation)]} in {change.evidence}" for change in changes if name in named(change)]
    return f"{name} ({', '.join([f'created at {created_at}', *ends])})"


def _name(charge: Exchange) -> str:
    return visible_id(charge.json_object.get("id")) or MASK


def _ends(asked: Iterable[Exchange]) -> dict[tuple[str, str], set[str]]:
    """Return by role and id the final statuses that were shown or caused. Several of them are no ground for a list."""
    ends: dict[tuple[str, str], set[str]] = defaultdict(set)
    for exchange in asked:
        if exchange.operation in ENDS:
            for name in named(exchange):
                ends[exchange.role, name].add(ENDS[exchange.operation])
        if exchange.operation == "get_charge" and (answer := exchange.json_object).get("status") in FINAL:
            ends[exchange.role, _name(exchange)].add(str(answer["status"]))
    return ends


def _ids(listing: Exchange) -> list[str]:
    """Return the ids of the charges in a list, in its order."""
    return [str(row.get("id")) for row in rows_of(listing)]


def _chosen(listing: Exchange) -> str | None:
    return next(iter(parse_qs(urlsplit(listing.request.url).query).get("status", [])), None)


def _lacking(listing: Exchange, oldest: Exchange, shown: Container[str], own: dict[str, Made]) -> Exchange | None:
    """Return the creation of a charge that a list lacks, and that is newer than the oldest in the list."""
    chosen = _chosen(listing)
    for name, charge in own.items():
        since = charge.creation.ended if chosen is None else charge.done.get(chosen)
        newer = charge.creation.started > oldest.ended + ONE_AGE_S
        if since is not None and since < listing.started - SETTLED_S and newer and name not in shown:
            return charge.creation
    return None
