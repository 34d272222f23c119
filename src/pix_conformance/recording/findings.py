"""Judges each exchange of a run by the rules that hold for every answer, and keeps what it finds."""

import threading
from collections import defaultdict
from dataclasses import dataclass, field, replace

from pix_conformance.checks import passive
from pix_conformance.checks.schema import Finding
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import Observation

KEPT = 5
"""How many responses or deliveries that broke one requirement are kept."""


@dataclass
class FindingsOfRequirement:
    """What was seen of one requirement: operations that met it, and the first mismatches."""

    met: dict[str, str] = field(default_factory=dict)
    """`api.operation` to the evidence of the last answer that met the requirement there."""
    broken: list[tuple[str, str, Exchange | Delivery]] = field(default_factory=list)
    """Operation, mismatch and answer or delivery of the first few that did not."""


class PassiveJudge:
    """Holds each answer against the description of its operation. Safe to use from many threads.

    `verdicts.evidence_of_run` joins its findings with the judgements of the tests.
    """

    def __init__(self) -> None:
        """Begin without findings."""
        self.seen: dict[str, FindingsOfRequirement] = defaultdict(FindingsOfRequirement)
        self._undocumented: dict[str, dict[str, str]] = defaultdict(dict)
        """For each open point on undocumented fields of which there was an answer, the evidence of each field."""
        self._lock = threading.Lock()

    def see(self, exchange: Exchange) -> None:
        """Judge one exchange; one without an answer or an operation says nothing."""
        if exchange.status is None or exchange.operation is None:
            return
        for finding in passive.judge(exchange.api, exchange.operation, exchange):
            self.note(finding, f"{exchange.api}.{exchange.operation}", exchange)
        if exchange.ok and (point := passive.RULES[exchange.api].undocumented_fields):
            fields = passive.undocumented_fields(exchange)
            self._undocumented[point].update((path, exchange.evidence) for path in fields)

    def observations(self) -> list[Observation]:
        """Observe which undocumented fields an API answered; nothing of one to which no request succeeded."""
        observations = (passive.undocumented_fields_observed(*item) for item in self._undocumented.items())
        return [replace(observation, evidence=observation.evidence[:KEPT]) for observation in observations]

    def judged_on(self, requirement: str) -> list[str]:
        """List the operations and events, as `api.operation`, whose responses showed a requirement in this run."""
        seen = self.seen.get(requirement)
        return sorted({*seen.met, *(operation for operation, _, _ in seen.broken)}) if seen else []

    def note(self, finding: Finding, operation: str, subject: Exchange | Delivery) -> None:
        """Keep one finding; the operation is `api.operation`, or `api.event` of a delivery."""
        with self._lock:
            seen = self.seen[finding.requirement]
            if finding.mismatch is None:
                seen.met[operation] = subject.evidence
            elif len(seen.broken) < KEPT:
                seen.broken.append((operation, finding.mismatch, subject))
