"""History checks of charges: responses against the creation requests, and transitions against the status (BUS-CHG)."""

from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from operator import attrgetter
from typing import Any

from pix_conformance.checks.business.charge_list import listed
from pix_conformance.checks.history import Judged, body_sent, named, visible_id
from pix_conformance.checks.matchers import field
from pix_conformance.checks.relation import relation
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.openapi import limit
from pix_conformance.model.operations import Effect, of
from pix_conformance.model.subject import shown
from pix_conformance.model.vocabulary import MASK, Api, Role
from pix_conformance.oracles.timestamp import read_utc

ROUNDING_S = 2.0
"""Seconds by which two roundings of one time may differ."""
SHORTEST_S, LONGEST_S, DEFAULT_S = (
    limit(Api.BUSINESS, "create_charge", "expires_in_seconds", keyword) for keyword in ("minimum", "maximum", "default")
)
HIGHEST = 2**53
JsonObject = dict[str, Any]
"""A parsed body."""
LONGEST = {name: limit(Api.BUSINESS, "create_charge", name, "maxLength") for name in ("description", "external_ref")}
LONGEST["customer_email"] = 254


class Records:
    """The charges of a run, and every response that shows a charge to its own account."""

    def __init__(self, exchanges: Iterable[Exchange]) -> None:
        """Read the exchanges of a run."""
        self._responses: list[tuple[Exchange, Exchange]] = []
        """Each with the creation of its charge before it."""
        self._rows: list[tuple[Exchange, Exchange, JsonObject]] = []
        asked: dict[tuple[Role, str], Exchange] = {}
        for exchange in (exchange for exchange in exchanges if exchange.api == Api.BUSINESS and exchange.ok):
            if exchange.operation == "list_charges":
                known = ((asked.get((exchange.role, str(row.get("id")))), row) for row in rows_of(exchange))
                self._rows += [(charge, exchange, row) for charge, row in known if charge]
                continue
            answer = exchange.json_object
            if (number := visible_id(answer.get("id"))) is None:
                continue
            owned = exchange.role, number
            if exchange.operation == "create_charge" and body_sent(exchange):
                asked.setdefault(owned, exchange)
            if owned in asked and exchange.operation in {"create_charge", "get_charge"}:
                self._responses.append((asked[owned], exchange))

    def sent_values(self, name: str) -> Judged:
        """Compare a field with the valid value in the request; without one, with the values of other charges."""
        values: dict[object, Exchange] = {}
        for charge, _ in self._responses:
            if _is_valid(name, value := body_sent(charge).get(name)):
                values.setdefault(value, charge)
        for charge, response in self._responses:
            echo = response.at(name)
            if _is_valid(name, body_sent(charge).get(name)):
                yield response, field(name, body_sent(charge)[name])
            elif name not in body_sent(charge) and isinstance(echo, str) and echo in values:
                yield response, has_no_value_sent_in(name, values[echo])

    def listed_external_refs(self) -> Judged:
        """Compare `external_ref` of each charge in a list with the valid value in the creation request."""
        for charge, listing, row in self._rows:
            value, echo = body_sent(charge).get("external_ref"), row.get("external_ref", MASK)
            if _is_valid("external_ref", value) and MASK not in str(echo):
                yield listing, lists_external_ref_sent_in(charge)

    def lifetimes(self, *, given: bool) -> Judged:
        """Compare expires_at - created_at with `expires_in_seconds`, or with the default if the request had none."""
        for charge, response in self._responses:
            seconds = body_sent(charge).get("expires_in_seconds", DEFAULT_S)
            valid = (
                type(seconds) is int
                and SHORTEST_S <= seconds <= LONGEST_S
                and ("expires_in_seconds" in body_sent(charge)) == given
            )
            if valid and _apart(response.at("expires_at"), charge.at("created_at")) is not None:
                yield response, expires_as_long_after(charge, seconds)

    def creation_times(self) -> Judged:
        """Compare `created_at` of each response with that of the creation."""
        for charge, response in self._responses:
            if _apart(response.at("created_at"), charge.at("created_at")) is not None:
                yield response, was_created_with(charge)

    def e2e_ids(self) -> Judged:
        """Compare the e2e_id of each paid charge with that of another one, which has the same if any has."""
        first: dict[str, Exchange] = {}
        for _, response in self._responses:
            number = response.at("e2e_id")
            if response.at("status") == "paid" and isinstance(number, str) and number and MASK not in number:
                same = first.setdefault(number, response)
                other = same if same.at("id") != response.at("id") else next(iter(first.values()))
                if other.at("id") != response.at("id"):
                    yield response, is_not_paid_as(other)


@relation("{name} is not that of {other}, which was sent with another charge")
def has_no_value_sent_in(response: Exchange, name: str, other: Exchange) -> str | None:
    """Expect a field that the client did not send not to have the value of another charge."""
    echo = response.at(name)
    return (
        f"{name} is {shown(echo)}, which was sent with another charge" if echo == body_sent(other).get(name) else None
    )


