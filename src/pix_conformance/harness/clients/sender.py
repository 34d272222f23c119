"""Sends the requests of a run to its target, and knows what was sent."""

import itertools
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Self

import httpx

from pix_conformance.harness.account_lock import AccountLock
from pix_conformance.harness.current_test import CurrentTest
from pix_conformance.harness.expect import raise_failure
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.missing_routes import require_built_routes
from pix_conformance.harness.outcomes import Inconclusive, undecided_ends_test
from pix_conformance.harness.transport.allowance import Allowance
from pix_conformance.harness.transport.pacing import Pacer, SharedPause
from pix_conformance.harness.transport.proxies import proxy_for
from pix_conformance.harness.transport.recording import TIMEOUT, RecordingTransport, RequestContext, Way
from pix_conformance.harness.transport.silence import Silence
from pix_conformance.harness.whole_run import ExchangesOfRun
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.reception import Shard
from pix_conformance.model.settings import Settings
from pix_conformance.recording.facts import Facts
from pix_conformance.recording.recorder import Recorder

DEFAULT_HEADERS = (
    (b"accept", b"application/json"),
    (b"accept-encoding", b"gzip, deflate"),
    (b"connection", b"keep-alive"),
)
"""Headers of every request, beside those of the settings; a header that the caller gives replaces the default."""


@dataclass
class Names:
    """What tells a run and its objects from others."""

    run: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    started: float = field(default_factory=time.time)
    """Epoch seconds."""
    shard: Shard | None = None
    """The part of this process; None where it is the only one."""
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def next_number(self) -> int:
        """Return 1, then 2 and so on, for names that are unique in the run."""
        return next(self._numbers)

    def own_share(self, numbers: Sequence[int]) -> Sequence[int]:
        """Return the numbers, such as amounts, that this worker uses and no other: all of them without workers."""
        return numbers[self.shard.number - 1 :: self.shard.of] if self.shard else numbers


class HttpSender:
    """Sends every request of a run through one recording transport."""

    def __init__(self, settings: Settings, test: CurrentTest, waits: Waits, allowance: Allowance) -> None:
        """Open a transport for the target. This sends nothing."""
        self.target, self.current_test, self.waits, self.allowance = settings.target, test, waits, allowance
        self.cuts_requests = settings.bounds.network_faults
        shard, locks = settings.workers.shard, settings.workers.shared_directory
        self.names, self.whole_run = Names(shard=shard), ExchangesOfRun(test)
        self.pacer = Pacer(settings.bounds.rate, waits, SharedPause(locks, shard.of if shard else 1))
        self.proxy = None if self.target.embedded else proxy_for(self.target.base_url)
        given = {name.lower(): value for name, value in self.target.headers.items()}
        self._way = Way(self.proxy, self.target.client_cert, given)
        self._open()
        self.account_lock = AccountLock(locks, waits)
        waits.before_ageing = self._before_ageing

    def _before_ageing(self) -> None:
        """Leave the account to other workers while the test waits; end a test that would wait in vain."""
        require_built_routes(self.current_test)
        self.account_lock.release()

    @property
    def recorder(self) -> Recorder:
        """What writes the facts of this process."""
        return self.current_test.recorder

    @property
    def facts(self) -> Facts:
        """The facts of this process so far."""
        return self.current_test.facts

    def with_new_connections(self) -> Self:
        """Return a sender of the same run that has no connection and no cookie yet."""
        sender = copy(self)
        sender._open()  # noqa: SLF001  # of this class
        return sender

    def _open(self) -> None:
        self._transport = RecordingTransport(self.current_test, self.pacer, self.allowance, self._way)

    def send(
        self, context: RequestContext, method: str, path: str, headers: Mapping[str, str], body: bytes | None
    ) -> Exchange:
        """Send one request and return its exchange.

        Raises Inconclusive where the target is no longer asked, or its response decides nothing; NotApplicable if the
        run may send no more; what has failed in the test before, see `judging_all`.
        """
        raise_failure(self.current_test.failures)
        raw = [(k.encode("ascii"), v.encode("utf-8", "surrogatepass")) for k, v in headers.items()]
        given = {name.lower() for name in headers}
        usual = [*DEFAULT_HEADERS, (b"user-agent", self.target.user_agent.encode("latin-1"))]
        usual += [(k.encode("ascii"), v.reveal().encode("latin-1")) for k, v in self.target.headers.items()]
        own = [(name, value) for name, value in usual if name.decode().lower() not in given]
        try:
            request = httpx.Request(method, self.target.base_url + path, headers=[*own, *raw], content=body)
        except httpx.InvalidURL as reason:
            raise Inconclusive(f"the value that the target returned does not fit into a request: {reason}") from None
        request.extensions["timeout"] = TIMEOUT.as_dict()
        if context.before_sending:
            request.extensions["trace"] = context.trace
        shows_balance = not context.asks_about_credential
        account_lock = self.account_lock.around(
            context.api, context.operation, context.role, shows_balance=shows_balance
        )
        with undecided_ends_test(), account_lock:
            return self._transport.send(request, context)

    @property
    def silence(self) -> Silence:
        """Whether the target has stopped."""
        return self._transport.silence

    def close(self) -> None:
        """Close every connection to the target."""
        self._transport.close()
