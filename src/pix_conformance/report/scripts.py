"""A script for bash for each requirement that fails: it sends what the test sent, and shows the failure at its end."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import name_in
from pix_conformance.model.exchange import Exchange, NetworkFault
from pix_conformance.model.json_reader import text_of
from pix_conformance.model.printable import one_line
from pix_conformance.model.vocabulary import SUCCESS, Judgement
from pix_conformance.recording.bundle.values import Bundle, Entry
from pix_conformance.recording.curl import (
    NEW_RUN,
    READS_TOKEN,
    TOKEN,
    can_be_sent,
    event_lines,
    pair_of,
    quoted,
    shell_line,
)
from pix_conformance.report.credit_scripts import events_before, is_about_credit, order_script
from pix_conformance.report.matchers_in_words import expectation
from pix_conformance.report.recorded_exchanges import RecordedExchanges, is_simultaneous
from pix_conformance.report.script_requests import easiest_first, is_about_events, is_masked, messages_of, requests_of
from pix_conformance.report.script_values import RECEIVER, ScriptValues
from pix_conformance.report.script_waits import waits

EXCHANGE = re.compile(r"\bexchange \d+\b")
LONGEST_LINE = 110
LONGEST_TEXT = 600
APART_S = 0.015
"""Simultaneous requests that were sent so far apart are sent apart by the script too."""
EVENTS_S = 5
TRIES = "for try in {1..20}; do bash this-script.sh; done"
SEND = """\
send() { # NUMBER METHOD PATH OPTIONS OF CURL: sends a request, keeps and prints its response
  local number=$1 method=$2 path=$3
  shift 3
  curl -sS -i -g --path-as-is --max-time 30 -X "$method" "$@" "$PIX_BASE_URL$path" >"$answers/$number" 2>&1
  printf '\\n%s. %s %s\\n%s\\n' "$number" "$method" "$path" "$(cat "$answers/$number")"
}
answers=$(mktemp -d)
trap 'rm -r "$answers"' EXIT"""
VALUE = """\
value() { # NUMBER NAME PLACE: the value of a field in a response, of the first, second ... field of that name
  grep -oE "\\"$2\\" *: *\\"?[^\\",}]+" "$answers/$1" | sed -n "$3p" | sed -E 's/^"[^"]+" *: *"?//'
}"""
LOGIN = f"""\
token() {{ # ID:SECRET: logs in
  curl -sS -X POST -u "$1" "$PIX_BASE_URL/api/auth" | {READS_TOKEN}
}}"""


@dataclass(frozen=True)
class Script:
    """The script of one failure."""

    heading: tuple[str, ...]
    """What stands before the first request."""
    lines: tuple[str, ...]
    """The requests, and what was expected and came."""
    requests: int
    seconds: float
    """How long it waits."""

    @property
    def text(self) -> str:
        """The whole file."""
        return "\n".join([*self.heading, *self.lines]) + "\n"

    @property
    def words(self) -> str:
        """What it sends, in words."""
        count = "1 request" if self.requests == 1 else f"{self.requests} requests"
        return count + (f", waits of {self.seconds:.0f} s" if self.seconds >= 1 else "")


@dataclass(frozen=True)
class Scripts:
    """The scripts of one run, each written when it is asked for."""

    recorded: RecordedExchanges
    _written: dict[str, Script | None] = field(default_factory=dict)

    def of(self, entry: Entry) -> Script | None:
        """Return the script of a requirement that failed; None where no requests can show it."""
        if entry.id not in self._written:
            shown = next(iter(easiest_first(self.recorded, entry.missed)), None)
            self._written[entry.id] = _script(self.recorded, entry, shown) if shown else None
        return self._written[entry.id]


def scripts(bundle: Bundle) -> dict[str, str]:
    """Return the script of each requirement that failed in a run, by its id."""
    every = Scripts(RecordedExchanges(bundle))
    return {entry.id: script.text for entry in bundle.entries if (script := every.of(entry))}


def _script(recorded: RecordedExchanges, entry: Entry, judgement: Judgement) -> Script | None:
    message = recorded.bundle.message(judgement.evidence)
    if isinstance(message, Exchange) and message.by_integration:
        return _of_integration(recorded.bundle, entry, judgement)
    requests = requests_of(recorded, judgement)
    if not requests or any(is_masked(sent) or not can_be_sent(sent.request) for sent in requests):
        return None
    values, pauses = ScriptValues(recorded, requests), waits(recorded, requests)
    writer = _Writer(recorded, requests, pauses, values)
    seconds = sum(pauses)
    lines = (*writer.lines(), *_ending(recorded, judgement, requests))
    functions = [text for name, text in (("value", VALUE), ("token", LOGIN)) if f"$({name} " in "\n".join(lines)]
    script = Script((), lines, len(requests), seconds)
    return replace(script, heading=(*_heading(entry, values, script.words), SEND, *functions, ""))


def _of_integration(bundle: Bundle, entry: Entry, judgement: Judgement) -> Script | None:
    """Return the script that delivers events to the webhook endpoint of an integration; None of another failure."""
    if is_about_credit(judgement):
        parts = order_script(bundle, entry, judgement)
        return Script(*parts, 0.0) if parts else None
    if not judgement.curl:
        return None
    ending = f"echo {shlex.quote(f'wrong in the run: {one_line(chr(59).join(judgement.mismatches))}')}"
    first = (
        "#!/usr/bin/env bash",
        f"# {entry.id} ({entry.level}): {one_line(entry.statement)}",
        "# The endpoint has to run already; its secret stands in the variable that the lines name.",
        "set -eu",
    )
    before = events_before(bundle, judgement)
    texts = [*(event_lines(event.request) for event in before), judgement.curl]
    return Script(first, (*"\n".join(texts).splitlines(), ending), len(texts), 0.0)


def _heading(entry: Entry, values: ScriptValues, words: str) -> Iterator[str]:
    yield "#!/usr/bin/env bash"
    yield f"# {entry.id} ({entry.level}): {one_line(entry.statement)}"
    yield f"# {one_line(entry.citation)}"
    yield f"# It sends what the run sent, in that order: {words}. At its end it says what was expected."
    yield "# Address and credentials are the variables of the run; no secret stands here."
    yield "set -u"
    yield " ".join([":", *(f'"${{{name}:?}}"' for name in ("PIX_BASE_URL", *values.credentials))])
    if values.addresses:
        yield "# The address of a receiver of yours, such as pix-receiver, which the service reaches:"
        yield f"{RECEIVER}=${{{RECEIVER}:-{shlex.quote(values.addresses[0])}}}"
    if values.keys:
        yield f"{NEW_RUN}  # a part of each idempotency key and external_ref, new each time"


@dataclass
class _Writer:
    """Writes the requests of a script; those that were sent simultaneously are sent so again."""

    recorded: RecordedExchanges
    requests: Sequence[Exchange]
    pauses: Sequence[float]
    values: ScriptValues
    has_token: bool = False
    """Whether there is a token for requests whose own login is not known."""

    def lines(self) -> Iterator[str]:
        """Yield the lines."""
        for group in self._groups():
            if pause := sum(self.pauses[place] for place in group):
                yield f"sleep {pause:.1f}".removesuffix(".0")
            for place in group:
                yield from self._token(self.requests[place])
            if len(group) > 1:
                yield f"# At the same time. It may take several tries: {TRIES}"
            yield from self._group(group)
            yield from self._tokens(group)
            yield from (line for place in group for line in self.values.read_from(self.requests[place]))

    def _groups(self) -> list[list[int]]:
        """Return the places of the requests, those together that were sent simultaneously."""
        groups: list[list[int]] = []
        for place, request in enumerate(self.requests):
            if groups and any(is_simultaneous(self.requests[other], request) for other in groups[-1]):
                groups[-1].append(place)
            else:
                groups.append([place])
        return groups

    def _token(self, request: Exchange) -> Iterator[str]:
        """Take a token for a request whose login is not among these."""
        if not self.has_token and (pair := pair_of(request.request)) and self.values.token_of(request) == TOKEN:
            self.has_token = True
            yield f'{TOKEN}=$(token "${pair}")'

    def _tokens(self, group: Sequence[int]) -> Iterator[str]:
        """Read the tokens of simultaneous logins from their responses: a job in the background sets no variable."""
        logins = [place + 1 for place in group if self.values.is_login_of_others(self.requests[place])]
        yield from (f"{TOKEN}_{number}=$(value {number} token 1)" for number in logins if len(group) > 1)

    def _group(self, group: Sequence[int]) -> Iterator[str]:
        earlier = self.requests[group[0]].started
        for place in group:
            request = self.requests[place]
            if (apart := request.started - earlier) >= APART_S:
                yield f"sleep {apart:.3f}"
            earlier = request.started
            yield self._comment(place)
            is_twice, is_alone = request.network_fault is NetworkFault.SENT_TWICE, len(group) == 1
            line = self._request(place, alone=is_alone) + (" &" if is_twice or not is_alone else "")
            yield from [line] * (1 + is_twice)
        if len(group) > 1 or self.requests[group[0]].network_fault is NetworkFault.SENT_TWICE:
            yield "wait"

    def _comment(self, place: int) -> str:
        request = self.requests[place]
        path = request.request.url.removeprefix(self.recorded.bundle.base_url)
        came = f"was answered {request.status}" if request.response else f"had no response: {request.fault}"
        return f"# {place + 1}. {request.request.method} {one_line(path)} {one_line(came)}"

    def _request(self, place: int, *, alone: bool) -> str:
        request, number = self.requests[place], place + 1
        if alone and self.values.is_login_of_others(request):
            pair = request.request.authorization.removeprefix("Basic ")
            return f'{TOKEN}_{number}=$(token "{pair}")'
        now = self.values.put_into(request)
        command = f"send {number} {now.request.method} {quoted(now.request.url)}"
        token = self.values.token_of(request)
        line = shell_line(command, now, token)
        return line if len(line) <= LONGEST_LINE else shell_line(command, now, token, " \\\n  ")


def _ending(recorded: RecordedExchanges, judgement: Judgement, requests: Sequence[Exchange]) -> Iterator[str]:
    """Write what was expected and what came, and the responses again that show it."""
    messages = messages_of(recorded, judgement)
    places = {request.evidence: place for place, request in enumerate(requests, start=1)}
    shown = sorted(places[message.evidence] for message in messages if message.evidence in places)
    deliveries = [message for message in messages if isinstance(message, Delivery)]
    own = [matcher for matcher in judgement.matchers if matcher.get("matcher") != "described"]
    yield ""
    if deliveries or is_about_events(judgement):
        yield f"sleep {EVENTS_S}  # until the events have come"
    yield f"printf '\\n%s\\n' {shlex.quote(f'== {judgement.requirement}')}"
    for name, words in (("expected", map(expectation, own)), ("wrong in the run", judgement.mismatches)):
        yield from (_said(name, _numbered(sentence, places)) for sentence in words)
    for delivery in deliveries[:1]:
        event = name_in(delivery.parsed_body) or "an event"
        yield _said("the run got", f"{event} at {delivery.path}: {text_of(delivery.body)}")
        yield _said("now", "look at what your receiver got")
        if delivery.answered not in SUCCESS:
            answer = delivery.answered or "nothing"
            yield _said("note", f"the receiver of the run answered {answer}; yours has to do so too")
    for request in [message for message in messages if isinstance(message, Exchange)][:1]:
        got = (
            f"status {request.status} {text_of(request.body)}" if request.response else f"no response: {request.fault}"
        )
        yield _said("the run got", got)
    for place in shown:
        yield f"printf '%s\\n' 'now {place}.:'; cat \"$answers/{place}\"; echo"


def _numbered(sentence: str, places: Mapping[str, int]) -> str:
    """Name the requests of the script in the place of the exchanges of the run."""

    def number(match: re.Match[str]) -> str:
        return f"request {places[match[0]]}" if match[0] in places else match[0]

    return EXCHANGE.sub(number, sentence)


def _said(name: str, words: str) -> str:
    return f"printf '%s\\n' {shlex.quote(one_line(f'{name}: {words}', LONGEST_TEXT))}"
