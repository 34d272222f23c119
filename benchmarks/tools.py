"""The tools that are compared, the suites and schemathesis: the command of each, and the failures that it writes."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import httpx

from benchmarks import failures_plugin
from benchmarks.target import Target
from pix_conformance.model.paths import TEST_TREE
from pix_conformance.model.vocabulary import Api

TUNED = Path(__file__).with_name("schemathesis.toml")
TOKEN = re.compile(r'"token": *"([^"]+)"')
FILE = "failures.jsonl"
"""The file in the directory of a run to which its tool writes."""


@dataclass(frozen=True)
class Failure:
    """What a tool reports, in words that are the same in each run, and when it was seen in epoch seconds."""

    what: str
    at: float


class Tool(Protocol):
    """A program that tests a server."""

    @property
    def name(self) -> str:
        """The name in tables."""

    @property
    def cwd(self) -> Path | None:
        """The directory in which it runs; without one, an empty directory for each run."""

    @property
    def runs_on_right_server(self) -> int:
        """How many runs show its false alarms: more than one if chance decides what it sends."""

    def command(self, target: Target, api: Api, directory: Path, seed: int, *, all_failures: bool) -> list[str]:
        """Return the words of the command; `all_failures` keeps it from ending a part at its first failure."""

    def failures(self, line: dict[str, Any]) -> Iterator[Failure]:
        """Yield the failures in one line of its file."""


@dataclass(frozen=True)
class Suites:
    """The suites of this project."""

    name: str
    cwd: Path | None = TEST_TREE
    runs_on_right_server: int = 1

    def command(self, target: Target, api: Api, directory: Path, seed: int, *, all_failures: bool) -> list[str]:
        """Return the command that a user gives, with the plugin that writes failures."""
        del target, all_failures
        plugin = ["-p", failures_plugin.__name__, failures_plugin.OPTION, str(directory / FILE)]
        chosen = ["--api", api, "--seed", str(seed), "--report-dir", str(directory / "report")]
        return [sys.executable, "-m", "pytest", *plugin, *chosen]

    def failures(self, line: dict[str, Any]) -> Iterator[Failure]:
        """Yield the must that failed."""
        yield Failure(line["requirement"], line["at"])


@dataclass(frozen=True)
class Schemathesis:
    """schemathesis with the OpenAPI file of the API."""

    name: str
    config: Path | None = None
    """Without one, its defaults and the credentials as a header."""
    cwd: Path | None = None
    runs_on_right_server: int = 2

    def command(self, target: Target, api: Api, directory: Path, seed: int, *, all_failures: bool) -> list[str]:
        """Return the command; the default one asks for a token of the payments API first."""
        program = [str(Path(sys.executable).with_name("st"))]
        tuned = ["--config-file", str(self.config)] if self.config else []
        described = str(TEST_TREE / "specs" / api / "openapi.yaml")
        header = [] if self.config else ["-H", f"Authorization: Bearer {_token(target, api)}"]
        report = ["--report", "ndjson", "--report-ndjson-path", str(directory / FILE)]
        more = ["--seed", str(seed), *(["--continue-on-failure"] if all_failures else [])]
        return [*program, *tuned, "run", described, "--url", target.base_url, *header, *report, *more]

    def failures(self, line: dict[str, Any]) -> Iterator[Failure]:
        """Yield check and operation of each failure of a scenario; the time is that of the response."""
        recorder = line.get("ScenarioFinished", {}).get("recorder", {})
        for case, checks in recorder.get("checks", {}).items():
            for one in checks:
                if one["status"] == "failure":
                    failed = one["failure_info"]["failure"]
                    came = recorder["interactions"][failed.get("case_id") or case]
                    yield Failure(f"{one['name']} of {failed['operation']}", came["timestamp"])


def _token(target: Target, api: Api) -> str:
    """Return the credential of the merchant: the API key, or a token. A mutant may return none."""
    given = target.variables
    if api is Api.BUSINESS:
        return given["PIX_API_KEY"]
    pair = httpx.BasicAuth(given["PIX_CLIENT_ID"], given["PIX_CLIENT_SECRET"])
    found = TOKEN.search(httpx.post(f"{target.base_url}/api/auth", auth=pair).text)
    return found[1] if found else "none"


TOOLS: tuple[Tool, ...] = (
    Suites("the suites"),
    Schemathesis("schemathesis, defaults"),
    Schemathesis("schemathesis, tuned", TUNED),
)
