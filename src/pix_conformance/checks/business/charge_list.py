"""The charges in the response of GET /v1/business/pix-charges, whose envelope is not stated (BUS-LIST-12)."""

from typing import Any

from pix_conformance.checks.conclusion import Undecided, not_tested
from pix_conformance.checks.readings import unreadable
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.why import Why

MOST_LISTED = 200
"""How many charges a list has at most (BUS-LIST-09)."""
FEWEST = 3
"""How many charge fields a row has that is surely a charge."""
NAMES = frozenset({"id", "status", "amount_cents", "description", "external_ref", "customer_email", "qr_code"})
"""Fields that a charge has and other objects rarely have (BUS-CHG)."""


def listed(exchange: Exchange) -> list[Any] | None:
    """Return the charges of a list response in any envelope; None if there is no list.

    In an envelope, null counts as an empty list.
    """
    if isinstance(exchange.json, list):
        return exchange.json
    if not isinstance(exchange.json, dict):
        return None
    arrays = [array for array in _arrays(exchange.json) if all(isinstance(row, dict) for row in array)]
    if not arrays and None in exchange.json.values() and not NAMES & exchange.json.keys():
        return []
    return max(arrays, key=_likeness, default=None)


def charges_in(listing: Exchange) -> list[dict[str, Any]]:
    """Return the charges of a list in any envelope; Undecided if the response is no success or has no list."""
    if not listing.ok:
        unknown = not_tested(listing)
        raise Undecided(unknown.why, unknown.sentence)
    if listing.unreadable:
        unknown = unreadable(listing)
        raise Undecided(unknown.why, unknown.sentence)
    charges = listed(listing)
    if charges is None:
        raise Undecided(Why.PRECONDITION, f"no list of charges was found in the answer ({listing.evidence})")
    return charges


def _likeness(rows: list[dict[str, Any]]) -> tuple[int, bool, int]:
    """Rank an array by the number of charge fields that its rows have; an empty array before rows with two or less.

    Other things have an id and a status too, and the list of a status may be empty.
    """
    names = {name for row in rows for name in row}
    count = len(names & NAMES) if names & {"id", "amount_cents"} else 0
    return (count if count >= FEWEST else 0), not rows, count


def _arrays(value: dict[str, Any]) -> list[list[Any]]:
    here = [array for array in value.values() if isinstance(array, list)]
    deeper = [array for part in value.values() if isinstance(part, dict) for array in _arrays(part)]
    return here + deeper
