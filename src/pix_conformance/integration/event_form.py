"""What differs between the APIs for an integration: its charges, and the events about them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pix_conformance.model.vocabulary import Api

PAYER = {"name": "Maria da Silva", "document": "52998224725"}


@dataclass(frozen=True)
class OrderCharge:
    """What an event says of a charge: names, amount in cents, and payment."""

    api: Api
    id: str
    cents: int
    external_ref: str
    e2e_id: str = ""


@dataclass(frozen=True, kw_only=True)
class EventForm:
    """The charges of one API, and the events about them, as an integration knows them."""

    charges: str
    """The path of charges."""
    amount: str
    """Where the body of a new charge has its amount."""
    id: str
    """Where the response to it has the id."""
    paid: str
    """The event that reports a payment."""
    created: str
    ending: str
    """An event after which a shop may take an order for one that is not paid."""
    unknown: str
    """A name of an event that the document does not have."""
    cases: frozenset[str]
    """The cases of deliveries that this API alone has."""
    fields: Callable[[OrderCharge, str, str], dict[str, Any]]
    """Makes the body of an event of a name about a charge that has a status."""
    token: Callable[[Callable[[tuple[str, str]], str], dict[str, str]], str]
    """Returns what the sandbox's driver sends as its Bearer token: a function that logs in, and the credentials."""
    has_registered_secret: bool = False
    """Whether the client registers its webhooks, and is given their secrets."""
