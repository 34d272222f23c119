"""The requests that show a failure: those that it is about, and those that made and changed what these name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pix_conformance.checks.history import TAKEN
from pix_conformance.model.areas import AREAS, area
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import EVENT_NAME_FIELD
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import MISSING, at
from pix_conformance.model.vocabulary import MASK, Judgement
from pix_conformance.results.bundle.values import numbered
from pix_conformance.results.curl import can_be_sent
from pix_conformance.results.dependency_chain import CHANGES, LOGIN, LONGEST_CHAIN, SHORTEST_ID, Recording, leaves

AGED_S = 45
"""A client renews its token earlier: one that is used at this age was kept on purpose."""
BUSINESS_CAUSES = {
    "business.pix.created": "create_charge",
    "business.pix.paid": "pay_charge",
    "business.pix.canceled": "cancel_charge",
}
ACTS = ("create", "pay", "complete")
PAYS = ("pay_charge", "create_transfer")
SEVERAL = 2
MOST_NAMED = 3
"""Of the objects in a list, the requests that made so many of the first are shown."""


@dataclass(frozen=True)
class Cause:
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

    recorded: Recording
    ages: Mapping[str, float] = field(default_factory=dict)

    def of(self, judgement: Judgement) -> Cause:
        """Return the requests that show the failure that a judgement found."""
        if judgement.steps and all(one in self.recorded.bundle.exchange for one in judgement.steps):
            return self._cause(set(judgement.steps), None)
        message = self.recorded.bundle.message(judgement.evidence)
        if message is None:
            return Cause((), None, "what showed it was not recorded")
        delivery = message if isinstance(message, Delivery) else self._unwanted_event(judgement)
        if why := self._beyond_lines(judgement, message):
            return Cause((), delivery, why)
        about = set(self._about(judgement, message.started if isinstance(message, Exchange) else message.received))
        if not about:
            return Cause((), delivery, "the delivery names nothing that this run made")
        return self._cause(self._with_dependencies(about), delivery)

    def _unwanted_event(self, judgement: Judgement) -> Delivery | None:
        """Return the delivery that should not have come after a request; None if the failure is another."""
        found = re.search(r"delivery \d+", " ".join(judgement.mismatches))
        message = self.recorded.bundle.message(found[0]) if found and _is_about_events(judgement) else None
        return message if isinstance(message, Delivery) else None

    def _beyond_lines(self, judgement: Judgement, message: Exchange | Delivery) -> str:
        """Return why no lines of curl show a failure, as far as its message alone says it."""
        if isinstance(message, Delivery):
            event = at(message.parsed_body, "id")
            attempts = (one for one in self.recorded.bundle.deliveries if at(one.parsed_body, "id") == event)
            if event is not MISSING and any(one.answered not in TAKEN for one in attempts):
                return "the receiver has to refuse the event, or to answer late"
            return ""
        sent = message.request.url.removeprefix(self.recorded.base_url)
        if message.request.method not in CHANGES:
            ids = [one for one in re.split(r"[/?&=]", sent) if len(one) >= SHORTEST_ID * 2]
            invented = [one for one in ids if not self.recorded.changes_of(one)]
            if any(one.encode() in each.body for one in invented for each in self.recorded.bundle.deliveries):
                return "the id that it asks for came in an event"
        of_test = (one for one in self.recorded.bundle.exchanges if one.test == judgement.test and one.id < message.id)
        if sum(one.request.method in CHANGES for one in of_test) > LONGEST_CHAIN and not self.recorded.names(message):
            return f"the test sends more than {LONGEST_CHAIN} requests first"
        return ""

    def _cause(self, numbers: set[int] | None, delivery: Delivery | None) -> Cause:
        if numbers is None:
            return Cause((), delivery, f"it takes more than {LONGEST_CHAIN} requests")
        steps = tuple(self.recorded.bundle.exchange[one] for one in sorted(numbers))
        if masked := next((one for one in steps if _is_masked(one)), None):
            return Cause(steps, delivery, f"a secret or another's data in {masked.evidence} is masked")
        if unknown := next((one for one in steps if not can_be_sent(one.request)), None):
            return Cause(steps, delivery, f"the report does not hold all of {unknown.evidence}")
        if all(one.request.method not in CHANGES for one in steps) and delivery is not None:
            return Cause(steps, delivery, "no request of this run caused the delivery")
        return Cause(steps, delivery)

    def _about(self, judgement: Judgement, until: float) -> Iterator[int]:
        """Yield the numbers of the exchanges that a judgement is about: its own, those it is compared with and named.

        Of a delivery these are the requests that changed its object, and the one that registered its webhook.
        """
        texts = [*judgement.mismatches]
        named = [judgement.evidence]
        for row in judgement.matchers:
            for text in _strings(row):
                (named if numbered(text) or numbered(text, "delivery") else texts).append(text)
        named += re.findall(r"(?:exchange|delivery) \d+", " ".join(judgement.mismatches))
        named = list(dict.fromkeys(named))
        for evidence in named:
            message = self.recorded.bundle.message(evidence)
            if isinstance(message, Delivery):
                yield from self._causing(message, only_named=evidence != judgement.evidence)
            elif message is not None:
                yield message.id
        for name in self._names_in(texts):
            yield from self._changes_of(name, until)
        yield from self._answering(texts, judgement)
        message = self.recorded.bundle.message(judgement.evidence)
        if isinstance(message, Exchange):
            yield from self._listed(message, judgement, until)
            yield from self._hooks_of(message, judgement)
            yield from self._between(message, named)

    def _between(self, read: Exchange, named: Sequence[str]) -> Iterator[int]:
        """Yield what a test changed before a read of a whole account, since what it is compared with."""
        known = (self.recorded.bundle.exchange.get(numbered(one) or 0) for one in named)
        compared = [one for one in known if one and one.test == read.test]
        reads = [one for one in compared if one.operation == read.operation]
        if len(compared) < SEVERAL or not self._is_of_account(read):
            return
        first = min(one.id for one in compared)
        for one in self.recorded.bundle.exchanges:
            changes = one.request.method in CHANGES and one.operation != LOGIN
            if changes and one.test == read.test and first < one.id < read.id:
                yield one.id
        for one in reads:
            yield from self._last_payment(one)

    def _is_of_account(self, read: Exchange) -> bool:
        return read.request.method not in CHANGES and not self.recorded.names(read) and read.ok

    def _answering(self, texts: Iterable[str], judgement: Judgement) -> Iterator[int]:
        """Yield the first request of a test whose response held a text with which the judged one is compared."""
        number = numbered(judgement.evidence)
        earlier = [
            one for one in self.recorded.bundle.exchanges if one.test == judgement.test and one.id < (number or 0)
        ]
        for text in texts:
            if len(text) >= SHORTEST_ID and text not in judgement.mismatches and not self.recorded.changes_of(text):
                value = f'"{text}"'.encode()
                yield from [one.id for one in earlier if value in one.body][:1]

    def _causing(self, delivery: Delivery, *, only_named: bool) -> Iterator[int]:
        """Yield the requests that changed what a delivery is about, and the one that gave the address of its receiver.

        That is what it names; else what has its address as postbackUrl; else, unless `only_named`, the newest request
        that may have caused it.
        """
        addressed = self._addressed(delivery.path)
        hooks = [one.id for one in addressed if one.operation == "create_webhook"][-1:]
        names = self._names_in(text for _, text in leaves(delivery.parsed_body))
        names = names or [made for one in addressed for made in self.recorded.ids_made(one.id) if one.id not in hooks]
        changes = {one for name in names for one in self._changes_of(name, delivery.received)}
        if changes:
            yield from (*changes, *hooks)
        elif not only_named:
            yield from self._nameless(delivery, hooks)

    def _addressed(self, path: str) -> list[Exchange]:
        """Return the requests that gave the receiver's address with this path, as a webhook's url or as postbackUrl."""
        address = f'{path}"'.encode()
        changes = (one for one in self.recorded.bundle.exchanges if one.request.method in CHANGES and one.ok)
        return [one for one in changes if path != "/" and address in one.request.body]

    def _nameless(self, delivery: Delivery, hooks: list[int]) -> Iterator[int]:
        """Yield the newest request that may have caused a delivery; of a webhook, by the test that made it."""
        event = str(next((found for one in EVENT_NAME_FIELD.values() if (found := at(delivery.parsed_body, one))), ""))
        tests = {self.recorded.bundle.exchange[one].test for one in hooks}
        kind = "transfer" if event.startswith("transfer") else "charge"
        operations = [BUSINESS_CAUSES[event]] if event in BUSINESS_CAUSES else [f"{one}_{kind}" for one in ACTS]
        for one in reversed(self.recorded.bundle.exchanges):
            if one.operation in operations and one.started <= delivery.received and (not tests or one.test in tests):
                yield from (*hooks, one.id)
                return

    def _hooks_of(self, exchange: Exchange, judgement: Judgement) -> Iterator[int]:
        """Yield the requests that registered the webhooks of the test of a judgement on what an exchange sends."""
        if _is_about_events(judgement):
            hooks = [
                one
                for one in self.recorded.bundle.exchanges
                if one.operation == "create_webhook" and one.ok and one.role == exchange.role and one.id < exchange.id
            ]
            event = next((str(one["arguments"]["event"]) for one in judgement.matchers if _has_event(one)), "")
            fitting = [one for one in hooks if event in one.request.json_object.get("events", ())] if event else hooks
            own = [one.id for one in fitting if one.test == judgement.test]
            yield from own or [one.id for one in fitting[-1:]]

    def _changes_of(self, name: str, until: float) -> Iterator[int]:
        """Yield the requests that made and changed what has a name, an id or a label, sent before a moment."""
        naming = self.recorded.changes_of(name)
        ids = [made for number in naming for made in self.recorded.ids_made(number)]
        for number in naming.union(*(self.recorded.changes_of(one) for one in ids)):
            one = self.recorded.bundle.exchange.get(number)
            if one is not None and one.started <= until:
                yield number

    def _names_in(self, texts: Iterable[str]) -> list[str]:
        """Return the names of objects of this run in some texts, in their order."""
        words = (word for text in texts for word in [text, *re.findall(r"[\w-]+", text)])
        return [word for word in dict.fromkeys(words) if len(word) >= SHORTEST_ID and self.recorded.changes_of(word)]

    def _listed(self, read: Exchange, judgement: Judgement, until: float) -> Iterator[int]:
        """Yield what made the objects of which a read of a whole account shows something wrong: the first few."""
        if not self._is_of_account(read):
            return
        wrong = next((found for one in judgement.mismatches if (found := _wrong_part(read, one)) is not MISSING), None)
        if wrong is None and self._names_in(judgement.mismatches):
            return
        body = read.parsed_body if wrong is None else wrong
        names = list(dict.fromkeys([*self._ids_in(body), *self._names_in(text for _, text in leaves(body))]))
        for name in names[:MOST_NAMED]:
            yield from self._changes_of(name, until)
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
        for one in reversed(self.recorded.bundle.exchanges):
            if one.id < read.id and (one.api, one.role) == (read.api, read.role) and one.operation in PAYS and one.ok:
                yield one.id
                return

    def _with_dependencies(self, about: set[int]) -> set[int] | None:
        """Add the requests that these depend on; None if there are too many."""
        chosen: set[int] = set()
        for number in sorted(about):
            chain = self.recorded.chain(number)
            if chain is None:
                return None
            chosen |= {one.id for one in chain}
        for number in list(chosen):
            chosen |= self._logins(self.recorded.bundle.exchange[number])
        return chosen if len(chosen) <= LONGEST_CHAIN else None

    def _logins(self, user: Exchange) -> set[int]:
        """Return the login of a token that was kept on purpose, and the earlier uses of the token in the same test."""
        login = self.recorded.bundle.exchange.get(user.request.login)
        if login is None:
            return set()
        aged = self.recorded.age(user) - self.recorded.age(login) >= AGED_S
        if not aged:
            return set()
        uses = {
            one.id
            for one in self._by_login.get(login.id, ())
            if one.test == user.test and one.id < user.id and one.operation == "get_balance"
        }
        return {login.id, *uses}

    @cached_property
    def _by_login(self) -> dict[int, list[Exchange]]:
        found: dict[int, list[Exchange]] = {}
        for one in self.recorded.bundle.exchanges:
            found.setdefault(one.request.login, []).append(one)
        return found


def _is_about_events(judgement: Judgement) -> bool:
    """Whether a judgement is on the events that a request sends."""
    return area(judgement.requirement) == AREAS["EVT"] or any(
        str(one.get("name", "")).startswith("events.") for one in judgement.matchers
    )


def _has_event(row: Mapping[str, Any]) -> bool:
    """Whether a recorded matcher is about an event of one name."""
    return isinstance(row.get("arguments"), dict) and "event" in row["arguments"]


def _strings(value: Any) -> Iterator[str]:
    """Walk the strings of a recorded matcher, but not its own words."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            if key not in {"matcher", "words", "name"}:
                yield from _strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)


def _is_masked(exchange: Exchange) -> bool:
    sent = exchange.request
    return MASK in sent.url or MASK.encode() in sent.body or any(MASK in value for _, value in sent.headers)


def _wrong_part(read: Exchange, mismatch: str) -> Any:
    """Return the element of a list in which a path such as `$.transactions[0].entries[0]` lies; MISSING without one."""
    found = re.search(r"\$\.(\w+(?:\.\w+)*)\[(\d+)\]", mismatch)
    return at(read.parsed_body, f"{found[1]}.{found[2]}") if found else MISSING
