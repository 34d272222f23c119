"""The cleanup at the end of a run: the webhooks that it made are removed, and nothing else."""

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from pix_conformance.harness.clients.client import Client
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.outcomes import Inconclusive, NotApplicable
from pix_conformance.model.exchange import Created
from pix_conformance.model.vocabulary import Api, Interrupted, Role

AT_ONCE = 8
"""How many webhooks an interrupted run removes at once."""


def clean_up(journal: Iterable[Created], clients: Mapping[tuple[Api, Role], Client], waits: Waits) -> None:
    """Remove the webhooks of a journal that are left."""
    waits.interruption.begin_to_end()
    left = [created for created in journal if created.is_removable and created.state == "left"]
    with ThreadPoolExecutor(AT_ONCE if waits.interruption else 1) as pool:
        list(pool.map(lambda created: _remove(created, clients), left))


def _remove(left: Created, clients: Mapping[tuple[Api, Role], Client]) -> None:
    with suppress(Inconclusive, Interrupted, NotApplicable):
        if client := clients.get((left.api, left.role)):
            client.remove(left.id)
