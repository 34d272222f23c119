"""What failed, for the terminal: one block for each card, in the words of the API."""

import json
from collections.abc import Iterator, Sequence

from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.json_reader import text_of
from pix_conformance.model.openapi import request_example
from pix_conformance.model.subject import at
from pix_conformance.model.vocabulary import Judgement, Outcome, Verdict
from pix_conformance.recording.bundle.values import Bundle, Entry
from pix_conformance.recording.report_directory import SCRIPTS
from pix_conformance.report.cards import Card, cards_of, command
from pix_conformance.report.matchers_in_words import expectation
from pix_conformance.report.signs import is_of_description

MOST_BLOCKS = 20
MOST_NAMED = 12
"""Further requirements of a card that the terminal names."""
LONGEST_BODY = 300
LONGEST_WORDS = 400
LONGEST_TEXT = 600
CODE_OF = {"business.qr_code.qr_code_keeps": "qr_code", "business.qr_code.qr_code_has_amount": "qr_code"}
"""The field that a relation judges, where it is not one of its arguments."""
MOST_LINES = 24
"""Lines of a script or of a drawing in the terminal; more of them are on the page."""


def failure_blocks(bundle: Bundle) -> list[str]:
    """Write the lines of a block for each card of failures or warnings; of many, of the first few."""
    failed = [card for card in cards_of(bundle) if card.outcome is not Outcome.WAIVED]
    lines = [line for card in failed[:MOST_BLOCKS] for line in [*_block(bundle, card), ""]]
    more = len(failed) - MOST_BLOCKS
    return lines + ([f"... and {more} more causes: see the page"] if more > 0 else [])


def _block(bundle: Bundle, card: Card) -> Iterator[str]:
    entry, shown = card.entries[0], card.shown
    yield _named(entry)
    yield from (f"  {'also':9}  {_named(other)} [{other.citation}]" for other in card.entries[1 : MOST_NAMED + 1])
    if len(card.entries) > MOST_NAMED + 1:
        yield from _line("", f"and {len(card.entries) - MOST_NAMED - 1} more requirements: see the page")
    if shown:
        yield from _race(bundle, card)
        yield from _line("request", _requests(bundle, card.easiest_first(entry)))
        own = [matcher for matcher in shown.matchers if matcher.get("matcher") != "described"]
        yield from _line("expected", "; ".join(map(expectation, own)))  # as described is what the statement says
        yield from _line("got", _got(bundle.message(shown.evidence)))
        yield from _judged_text(bundle, shown)
    yield from _line("wrong", "; ".join(shown.mismatches) if shown and not is_of_description(shown) else card.headline)
    yield from _error(entry.error if entry.outcome is Outcome.ERROR else None)
    if shown:
        yield from _line("cases", _cases(entry))
    yield from _line("document", entry.citation)
    yield from (f"             {number:4}  {text}" for number, text in entry.cited)
    yield from _line("again", command(bundle, *card.requirements))
    if shown:
        yield from _walk(bundle, shown)
        yield from reproduction(card)


def _race(bundle: Bundle, card: Card) -> Iterator[str]:
    """Write the simultaneous requests whose result the failing message shows."""
    for place, exchange in enumerate(card.race[:MOST_NAMED]):
        words = f"{_request(bundle, exchange.evidence)} -> {exchange.status or exchange.fault} ({exchange.evidence})"
        yield f"  {'' if place else 'at once':9}  {words}"
    yield from _line("", f"and {len(card.race) - MOST_NAMED} more" if len(card.race) > MOST_NAMED else "")


def _named(entry: Entry) -> str:
    return f"{entry.outcome.upper()} {entry.id} ({entry.level}): {entry.statement}"


def _error(error: Verdict | None) -> Iterator[str]:
    """Write where an error of the suite was raised, and the end of its traceback."""
    if error:
        yield from _line("where", error.source_line)
        yield from (f"{'':11}{line}" for line in error.trace.splitlines()[-MOST_LINES:])


