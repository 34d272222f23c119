"""The objects that a run created: by which names messages speak of them, and which messages do."""

import math
from dataclasses import replace

from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import MIN_UNAMBIGUOUS_LENGTH, event_of, mentions
from pix_conformance.model.exchange import Created, Exchange
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.subject import MISSING, at, parsed
from pix_conformance.model.vocabulary import Api
from pix_conformance.recording.facts import Facts


class ObjectsOfRun:
    """What a run created. It grows while the run lasts."""

    def __init__(self) -> None:
        """Begin without objects."""
        self._by_id: dict[tuple[Api, str], Created] = {}
        self._names: set[str] = set()
        self._unlabelled: dict[tuple[Api, str], float] = {}
        """When the run first created an object of that amount without a label, which an event cannot name."""

    def add(self, created: Created, creation: Exchange | None) -> None:
        """Add an object; `creation` is the request that created it, None where it was not recorded.

        An id that objects of two accounts or environments share names neither.
        """
        known = self._by_id.get((created.api, created.id))
        shared = known is not None and (known.is_id_shared or known.role != created.role)
        self._by_id[created.api, created.id] = replace(known or created, is_id_shared=shared)
        self._names.update(created.names)
        if creation and not created.label:
            amount = str(creation.at("amount_cents"))
            self._unlabelled.setdefault((created.api, amount), creation.started)

    def add_all(self, facts: Facts) -> None:
        """Add the objects of these facts, with their end-to-end ids."""
        exchanges = {exchange.id: exchange for exchange in facts.exchanges}
        for created in facts.created:
            self.add(created, exchanges.get(created.exchange))
        for exchange in facts.exchanges:
            if b"e2e_id" in exchange.body:
                self.learn_payment(exchange)

    def learn_payment(self, exchange: Exchange) -> None:
        """Take the end-to-end id of an object of the run for a name of it."""
        name, paid_as = exchange.at("id"), exchange.at("e2e_id")
        if isinstance(paid_as, str) and paid_as and isinstance(name, str) and name in self._names:
            self._names.add(paid_as)

    def __contains__(self, name: object) -> bool:
        """Whether the run created the object of an id, label or end-to-end id."""
        return name in self._names

    def created(self, api: Api, made_id: str) -> Created | None:
        """Return the object of an API with an id; None if the run created none."""
        return self._by_id.get((api, made_id))

    def all(self) -> list[Created]:
        """Return every object once, in the order of creation."""
        return list(self._by_id.values())

    def are_named_in(self, delivery: Delivery, api: Api) -> bool:
        """Whether a delivery names an object of the run, or may be about one that an event cannot name."""
        profile = PROFILES[api]
        values = [at(delivery.json, path) for path in profile.event_objects]
        if any(isinstance(value, str) and value in self for value in values):
            return True
        unlabelled = bool(profile.event_label) and at(delivery.json, profile.event_label) in (MISSING, None, "")
        amount = str(at(delivery.json, profile.event_amount))
        return unlabelled and self._unlabelled.get((api, amount), math.inf) <= delivery.received

    def kind_named_in(self, delivery: Delivery, api: Api) -> str | None:
        """Return the kind of the object that a delivery without a known event name speaks of; None if of none."""
        if event_of(delivery, api) is not None:
            return None
        objects = (created for created in self._by_id.values() if created.api == api and not created.is_removable)
        return next(
            (created.kind for created in objects if any(_speaks_of(delivery, api, name) for name in created.names)),
            None,
        )

    def subject_of(self, delivery: Delivery, api: Api) -> Created | None:
        """Return the object that an event names by its id; None without one, or if the id is shared."""
        named = (self.created(api, str(at(delivery.json, path))) for path in PROFILES[api].event_objects)
        created = next(filter(None, named), None)
        return None if created is None or created.is_id_shared else created


def created_by(exchange: Exchange, kind: str, made_id: str) -> Created:
    """Return the object that an exchange created; its label is the one that the response echoes, else as sent."""
    echoed, sent = exchange.at("external_ref"), at(parsed(exchange.request.body), "external_ref")
    label = echoed if isinstance(echoed, str) else sent
    return Created(
        exchange.api, exchange.role, kind, made_id, exchange.id, label=label if isinstance(label, str) else ""
    )


def objects_of(facts: Facts) -> ObjectsOfRun:
    """Return the objects of all processes of a run."""
    objects = ObjectsOfRun()
    objects.add_all(facts)
    return objects


def _speaks_of(delivery: Delivery, api: Api, name: str) -> bool:
    """Whether a delivery names an object; a short name stands anywhere by chance, but not where objects are named."""
    placed = (str(at(delivery.json, path)) for path in PROFILES[api].event_objects)
    return mentions(delivery, name) if len(name) >= MIN_UNAMBIGUOUS_LENGTH else name in placed
