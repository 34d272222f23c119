"""The recorder of one user of a run under load."""

from collections.abc import Callable
from dataclasses import dataclass, field

from pix_conformance.model.exchange import Exchange
from pix_conformance.recording.recorder import Recorder
from pix_conformance.recording.redaction import redacted

TEST = "load"
"""What the exchanges of the users have in the place of a test."""


@dataclass
class ReportingRecorder(Recorder):
    """A recorder that keeps and judges no exchange: each is redacted and reported, with all of its body."""

    report: Callable[[Exchange], None] = field(default=lambda _: None)

    def record(self, exchange: Exchange, *, is_judged: bool = True) -> None:
        """Redact one exchange and report it; what it calls a secret is learned first."""
        del is_judged
        self.redact.learn_from(exchange.json)
        self.report(redacted(exchange, self.redact))
