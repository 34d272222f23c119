"""The requests that show a failure again, as numbered curl lines: the one that failed, and what has to be sent before.

Ids that the target gives out are read from its new responses; idempotency keys and external_ref are new each time.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from pix_conformance.checks.comparable_text import UUID
from pix_conformance.model.delivery import HOOKS
from pix_conformance.model.events import name_in
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.json_reader import utf8_or_none
from pix_conformance.model.subject import MISSING, parsed
from pix_conformance.model.vocabulary import Judgement
from pix_conformance.recording.curl import (
    NEW_UUID,
    TOKEN,
    caller_names,
    curl_line,
    pair_of,
    token_line,
    variable,
    with_variables,
)
from pix_conformance.report.dependency_chain import LOGIN, RecordedExchanges, in_common
from pix_conformance.report.pauses import pauses
from pix_conformance.report.requests_of_failure import Causes

RENEWED_AFTER_S = 40
"""Seconds of pauses after which the lines take a new token."""
NONE = "none"
"""The word with which the text begins where no lines show a failure."""


@dataclass
class Names:
    """The texts of a recording that differ each time it is sent, such as ids, and the shell variables for them."""

    variables: dict[str, str] = field(default_factory=dict)

    def name(self, text: str, kind: str) -> str:
        """Return the variable that holds a text, a new one if it has none."""
        number = 1 + sum(name.startswith(f"{kind}_") for name in self.variables.values())
        return self.variables.setdefault(text, f"{kind}_{number}")

    def put_into(self, exchange: Exchange, base_url: str) -> Exchange:
        """Return the exchange with the variables in its path, headers and body."""
        sent = exchange.request
        path = [self._in_path(part) for part in re.split(r"([/?&=])", sent.url.removeprefix(base_url))]
        headers = tuple((name, with_variables(value, self.variables)) for name, value in sent.headers)
        request = replace(sent, url="".join(path), headers=headers, body=self._body(sent.body))
        return replace(exchange, request=request)

    def _in_path(self, part: str) -> str:
        """Write a part of a path: an id, the beginning of one, or one with other characters behind it."""
        if part in self.variables:
            return variable(self.variables[part])
        for old, name in self.variables.items():
            if name.startswith("ID_") and (count := in_common(part, old)):
                return variable(name if count == len(old) else f"{name}:0:{count}") + part[count:]
        return with_variables(part, self.variables)

    def _body(self, body: bytes) -> bytes:
        text = utf8_or_none(body)
        if text is None:
            return body
        for old, name in self.variables.items():
            text = text.replace(json.dumps(old), f'"{variable(name)}"')
            if "://" in old:
                text = text.replace(f'"{old}/', f'"{variable(name)}/')
        return with_variables(text, self.variables).encode("utf-8")


def in_order(missed: Sequence[Judgement]) -> list[Judgement]:
    """Order the failures of a requirement: first those whose lines show it again, with the shortest wait, then few."""
    return sorted(missed, key=_effort)


def _effort(judgement: Judgement) -> tuple[bool, bool, int, int]:
    lines = judgement.curl or NONE
    waits = sum(map(int, re.findall(r"(?m)^sleep (\d+)$", lines)))
    return lines.startswith(NONE), "\nwait\n" in lines, waits, lines.count("\n")


def reproduction(causes: Causes, judgement: Judgement) -> str:
    """Write the lines that show the failure of a judgement again; where none can, `none` and why."""
    message = causes.recorded.bundle.message(judgement.evidence)
    if isinstance(message, Exchange) and message.by_integration:
        return judgement.curl or ""
    cause = causes.of(judgement)
    if cause.hindrance or not cause.steps:
        return f"{NONE}: run --only {judgement.requirement} ({cause.hindrance})"
    lines = Lines(causes.recorded, cause.steps, causes.ages.get(judgement.test or "", 0.0))
    written = "\n".join(lines.all())
    if cause.delivery is None:
        return written
    event = name_in(cause.delivery.parsed_body) or "an event"
    return f"{written}\n# then comes, to {cause.delivery.path}: {event}"


class Lines:
    """Writes the lines of several requests; those that were under way at the same time are sent at the same time."""

    def __init__(self, recorded: RecordedExchanges, steps: Sequence[Exchange], age: float) -> None:
        self._recorded, self._steps = recorded, steps
        self.names = Names()
        """The variables of the lines."""
        self._pauses = pauses(recorded, steps, age)
        self._tokens: dict[str, str] = {}
        """The variable with a token of each pair of credentials."""

    def all(self) -> list[str]:
        """Return the lines."""
        return [*self._new_values(), *self._requests()]

    def _new_values(self) -> Iterator[str]:
        for step in self._steps:
            for label in caller_names(step.request):
                for key in UUID.findall(label):
                    self.names.name(key, "KEY")
        yield from self._keys()
        for address in self._receivers():
            name = self.names.name(address, "RECEIVER")
            yield f"{name}={address}  # the address of your receiver, such as that of pix-receiver"

    def _keys(self) -> Iterator[str]:
        """Choose a new value for each key; one that differs from an earlier one in a digit differs in it again."""
        earlier: dict[str, str] = {}
        for key, name in self.names.variables.items():
            like = [(other, at) for other in earlier if (at := _only_difference(other, key)) is not None]
            if like:
                other, at = like[0]
                base = earlier[other]
                digit = f'$(printf %s "${{{base}:{at}:1}}" | tr 0-9a-f 1-9a-f0)'
                yield f"{name}=${{{base}:0:{at}}}{digit}${{{base}:{at + 1}}}"
            else:
                yield f"{name}={NEW_UUID}"
            earlier[key] = name

    def _receivers(self) -> list[str]:
        """Return the addresses of the run's receiver in the requests, such as `https://127.0.0.1:4711`."""
        urls = (step.request.json_object.get(name) for step in self._steps for name in ("url", "postbackUrl"))
        parts = [urlsplit(url) for url in urls if isinstance(url, str) and HOOKS in url]
        return list(dict.fromkeys(f"{part.scheme}://{part.netloc}" for part in parts))

    def _requests(self) -> Iterator[str]:
        since = 0
        for group in self._groups():
            pause = sum(self._pauses[place] for place in group)
            if pause:
                yield f"sleep {pause}"
            since += pause
            if since >= RENEWED_AFTER_S:
                self._tokens, since = {}, 0
            yield from self._logins(group)
            if len(group) == 1:
                yield from self._words(group[0])
                yield self._sent(group[0])
            else:
                yield from self._race(group)

    def _groups(self) -> list[list[int]]:
        """Return the places of the steps, those together that were under way at the same time."""
        groups: list[list[int]] = []
        for place, step in enumerate(self._steps):
            if groups and any(self._recorded.overlap(self._steps[other], step) for other in groups[-1]):
                groups[-1].append(place)
            else:
                groups.append([place])
        return groups

    def _logins(self, group: Sequence[int]) -> Iterator[str]:
        """Take a token for each pair of credentials in these requests that has none yet."""
        for place in group:
            step = self._steps[place]
            pair = pair_of(step.request)
            if pair and not self._kept(step) and pair not in self._tokens:
                self._tokens[pair] = "".join(re.findall("^PIX_(OTHER_|LIVE_)?", pair)) + TOKEN
                yield token_line(self._tokens[pair], pair)

    def _kept(self, user: Exchange) -> Exchange | None:
        """Return the step that issued the token of a request, if it is one of the steps."""
        return next((step for step in self._steps if step.id == user.request.login and step.operation == LOGIN), None)

    def _words(self, place: int) -> Iterator[str]:
        """Say what a request is, and how it differs from an earlier one of its kind."""
        step, before = self._steps[place], self._steps[:place]
        if len(self._steps) > 1:
            path = step.request.url.removeprefix(self._recorded.bundle.base_url)
            yield f"# {place + 1}. {step.request.method} {path} (was answered {_status_words(step)})"
        like = next((earlier for earlier in reversed(before) if earlier.operation == step.operation), None)
        if like is not None and utf8_or_none(step.request.body):
            changes = differences(parsed(like.request.body), parsed(step.request.body))
            yield f"#    the body of {before.index(like) + 1}" + (
                f", with {'; '.join(changes)}" if changes else " again"
            )

    def _line(self, place: int) -> str:
        step = self._steps[place]
        login = self._kept(step)
        token = f"{TOKEN}_{login.id}" if login else self._tokens.get(pair_of(step.request), TOKEN)
        return curl_line(self.names.put_into(step, self._recorded.bundle.base_url), "", token=token)

    def _sent(self, place: int) -> str:
        """Write a request; what later ones need of its response goes into a variable."""
        step = self._steps[place]
        if step.operation == LOGIN and any(other.request.login == step.id for other in self._steps):
            return token_line(f"{TOKEN}_{step.id}", step.request.authorization.removeprefix("Basic $"))
        line = self._line(place)
        name, reading = self._read_later(place)
        return f"{self.names.name(name, 'ID')}=$({line} | tee /dev/stderr | {reading})" if reading else line

    def _read_later(self, place: int) -> tuple[str, str]:
        """Return the id that a request made and later ones name, and the filter that reads it; empty without one."""
        step, later = self._steps[place], self._steps[place + 1 :]
        for name in self._recorded.ids_made(step.id):
            if any(name in self._recorded.names(other) for other in later) and (reading := _reading(step, name)):
                return name, reading
        return "", ""

    def _race(self, group: Sequence[int]) -> Iterator[str]:
        """Write requests that are sent at the same time; their responses are printed when all have come."""
        yield "# at the same time; it may take several tries:"
        for place in group:
            yield from self._words(place)
            yield f"{self._line(place)} >answer_{place + 1} &"
        yield "wait"
        yield f"cat {' '.join(f'answer_{place + 1}' for place in group)}"
        for place in group:
            name, reading = self._read_later(place)
            if reading:
                yield f"{self.names.name(name, 'ID')}=$(cat answer_{place + 1} | {reading})"


