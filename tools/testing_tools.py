"""The programs that `tools.benchmark` compares: the suites, those of an earlier checkout, and schemathesis."""

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from pix_conformance.model.operations import Effect, of
from pix_conformance.model.paths import TEST_TREE, without_settings
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import Api, Level, Role
from pix_conformance.proof import publish
from pix_conformance.proof.served_sandbox import ServedSandbox, serve
from pix_conformance.recording.bundle.reader import read_results

LONGEST_RUN_S = 600
TUNED = Path(__file__).with_name("schemathesis.toml")
TOKEN = re.compile(r'"token": *"([^"]+)"')
Failures = frozenset[str]
Apis = tuple[Api, ...]
ALL = tuple(Api)


@dataclass(frozen=True)
class Task:
    """What a tool has to test: APIs of a mutant, or of the right server if none is named."""

    apis: Apis
    seed: int
    mutant: str = ""
    ends_at_failure: bool = False
    """Whether the suites stop at the first test that fails; schemathesis always tests every operation."""


@dataclass(frozen=True)
class Tool:
    """A program that tests a server: its command, and what it reports in its directory."""

    name: str
    version: str
    """The commit of suites, the number of a release otherwise."""
    command: Callable[[ServedSandbox, Task, Path], list[str]]
    failures: Callable[[Path], Failures]
    runs: tuple[Apis, ...] = ((Api.PAYMENTS,), (Api.BUSINESS,))
    """The APIs of each of the runs that test a whole server."""
    checkout: Path | None = None
    """Where it runs; without one in the directory of its report."""


@dataclass(frozen=True)
class ToolRun:
    """The end of one run of a tool against one server, or of several runs together."""

    failures: Failures
    requests: int
    seconds: float
    cpu_seconds: float
    """User and system time of the tool and of the processes that it waited for, without the server."""
    succeeded: bool
    """Whether it ended with status 0."""


def tools(earlier: Path | None) -> list[Tool]:
    """Return the tools to compare. `earlier` is a checkout of an earlier commit with its own `.venv`."""
    number = version("schemathesis")
    return [
        suites_of("the suites", TEST_TREE, Path(sys.executable)),
        *([suites_of("the suites, earlier", earlier, earlier / ".venv/bin/python")] if earlier else []),
        Tool("schemathesis, defaults", number, partial(schemathesis, tuned=False), failed_checks),
        Tool("schemathesis, tuned", number, partial(schemathesis, tuned=True), failed_checks),
    ]


def suites_of(name: str, checkout: Path, python: Path) -> Tool:
    """Return the suites of a checkout, which test both APIs in one run."""
    command = partial(suites, python)
    return Tool(name, publish.commit(checkout), command, failed_musts, runs=(ALL,), checkout=checkout)


def suites(python: Path, target: ServedSandbox, task: Task, directory: Path) -> list[str]:
    """Return the command that a user gives; without --api it tests both."""
    del target
    api = [] if task.apis == ALL else ["--api", *task.apis]
    words = ["-q", *(["-x"] if task.ends_at_failure else []), *api, "--seed", str(task.seed)]
    return [str(python), "-m", "pytest", *words, "--report-dir", str(directory / "report")]


def failed_musts(directory: Path) -> Failures:
    """Return the musts that fail in the report of the suites."""
    rows = read_results(directory / "report")["requirements"]
    return frozenset(row["id"] for row in rows if row["outcome"] == "fail" and row["level"] == Level.MUST)


def schemathesis(target: ServedSandbox, task: Task, directory: Path, *, tuned: bool) -> list[str]:
    """Return the command for one API; with its default settings it gets the credential as a header."""
    (api,) = task.apis
    program = [str(Path(sys.executable).with_name("st"))]
    settings = ["--config-file", str(TUNED)] if tuned else []
    credential = [] if tuned else ["-H", f"Authorization: Bearer {_credential(target, api)}"]
    report = ["--report", "ndjson", "--report-ndjson-path", str(directory / "failures.jsonl")]
    described = str(TEST_TREE / "specs" / api / "openapi.yaml")
    further = ["--seed", str(task.seed), "--continue-on-failure"]
    return [*program, *settings, "run", described, "--url", target.base_url, *credential, *report, *further]


def failed_checks(directory: Path) -> Failures:
    """Return check and operation of each failure in the file that schemathesis writes."""
    lines = (directory / "failures.jsonl").read_text("utf-8").splitlines()
    return frozenset(failure for line in lines for failure in _failures(json.loads(line)))


def _failures(line: dict[str, Any]) -> Iterator[str]:
    recorder = line.get("ScenarioFinished", {}).get("recorder", {})
    for checks in recorder.get("checks", {}).values():
        for check in checks:
            if check["status"] == "failure":
                yield f"{check['name']} of {check['failure_info']['failure']['operation']}"


def _credential(target: ServedSandbox, api: Api) -> str:
    """Return the API key of the merchant, or a token. A mutant may return none."""
    parts = [target.variables[variable] for variable in PROFILES[api].variables(Role.MERCHANT)]
    if not PROFILES[api].credential.id:
        return parts[0]
    (login,) = of(api, Effect.LOGS_IN)
    token = TOKEN.search(httpx.post(f"{target.base_url}{login.path}", auth=httpx.BasicAuth(*parts)).text)
    return token[1] if token else "none"


def run(tool: Tool, task: Task) -> ToolRun:
    """Run a tool against a server of its own. Raises TimeoutError if it took too long."""
    words = [f"--mutant={task.mutant}"] if task.mutant else []
    with TemporaryDirectory(prefix="pix-benchmark-") as name:
        directory = Path(name)
        with serve(words) as target:
            command = tool.command(target, task, directory)
            began = time.monotonic()
            status, cpu_seconds = end_of(command, tool.checkout or directory, without_settings(**target.variables))
            seconds = time.monotonic() - began
        return ToolRun(tool.failures(directory), len(target.times), seconds, cpu_seconds, status == 0)


def end_of(command: list[str], directory: Path, environment: dict[str, str]) -> tuple[int, float]:
    """Run a command; return its exit status and the CPU seconds of it and of the processes that it waited for.

    Raises TimeoutError if it took too long.
    """
    silent = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=directory, env=environment, stdout=silent, stderr=silent)  # noqa: S603  # a tool of a lock file
    ending = threading.Timer(LONGEST_RUN_S, process.kill)
    ending.start()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if not ending.is_alive():
        raise TimeoutError(f"{command[0]} ran for more than {LONGEST_RUN_S} s")
    ending.cancel()
    return process.returncode, usage.ru_utime + usage.ru_stime
