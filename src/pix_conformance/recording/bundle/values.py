"""The bundle as values: what one run sent, received and judged. One reader makes them, one writer writes them."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pix_conformance.checks.clocks import clock_ahead, in_words
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import DELIVERS_EVENT, Created, Exchange
from pix_conformance.model.undecided import TOO_MANY, answer_in_words, is_of_gateway
from pix_conformance.model.vocabulary import Judgement, Level, Observation, Outcome, Verdict, citation
from pix_conformance.model.why import Why
from pix_conformance.recording.webhook_times import WebhookTimes, webhook_times

UNMET = frozenset({Outcome.FAIL, Outcome.WARN, Outcome.WAIVED, Outcome.ERROR})
"""Outcomes of a requirement that is not met, or whose test ended with an error."""


class BundleError(ValueError):
    """The directory holds no readable `results.json`."""


@dataclass(frozen=True, slots=True)
class AskingTest:
    """One test function that asks a requirement: its name for pytest, its words, and how many of its cases ask."""

    test: str
    words: str
    cases: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One requirement with its outcome in this run. `document` is `payments` or `business`; an absent text is empty."""

    id: str
    document: str
    level: Level
    section: str
    lines: tuple[tuple[int, int], ...]
    cited: tuple[tuple[int, str], ...]
    """Numbers and texts of the cited lines; empty where the run had no documents."""
    statement: str
    note: str
    needs: tuple[str, ...]
    unobservable: str
    outcome: Outcome
    reason: str
    why: Why | None
    """Why it neither passes nor fails, or does not count; None in the bundle of a suite that did not keep it."""
    not_asked: tuple[str, ...]
    observations: tuple[Observation, ...]
    tests: tuple[str, ...]
    """Those that gave a verdict of it, by node id."""
    asked_by: tuple[AskingTest, ...]
    passive: bool
    seconds: float
    judged_on: tuple[str, ...]
    """The operations and events whose messages showed it, as `api.operation`."""
    evidence: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    """The verdicts that no recorded exchange can show again."""
    judgements: tuple[Judgement, ...]

    @property
    def citation(self) -> str:
        """Where the document states it, such as `payments.md, Events, lines 316-318`."""
        return citation(self.document, self.section, self.lines)

    @property
    def error(self) -> Verdict | None:
        """The first error of the suite in a test of this requirement; None without one."""
        return next((verdict for verdict in self.verdicts if verdict.source_line), None)

    @property
    def is_unobservable(self) -> bool:
        """Whether no test from outside can decide it, and no message of the run did."""
        return bool(self.unobservable) and self.outcome is Outcome.NOT_APPLICABLE

    @property
    def problems(self) -> tuple[str, ...]:
        """What was wrong, in the words of each judgement and of each test that ended with an error."""
        problems = ["; ".join(judgement.mismatches) for judgement in self.missed]
        problems += [verdict.reason for verdict in self.verdicts if verdict.outcome in UNMET]
        return tuple(dict.fromkeys(problems or ([self.reason] if self.outcome in UNMET else [])))

    @property
    def missed(self) -> tuple[Judgement, ...]:
        """The judgements in which something did not match."""
        return tuple(j for j in self.judgements if j.mismatches)


@dataclass(frozen=True, slots=True)
class AgainFacts:
    """Which failures a run with `--again` asked again."""

    report: str
    """The directory of the earlier report."""
    gone: tuple[str, ...]
    """The tests that failed then and that this suite does not have, by node id."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """How one run was started, and how it ended."""

    id: str
    seed: int
    started: str
    """ISO 8601, in UTC."""
    seconds: float
    turns: tuple[tuple[float, float], ...]
    """Each turn of the target's clock: when it began (epoch seconds), and by how many seconds."""
    partial: bool
    """Whether only some requirements were asked for."""
    left_out_by: str
    """The option that left out a part of the suites, such as `--quick`; empty without one."""
    level: Level
    edition: str
    """The edition whose requirements judged it; empty where they were those of no edition."""
    exit: int
    command: str
    """How the run was started, as a line for a shell."""
    report: str
    """The directory of its report, as the command named it; empty in a report of a run that was killed."""
    gate: tuple[str, ...]
    """Why the run failed though no requirement did."""
    access: tuple[str, ...]
    unlocks: tuple[str, ...]
    again: AgainFacts | None = None
    """None without `--again`."""


