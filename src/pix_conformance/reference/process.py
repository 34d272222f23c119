"""Starts the reference as a separate process."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Running:
    """A running reference: its address, its credentials, its clock, and `stop`."""

    base_url: str
    credentials: dict[str, Any]
    process: "subprocess.Popen[str]"
    asking: threading.Lock = field(default_factory=threading.Lock)
    """Held from a question to its answer: any thread may ask."""

    def advance(self, seconds: float) -> None:
        """Advance its clock. Raises RuntimeError if the process does not confirm."""
        self._ask(f"advance {seconds}")

    def now(self) -> float:
        """Return the time of its clock, epoch seconds."""
        return float(self._ask("now")["now"])

    def deliveries(self) -> list[dict[str, Any]]:
        """Return the latest attempts to deliver events: url, headers, body, answer, attempt."""
        return list(self._ask("deliveries")["deliveries"])

    def restart(self, rules: Sequence[str] = (), **options: Any) -> Self:
        """Return this process as if it had been started with these rules and options, at the same address."""
        return replace(self, credentials=self._ask(f"restart {json.dumps({'rules': list(rules), **options})}"))

    def stop(self) -> None:
        """End the process and wait for its end. Further calls do nothing."""
        if self.process.stdin and not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _ask(self, order: str) -> dict[str, Any]:
        if self.process.stdin is None or self.process.stdout is None:
            raise RuntimeError("the reference has no control pipe")
        with self.asking:
            self.process.stdin.write(order + "\n")
            self.process.stdin.flush()
            answer: dict[str, Any] = json.loads(self.process.stdout.readline() or "{}")
        if not answer.pop("ok", False):
            raise RuntimeError(f"the reference did not {order.partition(' ')[0]} {answer.get('reason', '')}")
        return answer


def start(rules: Sequence[str] = (), **options: str) -> Running:
    """Start a reference with these rules (`module.path:Class`) and options of `pix-sandbox`, such as `path_prefix`.

    Raises RuntimeError if it does not listen.
    """
    given = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]  # a value may begin with "-"
    chosen = [word for rule in rules for word in ("--rules", rule)]
    process = subprocess.Popen(  # noqa: S603 - it runs a module of this package
        [sys.executable, "-P", "-m", "pix_conformance.reference", *given, *chosen],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        process_group=0,  # Ctrl-C in a terminal must not end this process: the suite still needs it for its cleanup
        env=os.environ | {"PYTHONPATH": _search_path()},
    )
    line = process.stdout.readline() if process.stdout else ""
    if not line:
        process.communicate()
        raise RuntimeError(f"the reference ended with status {process.returncode} before it listened")
    facts = json.loads(line)
    return Running(facts["base_url"], facts, process)


def _search_path() -> str:
    """Return PYTHONPATH for the process, so that it finds the same modules as this one."""
    return os.pathsep.join(filter(None, sys.path))
