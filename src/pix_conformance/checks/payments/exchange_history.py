"""History checks of charges and transfers: responses of a run against each other and against the requests."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import filterfalse
from typing import Any

from pix_conformance.checks.history import (
    SETTLED_S,
    Violations,
    named,
    sent,
)
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.payments_states import COMPLETED
from pix_conformance.model.subject import MISSING, at, shown
from pix_conformance.model.vocabulary import MASK, Api, Role
from pix_conformance.oracles import qr_image
from pix_conformance.oracles.money import is_cents
from pix_conformance.oracles.timestamp import parse_date_time

OK, ROUNDED_S = 200, 1.0
SOME = 3
"""Number of images that are read, which is slow."""
SANDBOX = (Role.MERCHANT, Role.OTHER_MERCHANT)
Owned = tuple[str, str]
"""Role and id."""


class Records:
    """The successful responses of a run in their order. Each method yields those that it judges."""

    def __init__(self, exchanges: Iterable[Exchange]) -> None:
        """Read the exchanges of a run."""
        self._asked = [exchange for exchange in exchanges if exchange.api == Api.PAYMENTS]
        self._all = [exchange for exchange in self._asked if exchange.status == OK]

    def amounts(self, operation: str) -> Violations:
        """Compare the amount of a transfer in responses with the amount in its creation request."""
        due: dict[Owned, list[Any]] = defaultdict(list)
        for creation in self._of("create_transfer"):
            due[_owned(creation)].append(sent(creation).get("amount"))
        for exchange in self._of(operation):
            amount, asked = _data(exchange, "amount"), due[_owned(exchange)]
            if type(amount) is int and asked and all(type(cents) is int for cents in asked):
                yield exchange, None if amount in asked else f"data.amount is {amount}, {shown(asked[0])} was sent"

    def completed_soonest(self) -> list[str]:
        """Return the ids of the merchant's transfers that a query showed as completed.

        Those come first whose completion followed soonest after the creation.
        """
        shown = {_owned(query) for query in self._of("get_transfer") if _data(query, "status") == COMPLETED}
        starts = {_owned(creation): creation.started for creation in self._of("create_transfer")}
        ends = {
            _owned(completion): completion.ended
            for completion in self._of("complete_transfer")
            if completion.role == Role.MERCHANT
        }
        waited = {owned[1]: end - starts[owned] for owned, end in ends.items() if owned in starts and owned in shown}
        return sorted(waited, key=lambda name: waited[name])

    def net_amounts(self, operation: str) -> Violations:
        """Compare netAmount of a transfer in a response with amount and fees in the same response."""
        for exchange in self._of(operation):
            net, amount, fees = (_data(exchange, name) for name in ("netAmount", "amount", "fees"))
            if all(map(is_cents, (net, amount, fees))):
                explained = net in (amount, amount - fees)
                yield exchange, None if explained else f"{net} is neither {amount} nor {amount} - {fees}"

    def ids(self, operation: str) -> Violations:
        """Compare the id in a response with the id in the path of its request."""
        for exchange in self._of(operation):
            number = _data(exchange, "id")
            if isinstance(number, str) and MASK not in number:
                yield (
                    exchange,
                    None if number in named(exchange) else f"data.id is {shown(number)}, the path has another id",
                )

    def end_to_end_ids(self) -> Violations:
        """Compare the endToEndId of completed transfers with the response to their completion; null is free."""
        due: dict[Owned, set[Any]] = defaultdict(set)
        for completion in self._of("complete_transfer"):
            due[_owned(completion)].add(shown(_data(completion, "endToEndId")))
        for query in self._of("get_transfer"):
            number, answers = _data(query, "endToEndId"), due[_owned(query)]
            over = _data(query, "status") == "completed" and number not in {MISSING, None}
            if over and len(answers) == 1 and (answered := min(answers)).startswith('"') and MASK not in answered:
                wrong = shown(number) != answered
                yield (
                    query,
                    f"data.endToEndId is {shown(number)}, the completion returned {answered}" if wrong else None,
                )

    def statuses_by_end_to_end_id(self) -> dict[str, set[str]]:
        """Return the statuses of transfers that queries showed with an endToEndId, and those without one."""
        statuses: dict[str, set[str]] = {"with": set(), "without": set()}
        for query in self._of("get_transfer"):
            number, status = _data(query, "endToEndId"), _data(query, "status")
            if isinstance(status, str):
                statuses["with" if number not in {MISSING, None, ""} else "without"].add(status)
        return statuses

    def statuses(self, query: str, last: str) -> Violations:
        """Compare the status of each query with `last`, if an earlier query had shown that."""
        since: dict[Owned, float] = {}
        for exchange in filter(_is_named, self._of(query)):
            status, name = _data(exchange, "status"), _owned(exchange)
            if exchange.started > since.get(name, math.inf) + SETTLED_S and isinstance(status, str):
                yield (
                    exchange,
                    None if status == last else f"data.status is {shown(status)}, though it was {last} before",
                )
            elif status == last:
                since.setdefault(name, exchange.ended)

    def final_moments(self) -> Violations:
        """Compare processedAt of each query of a completed transfer with the first value."""
        return self._moments("processedAt", "completed")

    def first_moments(self) -> Violations:
        """Compare createdAt of each query of a transfer with the first value."""
        return self._moments("createdAt")

    def _moments(self, name: str, status: str | None = None) -> Violations:
        first: dict[Owned, Any] = {}
        for query in filter(_is_named, self._of("get_transfer")):
            stated = _data(query, name)
            if status in (None, _data(query, "status")) and isinstance(stated, str):
                with suppress(ValueError):
                    moment = parse_date_time(stated)
                    before = first.setdefault(_owned(query), moment)
                    moved = abs((moment - before).total_seconds()) > ROUNDED_S
                    yield query, f"data.{name} was {before.isoformat()} and is {stated}" if moved else None

    def first_statuses(self) -> Violations:
        """Compare the status of every new charge with `pending`."""
        for creation in self._of("create_charge"):
            status = _data(creation, "status")
            if isinstance(status, str):
                yield creation, None if status == "pending" else f"data.status of a new charge is {shown(status)}"

    def repeated_ids(self) -> Violations:
        """Compare the id of every new charge with the ids of earlier charges, but for a request that is sent again."""
        seen: set[Owned] = set()
        for creation in filterfalse(_is_sent_again, self._of("create_charge")):
            number = _data(creation, "id")
            if isinstance(number, str) and MASK not in number:
                yield (
                    creation,
                    f"data.id is {shown(number)}, as that of an earlier charge" if _owned(creation) in seen else None,
                )
                seen.add(_owned(creation))

    def repeated_codes(self) -> Violations:
        """Compare the copy-and-paste code of every new charge with the codes of earlier charges."""
        seen: dict[str, str] = {}
        for creation in self._of("create_charge"):
            code, number = _data(creation, "pix.emv"), str(_data(creation, "id"))
            if isinstance(code, str) and _is_named(creation):
                same = seen.setdefault(code, number) != number
                yield creation, "data.pix.emv is that of an earlier charge" if same else None

    def changed_fields(self, *names: str) -> Violations:
        """Compare fields of each query of a pending charge with the response to its creation."""
        creations = {_owned(creation): creation for creation in self._of("create_charge")}
        for query in self._of("get_charge"):
            first = creations.get(_owned(query))
            if first and MASK not in _owned(query)[1] and _data(query, "status") == "pending":
                pairs = ((name, _data(first, name), _data(query, name)) for name in names)
                wrong = [
                    f"data.{name} was {shown(old)} and is {shown(new)}"
                    for name, old, new in pairs
                    if MISSING is not old != new
                ]
                yield query, "; ".join(wrong) or None

    def images(self) -> Violations:
        """Decode the image of every new charge."""
        for creation in self._of("create_charge"):
            code = _data(creation, "pix.qrCode")
            if isinstance(code, str) and MASK not in code:
                yield creation, "; ".join(qr_image.mismatches(code)) or None

    def foreign_images(self) -> Violations:
        """Read the images of a few charges, and compare their text with the codes of other charges."""
        creations = [
            creation for creation in self._of("create_charge") if isinstance(_data(creation, "pix.qrCode"), str)
        ]
        codes = {_data(creation, "pix.emv") for creation in creations}
        for creation in creations[-SOME:]:
            image = _data(creation, "pix.qrCode")
            shows = None if qr_image.mismatches(image) else qr_image.decode(image)
            if shows is not None:
                other = shows in codes and shows != _data(creation, "pix.emv")
                yield creation, "data.pix.qrCode shows the code of another charge" if other else None

    def unpaid(self) -> Violations:
        """Compare the status of each query of a sandbox charge without any payment request with `paid`."""
        paid = {name for payment in self._asked if payment.operation == "pay_charge" for name in named(payment)}
        ours = {_owned(creation) for creation in self._of("create_charge")}
        for query in self._of("get_charge"):
            status = _data(query, "status")
            known = query.role in SANDBOX and _owned(query) in ours and MASK not in _owned(query)[1]
            if known and isinstance(status, str) and _owned(query)[1] not in paid:
                yield query, "data.status is paid, but no request paid the charge" if status == "paid" else None

    def _of(self, operation: str) -> Iterator[Exchange]:
        return (exchange for exchange in self._all if exchange.operation == operation)


def _data(exchange: Exchange, name: str) -> Any:
    return at(exchange.json_object, f"data.{name}")


def _is_sent_again(exchange: Exchange) -> bool:
    """Return whether a request has an idempotency key: the charge of one that is sent again may be the first one."""
    return "x-idempotency-key" in {name.lower() for name, _ in exchange.request.headers}


def _is_named(exchange: Exchange) -> bool:
    """Return whether a response has an id that is not masked."""
    number = _data(exchange, "id")
    return isinstance(number, str) and MASK not in number


def _owned(exchange: Exchange) -> Owned:
    return exchange.role, str(_data(exchange, "id"))
