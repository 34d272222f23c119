"""The exchanges, deliveries, journal, judgements and verdicts of one run: all that its bundle is made of."""

import itertools
import math
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Created, Exchange
from pix_conformance.model.subject import at, parsed
from pix_conformance.model.vocabulary import Api, Judgement, Observation, Role, Verdict
from pix_conformance.recording.curl import curl
from pix_conformance.recording.findings import PassiveJudge
from pix_conformance.recording.redaction import MASKED_OBJECT, Redactor, hidden, mask_foreign_objects, redacted

LISTING = frozenset({"list_webhooks", "list_charges", "get_finance"})
STORED_BYTES = 65_536
MOST_STORED, STORED_BEYOND = 33_554_432, 2_048
"""Bytes of all answers together that are kept in full; of each that comes later, its beginning."""
UNDER_LOAD = "load"
"""What the exchanges of the users of a run under load have in the place of a test."""


@dataclass
class Recorder:
    """Exchanges, journal, judgements, observations and verdicts of one run. Safe to use from many threads."""

    redact: Redactor = field(default_factory=Redactor)
    test: str | None = None
    """The test that runs, by node id; with `requirements`, `session.plugin` sets it before each test."""
    requirements: tuple[str, ...] = ()
    """What that test is to decide."""
    base_url: str = ""
    """Where the requests of the run go."""
    exchanges: list[Exchange] = field(default_factory=list)
    """Redacted, as the report shows them and history checks judge them; tests and passive rules judge what came.

    When the run ends, `session.bundle_of_run` puts them into the bundle.
    """
    journal: dict[tuple[Api, str], Created] = field(default_factory=dict)
    judgements: list[Judgement] = field(default_factory=list)
    """Of tests (`harness.expect`) and of the sandbox proof. At the end `verdicts.evidence_of_run` gathers them, and
    `verdicts.judge` weighs them."""
    observations: list[Observation] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    """Of tests that ended without a judgement (`session.outcome_of_test.record_test_end`), and of deliveries
    (`deliveries_of_run.check_deliveries`)."""
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    """How long the tests of each requirement took; a test of several gives each an equal share."""
    notices: list[str] = field(default_factory=list)
    passive_judge: PassiveJudge = field(default_factory=PassiveJudge)
    succeeded: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    """How often each `api.operation` worked; above 0 for each `api.event` that came."""
    accepted: set[tuple[Api, Role]] = field(default_factory=set)
    deliveries: list[Delivery] = field(default_factory=list)
    """While the run lasts, the deliveries of the file that the user named, as it holds them; when it has ended, all
    deliveries, redacted."""
    is_first_look: bool = False
    """True while it is found out whether the target is one of these APIs at all: no response is judged or repeated."""
    unusable: dict[Api, str] = field(default_factory=dict)
    """Why no requirement of an API can be tested: nothing answers, or the merchant's credential is refused."""
    events_unavailable: dict[Api, Verdict] = field(default_factory=dict)
    """Why no event of an API can be seen, as the verdict that its event requirements get
    (`evidence_of_run._without_events`)."""
    unsettled: list[tuple[Judgement, Callable[[], Judgement]]] = field(default_factory=list)
    """Judgements of events that did not come in time, each with what judges it again when the run ends."""
    failures: list[BaseException] | None = None
    """What has failed in the test that runs and is raised at its end; None where a failure is raised at once."""
    of_wrong_status: set[str] = field(default_factory=set)
    """The responses of that test whose status was wrong, so that their bodies are not judged."""
    _stored_bytes: int = 0
    _ours: set[str] = field(default_factory=set)
    _unlabelled: dict[tuple[Api, str], float] = field(default_factory=dict)
    """When this run first sent for an object of that amount without a label, which an event cannot name."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    write_to_journal: Callable[[str, Mapping[str, Any]], None] = field(default=lambda _kind, _row: None)
    """Writes a line to the journal on disk: what it is about, and its fields. `session.start.open_journal` sets it."""
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    """The numbers of the exchanges."""

    def __post_init__(self) -> None:
        """Make the deliveries of the file part of this run."""
        self.deliveries = [replace(delivery, recorder=self) for delivery in self.deliveries]

    def settle(self) -> None:
        """Judge again what was judged before a late event came; `harness.run.Run.finish` calls it."""
        again = {id(before): judge() for before, judge in self.unsettled}
        self.judgements[:] = [again.get(id(judgement), judgement) for judgement in self.judgements]

    def next_id(self) -> int:
        """Return the number of the next exchange."""
        with self._lock:
            return next(self.numbers)

    def record(self, exchange: Exchange, *, is_judged: bool = True) -> None:
        """Keep one exchange, redacted; what it calls a secret is learned first. `is_judged`: by the passive rules."""
        with self._lock:
            self.redact.learn_from(exchange.json)
            self.exchanges.append(self._stored(exchange))
            self.write_to_journal("exchange", self.exchanges[-1].to_dict())
            self._learn_payment(exchange)
        if is_judged and not self.is_first_look:
            self.passive_judge.see(exchange)

    def curl(self, message: Exchange | Delivery) -> str | None:
        """Return the curl line of a recorded exchange; None of a delivery, or of what is not recorded."""
        recorded = (exchange for exchange in reversed(self.exchanges) if exchange.id == message.id)
        exchange = next(recorded, None) if isinstance(message, Exchange) else None
        return curl(exchange, self.base_url) if exchange else None

    def _learn_payment(self, exchange: Exchange) -> None:
        """Take the end-to-end id of an object of this run for a name of it."""
        name, paid_as = exchange.at("id"), exchange.at("e2e_id")
        if isinstance(paid_as, str) and paid_as and isinstance(name, str) and name in self._ours:
            self._ours.add(paid_as)

    def _stored(self, exchange: Exchange) -> Exchange:
        came = exchange.response
        if came is None:
            return redacted(exchange, self.redact)
        body = mask_foreign_objects(came.body, self._ours) if exchange.operation in LISTING else came.body
        if exchange.is_foreign and exchange.ok:
            exchange, body = _of_another_account(exchange), hidden(came.body)
        room = STORED_BYTES if self._stored_bytes < MOST_STORED else STORED_BEYOND
        cut = replace(came, body=body[:room], truncated=came.truncated or len(body) > room)
        self._stored_bytes += len(cut.body)
        return redacted(replace(exchange, response=cut), self.redact)

    def journal_created(self, exchange: Exchange, kind: str, made_id: str) -> None:
        """Enter an object that an exchange created into the journal; one that it has already stays as it is."""
        with self._lock:
            if known := self.journal.get((exchange.api, made_id)):
                known.is_id_shared |= known.role is not exchange.role
                return
            echoed, sent = exchange.at("external_ref"), at(parsed(exchange.request.body), "external_ref")
            label = echoed if isinstance(echoed, str) else sent
            created = Created(exchange.api, exchange.role, kind, made_id, exchange.id)
            created.label = label if isinstance(label, str) else ""
            if not created.label:
                self._unlabelled.setdefault((exchange.api, str(exchange.at("amount_cents"))), exchange.started)
            self._ours.update(created.names)
            self.journal[exchange.api, made_id] = created
            self.write_to_journal("created", asdict(created))

    def record_success(self, exchange: Exchange) -> None:
        """Record a successful call of this operation; without one, refusals of the operation are inconclusive."""
        with self._lock:
            operation = f"{exchange.api}.{exchange.operation}"
            self.succeeded[operation] += 1
            if self.succeeded[operation] == 1:
                self.write_to_journal("succeeded", {"operation": operation})
            self.accepted.add((exchange.api, exchange.role))

    def observe_all_messages(self) -> None:
        """Record what all messages together show at an open point, in place of what tests observed there."""
        observations = self.passive_judge.observations()
        points = {observation.requirement for observation in observations}
        self.observations[:] = [
            *(observation for observation in self.observations if observation.requirement not in points),
            *observations,
        ]

    def is_created_by_us(self, made_id: str) -> bool:
        """Whether this run created the object of that id."""
        return made_id in self._ours

    def has_created_without_label(self, api: Api, amount: object, until: float) -> bool:
        """Whether this run created an object of that amount, without a label, before that time."""
        return self._unlabelled.get((api, str(amount)), math.inf) <= until


def _of_another_account(exchange: Exchange) -> Exchange:
    """Mask the id at the end of the path."""
    url = f"{exchange.request.url.rpartition('/')[0]}/{MASKED_OBJECT}"
    return replace(exchange, request=replace(exchange.request, url=url))


@dataclass
class ReportingRecorder(Recorder):
    """A recorder that keeps and judges no exchange: each is redacted and reported, with all of its body."""

    report: Callable[[Exchange], None] = field(default=lambda _: None)

    def record(self, exchange: Exchange, *, is_judged: bool = True) -> None:
        """Redact one exchange and report it; what it calls a secret is learned first."""
        del is_judged
        self.redact.learn_from(exchange.json)
        self.report(redacted(exchange, self.redact))
