"""The requests that show a failure: those that it is about, and those that made and changed what these name."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.operations import find
from pix_conformance.model.subject import MISSING, at
from pix_conformance.model.vocabulary import MASK, SUCCESS, Judgement
from pix_conformance.recording.bundle.values import numbered
from pix_conformance.recording.curl import can_be_sent
from pix_conformance.report.dependency_chain import (
    CHANGES,
    LOGIN,
    LONGEST_CHAIN,
    SHORTEST_ID,
    RecordedExchanges,
    causing,
    hooks_of,
    is_about_events,
    leaves,
)

AGED_S = 45
"""A client renews its token earlier: one that is used at this age was kept on purpose."""
SEVERAL = 2
AMOUNTS = ("amount_cents", "amountInCents", "amount")
LEAST_AMOUNT = 1_000
MOST_NAMED = 3
"""Of the objects in a list, the requests that made so many of the first are shown."""


@dataclass(frozen=True)
class FailureCause:
    """The requests that show a failure, in their order; the delivery that showed it, if one did.

    `hindrance` says why the requests cannot show it again, if so.
    """

    steps: tuple[Exchange, ...]
    delivery: Delivery | None = None
    hindrance: str = ""


@dataclass(frozen=True)
class Causes:
    """The causes of the failures of one recording.

    `ages` holds, by test, the seconds that what it arranges has to age; a test that waits for nothing is absent.
    """

    recorded: RecordedExchanges
    ages: Mapping[str, float] = field(default_factory=dict)

    def of(self, judgement: Judgement) -> FailureCause:
        """Return the requests that show the failure that a judgement found."""
        message = self.recorded.bundle.message(judgement.evidence)
        if judgement.steps and all(step in self.recorded.bundle.exchange for step in judgement.steps):
            hooks = hooks_of(self.recorded, message, judgement) if isinstance(message, Exchange) else ()
            return self._cause({*judgement.steps, *hooks}, None)
        if message is None:
            return FailureCause((), None, "what showed it was not recorded")
        delivery = message if isinstance(message, Delivery) else self._unwanted_event(judgement)
        if why := self._beyond_lines(judgement, message):
            return FailureCause((), delivery, why)
        about = set(self._about(judgement, message.started if isinstance(message, Exchange) else message.received))
        if not about:
            return FailureCause((), delivery, "the delivery names nothing that this run made")
        return self._cause(self._with_dependencies(about), delivery)

    def _unwanted_event(self, judgement: Judgement) -> Delivery | None:
        """Return the delivery that should not have come after a request; None if the failure is another."""
        match = re.search(r"delivery \d+", " ".join(judgement.mismatches))
        message = self.recorded.bundle.message(match[0]) if match and is_about_events(judgement) else None
        return message if isinstance(message, Delivery) else None

    def _beyond_lines(self, judgement: Judgement, message: Exchange | Delivery) -> str:
        """Return why no lines of curl show a failure, as far as its message alone says it."""
        if isinstance(message, Delivery):
            event = at(message.parsed_body, "id")
            attempts = (
                delivery for delivery in self.recorded.bundle.deliveries if at(delivery.parsed_body, "id") == event
            )
            if event is not MISSING and any(attempt.answered not in SUCCESS for attempt in attempts):
                return "the receiver has to refuse the event, or to answer late"
            return ""
        sent = message.request.url.removeprefix(self.recorded.bundle.base_url)
        if message.request.method not in CHANGES:
            ids = [part for part in re.split(r"[/?&=]", sent) if len(part) >= SHORTEST_ID * 2]
            invented = [part for part in ids if not self.recorded.changes_of(part)]
            if any(part.encode() in delivery.body for part in invented for delivery in self.recorded.bundle.deliveries):
                return "the id that it asks for came in an event"
        of_test = (
            exchange
            for exchange in self.recorded.bundle.exchanges
            if exchange.test == judgement.test and exchange.id < message.id
        )
        if sum(exchange.request.method in CHANGES for exchange in of_test) > LONGEST_CHAIN and not self.recorded.names(
            message
        ):
            return f"the test sends more than {LONGEST_CHAIN} requests first"
        return ""

    def _cause(self, numbers: set[int] | None, delivery: Delivery | None) -> FailureCause:
        if numbers is None:
            return FailureCause((), delivery, f"it takes more than {LONGEST_CHAIN} requests")
        steps = tuple(self.recorded.bundle.exchange[number] for number in sorted(numbers))
        if masked := next((step for step in steps if _is_masked(step)), None):
            return FailureCause(steps, delivery, f"a secret or another's data in {masked.evidence} is masked")
        if unknown := next((step for step in steps if not can_be_sent(step.request)), None):
            return FailureCause(steps, delivery, f"the report does not hold all of {unknown.evidence}")
        if all(step.request.method not in CHANGES for step in steps) and delivery is not None:
            return FailureCause(steps, delivery, "no request of this run caused the delivery")
        return FailureCause(steps, delivery)

    def _about(self, judgement: Judgement, until: float) -> Iterator[int]:
        """Yield the numbers of the exchanges that a judgement is about: its own, those it is compared with and named.

        Of a delivery these are the requests that changed its object, and the one that registered its webhook.
        """
        named, texts = _named(judgement)
        for evidence in named:
            message = self.recorded.bundle.message(evidence)
            if isinstance(message, Delivery):
                yield from causing(self.recorded, message, only_named=evidence != judgement.evidence)
            elif message is not None:
                yield message.id
        for name in self.recorded.names_in(texts):
            yield from self.recorded.changes_before(name, until)
        yield from self._answering(texts, judgement)
        yield from self._of_amounts(judgement, until)
        message = self.recorded.bundle.message(judgement.evidence)
        if isinstance(message, Exchange):
            yield from self._around(message, judgement)

    def _around(self, judged: Exchange, judgement: Judgement) -> Iterator[int]:
        """Yield what an exchange that is judged depends on, beside what the judgement names."""
        named, texts = _named(judgement)
        for name in self.recorded.names(judged):
            yield from self.recorded.changes_before(name, judged.started)
        if not self.recorded.names_in(texts):
            yield from self._listed(judged, judgement, judged.started)
        if not self._unwanted_event(judgement):
            yield from hooks_of(self.recorded, judged, judgement)
        yield from self._between(judged, named, judgement.matchers)

    def _between(self, read: Exchange, named: Sequence[str], matchers: Sequence[Mapping[str, Any]]) -> Iterator[int]:
        """Yield what a test changed before a read of a whole account, since what it is compared with."""
        known = (self.recorded.bundle.exchange.get(numbered(word) or 0) for word in named)
        compared = [exchange for exchange in known if exchange and exchange.test == read.test]
        reads = [exchange for exchange in compared if exchange.operation == read.operation]
        row = find(read.api, read.operation)
        money = row is not None and row.shows_balance and any(row.get("matcher") != "described" for row in matchers)
        if not self._is_of_account(read) or not (money or len(compared) >= SEVERAL):
            return
        first = min(exchange.id for exchange in compared) if len(compared) >= SEVERAL else 0
        for exchange in self.recorded.bundle.exchanges:
            changes = exchange.request.method in CHANGES and exchange.operation != LOGIN
            if changes and exchange.test == read.test and first < exchange.id < read.id:
                yield exchange.id
        for exchange in reads:
            yield from self._last_payment(exchange)

    def _is_of_account(self, read: Exchange) -> bool:
        return read.request.method not in CHANGES and not self.recorded.names(read) and read.ok

    def _of_amounts(self, judgement: Judgement, until: float) -> Iterator[int]:
        """Yield what made and changed the objects of the amounts that a matcher compares: a posting names no charge."""
        amounts = {number for row in judgement.matchers for number in _numbers(row.get("arguments"))}
        for exchange in self.recorded.bundle.exchanges if amounts else ():
            sent = exchange.request.json_object
            if exchange.started <= until and amounts & {
                sent.get(name) for name in AMOUNTS if isinstance(sent.get(name), int)
            }:
                yield exchange.id
                for name in self.recorded.ids_made(exchange.id):
                    yield from self.recorded.changes_before(name, until)

    def _answering(self, texts: Iterable[str], judgement: Judgement) -> Iterator[int]:
        """Yield the first request of a test whose response held a text with which the judged one is compared."""
        number = numbered(judgement.evidence) or math.inf
        earlier = [
            exchange
            for exchange in self.recorded.bundle.exchanges
            if exchange.test == judgement.test and exchange.id < number
        ]
        for text in texts:
            if len(text) >= SHORTEST_ID and text not in judgement.mismatches and not self.recorded.changes_of(text):
                value = f'"{text}"'.encode()
                yield from [exchange.id for exchange in earlier if value in exchange.body][:1]

    def _listed(self, read: Exchange, judgement: Judgement, until: float) -> Iterator[int]:
        """Yield what made the objects of which a read of a whole account shows something wrong: the first few."""
        if not self._is_of_account(read):
            return
        wrong = next(
            (part for mismatch in judgement.mismatches if (part := _wrong_part(read, mismatch)) is not MISSING), None
        )
        body = read.parsed_body if wrong is None else wrong
        names = list(dict.fromkeys([*self._ids_in(body), *self.recorded.names_in(text for _, text in leaves(body))]))
        for name in names[:MOST_NAMED]:
            yield from self.recorded.changes_before(name, until)
        if not names:
            yield from self._last_payment(read)

    def _ids_in(self, body: Any) -> Iterator[str]:
        """Yield the values of members called `id`, at any depth, that are ids of objects of this run."""
        for value in body.values() if isinstance(body, dict) else body if isinstance(body, list) else ():
            yield from self._ids_in(value)
        if isinstance(body, dict) and self.recorded.changes_of(str(body.get("id"))):
            yield str(body["id"])

    def _last_payment(self, read: Exchange) -> Iterator[int]:
        """Yield the newest payment or transfer of an account before a read of it: a posting names no charge of ours."""
        for exchange in reversed(self.recorded.bundle.exchanges):
            row = find(exchange.api, exchange.operation)
            is_payment = row is not None and row.moves_money and exchange.ok
            if exchange.id < read.id and (exchange.api, exchange.role) == (read.api, read.role) and is_payment:
                yield exchange.id
                return

    def _with_dependencies(self, about: set[int]) -> set[int] | None:
        """Add the requests that these depend on; None if there are too many."""
        chosen: set[int] = set()
        for number in sorted(about):
            chain = self.recorded.chain(number)
            if chain is None:
                return None
            chosen |= {exchange.id for exchange in chain}
        for number in list(chosen):
            chosen |= self._logins(self.recorded.bundle.exchange[number])
            chosen |= self._detections(self.recorded.bundle.exchange[number], max(chosen))
        return chosen if len(chosen) <= LONGEST_CHAIN else None

    def _detections(self, maker: Exchange, last: int) -> set[int]:
        """Return the first query that showed a charge as expired: the service may detect its end only then."""
        if "expires_in_seconds" not in maker.request.json_object:
            return set()
        ids = set(self.recorded.ids_made(maker.id))
        queries = (
            exchange.id
            for exchange in self.recorded.bundle.exchanges
            if maker.id < exchange.id < last
            and exchange.request.method == "GET"
            and exchange.json_object.get("status") == "expired"
            and ids & self.recorded.names(exchange)
        )
        return {number} if (number := next(queries, None)) else set()

    def _logins(self, user: Exchange) -> set[int]:
        """Return the login of a token that was kept on purpose, and the earlier uses of the token in the same test."""
        login = self.recorded.bundle.exchange.get(user.request.login)
        if login is None:
            return set()
        if self.recorded.sent_at(user) - self.recorded.sent_at(login) < AGED_S:
            return set()
        uses = {
            exchange.id
            for exchange in self.recorded.bundle.exchanges
            if exchange.request.login == login.id and exchange.test == user.test
            if exchange.id < user.id and exchange.operation == "get_balance"
        }
        return {login.id, *uses}


def _named(judgement: Judgement) -> tuple[list[str], list[str]]:
    """Return the evidence of a judgement, its own first, and the other texts in its matchers and mismatches."""
    strings = [text for row in judgement.matchers for text in _strings(row)]
    evidence = [text for text in strings if numbered(text) or numbered(text, "delivery")]
    evidence += re.findall(r"(?:exchange|delivery) \d+", " ".join(judgement.mismatches))
    texts = [*judgement.mismatches, *(text for text in strings if text not in evidence)]
    return list(dict.fromkeys([judgement.evidence, *evidence])), texts


def _strings(value: Any) -> Iterator[str]:
    """Walk the strings of a recorded matcher, but not its own words."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            if key not in {"matcher", "words", "name"}:
                yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)


def _numbers(value: Any) -> Iterator[int]:
    """Walk the integers of a matcher's arguments that may be amounts chosen for one object, of 1000 cents or more."""
    if isinstance(value, int) and value >= LEAST_AMOUNT:
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _numbers(part)


def _is_masked(exchange: Exchange) -> bool:
    sent = exchange.request
    return MASK in sent.url or MASK.encode() in sent.body or any(MASK in value for _, value in sent.headers)


def _wrong_part(read: Exchange, mismatch: str) -> Any:
    """Return the element of a list in which a path such as `$.transactions[0].entries[0]` lies; MISSING without one."""
    match = re.search(r"\$\.(\w+(?:\.\w+)*)\[(\d+)\]", mismatch)
    return at(read.parsed_body, f"{match[1]}.{match[2]}") if match else MISSING
