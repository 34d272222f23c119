"""The API, the event and the object of a delivery."""

from functools import cache
from typing import Any

from pix_conformance.model import openapi
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.states import states_of
from pix_conformance.model.subject import at
from pix_conformance.model.vocabulary import Api

MIN_UNAMBIGUOUS_LENGTH = 8
"""A text of at least so many characters occurs in another one only on purpose."""
COMPLETE = (None, "slow", "closed")
"""Faults of a delivery that was received completely; only our response was different."""


@cache
def event_names(api: Api) -> tuple[str, ...]:
    """Return the event names that a document states, in its order."""
    return tuple(openapi.description(api).get("webhooks", {}))


def event_of_creation(api: Api, kind: str) -> str:
    """Return the event that announces a new object of a kind."""
    return str(states_of(api)[kind].creation.event)


def name_in(body: Any) -> str | None:
    """Return the text that is in the place of an event's name, of any API; None without one."""
    values = (at(body, profile.event_name_field) for profile in PROFILES.values())
    return next((value for value in values if isinstance(value, str)), None)


def event_of(delivery: Delivery, api: Api) -> str | None:
    """Return the event name in the body if a document states it; None otherwise."""
    name = delivery.json.get(PROFILES[api].event_name_field) if isinstance(delivery.json, dict) else None
    return name if isinstance(name, str) and name in event_names(api) else None


def has_no_event_name(delivery: Delivery, api: Api) -> bool:
    """Return whether a delivery may be any event.

    Where a service may send events that the document does not list, that is one without an event name; elsewhere it is
    one without a documented name.
    """
    if PROFILES[api].further_events:
        return not isinstance(at(delivery.json, PROFILES[api].event_name_field), str)
    return event_of(delivery, api) is None


def api_of(delivery: Delivery) -> Api | None:
    """Return the API of a delivery: by its path, else by its event, else by its signature header."""
    if delivery.api is not None:
        return Api(delivery.api)
    signs = (api for api in Api if event_of(delivery, api) or delivery.header(PROFILES[api].signature_header))
    return next(signs, None)


def mentions(delivery: Delivery, text: str) -> bool:
    """Return whether the body contains a text, also in JSON escapes."""
    long = len(text) >= MIN_UNAMBIGUOUS_LENGTH
    if delivery.json is None:
        return long and text.encode() in delivery.body
    return text in delivery.texts or (long and any(text in value for value in delivery.texts))
