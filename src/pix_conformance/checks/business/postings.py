"""The postings that GET /v1/business/finance shows: their amount, what they say, their time, their order (BUS-FIN)."""

from collections import Counter
from datetime import datetime
from typing import Any

from pix_conformance.checks.conclusion import Undecided
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import shown
from pix_conformance.model.why import Why
from pix_conformance.oracles.timestamp import read_moment

Content = tuple[str, ...]
"""What a posting says in all but id, time and words: its event_type and its entries."""


def postings(finance: Exchange) -> list[dict[str, Any]]:
    """Return the postings of a ledger; Undecided if the response has none to read."""
    rows = finance.at("transactions")
    if not finance.ok or not isinstance(rows, list):
        raise Undecided(Why.PRECONDITION, f"not tested: no transactions can be read ({finance.evidence})")
    return [row for row in rows if isinstance(row, dict)]


def postings_of(finance: Exchange, cents: int) -> list[dict[str, Any]]:
    """Return the postings whose largest entry is of the amount: another one less its fee may be the same.

    Undecided if the amounts of a posting cannot be read: it may be of this amount.
    """
    return [posting for posting in postings(finance) if principal_of(posting) == cents]


def kinds_of(finance: Exchange, cents: int) -> Counter[str]:
    """Count the postings of the amount by their event_type."""
    return Counter(str(posting.get("event_type")) for posting in postings_of(finance, cents))


def contents_of(finance: Exchange, cents: int) -> Counter[Content]:
    """Count the postings of the amount by what they say."""
    return Counter(map(content_of, postings_of(finance, cents)))


def content_of(posting: dict[str, Any]) -> Content:
    """Return what a posting says: two that say the same are two captures (BUS-STATE-11)."""
    return str(posting.get("event_type")), *sorted(map(str, entries_of(posting)))


def principal_of(posting: dict[str, Any]) -> float | None:
    """Return the largest amount of the entries of a posting, cents; None without one."""
    return max(amounts_of(posting), default=None)


def identity_of(posting: dict[str, Any]) -> tuple[Any, Any]:
    """Return what distinguishes a posting from others, also where all ids are alike, which another test judges."""
    return posting.get("id"), posting.get("created_at")


def posting_time(posting: dict[str, Any]) -> datetime | None:
    """Read the created_at of a posting as a moment; None for what is none."""
    return read_moment(posting.get("created_at"))


def order_of(finance: Exchange) -> str:
    """Say in which order the postings stand, by created_at."""
    times = [time.replace(tzinfo=None) for posting in postings(finance) if (time := posting_time(posting))]
    falls, rises = times == sorted(times, reverse=True), times == sorted(times)
    if falls and rises:
        return "cannot be seen: no two postings differ in created_at"
    return "newest first" if falls else "oldest first" if rises else "neither newest nor oldest first"


def entries_of(posting: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the entries of a posting; Undecided if they cannot be read."""
    entries = posting.get("entries")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise Undecided(Why.PRECONDITION, f"the entries of a posting cannot be read: {shown(entries)}")
    return entries


def amounts_of(posting: dict[str, Any], *directions: str) -> list[float]:
    """Return the amounts of the entries of a posting, of all or of some directions."""
    entries = (entry for entry in entries_of(posting) if not directions or entry.get("direction") in directions)
    amounts = [entry.get("amount_cents") for entry in entries]
    if unread := [amount for amount in amounts if isinstance(amount, bool) or not isinstance(amount, int | float)]:
        raise Undecided(Why.PRECONDITION, f"amount_cents of an entry of a posting is {shown(unread[0])}, no number")
    return [amount for amount in amounts if isinstance(amount, int | float)]
