"""The received deliveries: a bounded list on which threads can wait."""

import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import takewhile
from operator import attrgetter
from threading import Condition

from pix_conformance.model.delivery import Delivery
from pix_conformance.model.vocabulary import Interrupted
from pix_conformance.receiver.http import Limits

_NOTES_KEPT = 1000


class DeliveryLog:
    """Deliveries and failed handshakes. When it is full, it drops the oldest delivery and counts it as lost.

    Tests wait here for deliveries (`harness.webhook_channel`), and each is written as a fact (`recording.recorder`).
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._changed = Condition()
        # The key is the number of the change that added the delivery, so that a waiting thread reads each change once.
        self._entries: dict[int, Delivery] = {}
        self._by_path: defaultdict[str, dict[int, Delivery]] = defaultdict(dict)
        self._change_times: list[float] = []
        """When each change was made, epoch seconds."""
        self._bytes = 0
        self._closed = self._interrupted = False
        self._handshake_failures: list[str] = []
        self._dropped = 0
        self._refused = 0
        self.write: Callable[[Delivery], None] = lambda _delivery: None
        """Called with each delivery that is kept, and again with how it ended otherwise than it was answered."""

    def add(self, delivery: Delivery) -> None:
        """Keep a delivery and wake all waiting threads."""
        with self._changed:
            self._append(delivery)
            while len(self._entries) > self._limits.deliveries or self._bytes > self._limits.kept_bytes:
                self._remove(next(iter(self._entries)))
                self._dropped += 1
            self._changed.notify_all()
        self.write(delivery)

    def note_left(self, delivery: int, seconds: float) -> None:
        """Note that the sender of the delivery with this id closed the connection before the response.

        It did so many seconds after the first byte. A dropped delivery stays dropped.
        """
        with self._changed:
            for change, entry in reversed(self._entries.items()):
                if entry.id == delivery:
                    self._remove(change)
                    revised = replace(entry, answered=None, left_s=seconds)
                    self._append(revised)
                    self._changed.notify_all()
                    break
            else:
                return
        self.write(revised)

    def _append(self, delivery: Delivery) -> None:
        self._change_times.append(time.time())
        self._entries[len(self._change_times)] = delivery
        self._by_path[delivery.path][delivery.id] = delivery
        self._bytes += len(delivery.body)

    def _remove(self, change: int) -> None:
        delivery = self._entries.pop(change)
        del self._by_path[delivery.path][delivery.id]
        if not self._by_path[delivery.path]:
            del self._by_path[delivery.path]
        self._bytes -= len(delivery.body)

    def note_handshake(self, words: str) -> None:
        """Keep the reason of a failed TLS handshake; only the first 1,000 are kept."""
        with self._changed:
            if len(self._handshake_failures) < _NOTES_KEPT:
                self._handshake_failures.append(words)

    def note_refused_connection(self) -> None:
        """Count a connection that was closed because too many were open."""
        with self._changed:
            self._refused += 1

    def close(self) -> None:
        """Let every waiting thread return with the deliveries so far."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def interrupt(self) -> None:
        """End every wait with Interrupted. Further deliveries are still kept."""
        with self._changed:
            self._interrupted = True
            self._changed.notify_all()

    def deliveries(self) -> list[Delivery]:
        """Return all kept deliveries, in order of arrival."""
        with self._changed:
            return sorted(self._entries.values(), key=attrgetter("id"))

    @property
    def paths(self) -> list[str]:
        """The request targets of the deliveries."""
        with self._changed:
            return list(self._by_path)

    def deliveries_to(self, paths: Iterable[str]) -> list[Delivery]:
        """Return the kept deliveries to these request targets, in order of arrival."""
        with self._changed:
            return sorted((it for path in paths for it in self._by_path.get(path, {}).values()), key=attrgetter("id"))

    @property
    def handshake_failures(self) -> list[str]:
        """The reasons of failed TLS handshakes, in order."""
        with self._changed:
            return list(self._handshake_failures)

    @property
    def losses(self) -> list[str]:
        """What the receiver lost because of its limits, in words; empty if it lost nothing."""
        with self._changed:
            words = {
                f"{self._dropped} of the oldest deliveries dropped": self._dropped,
                f"{self._refused} connections closed, too many open": self._refused,
            }
        return [sentence for sentence, number in words.items() if number]

    def wait_for(
        self, predicate: Callable[[Delivery], bool], deadline_s: float, count: int = 1, since: float = 0.0
    ) -> list[Delivery]:
        """Return the deliveries that satisfy the predicate, also earlier ones, when there are `count` of them.

        After `deadline_s` seconds, or when the receiver stops, return those that are there. Raises Interrupted.
        Those that were received before `since` (epoch seconds) are not looked at.
        """
        ends = time.monotonic() + deadline_s
        deliveries: dict[int, Delivery] = {}
        seen = bisect_left(self._change_times, since)
        while True:
            seen, fresh, more = self._after(seen, ends)
            for delivery in fresh:
                if predicate(delivery):
                    deliveries[delivery.id] = delivery
                else:
                    deliveries.pop(delivery.id, None)
            if len(deliveries) >= count or not more:
                return [deliveries[number] for number in sorted(deliveries)]

    def _after(self, seen: int, ends: float) -> tuple[int, list[Delivery], bool]:
        """Wait for a change after number `seen`.

        Return the newest number, the new deliveries, and whether to wait on.
        """
        with self._changed:
            more = self._changed.wait_for(
                lambda: len(self._change_times) > seen or self._closed or self._interrupted,
                max(0.0, ends - time.monotonic()),
            )
            if self._interrupted:
                raise Interrupted
            newest_first = takewhile(lambda entry: entry[0] > seen, reversed(self._entries.items()))
            fresh = [delivery for _, delivery in newest_first]
            return len(self._change_times), fresh[::-1], more and not self._closed
