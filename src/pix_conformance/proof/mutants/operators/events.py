"""Operators of events, for both APIs: not sent, under another name, with another payload, sent without reason."""

from collections.abc import Callable
from typing import Any, ClassVar

from pix_conformance.proof.difference import Difference
from pix_conformance.proof.mutants.operators.either_api import EitherApi
from pix_conformance.proof.mutants.operators.json_values import changed
from pix_conformance.proof.mutants.operators.responses import REFUSED, in_words, value
from pix_conformance.proof.situation import Situation
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.store import Row

GROUP = "events"
INVENTED_CENTS = 77_000_000
Payload = dict[str, Any]


class Silent(EitherApi):
    """Sends no event of one name."""

    event: ClassVar[str]

    def should_emit(self, event: str, row: Row) -> bool:
        return event != self.event and super().should_emit(event, row)


def no_event(event: str) -> Difference:
    """Do not send an event."""
    return Difference(f"No {event} is sent.", Silent, {"event": event}, GROUP)


class PayloadChanged(EitherApi):
    """Changes one value in the payloads of some events."""

    events: ClassVar[tuple[str, ...]]
    where: ClassVar[str]
    change: ClassVar[Any]

    def event_payload(self, event: str, *about: Any) -> Payload:
        payload = super().event_payload(event, *about)
        wrong: Payload = changed(payload, self.where.split("."), self.change)
        return wrong if event in self.events or not self.events else payload


def in_payload(where: str, change: Any, *events: str) -> Difference:
    """Change the value at a path of the payload ("" is the whole), or leave it out: GONE. No events are all of them."""
    place = f"the event {' or '.join(events)}" if events else "every event"
    sentence = f"In {place}, {where or 'the payload'} {in_words(change)}."
    return Difference(
        sentence, PayloadChanged, {"events": events, "where": where, "change": staticmethod(value(change))}, GROUP
    )


class LaterAttemptsChanged(EitherApi):
    """Writes another payload from the second attempt on."""

    change: ClassVar[Any]

    def write_event(self, attempt: int, payload: Payload, *about: Any) -> tuple[bytes, dict[str, str]]:
        return super().write_event(attempt, payload if attempt == 1 else self.change(payload), *about)


def in_later_attempts(where: str, change: Any) -> Difference:
    """Change the value at a path of the payload from the second attempt on."""
    sentence = f"From the second attempt on, {where or 'the payload'} of an event is wrong."
    return Difference(
        sentence,
        LaterAttemptsChanged,
        {"change": staticmethod(lambda payload: changed(payload, where.split("."), value(change)))},
        GROUP,
    )


def emit(rules: Any, event: str, row: Row) -> None:
    """Send an event of either API about a charge or transfer."""
    kind = "transfer" if event.startswith("transfer") else "transaction"
    about = (row,) if event.startswith("business.") else (kind, row)
    with rules.store.transaction():
        rules.emit(event, *about)


class SendsThoughRefused(EitherApi):
    """Sends an event when it has refused."""

    event: ClassVar[str]
    operation: ClassVar[str]
    kind: ClassVar[str]
    row: ClassVar[Any]
    about: ClassVar[Any]

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        here = call.operation == self.operation and refusal.kind == self.kind and self.about(refusal.message)
        if here and (row := self.row(self, call)):
            emit(self, self.event, row)
        return super().refused(call, refusal)


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
    members = {"event": event, "operation": operation, "kind": kind, "row": staticmethod(row)}
    sentence = f"A {operation} that is refused ({kind.replace('_', ' ')}) sends {event}."
    return Difference(sentence, SendsThoughRefused, members | {"about": staticmethod(about)}, GROUP)


class SendsAgain(EitherApi):
    """Sends an event once more."""

    event: ClassVar[str]
    operation: ClassVar[str]

    def respond(self, call: Call, answer: Answer) -> Answer:
        if call.operation == self.operation and answer.status < REFUSED:
            emit(self, self.event, Situation(self, (call, answer)).row)
        return super().respond(call, answer)


def sends_again(event: str, operation: str) -> Difference:
    """Send an event of an operation twice, each with an id of its own."""
    members = {"event": event, "operation": operation}
    return Difference(f"A {operation} sends {event} twice, with two ids.", SendsAgain, members, GROUP)


class SendsBesides(EitherApi):
    """Sends, after each event of one name, another one."""

    after: ClassVar[str]
    event: ClassVar[str]
    columns: ClassVar[Any]

    def emit(self, event: str, *about: Any) -> None:
        super().emit(event, *about)
        if event == self.after:
            super().emit(self.event, *[*about[:-1], about[-1] | self.columns(about[-1])])


def sends_besides(after: str, event: str, **changes: Any) -> Difference:
    """Send another event after each of one name, about the same row with these columns changed."""
    members = {"after": after, "event": event, "columns": staticmethod(lambda _: changes)}
    return Difference(f"After {after}, {event} is sent as well.", SendsBesides, members, GROUP)


def invents(event: str, after: str = "", **changes: Any) -> Difference:
    """Send an event about something that does not exist: of another amount, and with these columns changed.

    It comes after one that is right, of the same name if no other is given.
    """

    def columns(row: Row) -> Row:
        return {"amount": row["amount"] + INVENTED_CENTS} | changes

    members = {"after": after or event, "event": event, "columns": staticmethod(columns)}
    return Difference(f"{event} is sent about something that does not exist.", SendsBesides, members, GROUP)
