"""What a delivery is: of which API, which event, about which object."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from pix_conformance.model import openapi
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.subject import at
from pix_conformance.model.vocabulary import Api

EVENT_NAME_FIELD = {Api.PAYMENTS: "event", Api.BUSINESS: "type"}
SIGNATURE = {Api.PAYMENTS: "Service-Signature", Api.BUSINESS: "X-Service-Signature"}
MIN_UNAMBIGUOUS_LENGTH = 8
"""Characters from which a text within another is no coincidence."""
COMPLETE = (None, "slow", "closed")
"""Faults of a delivery that arrived entire; what was different then was our answer."""


@cache
def names(api: Api) -> frozenset[str]:
    """Return the names of the events that a document knows."""
    return frozenset(openapi.load(api).get("webhooks", {}))


def event_of(delivery: Delivery, api: Api) -> str | None:
    """Return the documented name that the body gives its event; None if it gives none."""
    name = at(delivery.json, EVENT_NAME_FIELD[api])
    return name if isinstance(name, str) and name in names(api) else None


def has_no_event_name(delivery: Delivery, api: Api) -> bool:
    """Whether an event may be any: in the business document without a name, in the other without a documented one.

    Subscriptions close the list of the payments document; the other may have more transitions, such as expiry.
    """
    if api is Api.BUSINESS:
        return not isinstance(at(delivery.json, EVENT_NAME_FIELD[api]), str)
    return event_of(delivery, api) is None


def api_of(delivery: Delivery) -> Api | None:
    """Return the API that a delivery came from: by its path, else by its event, else by its signature header."""
    if delivery.api is not None:
        return Api(delivery.api)
    signs = (one for one in Api if event_of(delivery, one) or delivery.header(SIGNATURE[one]))
    return next(signs, None)


def mentions(delivery: Delivery, text: str) -> bool:
    """Whether a text stands in the body, be it JSON, in whatever escapes, or not."""
    long = len(text) >= MIN_UNAMBIGUOUS_LENGTH
    if delivery.json is None:
        return long and text.encode() in delivery.body
    return any(text == one or (long and text in one) for one in _texts(delivery.json))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)
    elif value is not None:
        yield str(value)
