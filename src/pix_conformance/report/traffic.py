"""The messages of a run on the page: transcripts, signatures, times of operations, events with their attempts."""

import re
import shlex
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from statistics import median

from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import DELIVERS_EVENT, Exchange, Headers
from pix_conformance.model.json_reader import Row
from pix_conformance.model.openapi import header_names
from pix_conformance.model.printable import BIDI, CONTROL, clip
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import MASK, SUCCESS, Api
from pix_conformance.oracles import signature
from pix_conformance.recording.bundle.values import Bundle, numbered
from pix_conformance.recording.webhook_times import p95

BEFORE = 2
"""Exchanges of the same test that are shown before the one that was judged."""

NAMED = re.compile(r"\bexchange (\d+)\b")
Talk = dict[str, str]
"""A transcript: `title`, what was `sent`, what was `got`."""
SIGNATURE_HEADERS = {
    profile.signature_header.lower(): profile.endpoint.variable if profile.endpoint else ""
    for profile in PROFILES.values()
}
"""The header of each API that signs a delivery, and the variable from which the command takes the secret, if any."""
NO_COMMAND = (
    "The report masks the signatureSecret of a webhook, and the run removes its webhooks, so there is no command: "
    "what is wrong names the right v1."
)
LONGEST_SIGNED = 3_500
"""Bytes of a body that the page shows in full."""


def transcripts(bundle: Bundle) -> dict[str, Talk]:
    """Write every exchange and delivery, under the name that evidence gives it: `drawn` of page.js shows them."""
    client = bundle.base_url if bundle.described else None
    exchanges = {f"exchange {exchange.id}": _exchange(exchange, client) for exchange in bundle.exchanges}
    return exchanges | {f"delivery {delivery.id}": _delivery(delivery) for delivery in bundle.deliveries}


class EarlierExchanges:
    """Finds what happened just before an exchange in the same test."""

    def __init__(self, bundle: Bundle) -> None:
        """Index the exchanges by test."""
        self._tests: dict[str | None, list[int]] = defaultdict(list)
        self._place: dict[int, tuple[str | None, int]] = {}
        for exchange in bundle.exchanges:
            self._place[exchange.id] = exchange.test, len(self._tests[exchange.test])
            self._tests[exchange.test].append(exchange.id)

    def __call__(self, evidence: str, sentences: Iterable[str] = ()) -> list[str]:
        """Name the exchanges that sentences about `evidence` name, and those that lead up to it, itself last."""
        number = numbered(evidence)
        if number not in self._place:
            return [evidence]
        test, place = self._place[number]
        first = max(0, place - BEFORE) if test else place
        before = {int(name) for sentence in sentences for name in NAMED.findall(sentence)} & self._place.keys()
        numbers = sorted({*self._tests[test][first:place], *before} - {number})
        return [f"exchange {number}" for number in [*numbers, number]]


@cache
def shown_headers() -> frozenset[str]:
    """Return the headers that a reader needs at first sight, in small letters."""
    described = (name for api in Api for name in header_names(api))
    return frozenset({"authorization", "content-type", *described, *SIGNATURE_HEADERS})


def received(bundle: Bundle, evidence: str) -> tuple[str, str]:
    """Return first line and body of what the target sent in the exchange or delivery that was judged."""
    exchange = bundle.exchange.get(numbered(evidence) or 0)
    if exchange is not None:
        answer = exchange.response
        if answer is None:
            return f"no answer: {exchange.fault}", ""
        shown = shown_headers() - {"content-type"}
        telling = [f"{name}: {value}" for name, value in answer.headers if name.lower() in shown]
        return "\n".join([f"HTTP {answer.status}", *telling]), answer.text
    delivery = bundle.delivery.get(numbered(evidence, "delivery") or 0)
    return (f"{delivery.method} {delivery.path}", delivery.text) if delivery else ("", "")


def request_of(bundle: Bundle, evidence: str) -> tuple[str, str]:
    """Return first lines and body of the request that was judged; two empty texts for a delivery."""
    exchange = bundle.exchange.get(numbered(evidence) or 0)
    if exchange is None:
        return "", ""
    sent = exchange.request
    telling = [f"{name}: {value}" for name, value in sent.headers if name.lower() in shown_headers()]
    return "\n".join([f"{sent.method} {sent.url.removeprefix(bundle.base_url)}", *telling]), sent.text


def parties_of(bundle: Bundle, evidence: str) -> tuple[str, str]:
    """Say who sent the request that was judged, and who answered it; of a delivery, what came."""
    exchange = bundle.exchange.get(numbered(evidence) or 0)
    if exchange is None:
        return "", "Received"
    if exchange.operation == DELIVERS_EVENT:
        return "Sent to your endpoint", "Your endpoint answered"
    return ("Your client sent", "The sandbox answered") if bundle.described else ("Request", "Response")


def _exchange(exchange: Exchange, client: str | None) -> Talk:
    """Write an exchange; in a run of an integration, `client` is the address that its client calls."""
    sent, answer = exchange.request, exchange.response
    who = f"{exchange.operation or 'other'} as {exchange.role or 'no credential'}"
    if client and sent.url.startswith(client):
        who = f"{exchange.operation or 'other'} of your client"
    if exchange.operation == DELIVERS_EVENT:
        who = "event to the webhook endpoint"
    got = f"no answer: {exchange.fault}"
    if answer is not None:
        cut = f"\n(truncated, {answer.bytes:,} bytes in all)" if answer.truncated else ""
        got = _message(f"HTTP {answer.status}", answer.headers, answer.text) + cut
    return {
        "title": f"{who} · {exchange.started_iso} · {exchange.elapsed_ms:.1f} ms",
        "sent": _message(f"{sent.method} {sent.url}", sent.headers, sent.text),
        "got": got,
    }


