"""One run of a tool against one server: which failures it reported, after how many requests and seconds."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.target import Target, environment, serve
from benchmarks.tools import FILE, Failure, Tool
from pix_conformance.model.vocabulary import Api

LONGEST_RUN_S = 600
LOOK_EVERY_S = 0.2
FEWEST_REQUESTS = 10
"""A tool that sends fewer to a right server did not work. To a mutant it may: some refuse every credential."""
SHOWN = 2_000
"""Characters of the output of a tool that did not work."""


@dataclass(frozen=True)
class ToolRun:
    """The end of a run, or its first failure."""

    requests: int
    """Answered until the first failure, or until the end if there is none."""
    seconds: float
    """From the start of the tool's process."""
    failures: tuple[str, ...]
    """All that it reported, sorted."""
    first: str | None
    """The first failure that is not known."""


def run_on_right_server(tool: Tool, api: Api, seed: int) -> ToolRun:
    """Run a tool to its end against the reference, for its false alarms."""
    return _run(tool, api, seed, (), known=None)


def run_on_mutant(tool: Tool, api: Api, seed: int, mutant: str, known: Collection[str]) -> ToolRun:
    """Run a tool against a mutant until it reports a failure that is not known, or to its end."""
    return _run(tool, api, seed, (f"--mutant={mutant}",), known=known)


def _run(tool: Tool, api: Api, seed: int, server: tuple[str, ...], *, known: Collection[str] | None) -> ToolRun:
    """Run a tool; without `known`, to its end and with all its failures. Raises RuntimeError if it did not work."""
    with TemporaryDirectory(prefix="pix-benchmarks-") as made:
        directory = Path(made)
        with serve(server) as target:
            words = tool.command(target, api, directory, seed, all_failures=known is None)
            began = time.time()
            with _started(words, tool.cwd or directory, target, directory / "output") as process:
                found = list(_until_unknown(tool, process, directory / FILE, known))
            ended = time.time()
        new = [one for one in found if one.what not in (known or ())]
        first = min(new, key=lambda one: one.at) if new and known is not None else None
        requests = target.requests_until(first.at if first else ended)
        if known is None and (requests < FEWEST_REQUESTS or ended - began > LONGEST_RUN_S):
            output = (directory / "output").read_text(encoding="utf-8", errors="replace")
            raise RuntimeError(f"{tool.name}: {requests} requests in {ended - began:.0f} s\n{output[-SHOWN:]}")
    failures = tuple(sorted({one.what for one in found}))
    return ToolRun(requests, round((first.at if first else ended) - began, 2), failures, first.what if first else None)


@contextmanager
def _started(words: list[str], cwd: Path, target: Target, output: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run the command in a process group of its own, which is ended at the end."""
    with output.open("wb") as log:
        process = subprocess.Popen(  # noqa: S603  # a tool of the lock file
            words, cwd=cwd, env=environment(target.variables), stdout=log, stderr=log, start_new_session=True
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _until_unknown(
    tool: Tool, process: subprocess.Popen[bytes], path: Path, known: Collection[str] | None
) -> Iterator[Failure]:
    """Yield the failures that a tool writes, until one is not known, the process ended, or LONGEST_RUN_S is over."""
    ends, read = time.monotonic() + LONGEST_RUN_S, 0
    is_last = False
    while not is_last:
        is_last = process.poll() is not None or time.monotonic() > ends  # before reading: what it wrote last is read
        lines, read = complete_lines(path, read)
        found = [one for line in lines for one in tool.failures(json.loads(line))]
        yield from found
        if known is not None and any(one.what not in known for one in found):
            return
        time.sleep(0 if is_last else LOOK_EVERY_S)


def complete_lines(path: Path, begin: int) -> tuple[list[bytes], int]:
    """Return the lines of a file after a position that end with a line break, and the position after them."""
    if not path.exists():
        return [], begin
    with path.open("rb") as file:
        file.seek(begin)
        text = file.read()
    end = text.rfind(b"\n") + 1
    return text[:end].splitlines(), begin + end
