"""What failures of one cause have in common: a message, an object, or an operation and what is wrong with it."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pix_conformance.checks.conclusion import Broken
from pix_conformance.checks.matchers import Matcher, NotField, Status, StatusClass, read
from pix_conformance.checks.passive import MatchesDescription
from pix_conformance.checks.schema import VALIDATOR, Finding, judge_answer, judge_event
from pix_conformance.model import openapi
from pix_conformance.model.areas import area
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import api_of, name_in
from pix_conformance.model.exchange import DELIVERS_EVENT, Exchange
from pix_conformance.model.operations import find
from pix_conformance.model.subject import MISSING, at
from pix_conformance.model.undecided import SERVER_ERROR
from pix_conformance.model.vocabulary import Api, Judgement
from pix_conformance.recording.bundle.values import UNMET, Entry
from pix_conformance.report.recorded_exchanges import CHANGES, RecordedExchanges, is_change, leaves

COMPARED = 12
"""Failures of one requirement that are compared with those of others."""
REFUSED = 400
"""From this status on a request is refused."""
STATE = re.compile("[a-z_]+")
"""The value of a field that names a state or a kind, such as `pending`: which one it is says what is wrong."""
INDEX = re.compile(r"(?:^|\.)\d+(?=\.|$)|\[\d+\]")

Sign = tuple[str, ...]
"""A kind, and what of it. No sign is made of the words of a sentence."""


@dataclass(frozen=True)
class Signs:
    """The signs of the failures of one recording: two with a sign in common have one cause."""

    recorded: RecordedExchanges

    def of(self, entry: Entry) -> set[Sign]:
        """Return the signs of the failures of a requirement."""
        missed = entry.missed[:COMPARED]
        signs = {sign for judgement in missed for sign in self._of_judgement(judgement)}
        described = [judgement.evidence for judgement in missed if is_of_description(judgement)]
        unexpected = [evidence for evidence in described if evidence in self._of_wrong_status]
        if unexpected and 2 * len(unexpected) >= len(missed):
            signs |= {("message", evidence) for evidence in unexpected}
        for verdict in entry.verdicts if not missed else ():
            if verdict.outcome in UNMET:
                signs |= (
                    {("error", verdict.source_line)}
                    if verdict.source_line
                    else {("message", name) for name in verdict.evidence}
                )
        return signs

    @cached_property
    def _of_wrong_status(self) -> set[str]:
        """The responses whose status a test found wrong: what their bodies lack is no cause of its own."""
        missed = (judgement for entry in self.recorded.bundle.entries for judgement in entry.missed)
        return {judgement.evidence for judgement in missed if self._status_matcher(judgement)}

    def _status_matcher(self, judgement: Judgement) -> Status | StatusClass | None:
        matchers = self._broken(judgement)
        return next((matcher for matcher in matchers if isinstance(matcher, Status | StatusClass)), None)

    def _broken(self, judgement: Judgement) -> list[Matcher]:
        """Return the matchers of a test that the recorded message breaks, but for those that compare messages."""
        message = self.recorded.bundle.message(judgement.evidence)
        rows = [] if is_of_description(judgement) or message is None else judgement.matchers
        known = [matcher for row in rows if row.get("matcher") != "relation" and (matcher := _read(row))]
        return [matcher for matcher in known if message and isinstance(matcher.judge(message), Broken)]

    def _of_judgement(self, judgement: Judgement) -> Iterator[Sign]:
        message = self.recorded.bundle.message(judgement.evidence)
        if message is None:
            return
        if (message.status or 0) >= SERVER_ERROR:
            yield from self._of_status(message)
        if is_of_description(judgement):
            for finding in findings(message):
                if finding.requirement == judgement.requirement and finding.mismatch:
                    yield _of_field(message, INDEX.sub(".*", finding.json_path).lstrip("$."), finding.keyword)
            return
        yield "message", judgement.evidence
        if matcher := self._status_matcher(judgement):
            is_refused = message.status and message.status >= REFUSED
            yield from self._of_status(message, *([] if is_refused else [str(matcher.to_dict())]))
            if self._may_share_a_cause(message):
                yield "status", area(judgement.requirement), str(message.status), str(matcher.to_dict())
            yield from _of_wrong_formats(message)
            if isinstance(message, Exchange) and self._is_about_known_object(message):
                yield from self._of_behavior(message)
        else:
            yield from self._of_body(judgement, message)

    def _of_status(self, message: Exchange | Delivery, *expected: str) -> Iterator[Sign]:
        """Yield operation and status of an answer, where other answers of this status have the same cause."""
        if self._may_share_a_cause(message):
            yield "status", operation_of(message), str(message.status), *expected

    def _may_share_a_cause(self, message: Exchange | Delivery) -> bool:
        """Whether one cause may have given several messages their status.

        A webhook endpoint answers all events at one route: only a status that most of them have is of one cause.
        """
        if not isinstance(message, Exchange) or message.operation != DELIVERS_EVENT:
            return True
        return 2 * self._statuses_of_events[message.api, message.status] > self._statuses_of_events[message.api]

    @cached_property
    def _statuses_of_events(self) -> Counter[object]:
        """How many events an endpoint was sent, by API, and by API and status of its answers."""
        events = [exchange for exchange in self.recorded.bundle.exchanges if exchange.operation == DELIVERS_EVENT]
        return Counter(key for event in events for key in (event.api, (event.api, event.status)))

    def _of_body(self, judgement: Judgement, message: Exchange | Delivery) -> Iterator[Sign]:
        """Yield the fields that a test found wrong, and the comparisons with other messages."""
        broken = self._broken(judgement)
        is_refused = (message.status or 0) >= REFUSED
        if is_refused:
            yield from self._of_status(message)
        for matcher in broken:
            path = getattr(matcher, "path", "")
            yield _of_field(message, path)
            if not is_refused and (isinstance(matcher, NotField) or _state(message, path)):
                yield from self._of_behavior(message)
        for row in judgement.matchers if len(broken) < len(judgement.mismatches) else ():
            if row.get("matcher") == "relation":
                yield "relation", operation_of(message), str(row.get("name"))
                fields = list(self._of_compared(row.get("arguments", {}), message))
                yield from fields or self._of_behavior(message)

    def _of_compared(self, arguments: Mapping[str, Any], message: Exchange | Delivery) -> Iterator[Sign]:
        """Yield the field in which a message differs from others, for each of them."""
        several = arguments.get("names")
        only = several if isinstance(several, list) and len(several) == 1 else []
        names = [arguments.get("path"), arguments.get("name"), *only]
        evidence = [str(value.get("evidence")) for value in arguments.values() if isinstance(value, dict)]
        others = [other for name in evidence if (other := self.recorded.bundle.message(name))]
        for name in (name for name in names if isinstance(name, str)):
            for other in (message, *others):
                is_enveloped = "." not in name and isinstance(at(other.parsed_body, "data"), dict)
                yield _of_field(other, f"data.{name}" if is_enveloped else name)

    def _of_behavior(self, message: Exchange | Delivery) -> Iterator[Sign]:
        """Yield the objects of a message, and operation and role of the last request before it that changed them."""
        if isinstance(message, Delivery):
            yield "event", operation_of(message)
        names = self._names(message)
        for name in names:
            maker = self.recorded.bundle.exchange.get(min(self.recorded.changes_of(name)))
            if maker and (isinstance(message, Delivery) or maker.test == message.test):
                yield "object", maker.evidence
        last = self._last_change(message, names)
        if last and self._may_share_a_cause(last):
            yield "change", f"{last.api}.{last.operation}", last.role

    def _names(self, message: Exchange | Delivery) -> list[str]:
        """Return the names of the objects of this run that a message is about."""
        if isinstance(message, Delivery):
            return self.recorded.names_in(text for _, text in leaves(message.parsed_body))
        names = [*self.recorded.names(message), *self.recorded.ids_made(message.id)]
        return [name for name in names if self.recorded.changes_of(name)]

    def _is_about_known_object(self, exchange: Exchange) -> bool:
        """Whether a request is about an object: its path names one, or its key was used before."""
        row = find(exchange.api, exchange.operation)
        earlier = (number < exchange.id for name in self._names(exchange) for number in self.recorded.changes_of(name))
        return (row is not None and row.id_parameter is not None) or any(earlier)

    def _last_change(self, message: Exchange | Delivery, names: Iterable[str]) -> Exchange | None:
        """Return the message itself if it is a change, else the last one of its objects, else of its test."""
        if isinstance(message, Exchange) and message.request.method in CHANGES:
            return message
        until = message.received if isinstance(message, Delivery) else message.started
        numbers = {number for name in names for number in self.recorded.changes_before(name, until)}
        if isinstance(message, Exchange):
            numbers = numbers or {
                exchange.id
                for exchange in self.recorded.bundle.exchanges
                if exchange.test == message.test and exchange.id < message.id and is_change(exchange)
            }
            numbers = numbers or {message.id}
        return self.recorded.bundle.exchange[max(numbers)] if numbers else None


def is_of_description(judgement: Judgement) -> bool:
    """Whether a judgement says that a message is not as described: what a test expected of it is no part of it."""
    words = [row.get("matcher") for row in judgement.matchers]
    return not words or MatchesDescription.word in words


def operation_of(message: Exchange | Delivery) -> str:
    """Return the operation of an exchange, as `api.operation`, or the name of an event."""
    if isinstance(message, Exchange):
        return f"{message.api}.{message.operation}"
    return name_in(message.parsed_body) or "event"


def _read(row: dict[str, Any]) -> Matcher | None:
    """Read a matcher; None for one that this suite does not know, or that compares with other messages."""
    try:
        return read(row)
    except (KeyError, TypeError):
        return None


def findings(message: Exchange | Delivery) -> list[Finding]:
    """Judge the body of a message by its schema."""
    if isinstance(message, Delivery):
        api = api_of(message)
        return judge_event(api, name_in(message.parsed_body) or "", message.body) if api else []
    if message.status is None or message.operation is None or message.api not in tuple(Api):
        return []
    return judge_answer(Api(message.api), message.operation, message.status, message)


def _of_field(message: Exchange | Delivery, path: str, keyword: str = "") -> Sign:
    """Return the sign of a wrong value, or of the object that lacks something."""
    parts = path.split(".") if path else []
    if keyword == "required":
        return "absent", operation_of(message), path
    if "*" not in parts:
        for count in range(1, len(parts) + 1):
            if at(message.parsed_body, ".".join(parts[:count])) is MISSING:
                return "absent", operation_of(message), INDEX.sub(".*", ".".join(parts[: count - 1]))
    return "field", operation_of(message), INDEX.sub(".*", path), _state(message, path)


def _of_wrong_formats(message: Exchange | Delivery) -> Iterator[Sign]:
    """Yield the formats, such as that of a URI, which an accepted request breaks: one check serves all such fields."""
    if not isinstance(message, Exchange) or (message.status or 0) >= REFUSED:
        return
    operation = find(message.api, message.operation)
    schema = openapi.request_schema(operation.api, operation.name) if operation else None
    for error in VALIDATOR.descend(message.request.json_object, schema or {}):
        if error.validator == "format":
            yield "format", message.api, str(error.validator_value), str(message.status and message.status // 100)


def _state(message: Exchange | Delivery, path: str) -> str:
    """Return the value of a field if it names a state or a kind; else empty."""
    value = at(message.parsed_body, path)
    return value if isinstance(value, str) and STATE.fullmatch(value) else ""
