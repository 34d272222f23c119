"""Writes what happens between the suite and its target as facts; secrets are masked before."""

import itertools
import threading
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from pix_conformance.checks import passive
from pix_conformance.model.delivery import Delivery, SignatureCheck
from pix_conformance.model.events import api_of
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import Api, Secret
from pix_conformance.oracles import signature
from pix_conformance.recording.facts import Facts, Removed, Shown, Succeeded, Undocumented
from pix_conformance.recording.objects import ObjectsOfRun, created_by
from pix_conformance.recording.redaction import Redactor, redacted_delivery

STORED_BYTES = 65_536
MOST_STORED, STORED_BEYOND = 33_554_432, 2_048
"""Bytes of all answers together that are kept in full; of each that comes later, its beginning."""
KEPT = 5
"""How many responses of one operation that broke one requirement are kept."""
UNDER_LOAD = "load"
"""What the exchanges of the users of a run under load have in the place of a test."""


@dataclass
class Recorder:
    """Writes the messages of one process, and what each response shows by itself, while its secrets are known.

    What deliveries show takes the objects of the whole run: `verdicts.messages`. Safe to use from many threads.
    """

    facts: Facts = field(default_factory=Facts)
    redact: Redactor = field(default_factory=Redactor)
    objects: ObjectsOfRun = field(default_factory=ObjectsOfRun)
    secrets: dict[Api, Secret] = field(default_factory=dict)
    """With which the target signs the events to the endpoint of an account."""
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    """The numbers of the exchanges."""
    _stored_bytes: int = 0
    _deliveries: dict[int, Delivery] = field(default_factory=dict)
    """By number, as they are written."""
    _met: set[tuple[str, str]] = field(default_factory=set)
    """Requirements and operations of which a response was right."""
    _broken: defaultdict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))
    """By requirement and operation, how many responses that were not are written."""
    _known: set[object] = field(default_factory=set)
    """The facts that are written once: operations that worked, fields that are not documented."""
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def next_id(self) -> int:
        """Return the number of the next exchange."""
        with self._lock:
            return next(self.numbers)

    def record(self, exchange: Exchange, *, is_judged: bool = True) -> None:
        """Write one exchange. `is_judged`: by the rules of every response."""
        with self._lock:
            self.facts.add(self._stored(exchange))
            self.objects.learn_payment(exchange)
        if is_judged:
            self.judge(exchange)

    def judge(self, exchange: Exchange) -> None:
        """Write what a response shows by itself: for each operation one that is right, and the first wrong ones."""
        if exchange.status is None or exchange.operation is None:
            return
        operation = f"{exchange.api}.{exchange.operation}"
        for finding in passive.judge(exchange.api, exchange.operation, exchange):
            self._show(finding.requirement, finding.mismatch, operation, exchange)
        if exchange.ok and (point := passive.RULES[exchange.api].undocumented_fields):
            for name in ("", *passive.undocumented_fields(exchange)):
                self._once(Undocumented(requirement=point, field=name, evidence=exchange.evidence), (point, name))

    def _show(self, requirement: str, problem: str | None, operation: str, exchange: Exchange) -> None:
        key = requirement, operation
        with self._lock:
            if key in self._met if problem is None else self._broken[key] >= KEPT:
                return
            shown = Shown(requirement=requirement, operation=operation, evidence=exchange.evidence, test=exchange.test)
            if problem is None:
                self._met.add(key)
                self.facts.add(shown)
            else:
                self._broken[key] += 1
                curl = exchange.current_test.curl(exchange) if exchange.current_test else None
                self.facts.add(replace(shown, problem=self.redact(problem), curl=curl))

    def _once(self, fact: Succeeded | Undocumented, key: object) -> None:
        with self._lock:
            if key not in self._known:
                self._known.add(key)
                self.facts.add(fact)

    def _stored(self, exchange: Exchange) -> Exchange:
        """Mask the secrets, then cut a long body: the beginning of a secret would not be recognised."""
        masked = self.redact.masked(exchange)
        came = masked.response
        if came is None:
            return masked
        room = STORED_BYTES if self._stored_bytes < MOST_STORED else STORED_BEYOND
        cut = replace(came, body=came.body[:room], truncated=came.truncated or len(came.body) > room)
        self._stored_bytes += len(cut.body)
        return replace(masked, response=cut)

    def record_created(self, exchange: Exchange, kind: str, made_id: str) -> None:
        """Write that an exchange created an object; of one that the same account created before, nothing."""
        with self._lock:
            created, known = created_by(exchange, kind, made_id), self.objects.created(exchange.api, made_id)
            if known is None or known.role is not created.role:
                self.objects.add(created, exchange)
                self.facts.add(created)

    def record_removed(self, api: Api, made_id: str) -> None:
        """Write that an object of the run is no longer there; nothing of another object."""
        if self.objects.created(api, made_id):
            self.facts.add(Removed(api, made_id))

    def record_success(self, exchange: Exchange) -> None:
        """Write that an operation worked; without that, refusals of the operation are inconclusive."""
        success = Succeeded(exchange.api, str(exchange.operation), exchange.role)
        self._once(success, success)

    def record_delivery(self, delivery: Delivery) -> None:
        """Write a delivery, and whether it was signed with the secret of its endpoint."""
        with self._lock:
            known = self._deliveries.get(delivery.id)
            written = (
                replace(known, answered=delivery.answered, fault=delivery.fault, left_s=delivery.left_s)
                if known
                else redacted_delivery(self._verified(delivery), self.redact)
            )
            self._deliveries[delivery.id] = written
            self.facts.write(written)

    def take_deliveries(self) -> None:
        """Append the deliveries to the facts, as they were answered in the end."""
        with self._lock:
            self.facts.deliveries += (self._deliveries.pop(number) for number in sorted(self._deliveries))

    def with_signature(self, delivery: Delivery) -> Delivery:
        """Return a delivery that came with what is known of its signature."""
        written = self._deliveries.get(delivery.id)
        return self._verified(delivery) if written is None else replace(delivery, signature=written.signature)

    def _verified(self, delivery: Delivery) -> Delivery:
        api = api_of(delivery)
        secret = self.secrets.get(api) if api else None
        if api is None or secret is None:
            return delivery
        header = delivery.header(PROFILES[api].signature_header)
        if header is None:
            return delivery
        problem = signature.mismatch(header, delivery.body, secret.reveal(), earlier=self._times_signed(api))
        shows_secret = problem is None or signature.diagnose(header, delivery.body, secret.reveal()) is not None
        return replace(delivery, signature=SignatureCheck(problem, shows_secret=shows_secret))

    def _times_signed(self, api: Api) -> Iterator[str]:
        """Yield the `t` of the deliveries so far; they are looked at only where a signature is wrong."""
        for delivery in list(self._deliveries.values()):  # others are recorded meanwhile
            yield signature.parse(delivery.header(PROFILES[api].signature_header)).t
