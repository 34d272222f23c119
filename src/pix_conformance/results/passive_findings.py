"""Every exchange is judged, whoever made it: shape of the answer, error body, content type."""

from __future__ import annotations

import threading
from collections import defaultdict
from dataclasses import dataclass, field

from pix_conformance.checks import passive
from pix_conformance.checks.schema import Finding, judge_body
from pix_conformance.model import openapi
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import Api, Observation
from pix_conformance.results.requirement_outcome import KEPT


@dataclass
class Seen:
    """What was seen of one requirement: operations that met it, and the first mismatches."""

    met: dict[str, str] = field(default_factory=dict)
    """`api.operation` to the evidence of the last answer that met the requirement there."""
    broken: list[tuple[str, str, Exchange | Delivery]] = field(default_factory=list)
    """Operation, mismatch and answer or delivery of the first few that did not."""


CODE = "PAY-ERR-04"
"""The code of an invalid body (payments.md, line 369). A body of the described shape may be refused for something
else, such as an empty wallet or an unknown company, and no code is shown for that."""


class PassiveJudge:
    """Holds each answer against the description of its operation. Safe to use from many threads."""

    def __init__(self) -> None:
        """Have seen nothing."""
        self.seen: dict[str, Seen] = defaultdict(Seen)
        self._beyond: dict[str, dict[str, str]] = defaultdict(dict)
        self._lock = threading.Lock()

    def see(self, exchange: Exchange) -> None:
        """Judge one exchange; one without an answer or an operation says nothing."""
        if exchange.status is None or exchange.operation is None:
            return
        for found in passive.judge(exchange.api, exchange.operation, exchange):
            if found.requirement != CODE or not found.mismatch or not _described(exchange, exchange.operation):
                self.note(found, f"{exchange.api}.{exchange.operation}", exchange)
        if exchange.ok:
            beyond = openapi.undocumented(exchange.api, exchange.operation, exchange.status, exchange.json)
            self._beyond[exchange.api].update((f"{exchange.operation}: {path}", exchange.evidence) for path in beyond)

    def observations(self) -> list[Observation]:
        """Say which fields the answers of the payments API carried beyond the documented (PAY-GEN-10)."""
        found = self._beyond.get(Api.PAYMENTS)
        if found is None:
            return []
        words = (
            f"fields beyond the documented: {', '.join(sorted(found))}" if found else "no field beyond the documented"
        )
        return [Observation("PAY-GEN-10", words, sorted(found), tuple(found.values())[:KEPT])]

    def judged_on(self, requirement: str) -> list[str]:
        """List the operations and events, as `api.operation`, whose responses showed a requirement in this run."""
        seen = self.seen.get(requirement)
        return sorted({*seen.met, *(operation for operation, _, _ in seen.broken)}) if seen else []

    def note(self, found: Finding, operation: str, subject: Exchange | Delivery) -> None:
        """Keep one finding; the operation is `api.operation`, or `api.event` of a delivery."""
        with self._lock:
            seen = self.seen[found.requirement]
            if found.mismatch is None:
                seen.met[operation] = subject.evidence
            elif len(seen.broken) < KEPT:
                seen.broken.append((operation, found.mismatch, subject))


def _described(exchange: Exchange, operation: str) -> bool:
    """Whether the body that was sent keeps every rule of its description."""
    sent = openapi.operations(exchange.api)[operation].get("requestBody")
    if sent is None:
        return False
    schema = sent["content"]["application/json"]["schema"]
    return not any(one.mismatch for one in judge_body(schema, exchange.request.body))
