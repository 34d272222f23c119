"""The rules by which every response and delivery of one API is judged, beside its OpenAPI file."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pix_conformance.checks.schema import Finding
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.subject import Subject

BROKEN = 500


@dataclass(frozen=True)
class DeliveryContext:
    """What is known about a delivery: the kind of its object, its time of arrival, how its object was created."""

    kind: str | None = None
    arrived: float | None = None
    """Arrival in epoch seconds of the target's clock; None for a later attempt, or if the clock is unknown."""
    ahead: float = 0.0
    """By how many seconds the Date headers of the target are ahead of this machine's clock."""
    first_arrived: float | None = None
    """For a later attempt, the arrival of the first attempt; None otherwise."""
    created: str | None = None
    """The kind of the object that the event names by its id, if this run created it; None otherwise."""
    sent: Any = None
    """The body with which this run created that object."""


ResponseRule = Callable[[Subject], Iterator[Finding]]
DeliveryRule = Callable[[Delivery, DeliveryContext], Iterator[Finding]]


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The rules of one API."""

    responses: tuple[ResponseRule, ...]
    deliveries: tuple[DeliveryRule, ...]
    exempt: Callable[[Finding, Delivery, DeliveryContext], bool] = field(default=lambda *_: False)
    """Whether a finding of the schema of an event does not apply to this delivery."""
    invalid_body_code: str = ""
    """The requirement on the code of a refused invalid body. A body of the described shape may be refused for another
    reason, such as an empty wallet or an unknown company, for which the document states no code."""
    undocumented_fields: str = ""
    """The open point that fields of responses answer which the OpenAPI file does not name."""
    endpoint_secret: str = ""
    """The requirement that only the secret of the configured endpoint can decide."""


def no_server_error(requirement: str) -> ResponseRule:
    """Return the rule that no response is a 5xx."""
    return lambda answer: iter([Finding(requirement, server_error(answer))])


def posted(requirement: str) -> DeliveryRule:
    """Return the rule that events are sent by POST."""

    def rule(delivery: Delivery, _context: DeliveryContext) -> Iterator[Finding]:
        yield Finding(requirement, None if delivery.method == "POST" else f"the method is {delivery.method}")

    return rule


def server_error(answer: Subject) -> str | None:
    """Return a problem if the status is a 5xx."""
    return f"status is {answer.status}" if (answer.status or 0) >= BROKEN else None


def other_media_type(message: Subject, form: str) -> str | None:
    """Return a problem if the media type of a message, in lower case and without parameters, has another form."""
    media = (message.header("content-type") or "").split(";")[0].strip().lower()
    return None if re.fullmatch(form, media) else f"Content-Type is {media or 'missing'}"
