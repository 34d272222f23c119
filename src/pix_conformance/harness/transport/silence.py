"""Whether an API has stopped: from one exchange on nothing is answered, and other operations are not either.

A request that waits long, or that lost its connection, is no proof: the route may hang, or the service be started
again. So up to three queries that were answered before, of other operations, are sent once more. One response
with any status within STOPPED_AFTER_S shows that the target still answers, and the run goes on.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import Api

SUSPICIOUS_S: Final = 4.0
"""Seconds for which a request waits, beyond what the last responses took, until other operations are asked."""
STOPPED_AFTER_S: Final = 11.0
"""Seconds after the begin of such a request, as above, until the API counts as stopped."""
MOST_PROBES: Final = 3
"""Queries of one API."""
PAUSE_S: Final = 1.0
"""Seconds between two rounds of probes, where each lost its connection."""
LOOK_EVERY_S, LOOK_OFTEN_S = 0.25, 0.05
REMEMBERED: Final = 10
"""How many of the last responses show how long one takes."""
Ask = Callable[[Exchange, float], Exchange]
"""Sends the request of an exchange again, with a time limit in seconds."""


@dataclass(frozen=True)
class Stop:
    """The last response of an API, and the queries that had none after it."""

    last: Exchange
    probes: tuple[Exchange, ...]

    @property
    def words(self) -> str:
        """The sentence that the report shows."""
        path = urlsplit(self.last.request.url).path
        asked = f"{self.last.evidence} ({self.last.request.method} {path} {self.last.status})"
        return f"since {asked} nothing answers; see the log of the target"


@dataclass
class _Answers:
    """What is known of the responses of one API. All times are monotonic."""

    last: Exchange | None = None
    """The last response."""
    answered: float = 0.0
    """When it came."""
    queries: dict[str, Exchange] = field(default_factory=dict)
    """The last query of each operation that was answered with a success."""
    took: deque[float] = field(default_factory=lambda: deque([0.0], maxlen=REMEMBERED))
    """Seconds that the last responses took."""


class Silence:
    """Notes requests and responses of a run, and asks other operations where a request has no response.

    One API may stop alone: each has its own state.
    """

    def __init__(self, ask: Ask, waits: Waits, cut: Callable[[], None]) -> None:
        """`ask` sends a probe; `cut` ends the requests that wait, once everything has stopped."""
        self.stops: dict[Api, Stop] = {}
        """What has stopped."""
        self._ask, self._waits, self._cut = ask, waits, cut
        self._states: dict[Api, _Answers] = {}
        self._waiting: dict[int, tuple[Api, float]] = {}
        """Where and when each request was sent that has no response yet, by number."""
        self._lost: dict[int, tuple[Api, float]] = {}
        """The same of each request that has lost its connection, until that is explained."""
        self._watcher: threading.Thread | None = None

    def watch(self) -> None:
        """Look for requests without a response from now on."""
        if self._watcher is None:
            self._watcher = threading.Thread(target=self._look, name="silence", daemon=True)
            self._watcher.start()

    @contextmanager
    def waiting(self, number: int, api: Api) -> Iterator[None]:
        """Note that a request waits for its response."""
        self._waiting[number] = api, time.monotonic()
        try:
            yield
        finally:
            self._waiting.pop(number, None)

    def note_response(self, exchange: Exchange) -> None:
        """Note that an API answers."""
        state = self._states.setdefault(exchange.api, _Answers())
        state.last, state.answered = exchange, time.monotonic()
        state.took.append(exchange.elapsed_ms / 1000)
        if exchange.ok and exchange.request.method == "GET" and exchange.operation and not exchange.is_foreign:
            state.queries.pop(exchange.operation, None)
            state.queries[exchange.operation] = exchange

    def explain_loss(self, exchange: Exchange) -> None:
        """Wait until it is known whether the API still answers after a request without a response."""
        if self._watcher is None:
            return
        self._lost[exchange.id] = exchange.api, time.monotonic() - exchange.elapsed_ms / 1000
        while exchange.id in self._lost and exchange.api not in self.stops:
            self._waits.pause(LOOK_OFTEN_S)

    def _look(self) -> None:
        while not self._states or self._states.keys() - self.stops.keys():
            for number, (api, begun) in list(self._lost.items()):
                self._suspect(api, begun)
                self._lost.pop(number, None)
            for api, begun in list(self._waiting.values()):
                state = self._states.get(api, _Answers())
                if time.monotonic() - max(begun, state.answered) > SUSPICIOUS_S + max(state.took):
                    self._suspect(api, begun)
            time.sleep(LOOK_OFTEN_S if self._lost else LOOK_EVERY_S)

    def _suspect(self, api: Api, begun: float) -> None:
        """Ask other operations until one of the API answers, or until it counts as stopped.

        Simultaneous requests may have been answered since the request began: the silence begins after the last one.
        """
        state, probed = self._states.setdefault(api, _Answers()), list[Exchange]()
        since = max(begun, state.answered)
        ends = since + STOPPED_AFTER_S + max(state.took)
        while state.answered <= since and state.queries and api not in self.stops:
            if (left := ends - time.monotonic()) > 0:
                probed += self._probe(api, since, left)
                time.sleep(PAUSE_S if state.answered <= since and left > PAUSE_S else 0)
            else:
                self._conclude(since, probed)
                return

    def _probe(self, api: Api, since: float, seconds: float) -> list[Exchange]:
        """Send queries at once, also of other APIs; return what has ended when one of the API was answered, or all."""
        state, ended = self._states[api], list[Exchange]()
        queries = [
            query
            for name, other in self._states.items()
            if name not in self.stops
            for query in list(other.queries.values())[-MOST_PROBES:]
        ]

        def ask(query: Exchange) -> None:
            ended.append(self._ask(query, seconds))

        for query in queries:
            threading.Thread(target=ask, args=(query,), daemon=True).start()
        while len(ended) < len(queries) and state.answered <= since:
            time.sleep(LOOK_OFTEN_S)
        return list(ended)

    def _conclude(self, since: float, probed: list[Exchange]) -> None:
        """Count each API as stopped that was asked and has not answered since."""
        for api, state in self._states.items():
            probes = tuple(probe for probe in probed if probe.api == api)[-MOST_PROBES:]
            if state.last and probes and state.answered <= since:
                self.stops[api] = Stop(state.last, probes)
        if not self._states.keys() - self.stops.keys():
            self._cut()
