"""Whose delivery it is: that of the target, or of another sender, who may know the address of the receiver too."""

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pix_conformance.model.delivery import HOOKS, Delivery
from pix_conformance.model.events import MIN_UNAMBIGUOUS_LENGTH, api_of
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import Api
from pix_conformance.recording.objects import ObjectsOfRun
from pix_conformance.recording.recorder import Recorder

RANDOM_PART = re.compile(rf"{HOOKS}[a-z0-9-]*?([0-9a-f]{{24}})Pix")
"""The path of an address that only the target of this run was given (`Receiver.new_path`)."""
SHARE = 2
"""Deliveries of which none can be assigned are the target's if they are one for so many objects of the run, or more."""


def addresses_given(exchanges: Iterable[Exchange]) -> frozenset[str]:
    """Return the random parts of the addresses that requests of the run gave to the target."""
    bodies = (exchange.request.body for exchange in exchanges)
    texts = (body.decode("utf-8", "replace") for body in bodies if HOOKS.encode() in body)
    return frozenset(part for text in texts for part in RANDOM_PART.findall(text))


def is_of_target(delivery: Delivery, objects: ObjectsOfRun, given: Container[str] | None = None) -> bool:
    """Return whether only the target can have sent a delivery.

    It came to an address that only the target was given (one of `given`; any random address if that is None), is signed
    with the secret of the run, or names an object of the run.
    """
    if address := RANDOM_PART.search(delivery.path):
        return given is None or address[1] in given
    if delivery.signature and delivery.signature.shows_secret:
        return True
    api = api_of(delivery)
    texts = (text for text in delivery.texts if len(text) >= MIN_UNAMBIGUOUS_LENGTH)
    return any(text in objects for text in texts) or (api is not None and objects.are_named_in(delivery, api))


def of_target(
    deliveries: Sequence[Delivery], objects: ObjectsOfRun, given: Container[str] | None = None
) -> list[Delivery]:
    """Return the deliveries of the target.

    Where none of an API can be assigned, but there are many of them, all are: a target may sign each wrongly, and name
    nothing in it.
    """
    by_api: dict[Api | None, list[Delivery]] = defaultdict(list)
    for delivery in deliveries:
        by_api[api_of(delivery)].append(delivery)
    own: set[int] = set()
    for api, group in by_api.items():
        assigned = [delivery for delivery in group if is_of_target(delivery, objects, given)]
        created = sum(created.api == api and not created.is_removable for created in objects.all())
        counted = assigned or (group if api is not None and len(group) * SHARE >= max(1, created) else [])
        own.update(delivery.id for delivery in counted)
    return [delivery for delivery in deliveries if delivery.id in own]


@dataclass
class OwnDeliveries:
    """The deliveries of the target, as far as a run that goes on knows its objects."""

    recorder: Recorder
    _known: set[int] = field(default_factory=set)
    """The numbers of deliveries that only the target can have sent: they stay so."""

    def has(self, delivery: Delivery) -> bool:
        """Return whether only the target can have sent a delivery."""
        if delivery.id in self._known:
            return True
        is_own = is_of_target(self.recorder.with_signature(delivery), self.recorder.objects)
        if is_own:
            self._known.add(delivery.id)
        return is_own

    def among(self, deliveries: Sequence[Delivery]) -> list[Delivery]:
        """Return those that the target sent: `of_target`."""
        known = [self.recorder.with_signature(delivery) for delivery in deliveries]
        own = {delivery.id for delivery in of_target(known, self.recorder.objects)}
        return [delivery for delivery in deliveries if delivery.id in own]


def said_of_strays(deliveries: Sequence[Delivery], own: Sequence[Delivery]) -> Iterator[str]:
    """Say which deliveries the target cannot have sent, a sentence for each sender; nothing without one."""
    ids = {delivery.id for delivery in own}
    strays = [delivery for delivery in deliveries if delivery.id not in ids and api_of(delivery) is not None]
    for sender, count in Counter(delivery.sender or "an unknown sender" for delivery in strays).items():
        first = next(delivery for delivery in strays if (delivery.sender or "an unknown sender") == sender)
        agent = first.header("user-agent") or "no User-Agent"
        webhooks = "1 webhook" if count == 1 else f"{count:,} webhooks"
        yield (
            f"{webhooks} came that this target cannot have sent: from {sender} ({agent}), first at "
            f"{first.received_iso[11:19]} UTC; {'it names' if count == 1 else 'they name'} nothing of this run and "
            f"{'is' if count == 1 else 'are'} not signed with its secret, and decide nothing"
        )
