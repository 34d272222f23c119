"""What to build next: the failures of a run, in the order in which requirements become testable."""

from collections.abc import Iterator

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.operations import find, in_order_of_need
from pix_conformance.model.vocabulary import Outcome
from pix_conformance.model.why import Why
from pix_conformance.recording.bundle.values import Bundle
from pix_conformance.report.cards import Card, cards_of, command
from pix_conformance.report.failure_blocks import request_to_try
from pix_conformance.report.script_requests import is_of_route
from pix_conformance.verdicts.judge import DECIDED

MOST_ITEMS = 20
"""Items that are listed: those after them change while these are built."""


def to_build(bundle: Bundle) -> list[Card]:
    """Return the failures of a run: those first whose operation others need, and that it is missing before others."""
    return sorted((card for card in cards_of(bundle) if card.outcome is Outcome.FAIL), key=_place)


def _place(card: Card) -> tuple[int, bool]:
    rule, order = catalogue().get(card.id), in_order_of_need()
    row = find(rule.api, rule.operation) if rule else None
    return (order.index(row) if row else len(order)), not _is_of_route(card)


def _is_of_route(card: Card) -> bool:
    return card.shown is not None and is_of_route(card.shown)


def todo_lines(bundle: Bundle) -> Iterator[str]:
    """Write the list: each item with its requirements, a request to try, its script, and the command that tests it."""
    cards = to_build(bundle)
    for number, card in enumerate(cards[:MOST_ITEMS], 1):
        yield f"{number}. {card.headline}"
        for entry in card.entries:
            yield f"  {entry.id} ({entry.level}): {entry.statement} [{entry.citation}]"
        yield from request_to_try(bundle, card)
        yield f"  {'test':9}  {command(bundle, *card.requirements)}"
        yield ""
    if more := cards[MOST_ITEMS:]:
        yield f"and {len(more)} more failures after these"
    if waiting := sum(entry.why is Why.NOT_BUILT for entry in bundle.entries):
        yield f"{waiting} requirements wait for routes that are not built"
    if not cards:
        is_judged = any(entry.outcome in DECIDED for entry in bundle.entries)
        yield f"nothing failed: {bundle.headline}" if is_judged else bundle.headline