def _only_difference(line: str, other: str) -> int | None:
    """Return the place of the only character in which two keys differ; None if they differ in several."""
    places = [place for place, (a, b) in enumerate(zip(line, other, strict=True)) if a != b]
    return places[0] if len(places) == 1 else None


def _reading(exchange: Exchange, name: str) -> str | None:
    """Write the filter that reads an id out of a response, by its place in the recorded one; None if not there."""
    text = utf8_or_none(exchange.body) or ""
    for key in dict.fromkeys(re.findall(r'"([A-Za-z_]+)" *: *"?' + re.escape(name), text)):
        values = re.findall(rf'"{key}" *: *"?([^",}}]+)', text)
        if name in values:
            which = values.index(name) + 1
            return f"""grep -oE '"{key}" *: *"?[^",}}]+' | sed -n {which}p | sed -E 's/^"{key}" *: *"?//'"""
    return None


def _status_words(exchange: Exchange) -> str:
    return f"by nothing: {exchange.fault}" if exchange.response is None else str(exchange.status)


MOST_DIFFERENCES = 6
LONGEST_VALUE, BEFORE_CHANGE = 60, 10
ABSENT = "(absent)"


def differences(before: Any, after: Any) -> list[str]:
    """List where two JSON bodies differ, such as `description: "a" -> "b"`; one that is MISSING counts as empty."""
    old, new = dict(_flat(before)), dict(_flat(after))
    changed = [path for path in [*old, *(path for path in new if path not in old)] if old.get(path) != new.get(path)]
    changes = [f"{path or 'body'}: {_change(old.get(path, ABSENT), new.get(path, ABSENT))}" for path in changed]
    more = [f"and {len(changes) - MOST_DIFFERENCES} more"] if len(changes) > MOST_DIFFERENCES else []
    return changes[:MOST_DIFFERENCES] + more


def _change(before: str, after: str) -> str:
    """Write two values; of long ones what stands where they begin to differ."""
    same = next((place for place, (old, new) in enumerate(zip(before, after, strict=False)) if old != new), 0)
    start = max(0, same - BEFORE_CHANGE) if max(len(before), len(after)) > LONGEST_VALUE else 0
    return " -> ".join(_part(text, start) for text in (before, after))


def _part(text: str, start: int) -> str:
    rest = text[start : start + LONGEST_VALUE]
    return ("..." if start else "") + rest + ("..." if start + LONGEST_VALUE < len(text) else "")


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for name, child in value.items():
            yield from _flat(child, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and value:
        for index, child in enumerate(value):
            yield from _flat(child, f"{path}[{index}]")
    elif value is not MISSING and (value is not None or path):
        yield path, json.dumps(value, ensure_ascii=False)
