"""Exchanges and deliveries as text, for a page that shows them on demand."""

from collections import defaultdict

from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange, Headers
from pix_conformance.model.printable import clip
from pix_conformance.recording.bundle.values import Bundle, numbered

BEFORE = 2
"""Exchanges of the same test that are shown before the one that was judged."""

TELLING = frozenset({"authorization", "content-type", "x-idempotency-key", "idempotency-key"})
"""Headers of a request that a reader needs at first sight."""

Talk = dict[str, str]
"""A transcript: `title`, what was `sent`, what was `got`."""


def transcripts(bundle: Bundle) -> dict[str, Talk]:
    """Write every exchange and delivery, under the name that evidence gives it."""
    exchanges = {f"exchange {exchange.id}": _exchange(exchange) for exchange in bundle.exchanges}
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

    def __call__(self, evidence: str) -> list[str]:
        """Name the exchanges that lead up to `evidence`, itself last."""
        number = numbered(evidence)
        if number not in self._place:
            return [evidence]
        test, place = self._place[number]
        first = max(0, place - BEFORE) if test else place
        return [f"exchange {number}" for number in self._tests[test][first : place + 1]]


def received(bundle: Bundle, evidence: str) -> tuple[str, str]:
    """Return first line and body of what the target sent in the exchange or delivery that was judged."""
    exchange = bundle.exchange.get(numbered(evidence) or 0)
    if exchange is not None:
        answer = exchange.response
        return (f"HTTP {answer.status}", answer.text) if answer else (f"no answer: {exchange.fault}", "")
    delivery = bundle.delivery.get(numbered(evidence, "delivery") or 0)
    return (f"{delivery.method} {delivery.path}", delivery.text) if delivery else ("", "")


def asked(bundle: Bundle, evidence: str) -> tuple[str, str]:
    """Return first lines and body of the request that was judged; two empty texts for a delivery."""
    exchange = bundle.exchange.get(numbered(evidence) or 0)
    if exchange is None:
        return "", ""
    sent = exchange.request
    telling = [f"{name}: {value}" for name, value in sent.headers if name.lower() in TELLING]
    return "\n".join([f"{sent.method} {sent.url.removeprefix(bundle.base_url)}", *telling]), sent.text


def _exchange(exchange: Exchange) -> Talk:
    sent, answer = exchange.request, exchange.response
    who = f"{exchange.operation or 'other'} as {exchange.role or 'no credential'}"
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
