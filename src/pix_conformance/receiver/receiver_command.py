"""`pix-receiver`: the receiver alone on a public host, writing the file that `--deliveries` reads."""

import json
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from io import FileIO
from pathlib import Path
from threading import Event, Lock

from pix_conformance.model.command_options import USAGE, CommandOptions
from pix_conformance.model.delivery import Delivery
from pix_conformance.receiver import ListeningPort, Receiver

_DONE, _FAILED = 0, 3


def _options() -> CommandOptions:
    options = CommandOptions("pix-receiver", description="Receive webhooks, answer 200 to each, and record them.")
    options.add_argument("--listen", default="0.0.0.0:8443", help="host:port (default %(default)s)")
    options.add_argument(
        "--tls", default="self-signed", help="self-signed (default), off (TLS ends before here) or CERT,KEY"
    )
    options.add_argument("--out", type=Path, default=Path("deliveries.jsonl"), help="file to append to")
    options.add_argument("--seconds", type=float, help="stop after so many seconds (default: on SIGINT or SIGTERM)")
    return options


class _Record:
    """Writes and prints each delivery before it is answered. If writing fails, the program ends."""

    def __init__(self, file: FileIO, done: Event) -> None:
        self._file = file
        self._done = done
        self._lock = Lock()
        self.count = 0
        self.failure: OSError | None = None

    def __call__(self, delivery: Delivery) -> None:
        with self._lock:
            try:
                self._write(json.dumps(delivery.to_dict(), ensure_ascii=False).encode() + b"\n")
                self.count += 1
                _say(_line(delivery))
            except OSError as error:
                self.failure = error
                self._done.set()
                raise

    def _write(self, line: bytes) -> None:
        if self._file.write(line) < len(line):
            raise OSError("only a part of a line could be written")


def _line(delivery: Delivery) -> str:
    """Return one printable line; control characters that a sender wrote are escaped."""
    kind = delivery.json.get("type") or delivery.json.get("event") if isinstance(delivery.json, dict) else ""
    words = f"{delivery.method} {delivery.path} {len(delivery.body)} bytes {kind or ''}"
    answer = f"-> {delivery.answered} {delivery.fault or ''}"
    when = delivery.to_dict()["received"]
    return f"{when} {ascii(words)[1:-1].rstrip()} {ascii(answer)[1:-1]}".rstrip()


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - the program's output


def _complain(line: str) -> None:
    print(line, file=sys.stderr)  # noqa: T201 - the program's output


def main(argv: Sequence[str] | None = None) -> int:
    """Receive until SIGINT, SIGTERM or `--seconds`. Return 0, or 3 if writing failed, or 4 for wrong usage."""
    options = _options().parse_args(argv)
    done = Event()
    with ExitStack() as stack:
        try:
            file = stack.enter_context(FileIO(options.out, "a", opener=_private))
            record = _Record(file, done)
            receiver = Receiver(ListeningPort(options.listen, options.tls), on_delivery=record)
            receiver.at("/")  # takes every path
            stack.enter_context(receiver)
        except (OSError, ValueError) as error:
            _complain(f"pix-receiver: {error}")
            return USAGE
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: done.set())
        _say(f"receiving at {receiver.listening_url}, any path; writing {options.out}")
        done.wait(options.seconds)
    return _report(receiver, record)


def _report(receiver: Receiver, record: _Record) -> int:
    for failure in sorted(set(receiver.log.handshake_failures)):
        _complain(f"TLS handshake failed: {ascii(failure)[1:-1]}")
    if record.failure:
        _complain(f"pix-receiver: {record.failure}")
        return _FAILED
    _say(f"{record.count} deliveries written")
    return _DONE


def _private(path: str, flags: int) -> int:
    # Deliveries contain customer data: only this user may read the file.
    return os.open(path, flags, 0o600)
