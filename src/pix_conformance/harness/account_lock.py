"""Keeps other workers from moving money on an account, or from listing its charges, while a test looks at them."""

import fcntl
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Lock

from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.model.operations import Effect, find
from pix_conformance.model.vocabulary import Api, Role

LOOK_AGAIN_S, LOOK_FOR_TURN_S = 0.01, 0.1
"""Who wants the account alone looks less often: what waited for one test is sent before the next such test begins."""


class AccountLock:
    """The locks of the workers of one run, one for each API: files, which the system unlocks if a worker crashes.

    From the first request of a test that shows the balance until `release`, the other workers wait before each request
    that moves money. From `keep_unlisted` on they list no charges of one account for a while, or until that is ended.
    Safe to use from many threads.
    """

    def __init__(self, directory: Path | None, waits: Waits) -> None:
        """`directory` has the files; None if no other worker sends requests."""
        self._directory, self._waits = directory, waits
        self._alone: dict[Api, ExitStack] = {}
        self._unlisted = set[Path]()
        self._mutex = Lock()

    def keep_unlisted(self, api: Api, role: Role, begin: float, end: float) -> Callable[[], None]:
        """Have the other workers list nothing of an account between two times, in epoch seconds.

        What is returned ends that before. Several tests may want it at once.
        """
        if self._directory is None:
            return lambda: None
        path = self._directory / f"{api}.{role}.{uuid.uuid4()}.unlisted"
        self._unlisted.add(path)
        path.write_text(f"{begin} {end}")
        return lambda: path.unlink(missing_ok=True)

    def hold(self, api: Api) -> None:
        """Have the other workers move no money until `release`, so that what follows in this test waits for none."""
        with self._mutex:
            self._take_alone(api)

    @contextmanager
    def around(
        self, api: Api, operation: str | None, role: Role = Role.MERCHANT, *, shows_balance: bool = True
    ) -> Iterator[None]:
        """Hold what a request of this operation needs. Raises Interrupted if the run ends before it is free.

        `shows_balance` is False for a query of the balance that asks only whether its credential is accepted.
        """
        row = find(api, operation)
        if self._directory is not None and row is not None and row.effect is Effect.LISTS:
            for path in self._directory.glob(f"{api}.{role}.*.unlisted"):
                self._wait_until_listable(path)
        is_query = row is not None and row.shows_balance and shows_balance
        is_apart = role is Role.LIVE_MERCHANT  # nothing moves money in production
        if self._directory is None or row is None or is_apart or not (is_query or row.moves_money):
            yield
            return
        with self._held(self._directory, api, is_query=is_query):
            yield

    def _held(self, directory: Path, api: Api, *, is_query: bool) -> ExitStack:
        """Return what a request holds: nothing of its own where this worker has the account, also if it takes it now.

        A payment beside a query of this worker goes with it: the query holds the account until the test ends, which the
        payment would wait for.
        """
        while True:
            with self._mutex:
                if is_query:
                    self._take_alone(api)
                if api in self._alone:
                    return ExitStack()
                with ExitStack() as held, suppress(BlockingIOError):
                    turn = held.enter_context((directory / f"{api}.turn").open("a"))
                    money = held.enter_context((directory / f"{api}.money").open("a"))
                    fcntl.flock(turn, fcntl.LOCK_SH | fcntl.LOCK_NB)
                    fcntl.flock(money, fcntl.LOCK_SH | fcntl.LOCK_NB)
                    fcntl.flock(turn, fcntl.LOCK_UN)
                    return held.pop_all()
            self._waits.pause(LOOK_AGAIN_S)

    def _wait_until_listable(self, path: Path) -> None:
        while path not in self._unlisted:
            try:
                begin, end = map(float, path.read_text().split() or (0, 0))  # empty while it is written
            except FileNotFoundError:
                return
            if not begin <= time.time() < end:
                return
            self._waits.pause(min(LOOK_FOR_TURN_S, end - time.time()))

    def is_taken(self, api: Api) -> bool:
        """Return whether another worker has the account alone, so that what moves money would wait."""
        if self._directory is None or api in self._alone:
            return False
        with (self._directory / f"{api}.turn").open("a") as turn:
            try:
                fcntl.flock(turn, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    def release(self) -> None:
        """Let the other workers move money again: the test has ended, or waits."""
        with self._mutex:
            while self._alone:
                self._alone.popitem()[1].close()

    def _take_alone(self, api: Api) -> None:
        """Take the turn, so that no further request begins, and wait for the end of those under way."""
        if self._directory is None or api in self._alone:
            return
        with ExitStack() as held:
            held.enter_context(self._file(self._directory / f"{api}.turn", fcntl.LOCK_EX, every=LOOK_FOR_TURN_S))
            held.enter_context(self._file(self._directory / f"{api}.money", fcntl.LOCK_EX))
            self._alone[api] = held.pop_all()

    @contextmanager
    def _file(self, path: Path, kind: int, *, every: float = LOOK_AGAIN_S) -> Iterator[None]:
        with path.open("a") as file:
            while True:
                try:
                    fcntl.flock(file, kind | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    self._waits.pause(every)
            yield
