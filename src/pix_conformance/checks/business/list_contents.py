"""Relations of lists: which charges a list holds, how it shows them, in which order, how many."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Any

from pix_conformance.checks.business.charge_list import charges_in
from pix_conformance.checks.business.charges import documented_fields
from pix_conformance.checks.conclusion import Problem, Undecided, Unknown
from pix_conformance.checks.relation import relation
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import Missing, shown
from pix_conformance.model.why import Why
from pix_conformance.oracles.timestamp import read_utc

ONE_AGE = timedelta(seconds=1)
"""Charges that were created within a second of each other may stand in any order: timestamps may be rounded."""


SAME_TIME = timedelta(microseconds=1)
"""Less than any two times of a list that differ."""


def is_newer(time: object, other: object, by: timedelta = timedelta()) -> bool:
    """Compare two timestamps; what is no timestamp is not newer."""
    try:
        return read_utc(time) > read_utc(other) + by
    except ValueError:
        return False


def row_of(listing: Exchange, charge: Exchange) -> dict[str, Any]:
    """Return the row of a charge; Undecided if the list does not hold it."""
    row = next((row for row in charges_in(listing) if str(row.get("id")) == str(charge.at("id"))), None)
    if row is None:
        raise Undecided(Why.PRECONDITION, f"the charge is not in the list ({listing.evidence})")
    return row


def _ids(listing: Exchange) -> list[str]:
    return [str(row.get("id")) for row in charges_in(listing)]


@relation("the list is found in the response")
def is_a_list(listing: Exchange) -> str | None:
    """Expect an array of charges in any envelope (BUS-LIST-12)."""
    try:
        charges_in(listing)
    except Undecided as why:
        return str(why)
    return None


@relation("the list contains the charge of {charge}")
def holds_charge(listing: Exchange, charge: Exchange) -> Problem:
    """Look for the id; Unknown if all charges of the list are newer, or as new where times are whole seconds."""
    number, charges = str(charge.at("id")), charges_in(listing)
    if number in _ids(listing):
        return None
    if charges and all(is_newer(row.get("created_at"), charge.at("created_at"), -SAME_TIME) for row in charges):
        return Unknown(Why.PRECONDITION, f"the list is full of newer charges ({listing.evidence})")
    return f"the charge {number} is not among the {len(charges)} of the list"


@relation("the list contains the charge of {charge}, unless it is as long as that of {longest}")
def holds_charge_if_not_full(listing: Exchange, charge: Exchange, longest: Exchange) -> Problem:
    """Look for the id; Unknown if the list is as long as another one of the service: so many are shown."""
    number, count, most = str(charge.at("id")), len(charges_in(listing)), len(charges_in(longest))
    if number in _ids(listing):
        return None
    if count >= most:
        return Unknown(Why.NOT_SHOWN, f"the list is full of newer charges ({listing.evidence})")
    return f"the charge {number} is not among the {count} of the list, another list holds {most}"


@relation("the list contains the charge of {charge} once")
def holds_charge_once(listing: Exchange, charge: Exchange) -> str | None:
    """Count the id in the list."""
    count = _ids(listing).count(str(charge.at("id")))
    return f"it holds {charge.at('id')} {count} times" if count > 1 else None


@relation("the list contains the caller's charge of {own}, and not the charge of {foreign}")
def holds_own_charge_only(listing: Exchange, own: Exchange, foreign: Exchange) -> Problem:
    """Look for both ids; Unknown if the list does not contain the caller's own charge either."""
    number, ids = str(foreign.at("id")), _ids(listing)
    if str(own.at("id")) not in ids:
        return Unknown(
            Why.PRECONDITION, f"not tested: the list does not hold the caller's own new charge ({listing.evidence})"
        )
    return f"the list holds {number}, which is not the caller's" if number in ids else None


@relation("the list does not contain the charge of {charge}")
def lacks_charge(listing: Exchange, charge: Exchange) -> str | None:
    """Expect the id of the charge to be absent."""
    return f"it holds {charge.at('id')}" if str(charge.at("id")) in _ids(listing) else None


