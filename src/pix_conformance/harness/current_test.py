"""The test that runs: which it is, what it is to decide, and what has failed in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pix_conformance.model.exchange import Exchange
from pix_conformance.recording.curl import curl
from pix_conformance.recording.recorder import Recorder

if TYPE_CHECKING:
    from pix_conformance.harness.events import LateExpectation
    from pix_conformance.model.delivery import Delivery
    from pix_conformance.recording.facts import Facts

PREFLIGHT = "preflight"
"""What the exchanges of the first look at the target have in the place of a test."""
CLEANUP = "cleanup"
"""What those of the removal of webhooks have, when a run ends."""


@dataclass
class CurrentTest:
    """The test of this process that runs. `session.plugin` sets node id and requirements before each test."""

    recorder: Recorder = field(default_factory=Recorder)
    node: str | None = None
    requirements: tuple[str, ...] = ()
    """What it is to decide."""
    base_url: str = ""
    """Where the requests of the run go."""
    failures: list[BaseException] | None = None
    """What has failed in it and is raised at its end; None where a failure is raised at once."""
    of_wrong_status: set[str] = field(default_factory=set)
    """Its responses whose status was wrong, so that their bodies are not judged."""
    late_events: list[LateExpectation] = field(default_factory=list)
    """What was expected of events that had not come, in all tests so far: it is asked again when the run ends."""

    def begin(self, node: str | None, requirements: Sequence[str] = ()) -> None:
        """Take the next test, or what is in the place of a test."""
        self.node, self.requirements = node, tuple(requirements)

    @property
    def is_first_look(self) -> bool:
        """Whether it is found out if the target is one of these APIs at all: no response is judged or repeated."""
        return self.node == PREFLIGHT

    @property
    def facts(self) -> Facts:
        """The facts of this process."""
        return self.recorder.facts

    @property
    def redact(self) -> Callable[[str], str]:
        """The function that masks secrets in a text."""
        return self.recorder.redact

    def curl(self, message: Exchange | Delivery) -> str | None:
        """Return the curl line of a recorded exchange; None of a delivery, or of what is not recorded."""
        recorded = (exchange for exchange in reversed(self.facts.exchanges) if exchange.id == message.id)
        exchange = next(recorded, None) if isinstance(message, Exchange) else None
        return curl(exchange, self.base_url) if exchange else None
