"""Operators of events, for both APIs: not sent, under another name, with another payload, sent without reason."""

import json
from collections.abc import Callable
from typing import Any

from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.difference import Difference, changes_arguments, changes_result, overrides, setting
from pix_conformance.sandbox.guards import Situation
from pix_conformance.sandbox.mutants.operators.responses import REFUSED
from pix_conformance.sandbox.mutants.operators.values import changed, in_words

INVENTED_CENTS = 77_000_000
Payload = dict[str, Any]


def no_event(event: str) -> Difference:
    sentence = f"No {event} is sent."
    return changes_result(sentence, should_emit=lambda _, right, name, _row: right and name != event).of("events")


def in_payload(where: str, change: Any, *events: str) -> Difference:
    """Change the value at a path of the payload ("" is the whole), or leave it out: GONE. No events are all of them."""

    def payload(_rules: Any, right: Payload, event: str, *_about: Any) -> Any:
        return changed(right, where, change) if event in events or not events else right

    place = f"the event {' or '.join(events)}" if events else "every event"
    sentence = f"In {place}, {where or 'the payload'} {in_words(change)}."
    return changes_result(sentence, event_payload=payload).of("events")


def in_later_attempts(where: str, change: Any) -> Difference:
    """Change the value at a path of the payload from the second attempt on."""

    def arguments(_rules: Any, attempt: int, payload: Payload, *about: Any) -> tuple[Any, ...]:
        return attempt, payload if attempt == 1 else changed(payload, where, change), *about

    sentence = f"From the second attempt on, {where or 'the payload'} of an event is wrong."
    return changes_arguments(sentence, write_event=arguments).of("events")


def emit(rules: Any, event: str, row: Row) -> None:
    """Send an event of either API about a charge or transfer."""
    kind = "transfer" if event.startswith("transfer") else "transaction"
    about = (row,) if event.startswith("business.") else (kind, row)
    with rules.store.transaction():
        rules.emit(event, *about)


def sends_though_refused(
    event: str,
    operation: str,
    kind: str,
    row: Callable[[Any, Call], Row | None],
    about: Callable[[str], object] = bool,
) -> Difference:
    """Refuse an operation for a reason of some kind, and send an event about a row all the same.

    `about` judges the message, to choose some refusals of the kind.
    """

    def refuse(rules: Any, answer: Answer, call: Call, refusal: Refusal) -> Answer:
        meant = call.operation == operation and refusal.kind == kind and about(refusal.message)
        if meant and (subject := row(rules, call)):
            emit(rules, event, subject)
        return answer

    sentence = f"A {operation} that is refused ({kind.replace('_', ' ')}) sends {event}."
    return changes_result(sentence, refused=refuse).of("events")


def sends_again(event: str, operation: str) -> Difference:
    """Send an event of an operation twice, each with an id of its own."""

    def respond(rules: Any, answer: Answer, call: Call, _answer: Answer) -> Answer:
        if call.operation == operation and answer.status < REFUSED:
            emit(rules, event, Situation(rules, (call, answer)).row)
        return answer

    return changes_result(f"A {operation} sends {event} twice, with two ids.", respond=respond).of("events")


def _sends_besides(sentence: str, after: str, event: str, columns: Callable[[Row], Row]) -> Difference:
    """Send another event after each of one name, about the same row with other columns."""

    def send(_rules: Any, right: Callable[..., None], name: str, *about: Any) -> None:
        right(name, *about)
        if name == after:
            right(event, *about[:-1], about[-1] | columns(about[-1]))

    return overrides(sentence, emit=send).of("events")


def sends_besides(after: str, event: str, **changes: Any) -> Difference:
    """Send another event after each of one name, about the same row with these columns changed."""
    return _sends_besides(f"After {after}, {event} is sent as well.", after, event, lambda _: changes)


def invents(event: str, **changes: Any) -> Difference:
    """Send each event of one name once more, about what does not exist: another amount, these columns changed."""
    sentence = f"{event} is sent about something that does not exist."
    return _sends_besides(sentence, event, event, lambda row: {"amount": row["amount"] + INVENTED_CENTS} | changes)


def emit_once(rules: Any, right: Callable[..., None], event: str, row: Row) -> None:
    """Send an event about a row the first time only; for `overrides`."""
    sent = rules.__dict__.setdefault("sent", set())
    if (event, row["id"]) not in sent:
        right(event, row)
    sent.add((event, row["id"]))


def not_to_webhooks(event: str, **others: Any) -> Difference:
    """Send an event to no webhook; `others` are attributes of the rules that differ too."""
    return setting(
        f"No webhook receives {event}.",
        subscribes=lambda _, hook, name: name != event and name in json.loads(hook["events"]),
        **others,
    )


def not_to_postback(event: str, **others: Any) -> Difference:
    """Send an event to no postbackUrl; `others` are attributes of the rules that differ too."""
    return setting(f"No postbackUrl receives {event}.", posts_back=lambda _rules, name, _row: name != event, **others)


def to_webhooks_for(other: str, event: str) -> Difference:
    """Send an event to the webhooks that subscribe to another one, too."""
    return changes_result(
        f"{event} reaches the webhooks for {other} too.",
        subscribes=lambda _, right, hook, name: right or (name == event and other in json.loads(hook["events"])),
    )


def to_some_webhooks(sentence: str, choose: Callable[[list[Row]], list[Row]]) -> Difference:
    """Send an event to some of the webhooks that subscribe to it, which are in the order of their creation."""
    return changes_result(sentence, listeners=lambda _rules, right, _event, _owner: choose(right))


def to_other_url(sentence: str, change: Callable[[str], str], *, postback: bool) -> Difference:
    """Send what is for webhooks, or for a postbackUrl, to another URL."""
    return changes_arguments(
        sentence,
        send_webhook_request=lambda _, url, payload, hook: (
            change(url) if (hook is None) is postback else url, payload, hook),
    )  # fmt: skip


def without_query(url: str) -> str:
    return url.partition("?")[0]