@relation("the list contains none of the charges of {charges}")
def lacks_charges(listing: Exchange, charges: Sequence[Exchange]) -> str | None:
    """Expect the ids of several charges, which have another status, to be absent."""
    strays = {str(charge.at("id")) for charge in charges} & set(_ids(listing))
    shown_as = [f"{row.get('id')} as {row.get('status')}" for row in charges_in(listing) if row.get("id") in strays]
    return f"charges of another status stand in the list: {', '.join(shown_as)}" if strays else None


@relation("every charge of the list is {status}")
def holds_only(listing: Exchange, status: str) -> Problem:
    """Compare the status of each row; Unknown if the list is empty or shows no status."""
    statuses = [row.get("status") for row in charges_in(listing)]
    if not statuses or None in statuses:
        return Unknown(Why.PRECONDITION, f"there is no status to see in the list ({listing.evidence})")
    other = next((row for row in charges_in(listing) if row.get("status") != status), None)
    return f"a list asked for {status} holds {other.get('id')}, which it shows as {other['status']}" if other else None


@relation("the list shows {names} of the charge as {query} does")
def shows_as(listing: Exchange, query: Exchange, *names: str) -> str | None:
    """Compare fields of a row with a query; a field may be left out, timestamps agree to the second."""
    row = row_of(listing, query)
    return next(filter(None, (_other_value(row.get(name), query.at(name), name) for name in names)), None)


@relation("the list shows {name} of the charge of {creation} as it was sent")
def shows_sent_value(listing: Exchange, creation: Exchange, name: str) -> Problem:
    """Compare a row with the body of the creation; Unknown if the list does not show the field."""
    rows = (row for row in charges_in(listing) if str(row.get("id")) == str(creation.at("id")))
    value, wanted = next(rows, {}).get(name), creation.request.json_object.get(name)
    if value is None:
        return Unknown(Why.NOT_SHOWN, f"the list does not show the {name} of the charge")
    return None if value == wanted else f"{name} is {shown(value)} in the list, {shown(wanted)} was sent"


def _other_value(value: object, here: object, name: str) -> str | None:
    if value is None or value == here or (name.endswith("_at") and _is_one_age(value, here)):
        return None
    return f"{name} is {shown(value)} in the list and {shown(here)} in the query"


def _is_one_age(time: object, other: object) -> bool:
    try:
        return abs(read_utc(time) - read_utc(other)) <= ONE_AGE
    except ValueError:
        return False


@relation("the list shows the charges of {queries} with the status that they have there")
def shows_statuses_of(listing: Exchange, queries: Sequence[Exchange]) -> str | None:
    """Compare the status of each row of these charges; rows of others and rows without status count for nothing."""
    known = {str(query.at("id")): query.at("status") for query in queries}
    for row in charges_in(listing):
        wanted = known.get(str(row.get("id")), row.get("status"))
        if row.get("status") != wanted:
            return f"{row.get('id')} is {shown(row.get('status'))} in the list and {shown(wanted)} in the query"
    return None


@relation("the row of the charge has the fields and types of {query}")
def has_fields_of(listing: Exchange, query: Exchange) -> str | None:
    """Expect each documented field that a query shows in the row too, with the same JSON type."""
    row = row_of(listing, query)
    for name in documented_fields("get_charge"):
        value = query.at(name)
        if not isinstance(value, Missing) and value is not None and type(row.get(name)) is not type(value):
            return f"{name} is {shown(row.get(name))} in the list and {shown(value)} in the query"
    return None


@relation("no charge of the list has one of the external_refs")
def holds_no_ref(listing: Exchange, refs: Collection[str], back_to: Exchange, queries: Sequence[Exchange]) -> Problem:
    """Search a list that reaches back to an earlier charge; Unknown if it does not show that one's external_ref.

    `queries` are those of the charges of the list, where it does not show external_ref.
    """
    labels = _values(listing, queries, "external_ref")
    if back_to.at("external_ref") not in labels:
        return Unknown(
            Why.PRECONDITION, f"the list does not show the external_ref of a charge just made ({listing.evidence})"
        )
    left = [label for label in labels if label in refs]
    return f"the list holds {len(left)} charges of refused creations" if left else None


