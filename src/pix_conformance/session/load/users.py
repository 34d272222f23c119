"""The users that Locust runs: each sends requests with our clients, and its exchanges go to Locust's master.

Only Locust imports this module: Locust replaces sockets and threads by those of gevent.
"""

import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

from locust import User, events, task
from locust.argument_parser import LocustArgumentParser
from locust.env import Environment
from locust.exception import StopUser
from locust.runners import MasterRunner, WorkerRunner

from pix_conformance.harness.current_test import CurrentTest
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.outcomes import Inconclusive, NotApplicable
from pix_conformance.harness.run import begin
from pix_conformance.model.exchange import Exchange
from pix_conformance.recording.recorder import UNDER_LOAD, Recorder
from pix_conformance.session.options import gather
from pix_conformance.session.target_settings import settings_of

AUser = TypeVar("AUser", bound="LoadUser")
EXCHANGE, FINISH, FINISHED = "pix-exchange", "pix-finish", "pix-finished"
"""The messages between Locust's master and its workers, beside Locust's own."""
PATIENCE_S = 90.0
"""How long the master waits until the users of every worker have ended what they began."""
LOOK_AGAIN_S = 0.1
SERVER_ERROR, OUR_ERROR = 500, 3


@dataclass
class ReportingRecorder(Recorder):
    """A recorder that keeps and judges no exchange: each is masked and reported, with all of its body."""

    report: Callable[[Exchange], None] = field(default=lambda _: None)

    def record(self, exchange: Exchange, *, is_judged: bool = True) -> None:
        """Mask the secrets of one exchange and report it."""
        del is_judged
        self.report(self.redact.masked(exchange))


class LoadUser(User):
    """A user with clients of its own, so that each user logs in by itself. Subclasses add scenarios."""

    abstract = True

    def on_start(self) -> None:
        """Open the way to the target. The settings are those of a run, without a receiver."""
        target = settings_of(gather({"receiver": "off"}, os.environ))
        test = CurrentTest(ReportingRecorder(report=self._report), UNDER_LOAD)
        self.own_run = begin(target, test, (), Waits())
        self._sent, self._next = 0, time.monotonic()

    def on_stop(self) -> None:
        """Close the connections to the target."""
        self.own_run.sender.close()

    def wait_time(self) -> float:
        """Return the seconds until the next scenario, so that all users together keep to the rate."""
        options: Any = self.environment.parsed_options
        now, self._next = time.monotonic(), self._next + self._sent * options.num_users / options.rate
        self._sent, self._next = 0, max(now, self._next)
        return self._next - now

    def _report(self, exchange: Exchange) -> None:
        """Send an exchange to the master, and count it in Locust's figures."""
        self._sent += 1
        if self.environment.runner:
            self.environment.runner.send_message(EXCHANGE, exchange.to_dict())
        refused = exchange.status is not None and exchange.status >= SERVER_ERROR
        self.environment.events.request.fire(
            request_type=exchange.request.method,
            name=f"{exchange.api} {exchange.operation}",
            response_time=exchange.elapsed_ms,
            response_length=len(exchange.body),
            exception=exchange.fault or (f"status {exchange.status}" if refused else None),
            context={},
        )


def scenario(weight: int) -> Callable[[Callable[[AUser], None]], Callable[[AUser], None]]:
    """Make a task of the steps of a user, which is chosen as often as `weight` says, compared with the other tasks.

    The steps end at the first one whose precondition does not hold; the user ends when it may send no more.
    """

    def make(steps: Callable[[AUser], None]) -> Callable[[AUser], None]:
        @wraps(steps)
        def attempt(user: AUser) -> None:
            try:
                with suppress(Inconclusive):
                    steps(user)
            except NotApplicable:
                raise StopUser from None

        return task(weight)(attempt)

    return make


def add_options(parser: LocustArgumentParser) -> None:
    """Add the options that the master passes on to its workers."""
    parser.add_argument("--rate", type=float, default=20.0, help="requests per second of all users together")
    parser.add_argument("--transfer", type=json.loads, default=None, help="body of a transfer that the target accepts")
    parser.add_argument("--recording", default=os.devnull, help="file for the exchanges, a line each")


def connect(environment: Environment, **_: object) -> None:
    """Let a worker end its users when the master says so, and the master write the exchanges to a file."""
    if isinstance(environment.runner, WorkerRunner):
        environment.runner.register_message(FINISH, finish_users, concurrent=True)
    elif isinstance(environment.runner, MasterRunner):
        collect(environment, environment.runner)


def finish_users(environment: Environment, **_: object) -> None:
    """Wait until each user has ended its scenario; the exchanges of all of them are sent then."""
    runner = environment.runner
    if runner:
        runner.stop()
        runner.send_message(FINISHED)


def collect(environment: Environment, runner: MasterRunner) -> None:
    """Write the exchanges of all workers to the file, and wait for the last ones before Locust ends its workers."""
    options: Any = environment.parsed_options
    recording = Path(options.recording).open("w", 1, "utf-8")  # noqa: SIM115  # closed when the users have ended
    finished: list[str] = []

    def keep(msg: Any, **_: object) -> None:
        recording.write(f"{json.dumps(msg.data)}\n")

    def note(msg: Any, **_: object) -> None:
        finished.append(msg.node_id)

    def wait_for_workers(**_: object) -> None:
        runner.send_message(FINISH)
        ends = time.monotonic() + PATIENCE_S
        while len(finished) < runner.worker_count and time.monotonic() < ends:
            time.sleep(LOOK_AGAIN_S)
        recording.close()

    def conclude(**_: object) -> None:
        if runner.exceptions:  # a user failed for a reason that is no answer of the target
            environment.process_exit_code = OUR_ERROR

    runner.register_message(EXCHANGE, keep)
    runner.register_message(FINISHED, note)
    environment.events.test_stopping.add_listener(wait_for_workers)  # type: ignore[no-untyped-call]  # Locust's
    environment.events.quitting.add_listener(conclude)  # type: ignore[no-untyped-call]  # Locust's


events.init_command_line_parser.add_listener(add_options)  # type: ignore[no-untyped-call]  # Locust's
events.init.add_listener(connect)  # type: ignore[no-untyped-call]  # Locust's
