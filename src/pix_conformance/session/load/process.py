"""Starts Locust's master with its workers as processes, and reads what their users were answered."""

import csv
import json
import math
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import Any

from pix_conformance.harness.outcomes import NotApplicable
from pix_conformance.harness.run import Run
from pix_conformance.harness.transport.allowance import Allowance
from pix_conformance.harness.transport.environment import absolute
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.paths import TEST_TREE
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.model.why import Why
from pix_conformance.recording.report_directory import LOAD_FILES
from pix_conformance.verdicts.rejudge import is_masked

LOOK_AGAIN_S, ENDING_S = 0.2, 1.5
"""Seconds between two looks at Locust; seconds for its end if the run is interrupted, of the five that a run has."""
OF_OTHERS = ("PIX_", "LOCUST_", "GEVENT_", "OTEL_")
"""How variables begin that do not reach Locust: what its users do follows from the settings of the run alone."""
LAST_WORDS = 2_000
"""Characters of Locust's output that an error message has."""


@dataclass(frozen=True)
class Load:
    """How much is sent: users at the same time, for how many seconds, requests per second, and worker processes."""

    users: int
    seconds: float
    rate: float
    workers: int


def send(run: Run, load: Load, transfer: Mapping[str, Any] | None, directory: Path) -> None:
    """Let the users send requests to the target, and make their exchanges part of the run, in the order of sending.

    `transfer` is the body of a transfer that the target accepts. Locust's figures are written to `directory`.
    Raises RuntimeError if Locust or a user fails, Interrupted if the run was interrupted.
    """
    with tempfile.TemporaryDirectory(prefix="pix-load-") as place:
        recording = Path(place) / "exchanges.jsonl"
        words = [*_command(run, load, directory), "--recording", str(recording), "--transfer", json.dumps(transfer)]
        with (Path(place) / "output").open("w+", encoding="utf-8") as output:
            process = subprocess.Popen(  # noqa: S603  # it runs Locust with a file of ours
                words,
                cwd=place,
                env=_environment(run.target) | shares(run.sender.allowance, load.users),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                process_group=0,  # Ctrl-C in a terminal ends the run, which then ends this process
            )
            try:
                run.sender.waits.announce(f"{load.users} users under load", load.seconds)
                while process.poll() is None:
                    run.sender.waits.pause(LOOK_AGAIN_S)
            finally:
                _end(process)
                exchanges = sorted(_read(recording), key=attrgetter("started"))
                _record(run, exchanges)
            output.seek(0)
            if process.returncode or not exchanges:
                what = f"Locust recorded {len(exchanges)} exchanges and ended with status {process.returncode}"
                raise RuntimeError(f"{what}: {output.read()[-LAST_WORDS:]}")


def _command(run: Run, load: Load, directory: Path) -> list[str]:
    port = str(_free_port())
    named = {
        "-f": TEST_TREE / "fixtures" / "locustfile.py",
        "--users": load.users,
        "--spawn-rate": load.users,
        "--run-time": f"{load.seconds:.0f}s",
        "--rate": load.rate,
        "--processes": load.workers,
        "--stop-timeout": 60,  # a user ends what it has begun: each request is recorded with its response
        "--html": directory / LOAD_FILES[0],
        "--csv": directory / LOAD_FILES[1].removesuffix("_stats.csv"),
        "--loglevel": "WARNING",
        "--exit-code-on-error": 0,  # a request without a response is judged like any other
        "--master-bind-host": "127.0.0.1",
        "--master-bind-port": port,
        "--master-port": port,
    }
    users = [f"{api.capitalize()}User" for api in run.target.apis if (api, Role.MERCHANT) not in run.clients.unusable]
    options = [str(word) for pair in named.items() for word in pair]
    return [sys.executable, "-P", "-m", "locust", "--headless", "--only-summary", *options, *users]


def _environment(target: Target) -> dict[str, str]:
    """Return the environment of Locust: the address and the credentials of the merchant as the settings of a run."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(OF_OTHERS)}
    given = {
        "PIX_BASE_URL": target.base_url,
        "PIX_TRANSFER_KEY": target.transfer_key,
        "PIX_CLIENT_CERT": target.client_cert and ",".join(map(os.path.abspath, target.client_cert.split(","))),
        "PIX_HEADERS": "\n".join(f"{name}: {value.reveal()}" for name, value in target.headers.items()),
        "PIX_USER_AGENT": target.user_agent,
    }
    given = {name: value for name, value in given.items() if value}
    for api, profile in PROFILES.items():
        if credential := target.roles(api).get(Role.MERCHANT):
            given |= zip(profile.variables(Role.MERCHANT), credential.parts, strict=True)
    return inherited | absolute() | given | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def shares(left: Allowance, users: int) -> dict[str, str]:
    """Return the limit of each user, as a setting of a run: an equal share of the cents that the run may still send.

    Raises NotApplicable if that is nothing.
    """
    if left.cents == math.inf:
        return {}
    if not (share := int(left.cents / users)):
        raise NotApplicable(f"not selected: --max-cents leaves nothing to each of {users} users", Why.LEFT_OUT)
    return {"PIX_MAX_CENTS": str(share)}


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as line:
        port: int = line.getsockname()[1]
        return port


def _end(process: subprocess.Popen[bytes]) -> None:
    """End Locust if it still runs: it then writes what was recorded."""
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(ENDING_S)
        return
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _read(recording: Path) -> Iterator[Exchange]:
    lines = recording.read_text("utf-8").splitlines() if recording.is_file() else []
    for line in lines:
        row = json.loads(line)
        yield replace(Exchange.from_dict(row), api=Api(row["api"]), role=Role(row["role"]))


def _record(run: Run, exchanges: Iterable[Exchange]) -> None:
    """Make exchanges of the users part of the run. One that is masked is recorded, but not judged by itself."""
    recorder = run.sender.recorder
    for sent in exchanges:
        run.sender.allowance.take(sent.operation, sent.request.body)
        refused = sent.response is not None and not sent.ok
        run.sender.allowance.settle(sent.operation, sent.request.body, refused=refused)
        exchange = replace(sent, id=recorder.next_id(), current_test=run.current_test)
        recorder.record(exchange, is_judged=not is_masked(exchange))
        if exchange.ok and exchange.operation:
            run.clients.of(exchange.api, exchange.role).record_effects(exchange)


def figures(directory: Path) -> str:
    """Return Locust's figures of all requests together, in words; empty without its table."""
    if not (directory / LOAD_FILES[1]).is_file():
        return ""
    with (directory / LOAD_FILES[1]).open(encoding="utf-8", newline="") as table:
        *_, row = csv.DictReader(table)
    times = f"half of the responses within {row['50%']} ms, 95 % within {row['95%']} ms"
    return f"{row['Request Count']} requests, {float(row['Requests/s']):.1f} a second, {times}"