@relation("the list shows the external_ref that was sent in {charge}")
def lists_external_ref_sent_in(listing: Exchange, charge: Exchange) -> str | None:
    """Compare each row of the charge with the creation request."""
    value = body_sent(charge).get("external_ref")
    rows = (row for row in rows_of(listing) if str(row.get("id")) == str(charge.at("id")))
    others = [echo for row in rows if MASK not in str(echo := row.get("external_ref", MASK)) and echo != value]
    return f"external_ref of {charge.at('id')} is {shown(others[0])}, {shown(value)} was sent" if others else None


@relation("expires_at is {seconds} seconds after created_at in {charge}, or as much later as that response took")
def expires_as_long_after(response: Exchange, charge: Exchange, seconds: int) -> str | None:
    """Compare the lifetime that a response shows with the one that was asked for."""
    life = _apart(response.at("expires_at"), charge.at("created_at"))
    off = life is not None and abs(life - seconds) > ROUNDING_S + charge.elapsed_ms / 1000
    return f"expires_at is {life} seconds after the creation, not {seconds}" if off else None


@relation("created_at is that in {charge}")
def was_created_with(response: Exchange, charge: Exchange) -> str | None:
    """Compare the time of the creation in two responses, as far as it may be rounded."""
    off = _apart(response.at("created_at"), charge.at("created_at"))
    return (
        f"created_at is {off} seconds off that of the creation" if off is not None and abs(off) > ROUNDING_S else None
    )


@relation("e2e_id is not that of the charge in {other}")
def is_not_paid_as(response: Exchange, other: Exchange) -> str | None:
    """Expect two paid charges to have different e2e_ids."""
    same = response.at("e2e_id") == other.at("e2e_id") and response.at("id") != other.at("id")
    return f"e2e_id {response.at('e2e_id')} is also that of the charge {other.at('id')}" if same else None


def rows_of(listing: Exchange) -> list[JsonObject]:
    """Return the charges of a list response in any envelope; empty if there is no list."""
    with suppress(ValueError):
        return [row for row in listed(listing) or [] if isinstance(row, dict)]
    return []


def _is_valid(name: str, value: object) -> bool:
    """Return whether the documents alone say that a response must repeat this value."""
    if name in LONGEST:
        plain = name != "customer_email" or str(value).partition("@")[2].islower()
        return isinstance(value, str) and bool(value.strip()) and len(value) <= LONGEST[name] and plain
    return type(value) is int and 0 < value < HIGHEST


def _apart(time: object, other: object) -> float | None:
    """Return `one` - `other` in seconds; None if either is not a timestamp."""
    with suppress(ValueError):
        return float((read_utc(time) - read_utc(other)).total_seconds())
    return None


MOVES, FORBIDDEN = {row.name for row in of(Api.BUSINESS, Effect.CHANGES)}, (403, 409)
LONG_S, SOON_S = 600, 300
"""A lifetime that is longer than a run; seconds after the creation within which such a charge has not expired."""
ChargeWithTransitions = tuple[Exchange, list[Exchange]]


@relation("the status is neither 403 nor 409, for the charge is pending")
def is_not_refused_for_state(answer: Exchange) -> str | None:
    """Expect a pending charge not to be refused as one that is not pending."""
    return f"status is {answer.status} for a pending charge" if answer.status in FORBIDDEN else None


def judged_by_state(exchanges: Iterable[Exchange], operation: str) -> Judged:
    """Yield the first payment or cancel of each pending charge by its own account."""
    for creation, moves in _long_lived(exchanges):
        first, alone = moves[0], len(moves) == 1 or moves[1].started >= moves[0].ended
        soon = first.started - creation.ended < SOON_S
        plain = not first.request.body.strip(b"{} ") and _caller(first) == _caller(creation)
        if first.operation == operation and alone and soon and plain:
            yield first, is_not_refused_for_state()


def _long_lived(exchanges: Iterable[Exchange]) -> list[ChargeWithTransitions]:
    """Return the charges with a long lifetime, each with its payments and cancels in order."""
    creations: dict[str, Exchange] = {}
    moves: dict[str, list[Exchange]] = defaultdict(list)
    for exchange in sorted(
        (exchange for exchange in exchanges if exchange.api == Api.BUSINESS), key=attrgetter("started")
    ):
        if exchange.operation == "create_charge" and exchange.ok and exchange.role != Role.LIVE_MERCHANT:
            if number := _pending(body_sent(exchange), exchange.json_object):
                creations.setdefault(number, exchange)
        elif exchange.operation in MOVES:
            for number in named(exchange) & creations.keys():
                moves[number].append(exchange)
    return [(creations[number], changes) for number, changes in moves.items()]


def _pending(wanted: dict[str, Any], answer: dict[str, Any]) -> str | None:
    """Return the id of a new charge with a long lifetime; None otherwise."""
    seconds, number = wanted.get("expires_in_seconds", DEFAULT_S), visible_id(answer.get("id"))
    is_pending = type(seconds) is int and seconds >= LONG_S and answer.get("status") == "pending"
    return number if wanted and is_pending else None


def _caller(exchange: Exchange) -> list[str]:
    return [exchange.role, *(value for name, value in exchange.request.headers if name.lower() == "authorization")]
