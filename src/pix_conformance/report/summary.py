"""`summary.md`: the answer for a CI job's page, in Markdown that shows what a server sent as mere text."""

import re
from collections import Counter
from collections.abc import Sequence
from html import escape

from pix_conformance.model.printable import one_line
from pix_conformance.model.vocabulary import SHOWN_ORDER, Level, Outcome
from pix_conformance.model.why import is_of_selection
from pix_conformance.recording.bundle.values import Bundle, Entry
from pix_conformance.report.cards import RED, Card
from pix_conformance.report.ci_files import xml
from pix_conformance.report.counts import GLYPH, by_reason, with_outcome
from pix_conformance.report.differences import AnswerDifference
from pix_conformance.report.open_points import count, open_points

MARKUP = re.compile(r"([\\`*_\[\]#|~])")
ROWS = 40
"""Rows of one table: a job page holds 1 MiB."""
IDS = 8
"""Requirements that are named for one reason, or of one card."""
REPRODUCED = 10
"""Cards of a table whose scripts are shown."""
LONGEST_SEEN = 600
"""Characters of what was seen: an amount or an answer may stand at its end."""


def render_summary(bundle: Bundle, cards: Sequence[Card]) -> str:
    """Write headline, totals and every failure with its place."""
    lines = [f"## {markdown(bundle.headline or 'This run left no headline.')}", "", _about(bundle), ""]
    lines += [f"> {markdown(notice)}" for notice in (*bundle.notices, *bundle.environment, *bundle.unreadable[:5])]
    lines += ["", *_totals(bundle)]
    lines += _table("Failures", [card for card in cards if card.outcome in RED])
    lines += _by_reason("Inconclusive (not passed)", with_outcome(bundle, Outcome.INCONCLUSIVE))
    lines += _table("Warnings and waived failures", [card for card in cards if card.outcome not in RED])
    untested = with_outcome(bundle, Outcome.NOT_APPLICABLE)
    wanted = [entry for entry in untested if not entry.unobservable and not is_of_selection(entry.why)]
    lines += _by_reason("Not tested", wanted)
    lines += _webhook_times(bundle)
    lines += _open_points(bundle)
    return "\n".join(lines) + "\n"


def markdown(text: str, limit: int = 300) -> str:
    """Write `text` as one line of Markdown that renders as itself: no markup, no mention, no HTML."""
    text = one_line(text, limit).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return MARKUP.sub(r"\\\1", text).replace("@", "@\u200b")  # no backslash stops a mention


def table(head: tuple[str, ...], rows: list[list[str]]) -> list[str]:
    """Lay out a Markdown table; the cells are Markdown already."""
    return [f"| {' | '.join(row)} |" for row in (list(head), ["---"] * len(head), *rows)]


def _about(bundle: Bundle) -> str:
    address = "" if bundle.base_url == bundle.target else f" {markdown(bundle.base_url)}"
    edition = f", edition {markdown(bundle.run.edition)}" if bundle.run.edition else ""
    seconds, partial = f"{bundle.run.seconds:.1f} s", f" · **{markdown(bundle.extent)}**" if bundle.partial else ""
    return (
        f"Target {markdown(bundle.target)}{address} · {len(bundle.requests):,} requests, "
        f"{bundle.event_count:,} deliveries, {seconds} · seed {bundle.run.seed}, "
        f"suite {markdown(bundle.suite)}{edition}{partial}"
    )


def _totals(bundle: Bundle) -> list[str]:
    totals = bundle.totals
    met = [outcome for outcome in SHOWN_ORDER if any(totals[level][outcome] for level in Level)]
    unobservable = Counter(entry.level for entry in bundle.entries if entry.is_unobservable)
    for level in Level:
        totals[level][Outcome.NOT_APPLICABLE] -= unobservable[level]
    more = ["not observable"] if unobservable else []
    counts = {
        level: [*(totals[level][outcome] for outcome in met), *(unobservable[level] for _ in more)] for level in Level
    }
    rows = [[level.value, *(str(count or "") for count in outcomes)] for level, outcomes in counts.items()]
    return table(("level", *(f"{GLYPH[outcome]} {outcome}" for outcome in met), *more), rows)


