"""All that a run sent, for the tests that judge the whole run: by this process, and by the other workers of the run."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from operator import attrgetter

from pix_conformance.harness.current_test import CurrentTest
from pix_conformance.model.exchange import Exchange
from pix_conformance.recording.facts import Facts
from pix_conformance.recording.masking import Masking
from pix_conformance.recording.objects import ObjectsOfRun


@dataclass
class ExchangesOfRun:
    """The exchanges and objects of all processes of a run; values of other people's objects are masked."""

    current_test: CurrentTest
    others: Facts = field(default_factory=Facts)
    """What the other workers wrote; empty until they have run their tests, and without workers."""
    _masking: Masking | None = None
    _masked: dict[int, tuple[int, Exchange]] = field(default_factory=dict)
    """By number, an exchange with masked values, and how many objects the run had when it was masked."""

    def join(self, others: Facts) -> None:
        """Take the facts of the other workers, which have run their tests."""
        exchanges = [replace(exchange, current_test=self.current_test) for exchange in others.exchanges]
        self.others.extend(replace(others, exchanges=exchanges))
        self.objects.add_all(self.others)

    @property
    def objects(self) -> ObjectsOfRun:
        """What the run created, in all processes that are known."""
        return self.current_test.recorder.objects

    def has_created(self, name: str) -> bool:
        """Return whether the run created the object of an id, a label or an end-to-end id, in any of its workers."""
        return name in self.objects

    @property
    def as_received(self) -> list[Exchange]:
        """All exchanges so far, in the order in which they were sent, with the values of other people's objects.

        For postings, which the run did not create although they have the amounts of its charges. What a check says of
        them may name no other value.
        """
        own = self.current_test.facts.exchanges
        return sorted([*self.others.exchanges, *own], key=attrgetter("started")) if self.others.exchanges else [*own]

    @property
    def exchanges(self) -> list[Exchange]:
        """All exchanges so far, in the order in which they were sent."""
        mask = self._mask()
        return [mask(exchange) for exchange in self.as_received]

    def _mask(self) -> Callable[[Exchange], Exchange]:
        objects = self.objects
        masking = Masking(objects, self._masking.key) if self._masking else Masking(objects)
        self._masking, count = masking, len(objects.all())

        def mask(exchange: Exchange) -> Exchange:
            known = self._masked.get(exchange.id)
            if known is None or known[0] != count:
                known = self._masked[exchange.id] = (count, masking.exchange(exchange))
            return known[1]

        return mask
