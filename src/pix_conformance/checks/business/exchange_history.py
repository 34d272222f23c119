"""History checks of charges: responses of a run against the creation requests (BUS-CHG)."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pix_conformance.checks.business.charge_list import listed
from pix_conformance.checks.history import Violations, sent
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.limits import limit
from pix_conformance.model.subject import shown
from pix_conformance.model.vocabulary import MASK, Api, Role
from pix_conformance.oracles.timestamp import read_utc

ROUNDING_S = 2.0
ACCEPTED, KEPT_S = range(200, 300), 2.0
"""Statuses of success; seconds by which two roundings of one time may differ."""
SHORTEST_S, LONGEST_S, DEFAULT_S = (
    limit(Api.BUSINESS, "create_charge", "expires_in_seconds", keyword) for keyword in ("minimum", "maximum", "default")
)
HIGHEST = 2**53
JsonObject = dict[str, Any]
"""A parsed body."""
LONGEST = {name: limit(Api.BUSINESS, "create_charge", name, "maxLength") for name in ("description", "external_ref")}
LONGEST["customer_email"] = 254


@dataclass
class Asked:
    """The creation of a charge: the request body and the response body."""

    sent: JsonObject
    answer: JsonObject
    seconds: float
    """Seconds from the request to the response."""


class Records:
    """The charges of a run, and every response that shows a charge to its own account."""

    def __init__(self, exchanges: Iterable[Exchange]) -> None:
        """Read the exchanges of a run."""
        self._responses: list[tuple[Exchange, Asked, JsonObject]] = []
        self._rows: list[tuple[Exchange, Asked, JsonObject]] = []
        asked: dict[tuple[Role, str], Asked] = {}
        for exchange in (
            exchange for exchange in exchanges if exchange.api == Api.BUSINESS and exchange.status in ACCEPTED
        ):
            if exchange.operation == "list_charges":
                known = ((asked.get((exchange.role, str(row.get("id")))), row) for row in rows_of(exchange))
                self._rows += [(exchange, charge, row) for charge, row in known if charge]
                continue
            answer = exchange.json_object
            if MASK in str(answer.get("id", MASK)):
                continue
            owned = exchange.role, str(answer["id"])
            if exchange.operation == "create_charge" and sent(exchange):
                asked.setdefault(owned, Asked(sent(exchange), answer, exchange.elapsed_ms / 1000))
            if owned in asked and exchange.operation in {"create_charge", "get_charge"}:
                self._responses.append((exchange, asked[owned], answer))

    def sent_values(self, name: str) -> Violations:
        """Compare a field with the valid value in the request; without one, with the values of other charges."""
        values = {value for _, charge, _ in self._responses if _is_valid(name, value := charge.sent.get(name))}
        for exchange, charge, answer in self._responses:
            value, echo = charge.sent.get(name), answer.get(name)
            if _is_valid(name, value):
                yield exchange, None if echo == value else f"{name} is {shown(echo)}, {shown(value)} was sent"
            elif name not in charge.sent and isinstance(echo, str) and echo in values:
                yield exchange, f"{name} is {shown(echo)}, which was sent with another charge"

    def listed_external_refs(self) -> Violations:
        """Compare `external_ref` of each charge in a list with the valid value in the creation request."""
        for exchange, charge, row in self._rows:
            value, echo = charge.sent.get("external_ref"), row.get("external_ref", MASK)
            if _is_valid("external_ref", value) and MASK not in str(echo):
                wrong = f"external_ref of {row['id']} is {shown(echo)}, {shown(value)} was sent"
                yield exchange, None if echo == value else wrong

    def lifetimes(self, *, given: bool) -> Violations:
        """Compare expires_at - created_at with `expires_in_seconds`, or with the default if the request had none."""
        for exchange, charge, answer in self._responses:
            seconds = charge.sent.get("expires_in_seconds", DEFAULT_S)
            valid = (
                type(seconds) is int
                and SHORTEST_S <= seconds <= LONGEST_S
                and ("expires_in_seconds" in charge.sent) == given
            )
            life = _apart(answer.get("expires_at"), charge.answer.get("created_at"))
            if valid and life is not None:
                off = abs(life - seconds) > ROUNDING_S + charge.seconds
                yield exchange, f"expires_at is {life} seconds after the creation, not {seconds}" if off else None

    def creation_times(self) -> Violations:
        """Compare `created_at` of each response with that of the creation."""
        for exchange, charge, answer in self._responses:
            off = _apart(answer.get("created_at"), charge.answer.get("created_at"))
            if off is not None:
                yield exchange, f"created_at is {off} seconds off that of the creation" if abs(off) > KEPT_S else None

    def e2e_ids(self) -> Violations:
        """Compare the e2e_id of each paid charge with those of all others."""
        first: dict[str, str] = {}
        for exchange, _, answer in self._responses:
            name, number = str(answer["id"]), answer.get("e2e_id")
            if answer.get("status") == "paid" and isinstance(number, str) and number and MASK not in number:
                other = first.setdefault(number, name)
                yield exchange, f"e2e_id {number} is also that of the charge {other}" if other != name else None


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