@relation("one charge of the list has the external_ref {ref}")
def holds_ref_once(listing: Exchange, ref: str, queries: Sequence[Exchange]) -> Problem:
    """Count the external_ref; Unknown if the list does not show it at all. `queries` as for holds_no_ref."""
    count = _values(listing, queries, "external_ref").count(ref)
    if not count:
        return Unknown(
            Why.PRECONDITION,
            f"not tested: the list does not show the external_ref of a new charge ({listing.evidence})",
        )
    return f"the list holds {count} charges of the external_ref" if count > 1 else None


@relation("each charge of the list with the external_ref {ref} has {cents} cents")
def holds_ref_as_sent(listing: Exchange, ref: str, cents: int, queries: Sequence[Exchange]) -> str | None:
    """Expect no charge of another amount than the one that was sent. `queries` as for holds_no_ref."""
    pairs = zip(_values(listing, queries, "external_ref"), _values(listing, queries, "amount_cents"), strict=True)
    others = [amount for label, amount in pairs if label == ref and amount != cents]
    return f"a charge of the external_ref has {others[0]} cents, {cents} were sent" if others else None


def _values(listing: Exchange, queries: Sequence[Exchange], name: str) -> list[object]:
    """Return a field of the charges of a list, of the queries if it does not show it itself."""
    return [query.at(name) for query in queries] or [row.get(name) for row in charges_in(listing)]


@relation("the charges of the list stand newest first")
def newest_first(listing: Exchange, queries: Sequence[Exchange]) -> Problem:
    """Compare created_at from row to row; Unknown if all are of one age.

    `queries` are those of the charges of the list, where it does not show created_at.
    """
    ages = ages_in(listing, queries)
    if is_of_one_age(ages):
        return Unknown(Why.PRECONDITION, f"all charges of the list have one age ({listing.evidence})")
    lowest = accumulate(ages, min)
    late = next((n for n, (age, low) in enumerate(zip(ages, lowest, strict=True)) if age - low > ONE_AGE), None)
    if late is None:
        return None
    older = ages.index(min(ages[:late]))
    rows = [query.json_object for query in queries] or charges_in(listing)
    words = (
        f"{row.get('id')}, {row.get('status', 'status not shown')}, created at {age.isoformat()}"
        for row, age in ((rows[older], ages[older]), (rows[late], ages[late]))
    )
    return ", stands before ".join(words)


def ages_in(listing: Exchange, queries: Sequence[Exchange]) -> list[datetime]:
    """Return when the charges of a list were created, in its order; Undecided if that is no timestamp."""
    try:
        return [read_utc(text) for text in _values(listing, queries, "created_at")]
    except ValueError as reason:
        raise Undecided(Why.PRECONDITION, f"the list shows no age to order by: {reason}") from None


def is_of_one_age(ages: Sequence[datetime]) -> bool:
    """Whether charges were created too close to each other to have an order."""
    return not ages or max(ages) - min(ages) <= ONE_AGE


@relation("the list has {count} charges at most")
def holds_at_most(listing: Exchange, count: int) -> str | None:
    """Count the charges of the list."""
    size = len(charges_in(listing))
    return f"it holds {size}" if size > count else None


@relation("the list has {count} charges or more")
def holds_at_least(listing: Exchange, count: int) -> str | None:
    """Count the charges of the list."""
    size = len(charges_in(listing))
    return f"of {count} and more it holds {size}" if size < count else None


@relation("no charge that the list omits is newer than its last one")
def holds_the_newest_of(listing: Exchange, charges: Sequence[Exchange]) -> str | None:
    """Look for each charge that is newer than the last one of the list, and not of one age with it."""
    rows, ids = charges_in(listing), set(_ids(listing))
    oldest = rows[-1].get("created_at") if rows else None
    missing = [
        charge
        for charge in charges
        if str(charge.at("id")) not in ids and is_newer(charge.at("created_at"), oldest, ONE_AGE)
    ]
    return f"{len(missing)} charges are missing that are newer than its last" if missing else None
