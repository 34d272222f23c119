"""Every page of a bundle, and `index.html` itself: what one run found on one page, drawn from its bundle alone."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from markupsafe import Markup

from pix_conformance.checks.comparable_text import stable
from pix_conformance.model.areas import area
from pix_conformance.model.documents import UNSET
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import SHOWN_ORDER, Api, Judgement, Level, Outcome
from pix_conformance.model.why import Why, is_of_selection
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import Bundle, Entry
from pix_conformance.recording.report_directory import SCRIPTS
from pix_conformance.report.cards import RED, Card, cards_of, command
from pix_conformance.report.ci_files import render_badge, render_junit
from pix_conformance.report.counts import by_reason, with_outcome
from pix_conformance.report.credit_scripts import exchanges_of
from pix_conformance.report.differences import AnswerDifference
from pix_conformance.report.explain import examples
from pix_conformance.report.failures_file import render_failures
from pix_conformance.report.matchers_in_words import expectation
from pix_conformance.report.observed_states import observed_states
from pix_conformance.report.open_points import as_csv, count, open_points
from pix_conformance.report.recorded_exchanges import RecordedExchanges
from pix_conformance.report.script_requests import easiest_first, simultaneous_before
from pix_conformance.report.scripts import Scripts, scripts
from pix_conformance.report.summary import render_summary
from pix_conformance.report.template import packed, render
from pix_conformance.report.traffic import (
    EarlierExchanges,
    events,
    latencies,
    parties_of,
    received,
    request_of,
    signed,
    transcripts,
)
from pix_conformance.verdicts.exit_status import FAILED, OUR_ERROR, PASSED

EVENTS = 300
"""Events on the time line."""


@dataclass(frozen=True, slots=True)
class BarShare:
    """One outcome's share of a bar, in thousandths of its width."""

    outcome: Outcome
    count: int
    start: float
    width: float


def write_pages(directory: Path) -> None:
    """Write the pages, the scripts, and what programs read of a run, beside the bundle's files.

    BundleError when the directory holds no bundle.
    """
    bundle = read(directory)
    cards = cards_of(bundle)
    save(directory / "index.html", render_index(bundle, cards))
    save(directory / "summary.md", render_summary(bundle, cards))
    save(directory / "badge.json", render_badge(bundle))
    save(directory / "failures.json", render_failures(bundle, cards))
    save(directory / "open-points.csv", as_csv(bundle))
    (directory / "junit.xml").write_bytes(render_junit(bundle, cards))
    for name, text in scripts(bundle).items():
        (directory / SCRIPTS).mkdir(exist_ok=True)
        save(directory / SCRIPTS / f"{name}.sh", text)


def save(path: Path, text: str) -> None:
    """Write `text` as UTF-8, one line feed a line on every system."""
    path.write_bytes(text.encode("utf-8", "backslashreplace"))


def render_index(bundle: Bundle, cards: Sequence[Card]) -> str:
    """Draw the page: `row` of `templates/entry.html.j2` is a requirement, by section and in the card of a failure."""
    return render("index.html.j2", **_verdicts(bundle, cards), **_wire(bundle))


def _verdicts(bundle: Bundle, cards: Sequence[Card]) -> dict[str, Any]:
    selected = [entry for entry in bundle.entries if not is_of_selection(entry.why)]
    unselected = [entry for entry in bundle.entries if is_of_selection(entry.why)]
    totals = {level: Counter(entry.outcome for entry in selected if entry.level is level) for level in Level}
    sum_of = Counter(entry.outcome for entry in selected)
    return {
        "bundle": bundle,
        "verdict": verdict(bundle),
        "bars": [(level, outcomes.total(), _parts(outcomes)) for level, outcomes in totals.items() if outcomes],
        "tally": [(outcome, sum_of[outcome]) for outcome in SHOWN_ORDER if sum_of[outcome]],
        "unobservable": sum(entry.is_unobservable for entry in selected),
        "levels": tuple(Level),
        "failures": [card for card in cards if card.outcome in RED],
        "unsure": by_reason(with_outcome(bundle, Outcome.INCONCLUSIVE)),
        "warnings": [card for card in cards if card.outcome not in RED],
        "documents": by_section(selected),
        "unselected": by_section(unselected),
        "unselected_count": len(unselected),
        "locked": locked(bundle),
        "lacking": lacking,
        "area": area,
        "shows_documents": any(entry.cited for entry in bundle.entries),
        "documents_unset": UNSET,
        "open_points": (points := open_points(bundle)),
        "compared": any(point.differs for _, topic in points for point in topic),
        "differing": count(points, AnswerDifference.BEHAVIOR),
        "reworded": count(points, AnswerDifference.WORDING),
        "command": partial(command, bundle),
        "expectation": expectation,
    }