def _table(title: str, cards: list[Card]) -> list[str]:
    if not cards:
        return []
    cells = [
        ["<br>".join(map(_name, card.entries[:IDS])) + _more(card), markdown(card.entries[0].statement), _seen(card)]
        for card in cards[:ROWS]
    ]
    more = [f"\nand {len(cards) - ROWS} more in index.html"] if len(cards) > ROWS else []
    lines = [line for card in cards[:REPRODUCED] for line in _reproduction(card)]
    return ["", f"### {title}", "", *table(("requirements", "what is required", "what was seen"), cells), *more, *lines]


def _more(card: Card) -> str:
    return f"<br>and {len(card.entries) - IDS} more" if len(card.entries) > IDS else ""


def _seen(card: Card) -> str:
    """Say what was seen, or why it is waived."""
    if card.outcome is Outcome.WAIVED:
        return markdown(card.entries[0].reason)
    evidence = f" ({card.shown.evidence})" if card.shown else ""
    return markdown(card.headline, LONGEST_SEEN) + evidence


def _reproduction(card: Card) -> list[str]:
    """Fold the script that reproduces a card; what may be markup is written by its number."""
    if not card.script:
        return []
    text = re.sub(
        f"{MARKUP.pattern}|@", lambda match: f"&#{ord(match[0])};", escape(xml(card.script.text), quote=False)
    )
    return [
        "",
        f"<details><summary>Reproduce {markdown(card.id)}</summary>",
        "",
        f"<pre>{text}</pre>",
        "",
        "</details>",
    ]


def _webhook_times(bundle: Bundle) -> list[str]:
    """Lay out how late the webhooks came; none without any."""
    rows = [
        [
            markdown(f"{row.api} {row.event}"),
            *map(str, (row.count, row.median_s, row.p95_s, row.longest_s, row.repeated, row.overtaken)),
        ]
        for row in bundle.webhook_times
    ]
    head = ("event", "first deliveries", "median s", "p95 s", "max s", "repeated", "out of order")
    return ["", "### How late webhooks come, after the response to the change", "", *table(head, rows)] if rows else []


def _open_points(bundle: Bundle) -> list[str]:
    """Lay out what was seen where the documents are silent, folded: it is long."""
    seen = open_points(bundle)
    pairs = [(topic, point) for topic, points in seen for point in points]
    if not pairs:
        return []
    rows = []
    for topic, point in pairs:
        reference = point.reference if point.differs is AnswerDifference.BEHAVIOR else ""
        statement = f"**{point.entry.id}** {markdown(point.entry.statement)}"
        rows.append([topic, statement, markdown(point.answer), markdown(reference)])
    head = ("topic", "open point", "this target", "the reference, where it differs")
    words = f"Where the documents are silent: {len(pairs)} open points"
    if any(point.differs for _, point in pairs):
        words += f", {count(seen, AnswerDifference.BEHAVIOR)} unlike the reference"
    return ["", f"<details><summary>{words}</summary>", "", *table(head, rows), "", "</details>"]


def _by_reason(title: str, entries: list[Entry]) -> list[str]:
    """Name each reason once, with the requirements that share it."""
    if not entries:
        return []
    groups = by_reason(entries)
    rows = [[str(len(group)), markdown(reason), _ids(group)] for reason, group in groups[:ROWS]]
    more = [f"\nand {len(groups) - ROWS} more reasons in index.html"] if len(groups) > ROWS else []
    return ["", f"### {title}", "", *table(("requirements", "reason", "ids"), rows), *more]


def _ids(entries: list[Entry]) -> str:
    shown = ", ".join(markdown(entry.id) for entry in entries[:IDS])
    return f"{shown} and {len(entries) - IDS} more" if len(entries) > IDS else shown


def _name(entry: Entry) -> str:
    return f"{GLYPH[entry.outcome]} **{markdown(entry.id)}** {entry.level}<br>{markdown(entry.citation)}"
