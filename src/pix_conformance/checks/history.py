"""Parts of history checks: bodies of recorded exchanges, ids in paths, and how late an event may arrive."""

import re
from collections.abc import Hashable, Iterable, Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

from pix_conformance.checks.matchers import Matcher
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import MASK, SUCCESS

PLAIN = "application/json"
FEW, LATER, LATER_S = 3, 3.0, 3.0
"""Events that show how late one may arrive; a missing one may be later by that factor and so many seconds."""
LONGEST_SEQUENTIAL, PADDING, SEQUENTIAL = 20, "0000", re.compile("[^0-9]*[0-9][0-9-]*")
"""Characters of an id that may be a number; what a longer one is filled up with; a number, with a prefix or without."""
SETTLED_S = 5.0
"""Seconds after which no part of a service may show the earlier state."""
Judged = Iterator[tuple[Exchange | Delivery, Matcher]]
"""The messages that a history check judges, each with its matcher: the arguments of `expect_every`."""


def body_sent(exchange: Exchange) -> dict[str, Any]:
    """Return the JSON object of a request body; empty if it was not sent as application/json."""
    request = exchange.request
    media = (value.partition(";")[0].strip() for name, value in request.headers if name.lower() == "content-type")
    return request.json_object if PLAIN in media else {}


def visible_id(number: object) -> str | None:
    """Return an id as text; None for what is none, and for one that is masked: it identifies nothing."""
    is_id = isinstance(number, str | int) and not isinstance(number, bool) and number != ""
    return str(number) if is_id and MASK not in str(number) else None


def looks_sequential(number: str) -> bool:
    """Return whether each account or environment may count such ids for itself: short, digits, or padded with zeros."""
    return len(number) <= LONGEST_SEQUENTIAL or PADDING in number or SEQUENTIAL.fullmatch(number) is not None


def named(exchange: Exchange) -> set[str]:
    """Return the segments of the request's path; one may be the id of an object."""
    return set(map(unquote, urlsplit(exchange.request.url).path.split("/")))


def delivery_horizon(received: float, delays: Iterable[float]) -> float:
    """Return the latest time of a change whose event would have arrived before `received`, both in epoch seconds."""
    return received - LATER * max(0.0, max(delays, default=0.0)) - LATER_S


def has_unacknowledged_delivery(attempts: Iterable[tuple[Hashable, int | None]]) -> bool:
    """Return whether the receiver has refused an event and not accepted a repetition of it.

    `attempts` are pairs of an event and the status of the receiver's response.
    """
    return waiting_since((what, answered, 0.0) for what, answered in attempts) is not None


def waiting_since(attempts: Iterable[tuple[Hashable, int | None, float]]) -> float | None:
    """Return when the receiver refused the newest event that it has not accepted since; None if there is none.

    `attempts` are triples of an event, the status of the receiver's response, and the time of the attempt.
    """
    first: dict[Hashable, float] = {}
    taken: set[Hashable] = set()
    for what, answered, received in attempts:
        first.setdefault(what, received)
        if answered in SUCCESS:
            taken.add(what)
    return max((moment for what, moment in first.items() if what not in taken), default=None)
