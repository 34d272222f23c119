"""What the events of the payments API must agree with: the charge or transfer that each is about."""

import json
from collections.abc import Mapping, Sequence

from pix_conformance.checks.conclusion import Problem, Unknown
from pix_conformance.checks.relation import relation
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import event_of
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import at
from pix_conformance.model.vocabulary import Api
from pix_conformance.model.why import Why

NOT_FOUND = 404
LIKE = 4
"""Characters by which a name is known."""


@relation("comes to the whole address, which ends with {query}")
def comes_to_address_with(event: Delivery, query: str) -> str | None:
    """Expect the query of an address in the request line of a delivery."""
    return None if event.path.endswith(query) else f"it came to {event.path}, without {query}"


@relation("{event} comes to each address")
def reaches_each(
    _cause: Exchange, event: str, addresses: Mapping[str, str], deliveries: Sequence[Delivery]
) -> str | None:
    """Expect a delivery at each address, which is given by a name and the path that it ends with."""
    paths = [delivery.path.partition("?")[0] for delivery in deliveries]
    missing = [name for name, path in addresses.items() if not any(address.endswith(path) for address in paths)]
    return f"no {event} came to {' and '.join(missing)}" if missing else None


@relation("the webhook receives only the events that it subscribes to")
def receives_only_its_events(registration: Exchange, deliveries: Sequence[Delivery]) -> str | None:
    """Expect each delivery to a webhook to be one of the events that its registration asked for."""
    subscribed = {None, *json.loads(registration.request.body)["events"]}
    other = next((delivery for delivery in deliveries if event_of(delivery, Api.PAYMENTS) not in subscribed), None)
    return f"a {event_of(other, Api.PAYMENTS)} came to it ({other.evidence})" if other else None


@relation("finds what {event} is about")
def finds_subject_of(query: Exchange, event: Delivery) -> str | None:
    """Expect a query by the id in an event not to return 404."""
    return f"what {event.evidence} is about is not found" if query.status == NOT_FOUND else None


@relation("has the body of {first}")
def same_body_as(attempt: Delivery, first: Delivery) -> str | None:
    """Expect a later attempt to send the JSON of the first one."""
    return None if attempt.json == first.json else f"its body is not that of {first.evidence}"


@relation("transaction.pix.payerInfo.name goes on like {name}, if it begins like it")
def goes_on_like(event: Delivery, name: str) -> Problem:
    """Expect the name of a payer to be what was sent, or its beginning; Unknown of one that begins otherwise."""
    shown_name = at(event.json, "transaction.pix.payerInfo.name")
    if not isinstance(shown_name, str) or shown_name[:LIKE] != name[:LIKE]:
        return Unknown(Why.NOT_SHOWN, f"the payer has another name than the customer ({event.evidence})")
    return None if name.startswith(shown_name.rstrip()) else f"it is {shown_name}, sent was {name}"