def _walk(bundle: Bundle, judgement: Judgement) -> Iterator[str]:
    """Write the steps of a walk that failed: method, path, body and status."""
    for place, number in enumerate(judgement.steps):
        exchange = bundle.exchange[number]
        path = exchange.request.url.removeprefix(bundle.base_url)
        body = " ".join(text_of(exchange.request.body).split())
        words = f"{place + 1}. {exchange.request.method} {path} {body}".rstrip()
        yield f"  {'' if place else 'steps':9}  {words[:LONGEST_BODY]} -> {exchange.status}"


def _requests(bundle: Bundle, missed: Sequence[Judgement]) -> str:
    requests = list(dict.fromkeys(_request(bundle, judgement.evidence) for judgement in missed))
    return requests[0] + (f" (and {len(requests) - 1} more)" if len(requests) > 1 else "")


def _request(bundle: Bundle, evidence: str) -> str:
    message = bundle.message(evidence)
    if message is None:
        return evidence
    if isinstance(message, Delivery):
        return f"{message.method} {message.path.removeprefix(bundle.base_url)}"
    return f"{message.request.method} {message.request.url.removeprefix(bundle.base_url)}"


def _got(message: Exchange | Delivery | None) -> str:
    if message is None:
        return ""
    if isinstance(message, Exchange) and message.response is None:
        return f"no response: {message.fault}"
    body = " ".join(text_of(message.body).split())
    body = body if len(body) <= LONGEST_BODY else f"{body[:LONGEST_BODY]}..."
    return body if message.status is None else f"status {message.status} {body}"


def _judged_text(bundle: Bundle, judgement: Judgement) -> Iterator[str]:
    """Write the text that was judged, such as a code, where the body was cut before its end."""
    message = bundle.message(judgement.evidence)
    for row in judgement.matchers:
        path = row.get("path") or row.get("arguments", {}).get("path") or CODE_OF.get(str(row.get("name")), "")
        text = at(message.parsed_body, path) if message and isinstance(path, str) and path else None
        if isinstance(text, str) and text not in _got(message):
            yield f"  {'':9}  {path}: {text[:LONGEST_TEXT]}"


def _cases(entry: Entry) -> str:
    """Count what failed of all that was judged; of the passive rules, a pass stands for each kind of message."""
    missed, passed = entry.missed, [verdict for verdict in entry.verdicts if verdict.outcome is Outcome.PASS]
    smallest = max(judgement.smallest_of for judgement in missed)
    generated = f", one of them the smallest of {smallest} generated inputs that failed" if smallest > 1 else ""
    return f"{len(missed)} of {len(entry.judgements) + len(passed)} failed{generated}"


def _line(name: str, words: str) -> Iterator[str]:
    first, *drawing = words.splitlines() or [""]
    if first:
        yield f"  {name:9}  {first if len(first) <= LONGEST_WORDS else first[:LONGEST_WORDS] + '...'}"
    yield from (f"  {'':9}  {line}" for line in drawing[:MOST_LINES])


def request_to_try(bundle: Bundle, card: Card) -> Iterator[str]:
    """Write the request that shows a card with a valid body, and name the script that sends what it needs too."""
    message = bundle.message(card.shown.evidence) if card.shown else None
    if isinstance(message, Exchange) and message.operation:
        example = request_example(message.api, message.operation)
        body = f" {json.dumps(example)}" if example else ""
        yield from _line("request", f"{_request(bundle, message.evidence)}{body}")
    yield from _named_script(card)


def _named_script(card: Card) -> Iterator[str]:
    if card.script:
        yield from _line("script", f"{SCRIPTS}/{card.id}.sh, beside the page ({card.script.words})")


def reproduction(card: Card) -> Iterator[str]:
    """Name the script that reproduces a card, and write its requests if they are few."""
    if script := card.script:
        yield from _named_script(card)
        lines = [line for command in script.lines for line in command.splitlines()]
        yield from (f"  {'':9}  {line}" for line in (lines if len(lines) <= MOST_LINES else ()))
