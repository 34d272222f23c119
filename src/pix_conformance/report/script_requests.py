"""The requests that show a failure again: those of its test, and those that made what these name."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice, pairwise

from pix_conformance.checks.built_routes import IsBuilt
from pix_conformance.model.areas import AREAS, area
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import name_in
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.operations import Effect, find, of
from pix_conformance.model.vocabulary import MASK, Api, Judgement
from pix_conformance.report.credit_scripts import events_of, is_about_credit
from pix_conformance.report.recorded_exchanges import CHANGES, RecordedExchanges, is_change, is_simultaneous, leaves
from pix_conformance.report.signs import is_of_description

MESSAGE = re.compile(r"\b(?:exchange|delivery) \d+\b")
AMOUNTS = ("amount_cents", "amountInCents", "amount")
MOST_OF_TEST = 250
"""A test that sends more than so many requests generates them: those that a failure depends on are sent."""
MOST_NAMED = 3
"""Of the objects in a response or a sentence, the requests that made so many of the first are sent."""
LONG_S = 5.0
"""From so many seconds on a wait counts when failures are compared."""


def easiest_first(recorded: RecordedExchanges, missed: Sequence[Judgement]) -> list[Judgement]:
    """Order the failures of a requirement: those first that are the easiest to show again.

    These are responses before events, without simultaneous requests, soon after few others of the same test.
    """
    return sorted(missed, key=lambda judgement: _effort(recorded, judgement))


def _effort(recorded: RecordedExchanges, judgement: Judgement) -> tuple[bool, bool, bool, int, int]:
    message = recorded.bundle.message(judgement.evidence)
    if not isinstance(message, Exchange):
        return message is None, True, False, 0, 0
    if message.by_integration:
        events = events_of(recorded.bundle, judgement)
        race = any(is_simultaneous(event, other) for event, other in pairwise(events))
        is_cut = any(event.response is None for event in events)
        is_untold = is_about_credit(judgement) and not events
        return is_untold or judgement.smallest_of > 0, is_cut, race, 0, len(events)
    before = [exchange for exchange in recorded.by_test[message.test] if exchange.id < message.id]
    waits = recorded.sent_at(message) - recorded.sent_at(before[0]) if before else 0.0
    race = any(is_simultaneous(message, other) for other in recorded.by_test[message.test] if other is not message)
    race = race or bool(simultaneous_before(recorded, judgement))
    return is_masked(message), False, race, int(waits // LONG_S), len(before)


def is_masked(exchange: Exchange) -> bool:
    """Whether a part of a request is masked, so that it cannot be sent again."""
    sent = exchange.request
    return MASK in sent.url or MASK.encode() in sent.body or any(MASK in value for _, value in sent.headers)


def messages_of(recorded: RecordedExchanges, judgement: Judgement) -> list[Exchange | Delivery]:
    """Return the messages that a judgement is about: its own first, then those that it is compared with."""
    words = f"{json.dumps(judgement.matchers)} {' '.join(judgement.mismatches)}"
    evidence = dict.fromkeys([judgement.evidence, *MESSAGE.findall(words)])
    return [message for name in evidence if (message := recorded.bundle.message(name))]


def simultaneous_before(recorded: RecordedExchanges, judgement: Judgement) -> list[Exchange]:
    """Return the simultaneous requests whose result a later message shows, if the failure is on that message."""
    messages = messages_of(recorded, judgement)
    if not messages or (isinstance(messages[0], Exchange) and messages[0].group):
        return []
    compared = [message for message in messages[1:] if isinstance(message, Exchange) and message.group]
    races = {(message.test, message.group, message.operation) for message in compared}
    return [
        exchange
        for test in dict.fromkeys(message.test for message in compared)
        for exchange in recorded.by_test[test]
        if (test, exchange.group, exchange.operation) in races and exchange.started <= _begin(messages[0])
    ]


def _begin(message: Exchange | Delivery) -> float:
    return message.started if isinstance(message, Exchange) else message.received


def requests_of(recorded: RecordedExchanges, judgement: Judgement) -> list[Exchange]:
    """Return the requests that show a failure, in the order in which they were sent; none if it was not recorded."""
    messages = messages_of(recorded, judgement)
    about = [message for message in messages if isinstance(message, Exchange)]
    numbers = {exchange.id for exchange in about}
    for delivery in (message for message in messages if isinstance(message, Delivery)):
        numbers |= set(causing(recorded, delivery))
    numbers |= set(judgement.steps) & recorded.bundle.exchange.keys()
    is_of_one_message = is_of_description(judgement) or is_of_route(judgement)
    is_of_test = not (judgement.steps or judgement.smallest_of or is_of_one_message)
    own = _of_test(recorded, judgement, about) if is_of_test and about else []
    if len(own) > MOST_OF_TEST or not any(map(is_change, own)):
        numbers |= set(_compared(recorded, judgement, about)) or set(_newest_listed(recorded, about))
    numbers |= {exchange.id for exchange in own if len(own) <= MOST_OF_TEST}
    if numbers and is_about_events(judgement):
        numbers |= set(_webhooks(recorded, judgement, max(numbers)))
    numbers |= set(_of_amounts(recorded, judgement, max(numbers, default=0)))
    numbers |= set(_funds(recorded, numbers))
    every = [recorded.bundle.exchange[number] for number in sorted(_with_makers(recorded, numbers, judgement))]
    return _without_polls(every, {exchange.id for exchange in about})


def is_of_route(judgement: Judgement) -> bool:
    """Whether a judgement says that a route is not built."""
    return any(row.get("matcher") == IsBuilt.word for row in judgement.matchers)


def _of_test(recorded: RecordedExchanges, judgement: Judgement, about: Sequence[Exchange]) -> list[Exchange]:
    """Return what a test sent up to the last exchange of a judgement; of a test of the whole run, what others sent."""
    last = max(exchange.id for exchange in about)
    tests = {judgement.test} if recorded.by_test.get(judgement.test) else {exchange.test for exchange in about}
    return [exchange for test in tests for exchange in recorded.by_test[test] if exchange.id <= last]


def _compared(recorded: RecordedExchanges, judgement: Judgement, about: Iterable[Exchange]) -> Iterator[int]:
    """Yield what made and changed the objects that a judgement or its responses name: the first few."""
    names = recorded.names_in([*judgement.mismatches, *(text for _, text in leaves(list(judgement.matchers)))])
    for exchange in about:
        changes = exchange.request.method in CHANGES
        texts = () if changes or names else (text for _, text in leaves(exchange.parsed_body))
        for name in (*names[:MOST_NAMED], *recorded.names_in(texts)[:MOST_NAMED], *recorded.names(exchange)):
            yield from recorded.changes_before(name, exchange.started)


def _newest_listed(recorded: RecordedExchanges, about: Iterable[Exchange]) -> Iterator[int]:
    """Yield, for each list that names no object, what made the newest one of its kind that was not removed before."""
    for listing in about:
        row = find(listing.api, listing.operation)
        if row is None or row.effect is not Effect.LISTS:
            continue
        creations = {creation.name for creation in of(row.api, Effect.CREATES) if creation.kind == row.kind}
        makers = (
            exchange.id
            for exchange in reversed(recorded.bundle.exchanges)
            if exchange.id < listing.id and exchange.ok and exchange.operation in creations
            if (exchange.api, exchange.role) == (listing.api, listing.role)
            if not any(_is_removed(recorded, name, listing.started) for name in recorded.ids_made(exchange.id))
        )
        yield from islice(makers, 1)


def _is_removed(recorded: RecordedExchanges, name: str, until: float) -> bool:
    changes = (recorded.bundle.exchange[number] for number in recorded.changes_before(name, until))
    rows = (find(change.api, change.operation) for change in changes)
    return any(row is not None and row.effect is Effect.REMOVES for row in rows)


def _of_amounts(recorded: RecordedExchanges, judgement: Judgement, last: int) -> Iterator[int]:
    """Yield what made and changed the objects of the amounts that are compared: a posting names no charge."""
    amounts = set(map(int, re.findall(r"(?<![\w.-])\d{4,9}(?![\w.-])", json.dumps(judgement.matchers))))
    for exchange in recorded.bundle.exchanges if amounts else ():
        body = exchange.request.json_object
        if exchange.id < last and any(isinstance(body.get(name), int) and body[name] in amounts for name in AMOUNTS):
            for name in recorded.ids_made(exchange.id):
                yield from (number for number in recorded.changes_of(name) if number < last)


def _without_polls(requests: Sequence[Exchange], about: AbstractSet[int]) -> list[Exchange]:
    """Leave out a query that is followed by the same one again, unless the failure is about it."""
    first = [
        request
        for request, after in pairwise(requests)
        if request.id in about or request.request.method != "GET" or not _is_same(request, after)
    ]
    return [*first, *requests[-1:]]


def _is_same(request: Exchange, other: Exchange) -> bool:
    return (request.test, request.role, request.request.method, request.request.url) == (
        *(other.test, other.role, other.request.method, other.request.url),
    ) and not is_simultaneous(request, other)


def causing(recorded: RecordedExchanges, delivery: Delivery) -> Iterator[int]:
    """Yield what made and changed the objects that a delivery names, and what gave the target its address.

    If it names none, they are those that gave the address, else the last request that announces such an event.
    """
    addressed = _addressed(recorded, delivery.path)
    yield from addressed
    names = recorded.names_in(text for _, text in leaves(delivery.parsed_body))
    names = names or [name for number in addressed for name in recorded.ids_made(number)]
    changes = {number for name in names for number in recorded.changes_before(name, delivery.received)}
    yield from changes
    if not changes - set(addressed):
        event = name_in(delivery.parsed_body)
        announced = {row.name for api in Api for row in of(api) if event and row.event == event}
        before = (exchange for exchange in recorded.bundle.exchanges if exchange.started <= delivery.received)
        yield from [exchange.id for exchange in before if exchange.operation in announced and exchange.ok][-1:]


def _addressed(recorded: RecordedExchanges, path: str) -> list[int]:
    """Return the requests that gave the receiver's address with this path, as a webhook's url or as postbackUrl."""
    addresses = f'{path}"'.encode(), f"{path}?".encode()
    changes = (exchange for exchange in recorded.bundle.exchanges if exchange.request.method in CHANGES and exchange.ok)
    return [change.id for change in changes if path != "/" and any(part in change.request.body for part in addresses)]


def is_about_events(judgement: Judgement) -> bool:
    """Whether a judgement is on the events that a request sends."""
    names = (str(matcher.get("name", "")) for matcher in judgement.matchers)
    return area(judgement.requirement) == AREAS["EVT"] or any(name.startswith("events.") for name in names)


def _webhooks(recorded: RecordedExchanges, judgement: Judgement, last: int) -> Iterator[int]:
    """Yield what registered the webhook for the events of a judgement before an exchange: its test, or the latest."""
    role = recorded.bundle.exchange[last].role
    arguments = (row["arguments"] for row in judgement.matchers if isinstance(row.get("arguments"), Mapping))
    events = {str(part["event"]) for part in arguments if "event" in part}
    webhooks = [
        exchange
        for exchange in recorded.bundle.exchanges
        if exchange.operation == "create_webhook" and exchange.ok and exchange.role == role and exchange.id < last
        if events <= set(map(str, exchange.request.json_object.get("events", ())))
    ]
    own = [exchange.id for exchange in webhooks if exchange.test == judgement.test]
    yield from own or [exchange.id for exchange in webhooks[-1:]]


def _funds(recorded: RecordedExchanges, numbers: set[int]) -> Iterator[int]:
    """Yield the payment that brought the most into the account before the first transfer."""
    spending = [recorded.bundle.exchange[number] for number in sorted(numbers) if _spends(recorded, number)]
    if spending:
        first = spending[0]
        payments = (
            (_amount(recorded, exchange), -exchange.id)
            for exchange in recorded.bundle.exchanges
            if exchange.id < first.id and (exchange.api, exchange.role) == (first.api, first.role)
            if exchange.operation == "pay_charge" and exchange.ok
        )
        yield from (-number for _, number in sorted(payments)[-1:])


def _spends(recorded: RecordedExchanges, number: int) -> bool:
    exchange = recorded.bundle.exchange[number]
    row = find(exchange.api, exchange.operation)
    return row is not None and row.moves_money and row.effect is Effect.CREATES


def _amount(recorded: RecordedExchanges, payment: Exchange) -> int:
    """Return the amount of the charge that a request paid, in cents; 0 if it is not known."""
    makers = (recorded.bundle.exchange[number] for number in _makers(recorded, payment))
    amounts = (maker.request.json_object.get("amountInCents") for maker in makers)
    return next((amount for amount in amounts if isinstance(amount, int)), 0)


def _makers(recorded: RecordedExchanges, exchange: Exchange) -> Iterator[int]:
    """Yield what made the objects that a request names."""
    for name in recorded.names(exchange):
        yield from (number for number in recorded.changes_of(name) if name in recorded.ids_made(number))


def _with_makers(recorded: RecordedExchanges, numbers: set[int], judgement: Judgement) -> set[int]:
    """Add what made and changed the objects that these requests name, and the logins that gave their tokens."""
    todo, complete = sorted(numbers), set(numbers)
    while todo:
        exchange = recorded.bundle.exchange[todo.pop()]
        names = recorded.names(exchange)
        changes = {number for name in names for number in recorded.changes_before(name, exchange.started)}
        needed = {number for number in changes if _matters(recorded.bundle.exchange[number], exchange, judgement)}
        if exchange.request.login in recorded.bundle.exchange:
            needed.add(exchange.request.login)
        todo += needed - complete
        complete |= needed
    return complete


def _matters(change: Exchange, user: Exchange, judgement: Judgement) -> bool:
    """Whether a change of an object is sent before another request about it: one that was refused is not."""
    is_of_test = change.test in {user.test, judgement.test}
    return change.id < user.id and (change.ok or change.fault is not None or is_of_test)
