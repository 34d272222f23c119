"""`failures.json`: what failed or was inconclusive, for programs. `failures.schema.json` describes it."""

import json
from collections.abc import Sequence
from typing import Any

from pix_conformance.model.delivery import Delivery
from pix_conformance.model.editions import since
from pix_conformance.model.exchange import Exchange, Headers
from pix_conformance.model.vocabulary import Outcome
from pix_conformance.recording.bundle.values import Bundle, Entry
from pix_conformance.recording.report_directory import SCRIPTS
from pix_conformance.report.cards import Card, command
from pix_conformance.report.counts import with_outcome
from pix_conformance.report.matchers_in_words import expectation


def render_failures(bundle: Bundle, cards: Sequence[Card]) -> str:
    """Write the cards in the order of the page, and what was inconclusive."""
    content = {
        "target": bundle.target,
        "base_url": bundle.base_url,
        "suite": bundle.suite,
        "run": bundle.run.id,
        "exit": bundle.run.exit,
        "headline": bundle.headline,
        "cards": [_card(bundle, card) for card in cards],
        "inconclusive": [_requirement(entry) for entry in with_outcome(bundle, Outcome.INCONCLUSIVE)],
    }
    return json.dumps(content, indent=1) + "\n"


def _card(bundle: Bundle, card: Card) -> dict[str, Any]:
    shown = card.shown
    message = bundle.message(shown.evidence) if shown else None
    return {
        "id": card.id,
        "outcome": card.outcome,
        "headline": card.headline,
        "requirements": [_requirement(entry) for entry in card.entries],
        "evidence": shown.evidence if shown else None,
        "test": shown.test if shown else None,
        "expected": [expectation(matcher) for matcher in shown.matchers] if shown else [],
        "wrong": list(shown.mismatches) if shown else [],
        **(_exchange(message) if isinstance(message, Exchange) else {}),
        **({"delivery": _delivery(message)} if isinstance(message, Delivery) else {}),
        "curl": card.script.text.splitlines() if card.script else [],
        "script": f"{SCRIPTS}/{card.id}.sh" if card.script else None,
        "again": command(bundle, *card.requirements),
    }


def _requirement(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "level": entry.level,
        "outcome": entry.outcome,
        "statement": entry.statement,
        "since": since(entry.id) or None,
        "place": entry.citation,
        "document": f"{entry.document}.md",
        "section": entry.section,
        "lines": entry.lines,
        "cited": [text for _, text in entry.cited],
        "reason": entry.reason,
        "why": entry.why,
    }


def _exchange(exchange: Exchange) -> dict[str, Any]:
    sent, response = exchange.request, exchange.response
    request = {"method": sent.method, "url": sent.url, "headers": _headers(sent.headers), "body": sent.text}
    if response is None:
        return {"request": request, "response": None, "fault": exchange.fault}
    answer = {"status": response.status, "headers": _headers(response.headers), "body": response.text}
    return {"request": request, "response": answer}


def _delivery(delivery: Delivery) -> dict[str, Any]:
    headers = _headers(delivery.headers)
    return {"method": delivery.method, "path": delivery.path, "headers": headers, "body": delivery.text}


def _headers(headers: Headers) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in headers]