def _wire(bundle: Bundle) -> dict[str, Any]:
    happened = events(bundle)
    times = latencies(bundle.exchanges)
    recorded = RecordedExchanges(bundle)
    return {
        "earlier": partial(_earlier, bundle, EarlierExchanges(bundle)),
        "received": partial(received, bundle),
        "signed": partial(signed, bundle),
        "request_of": partial(request_of, bundle),
        "parties_of": partial(parties_of, bundle),
        "examples": examples(),
        "in_words": in_words,
        "easiest_first": partial(easiest_first, recorded),
        "simultaneous_before": partial(simultaneous_before, recorded),
        "script_of": Scripts(recorded).of,
        "folder": SCRIPTS,
        "states": [] if bundle.described else observed_states(bundle),
        "events": happened[:EVENTS],
        "more_events": max(0, len(happened) - EVENTS),
        "span": max((attempt.at for event in happened for attempt in event.attempts), default=0) or 1,
        "latencies": times,
        "slowest": max((row.p95 for row in times), default=0) or 1,
        "unanswered": _unanswered(bundle.exchanges),
        "left": sum(created.state == "left" for created in bundle.journal),
        "transcripts": Markup(packed(transcripts(bundle))),  # noqa: S704  # base64 needs no escape
        "explanations": Markup(packed({entry.id: _explanation(entry) for entry in bundle.entries})),  # noqa: S704  # likewise
    }


def _earlier(bundle: Bundle, around: EarlierExchanges, judgement: Judgement) -> list[str]:
    """Name what led up to what was judged, itself last: all about the same orders, else the latest of the same test."""
    named = exchanges_of(bundle, judgement)
    if not named:
        return around(judgement.evidence, judgement.mismatches)
    return [*(name for name in named if name != judgement.evidence), judgement.evidence]


def in_words(test: str) -> str:
    """Write a test's name as a sentence, with the values that this one of its cases has."""
    name, _, case = test.rpartition("::")[2].removeprefix("test_").partition("[")
    return name.replace("_", " ") + (f" ({case.removesuffix(']')})" if case else "")


def _explanation(entry: Entry) -> dict[str, Any]:
    """What is asked for a requirement, and an example of each kind, for the page to show on demand."""
    asked = [[test.words, test.test, test.cases] for test in entry.asked_by]
    return {"asked": asked, "judged": list(entry.judged_on), **examples().get(entry.id, {})}


def _parts(outcomes: Counter[Outcome]) -> list[BarShare]:
    total, start, parts = sum(outcomes.values()) or 1, 0.0, []
    for outcome in (Outcome.PASS, *(o for o in SHOWN_ORDER if o is not Outcome.PASS)):
        width = 1000 * outcomes[outcome] / total
        if width:
            parts.append(BarShare(outcome, outcomes[outcome], start, width))
        start += width
    return parts


def _unanswered(exchanges: tuple[Exchange, ...]) -> list[tuple[str, int]]:
    """Count the exchanges without an answer, by what went wrong; those that the suite cut are none of them."""
    unanswered = (exchange for exchange in exchanges if exchange.response is None and not exchange.is_cut)
    return Counter(stable(exchange.fault or "") for exchange in unanswered).most_common(5)


def locked(bundle: Bundle) -> list[tuple[str, list[Entry]]]:
    """Group what was not tested by the setting that is missing, most requirements first."""
    groups: dict[str, list[Entry]] = {}
    for entry in bundle.entries:
        if entry.outcome is Outcome.NOT_APPLICABLE and entry.why is Why.NOT_SET:
            groups.setdefault(re.split("[:;]", entry.reason)[0], []).append(entry)
    return sorted(groups.items(), key=lambda group: -len(group[1]))


def lacking(sections: list[tuple[str, list[Entry]]]) -> str:
    """Say which variable a whole document was not tested for; empty where a part of it was tested."""
    asked = [entry for _, entries in sections for entry in entries if not entry.unobservable]
    reasons = {entry.reason for entry in asked}
    return reasons.pop() if len(reasons) == 1 and all(entry.why is Why.NOT_SET for entry in asked) else ""


def by_section(entries: Iterable[Entry]) -> list[tuple[str, list[tuple[str, list[Entry]]]]]:
    """Group requirements by document and section, in the order of the document's lines."""
    documents = list(Api)
    ordered = sorted(entries, key=lambda entry: (documents.index(Api(entry.document)), entry.lines, entry.id))
    groups: dict[str, dict[str, list[Entry]]] = defaultdict(lambda: defaultdict(list))
    for entry in ordered:
        groups[entry.document][entry.section].append(entry)
    return [(name, list(sections.items())) for name, sections in groups.items()]


def verdict(bundle: Bundle) -> Outcome:
    """Return the outcome of the run as a whole, by its exit status; a run that passes may have warnings."""
    passed = Outcome.WARN if with_outcome(bundle, Outcome.WARN) else Outcome.PASS
    outcomes = {PASSED: passed, FAILED: Outcome.FAIL, OUR_ERROR: Outcome.ERROR}
    return outcomes.get(bundle.run.exit, Outcome.INCONCLUSIVE)