@dataclass(frozen=True)
class Bundle:
    """One run, whole.

    `target` is a name, `base_url` an address; `embedded` says that the target was the suite's own reference.
    `succeeded` lists each `api.operation` that succeeded at least once and each `api.event` that came; None in a bundle
    of a suite that did not keep it. `unreadable` names what the files hold that could not be read.
    """

    suite: str
    documents: dict[str, str]
    target: str
    base_url: str
    embedded: bool
    apis: tuple[str, ...]
    api_chosen: bool
    capabilities: tuple[str, ...]
    run: RunFacts
    headline: str
    notices: tuple[str, ...]
    succeeded: tuple[str, ...] | None
    journal: tuple[Created, ...]
    entries: tuple[Entry, ...]
    exchanges: tuple[Exchange, ...]
    deliveries: tuple[Delivery, ...]
    described: Mapping[str, str] = field(default_factory=dict)
    """Of an integration: its addresses and commands, by the names of its table."""
    unreadable: tuple[str, ...] = ()

    @property
    def partial(self) -> bool:
        """Whether only some requirements were asked for."""
        return self.run.partial

    @property
    def extent(self) -> str:
        """What a run that is partial is called."""
        return f"part of the suites: {self.run.left_out_by}" if self.run.left_out_by else "partial run"

    @cached_property
    def requests(self) -> tuple[Exchange, ...]:
        """The exchanges but for events that the suite delivered to an integration."""
        return tuple(exchange for exchange in self.exchanges if exchange.operation != DELIVERS_EVENT)

    @property
    def event_count(self) -> int:
        """How many events came from the target, or were delivered to an integration."""
        return len(self.exchanges) - len(self.requests) + len(self.deliveries)

    @property
    def totals(self) -> dict[Level, Counter[Outcome]]:
        """How many requirements of each level have which outcome."""
        table = {level: Counter[Outcome]() for level in Level}
        for entry in self.entries:
            table[entry.level][entry.outcome] += 1
        return table

    @cached_property
    def environment(self) -> tuple[str, ...]:
        """What stands between the suite and the target, a sentence each."""
        return environment(self.exchanges)

    @cached_property
    def webhook_times(self) -> tuple[WebhookTimes, ...]:
        """How late the webhooks came, by event."""
        return webhook_times(self.exchanges, self.deliveries, self.journal)

    @cached_property
    def exchange(self) -> dict[int, Exchange]:
        """The exchanges by number."""
        return {exchange.id: exchange for exchange in self.exchanges}

    @cached_property
    def delivery(self) -> dict[int, Delivery]:
        """The deliveries by number."""
        return {delivery.id: delivery for delivery in self.deliveries}

    def message(self, evidence: str) -> Exchange | Delivery | None:
        """Find what evidence such as `exchange 412` or `delivery 7` names; None where it was not recorded."""
        exchange = self.exchange.get(numbered(evidence) or 0)
        return exchange or self.delivery.get(numbered(evidence, "delivery") or 0)


def numbered(evidence: str, kind: str = "exchange") -> int | None:
    """Find the number in `exchange 412`; None when the evidence is of another kind."""
    match = re.fullmatch(rf"{kind} (\d{{1,15}})", evidence)
    return int(match[1]) if match else None


def environment(exchanges: Sequence[Exchange]) -> tuple[str, ...]:
    """Return what stands between suite and target, by the responses: a gateway, a rate limit, a clock that is off."""
    answered = [exchange for exchange in exchanges if exchange.response and not exchange.by_integration]
    gateways = Counter(answer_in_words(exchange) for exchange in answered if is_of_gateway(exchange))
    limited = sum(exchange.status == TOO_MANY for exchange in answered)
    words = []
    if gateways:
        counts = " and ".join(_counted(count, len(answered), words) for words, count in gateways.most_common())
        words.append(f"{counts}: they came from a gateway, not from the service, and decide nothing")
    if limited:
        words.append(f"{_counted(limited, len(answered), str(TOO_MANY))}: the target limits the rate of requests")
    if ahead := clock_ahead(answered):
        clocks = "one of the two clocks is wrong"
        words.append(f"the Date headers of the target are {in_words(ahead)}, by this machine's clock: {clocks}")
    return tuple(words)


def _counted(count: int, total: int, words: str) -> str:
    share = f"{100 * count / total:.0f} %" if count * 100 >= total else "less than 1 %"
    return f"{count:,} of {total:,} responses ({share}) were {words}"
