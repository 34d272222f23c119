"""The pytest plugin for tests of a client: the fixture and the marker `pix_sandbox`.

pytest imports it in each run where the package is installed; it imports the rest of the package when a test needs it.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet

    from pix_conformance.reference.process import Running

Names = str | list[str] | tuple[str, ...]
MARKER = (
    "pix_sandbox(scenario=(), variant=(), mutant=(), seed=0): what the fixture pix_sandbox serves, by the names of "
    "`pix-sandbox --list`, one or several of each"
)
PAUSE_S = 0.01
HTTP_ADDRESS = re.compile(r"https?://[^/\s]+")


@dataclass(frozen=True)
class WebhookAttempt:
    """One attempt of the sandbox to deliver an event. `answer` is a status, or says why there was none."""

    url: str
    headers: dict[str, str]
    body: bytes
    answer: int | str
    attempt: int


class PixSandbox:
    """A running reference of both APIs on this machine, for one test."""

    def __init__(
        self, server: Running, scenario: Names = (), variant: Names = (), mutant: Names = (), seed: int = 0
    ) -> None:
        self._server, self._seed, self._rules = server, seed, _rules_of(scenario, variant, mutant)
        self.reset()

    def reset(self, *, business_webhook: str | None = None) -> None:
        """Begin again without objects and deliveries, at the machine's time; send business events to this address.

        ValueError for an address that is not http(s)://host.
        """
        if business_webhook is not None and not HTTP_ADDRESS.match(business_webhook):
            raise ValueError(f"events are sent to an http(s) address, not to {business_webhook!r}")
        self._server = self._server.restart(self._rules, seed=self._seed, business_webhook=business_webhook)
        facts = self._server.credentials
        self.base_url: str = facts["base_url"]
        self.variables: dict[str, str] = {"PIX_BASE_URL": self.base_url, **facts["variables"]}
        self.client_id, self.client_secret = facts["payments"]["merchant"]
        self.api_key: str = facts["business"]["merchant"]
        self.transfer_key: str = facts["transfer_key"]
        self.business_webhook_secret: str = facts["business_webhook_secret"]

    def advance(self, seconds: float) -> None:
        """Advance the clock of the sandbox: what expires by then expires, an event that is due is sent again.

        ValueError for a negative or infinite number.
        """
        if not 0 <= seconds < math.inf:
            raise ValueError(f"a clock is advanced by 0 or more seconds, not by {seconds}")
        self._server.advance(seconds)

    def now(self) -> float:
        """Return the time of the sandbox, epoch seconds: the signatures of events are of this time."""
        return self._server.now()

    def deliveries(self, containing: str = "", *, at_least: int = 0, within: float = 5.0) -> list[WebhookAttempt]:
        """Return the attempts to deliver events whose body contains a text, of the latest 1000.

        If there are fewer than `at_least`, wait for them, and raise TimeoutError after `within` seconds.
        """
        ends = time.monotonic() + within
        while len(attempts := [row for row in self._server.deliveries() if containing in row["body"]]) < at_least:
            if time.monotonic() > ends:
                of_what = f" with {containing!r}" if containing else ""
                raise TimeoutError(f"{len(attempts)} of {at_least} deliveries{of_what} within {within:g} s")
            time.sleep(PAUSE_S)
        return [WebhookAttempt(**row | {"body": row["body"].encode(errors="surrogateescape")}) for row in attempts]


@pytest.fixture
def pix_sandbox(request: pytest.FixtureRequest, _pix_sandbox_server: Running) -> PixSandbox:
    """A server of both PIX APIs, as `pix-sandbox` serves them; the marker pix_sandbox chooses what differs."""
    markers = [*request.node.iter_markers("pix_sandbox")][::-1]  # the closest counts
    options = {name: value for marker in markers for name, value in marker.kwargs.items()}
    if any(marker.args for marker in markers) or options.keys() - {"scenario", "variant", "mutant", "seed"}:
        raise TypeError(MARKER)
    return PixSandbox(_pix_sandbox_server, **options)


@pytest.fixture(scope="session")
def _pix_sandbox_server() -> Iterator[Running]:
    """The process that serves all tests, each with an empty store."""
    from pix_conformance.reference.process import start  # noqa: PLC0415  # other runs do not need it

    with start() as running:
        yield running


def right_servers(*requirements: str) -> list[ParameterSet]:
    """Return parameters for a fixture or test that uses `pix_sandbox`: the reference, and each variant of requirements.

    A requirement is an id, such as BUS-CHG-45, an area, such as BUS-CHG, or an API, BUS. UsageError for another name.
    """
    from pix_conformance.model.catalogue import named_requirements  # noqa: PLC0415  # other runs do not need it
    from pix_conformance.sandbox.variants.registry import all_variants  # noqa: PLC0415  # other runs do not need it

    chosen = named_requirements(" ".join(requirements))
    names = sorted(variant.id for variant in all_variants().values() if chosen.intersection(variant.silent_in))
    differing = [pytest.param(name, id=name, marks=pytest.mark.pix_sandbox(variant=name)) for name in names]
    return [pytest.param("reference", id="reference"), *differing]


def pytest_configure(config: pytest.Config) -> None:
    """Describe the marker."""
    config.addinivalue_line("markers", MARKER)


def _rules_of(scenario: Names, variant: Names, mutant: Names) -> list[str]:
    """Return the rules for these names, importing what knows them only if there are any."""
    groups = [[names] if isinstance(names, str) else list(names) for names in (scenario, variant, mutant)]
    if not any(groups):
        return []
    from pix_conformance.sandbox.command import rules_of  # noqa: PLC0415  # other runs do not need it

    return rules_of(*groups)
