"""`python -m tools.benchmark`: how many mutants the suites find, and how many schemathesis finds.

Each tool tests the right server first, then mutants drawn at random, each a `pix-sandbox` in its own process. A tool
finds a mutant if it reports a failure that it does not report of the right server. The table is printed as Markdown.
Some 20 minutes for 40 mutants on two cores; nothing else may run meanwhile. `--profile` measures one embedded run
instead: its CPU time, and the shares of its parts.
"""

import argparse
import json
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.operations import Effect, of
from pix_conformance.model.paths import TEST_TREE, without_settings
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import Api, Level, Role
from pix_conformance.proof import plan
from pix_conformance.proof.served_sandbox import ServedSandbox, serve
from pix_conformance.recording.bundle.reader import read_results
from pix_conformance.sandbox.mutants import registry
from pix_conformance.sandbox.mutants.registry import Mutant
from tools.profile_of_run import profile_of_run

SIDE_BY_SIDE = 2
LONGEST_RUN_S = 600
TUNED = Path(__file__).with_name("schemathesis.toml")
TOKEN = re.compile(r'"token": *"([^"]+)"')
Failures = frozenset[str]


@dataclass(frozen=True)
class Tool:
    """A program that tests a server: its command, and what it reports in its directory."""

    name: str
    command: Callable[[ServedSandbox, Api, Path, int], list[str]]
    failures: Callable[[Path], Failures]
    runs_on_right_server: int
    """More than one if chance decides which false alarms it reports."""


@dataclass(frozen=True)
class ToolRun:
    """The end of one run of a tool against one server."""

    failures: Failures
    requests: int
    seconds: float


def suites(target: ServedSandbox, api: Api, directory: Path, seed: int) -> list[str]:
    """Return the command that a user gives, which ends at the first failure."""
    del target
    words = ["-x", "-q", "--api", api, "--seed", str(seed), "--report-dir", str(directory / "report")]
    return [sys.executable, "-m", "pytest", *words]


def failed_musts(directory: Path) -> Failures:
    """Return the musts that fail in the report of the suites."""
    rows = read_results(directory / "report")["requirements"]
    return frozenset(row["id"] for row in rows if row["outcome"] == "fail" and row["level"] == Level.MUST)


def schemathesis(target: ServedSandbox, api: Api, directory: Path, seed: int, *, tuned: bool) -> list[str]:
    """Return the command; with its default settings it gets the credential as a header."""
    program = [str(Path(sys.executable).with_name("st"))]
    settings = ["--config-file", str(TUNED)] if tuned else []
    credential = [] if tuned else ["-H", f"Authorization: Bearer {_credential(target, api)}"]
    report = ["--report", "ndjson", "--report-ndjson-path", str(directory / "failures.jsonl")]
    described = str(TEST_TREE / "specs" / api / "openapi.yaml")
    further = ["--seed", str(seed), "--continue-on-failure"]
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


TOOLS = (
    Tool("the suites", suites, failed_musts, 1),
    Tool("schemathesis, defaults", partial(schemathesis, tuned=False), failed_checks, 2),
    Tool("schemathesis, tuned", partial(schemathesis, tuned=True), failed_checks, 2),
)


def main(words: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmark", description=__doc__)
    parser.add_argument("--mutants", type=int, default=40, help="size of the sample (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="chooses the sample and the inputs (default: %(default)s)")
    parser.add_argument("--profile", action="store_true", help="print the CPU time of an embedded run and its parts")
    options = parser.parse_args(words)
    if options.profile:
        print(profile_of_run())  # noqa: T201  # the output of the command
        return 0
    mutants = sample(options.mutants, options.seed)
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        rows = [row_of(tool, mutants, options.seed, pool) for tool in TOOLS]
    versions = ", ".join(f"{name} {version(name)}" for name in ("pix-conformance", "schemathesis"))
    print(f"{len(mutants)} mutants, seed {options.seed}; {versions}\n")  # noqa: T201  # the output of the command
    print(table(rows))  # noqa: T201  # likewise
    return 0


def sample(count: int, seed: int) -> list[Mutant]:
    """Choose mutants at random that break a must: a tool need not report others."""
    breaking = [
        mutant
        for mutant in registry.all_mutants().values()
        if any(catalogue()[id_].level is Level.MUST for id_ in mutant.breaks)
    ]
    return random.Random(seed).sample(sorted(breaking, key=lambda mutant: mutant.id), count)  # noqa: S311  # no secret


def row_of(tool: Tool, mutants: Sequence[Mutant], seed: int, pool: ThreadPoolExecutor) -> list[str]:
    """Run a tool on the right server and on each mutant; return its row of the table."""
    right = [(api, seed + number, "") for api in Api for number in range(tool.runs_on_right_server)]
    runs = list(pool.map(lambda job: run(tool, *job), right))
    alarms: dict[Api, Failures] = {api: frozenset() for api in Api}
    for (api, *_), end in zip(right, runs, strict=True):
        alarms[api] |= end.failures

    def is_found(mutant: Mutant) -> bool:
        api = plan.api(mutant)
        return bool(run(tool, api, seed, mutant.id).failures - alarms[api])

    results = list(pool.map(is_found, mutants))
    return [
        tool.name,
        f"{sum(results)} of {len(mutants)}",
        str(sum(map(len, alarms.values()))),
        f"{statistics.mean(end.requests for end in runs):.0f}",
        f"{statistics.mean(end.seconds for end in runs):.0f} s",
    ]


def run(tool: Tool, api: Api, seed: int, mutant: str) -> ToolRun:
    """Run a tool against a mutant, or without one against the right server. Raises RuntimeError if it took too long."""
    with TemporaryDirectory(prefix="pix-benchmark-") as name, serve([f"--mutant={mutant}"] if mutant else []) as target:
        directory, began = Path(name), time.monotonic()
        cwd = TEST_TREE if tool is TOOLS[0] else directory
        subprocess.run(  # noqa: S603  # a tool of the lock file
            tool.command(target, api, directory, seed),
            cwd=cwd,
            env=without_settings(**target.variables),
            capture_output=True,
            timeout=LONGEST_RUN_S,
            check=False,
        )
        return ToolRun(tool.failures(directory), len(target.times), time.monotonic() - began)


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table. Requests and seconds are the mean of the runs on the right server."""
    heading = ["tool", "mutants found", "false alarms", "requests", "seconds"]
    return "\n".join(f"| {' | '.join(row)} |" for row in (heading, ["---"] * len(heading), *rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
