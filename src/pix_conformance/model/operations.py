"""One row for each operation of both APIs, derived from `openapi.yaml`, its links and `states.toml`.

Every list of operations in this project is a comprehension over these rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any

from pix_conformance.model import openapi
from pix_conformance.model.states import States, states_of
from pix_conformance.model.vocabulary import Api


class Effect(StrEnum):
    """What an operation does."""

    LOGS_IN = "logs in"
    CREATES = "creates"
    CHANGES = "changes"
    REMOVES = "removes"
    SHOWS = "shows"
    LISTS = "lists"


@dataclass(frozen=True)
class Operation:
    """One operation of an API: its request, and what it does."""

    api: Api
    name: str
    """The `operationId` of `openapi.yaml`."""
    method: str
    """The method in capitals: `POST`."""
    path: str
    """The path, with the name of the id in braces."""
    effect: Effect
    kind: str | None
    """The kind of object, as in `states.toml`: charge, transfer, webhook; None for a login and for the account."""
    id_parameter: str | None
    """The name of the id in the path; None if the path names no object."""
    takes_body: bool
    key_header: str | None
    """The header that takes an idempotency key; None if none does."""
    moves_money: bool
    """Whether a success changes the balance of the account, at once or later."""
    status: str | None
    """The status that the object has after a success; None if it is not stated, or the object does not change."""
    event: str | None
    """The event that a success sends; None if it sends none."""
    success: str
    """The requirement that states that a valid request succeeds."""

    @property
    def route(self) -> str:
        """Method and path, as a reader knows the operation."""
        return f"{self.method} {self.path}"

    @property
    def needs_credential(self) -> bool:
        """Whether a request carries the credential of an account: all do but the login."""
        return self.effect is not Effect.LOGS_IN

    @property
    def takes_key(self) -> bool:
        """Whether a header takes an idempotency key."""
        return self.key_header is not None

    @property
    def reads(self) -> bool:
        """Whether a request changes nothing."""
        return self.effect in {Effect.SHOWS, Effect.LISTS}

    @property
    def shows_balance(self) -> bool:
        """Whether the response shows what the account has."""
        return self.effect is Effect.SHOWS and self.kind is None

    @property
    def is_repeatable(self) -> bool:
        """Whether a second success does no harm: a second token or charge is like other traffic, a webhook is not."""
        announced = self.effect is Effect.CREATES and self.event is not None
        return self.effect is Effect.LOGS_IN or (announced and not self.moves_money)

    def path_of(self, segment: str = "") -> str:
        """Return the path with an id, which has to be encoded, in the place of its parameter.

        >>> by_name(Api.PAYMENTS)["pay_charge"].path_of("a-1")
        '/api/v1/pix/in/qrcode/a-1/pay'
        """
        return re.sub(r"{\w+}", lambda _: segment, self.path)


@cache
def by_name(api: Api) -> Mapping[str, Operation]:
    """Return the operations of an API by name, in the order of `openapi.yaml`.

    Raises ValueError for one that changes something, but nothing says what.
    """
    kinds, described = dict(_kinds(api)), openapi.operations(api)
    return {name: _operation(api, name, node, kinds.get(name)) for name, node in described.items()}


def of(api: Api, *effects: Effect) -> tuple[Operation, ...]:
    """Return the operations of an API that have one of these effects; all of them if none is named."""
    return tuple(row for row in by_name(api).values() if not effects or row.effect in effects)


def find(api: Api | str | None, name: str | None) -> Operation | None:
    """Return the operation of a name; None for a request that is none of an operation, or of no API."""
    return by_name(Api(api)).get(name or "") if api in tuple(Api) else None


def query_of(api: Api, kind: str) -> Operation:
    """Return the operation that shows an object of a kind: alone, or in a list where no other does."""
    return next(row for row in (*of(api, Effect.SHOWS), *of(api, Effect.LISTS)) if row.kind == kind)


def required_by(row: Operation) -> tuple[Operation, ...]:
    """Return the operations that must work before this one can be asked, the first of all first, and itself last.

    These are the login, the creation of the object that it is about, and, where it takes money from the account, what
    brings money.

    >>> [row.name for row in required_by(by_name(Api.PAYMENTS)["get_transfer"])]
    ['authenticate', 'create_charge', 'pay_charge', 'create_transfer', 'get_transfer']
    """
    creation = [other for other in of(row.api, Effect.CREATES) if other.kind == row.kind and row.id_parameter]
    takes_money = row.effect is Effect.CREATES and row.moves_money
    payments = [other for other in of(row.api, Effect.CHANGES) if other.moves_money and other.kind != row.kind]
    first = [*(of(row.api, Effect.LOGS_IN) if row.needs_credential else ()), *creation, *payments * takes_money]
    return tuple(dict.fromkeys([*(needed for other in first for needed in required_by(other)), row]))


def in_order_of_need() -> tuple[Operation, ...]:
    """Return the operations of both APIs: those first that need the fewest others, in the order of `openapi.yaml`."""
    return tuple(row for api in Api for row in sorted(of(api), key=lambda row: len(required_by(row))))


def _kinds(api: Api) -> Iterator[tuple[str, str]]:
    """Yield each operation on objects with its kind: a list has the path of the creation, links lead to the others."""
    for kind, states in states_of(api).items():
        creation = states.creation.trigger
        path = openapi.operations(api)[creation]["path"]
        lists = (name for name, node in openapi.operations(api).items() if node["path"] == path)
        for name in (*lists, *openapi.linked_from(api, creation)):
            yield name, kind


def _operation(api: Api, name: str, described: Mapping[str, Any], kind: str | None) -> Operation:
    method, path = described["method"].upper(), described["path"]
    states = states_of(api)[kind] if kind else None
    effect = Effect.LOGS_IN if "security" in described else _effect(name, method, path, states)
    transitions = [row for row in states.transitions if row.trigger == name] if states else []
    # a payment after expires_at makes a charge expired: that has no event, and no requirement states that it succeeds
    wanted = next((row for row in transitions if row.source is None or row.event or row.accepted), None)
    headers = [row["name"].lower() for row in described.get("parameters", ()) if row["in"] == "header"]
    parameter = re.search(r"{(\w+)}", path)
    return Operation(
        api=api,
        name=name,
        method=method,
        path=path,
        effect=effect,
        kind=kind,
        id_parameter=parameter[1] if parameter else None,
        takes_body="requestBody" in described,
        key_header=next((header for header in headers if header.endswith("idempotency-key")), None),
        moves_money=any(row.moves_money for row in transitions),
        status=wanted.target if wanted else None,
        event=wanted.event if wanted else None,
        success=described.get("x-requirement") or _of_success(described["responses"]),
    )


def _of_success(responses: Mapping[str, Any]) -> str:
    return str(next(row["x-requirement"] for status, row in responses.items() if str(status).startswith("2")))


def _effect(name: str, method: str, path: str, states: States | None) -> Effect:
    if method == "GET":
        return Effect.LISTS if states and "{" not in path else Effect.SHOWS
    if states is None:
        raise ValueError(f"no link of openapi.yaml leads to {name}")
    if name == states.creation.trigger:
        return Effect.CREATES
    return Effect.REMOVES if method == "DELETE" else Effect.CHANGES