def _delivery(delivery: Delivery) -> Talk:
    fault = f" ({delivery.fault})" if delivery.fault else ""
    return {
        "title": f"to the receiver · {delivery.received_iso}",
        "sent": _message(f"{delivery.method} {delivery.path}", delivery.headers, delivery.text),
        "got": f"answered {delivery.answered or 'nothing'}{fault}",
    }


def _message(first: str, headers: Headers, text: str) -> str:
    lines = [first, *(f"{name}: {value}" for name, value in headers), "", clip(text)]
    return clip("\n".join(lines).rstrip(), 9_000)


@dataclass(frozen=True, slots=True)
class Latency:
    """How long one operation took, in milliseconds."""

    api: str
    operation: str
    count: int
    median: float
    p95: float
    longest: float


def latencies(exchanges: Iterable[Exchange]) -> list[Latency]:
    """Measure each operation's answered exchanges, the slowest median first."""
    groups: dict[tuple[str, str], list[float]] = {}
    for exchange in sorted(exchanges, key=attrgetter("elapsed_ms")):
        if exchange.response is not None:
            groups.setdefault((exchange.api, exchange.operation or "other"), []).append(exchange.elapsed_ms)
    rows = [Latency(*key, len(times), median(times), p95(times), times[-1]) for key, times in groups.items()]
    return sorted(rows, key=lambda row: -row.median)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One delivery of an event: its number, seconds after the run's first delivery, what was answered."""

    delivery: int
    at: float
    answered: int | None
    fault: str | None

    @property
    def taken(self) -> bool:
        """Whether the receiver accepted it with a 2xx."""
        return self.answered in SUCCESS

    @property
    def said(self) -> str:
        """What the receiver answered, in words."""
        fault = f", {self.fault}" if self.fault else ""
        return f"{self.answered or 'no answer'}{fault}"


@dataclass(frozen=True, slots=True)
class Event:
    """All attempts at one event on one path."""

    name: str
    id: str
    path: str
    api: str | None
    attempts: tuple[Attempt, ...]


def events(bundle: Bundle) -> list[Event]:
    """Group the deliveries by path and event id, in order of arrival; one whose id is not known stands alone."""
    moments = {delivery.id: delivery.received for delivery in bundle.deliveries}
    zero = min((moment for moment in moments.values() if moment), default=0.0)
    groups: dict[tuple[str, str], list[Delivery]] = {}
    for delivery in bundle.deliveries:
        shown = Row.of(delivery.json).text("id")
        name = shown if shown and MASK not in shown else f"delivery {delivery.id}"
        groups.setdefault((delivery.path, name), []).append(delivery)
    return [_event(key, group, moments, zero) for key, group in groups.items()]


def _event(key: tuple[str, str], group: list[Delivery], moments: dict[int, float], zero: float) -> Event:
    body = Row.of(group[0].json)
    attempts = tuple(
        Attempt(delivery.id, max(0.0, moments[delivery.id] - zero), delivery.answered, delivery.fault)
        for delivery in group
    )
    return Event(body.text("event") or body.text("type") or "(no event)", key[1], key[0], group[0].api, attempts)


@dataclass(frozen=True, slots=True)
class Signed:
    """A signed delivery: its header, the text that its `v1` has to sign, and a shell line that does so.

    Where no command can be given, `hindrance` says why.
    """

    header: str
    size: int
    text: str
    command: str
    variable: str
    hindrance: str


def signed(bundle: Bundle, evidence: str) -> Signed | None:
    """Describe the signature of the delivery that the evidence names; None for an exchange, or without a signature."""
    delivery = bundle.delivery.get(numbered(evidence, "delivery") or 0)
    headers = (
        [(name, value) for name, value in delivery.headers if name.lower() in SIGNATURE_HEADERS] if delivery else []
    )
    if delivery is None or not headers:
        return None
    name, value = headers[0]
    t, variable = signature.parse(value).t, SIGNATURE_HEADERS[name.lower()]
    due = f"{t}.".encode() + delivery.body
    hindrance = _hindrance(delivery, t) or ("" if variable else NO_COMMAND)
    return Signed(
        header=f"{name}: {value}",
        size=len(delivery.body),
        text=due.decode("utf-8", "backslashreplace"),
        command="" if hindrance else _command(due, variable),
        variable=variable,
        hindrance=hindrance,
    )


def _hindrance(delivery: Delivery, t: str) -> str:
    if delivery.masked:
        return f"The body cannot be signed again, because part of it is masked: {delivery.masked}."
    if len(delivery.body) > LONGEST_SIGNED:
        return "The body is too long to show; deliveries.jsonl holds all of it."
    return "" if t else "The header holds no t, so there is no text to sign."


def _command(due: bytes, variable: str) -> str:
    """Write the line that signs these bytes; those that a terminal cannot show go through base64."""
    try:
        text = due.decode()
    except UnicodeDecodeError:
        text = ""
    if not text or CONTROL.search(text) or BIDI.search(text) or "\r" in text:
        source = f"printf %s {b64encode(due).decode()} | base64 -d"
    else:
        source = f"printf %s {shlex.quote(text)}"
    return f'{source} | openssl dgst -sha256 -hmac "${variable}"'
