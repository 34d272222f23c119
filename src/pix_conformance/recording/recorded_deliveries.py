"""The deliveries of a file that another receiver recorded, taken when the run ends."""

import contextlib
from collections.abc import Iterable
from pathlib import Path

from pix_conformance.model.delivery import Delivery, DeliveryFileError, read_deliveries
from pix_conformance.model.events import api_of
from pix_conformance.model.vocabulary import Api, Outcome
from pix_conformance.model.why import Why
from pix_conformance.recording.facts import Facts, NoEvents


def read_at_the_end(
    file: Path, before: list[Delivery], facts: Facts, apis: Iterable[Api], *, is_alone: bool
) -> list[Delivery]:
    """Return what a file of recorded deliveries has when the run ends, `before` if it cannot be read any more.

    What cannot be read of it is a notice. `is_alone`: the run has no receiver. What then no event of the file shows is
    not applicable.
    """
    deliveries = before
    try:
        deliveries = read_deliveries(file)
    except (DeliveryFileError, OSError) as reason:
        facts.note(f"--deliveries could not be read to its end when the run ended: {reason}")
        with contextlib.suppress(DeliveryFileError, OSError):
            deliveries = read_deliveries(file, is_growing=True)
    for api in apis:
        count = sum(api_of(delivery) is api for delivery in deliveries)
        events = f"the {api} API in {file.name} (--deliveries)"
        unseen = f"none of the {count} events of {events} shows it" if count else f"there is no event of {events}"
        earlier = next((fact for fact in reversed(facts.no_events) if fact.api is api), None)
        if is_alone:
            facts.add(NoEvents(api=api, outcome=Outcome.NOT_APPLICABLE, reason=unseen, why=Why.UNSEEN))
        elif earlier:
            words = f"{earlier.reason}; {unseen}"
            facts.add(NoEvents(api=api, outcome=earlier.outcome, reason=words, why=earlier.why))
    return deliveries
