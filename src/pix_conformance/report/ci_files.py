"""What a CI system reads of a run: `junit.xml`, `badge.json`, the annotations of a GitHub job."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from pix_conformance.model.printable import BIDI, CONTROL, clip, one_line
from pix_conformance.model.vocabulary import Level, Outcome
from pix_conformance.recording.bundle.values import Bundle, Entry
from pix_conformance.recording.report_directory import SCRIPTS
from pix_conformance.report.cards import RED as FAILURES
from pix_conformance.report.cards import Card, cards_of
from pix_conformance.report.counts import by_reason, with_outcome
from pix_conformance.report.open_points import answer
from pix_conformance.verdicts.exit_status import (
    FAILED,
    INTERRUPTED,
    NOT_JUDGED,
    OUR_ERROR,
    PASSED,
    TERMINATED,
    whole_run_of,
)

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
KINDS = {
    Outcome.FAIL: "failure",
    Outcome.ERROR: "error",
    Outcome.INCONCLUSIVE: "skipped",
    Outcome.NOT_APPLICABLE: "skipped",
    Outcome.WAIVED: "skipped",
}
"""What JUnit calls an outcome; what passed, what was only observed and what is a warning are cases that passed."""
GATED = {Outcome.INCONCLUSIVE: "error", Outcome.WARN: "failure"}
"""What it calls those of a level whose failures fail the run."""
GREEN, WAIVED, PARTIAL, RED, UNKNOWN, NOTHING = "brightgreen", "green", "blue", "red", "yellow", "lightgrey"
ENDINGS = {
    INTERRUPTED: ("interrupted", UNKNOWN),
    TERMINATED: ("interrupted", UNKNOWN),
    OUR_ERROR: ("the suite failed", UNKNOWN),
}
SUITE, REFERENCE = "pix-conformance", "embedded reference"
MOST = 10
"""Annotations of each kind that GitHub keeps of one step."""


def render_junit(bundle: Bundle, cards: Sequence[Card]) -> bytes:
    """Write the XML document: a case for each requirement, and for what fails the run beside them."""
    suite = Element("testsuite", name=f"{SUITE} ({REFERENCE})" if bundle.embedded else SUITE)
    run = {name: str(getattr(bundle.run, name)) for name in ("id", "seed", "level", "edition", "exit")}
    _append_properties(suite, {"target": bundle.target, "base_url": bundle.base_url, "suite": bundle.suite, **run})
    card_of = {name: card for card in cards for name in card.requirements}
    for entry in bundle.entries:
        _append(suite, entry, _kind(entry, bundle), card_of.get(entry.id))
    _append_run(suite, bundle)
    elements = suite.findall("testcase")
    cases = Counter(result.tag for case in elements for result in case)
    totals = {"failures": cases["failure"], "errors": cases["error"], "skipped": cases["skipped"]}
    suite.attrib |= {name: str(count) for name, count in {"tests": len(elements), **totals}.items()}
    suite.set("time", f"{bundle.run.seconds:.3f}")
    suite.set("timestamp", xml(bundle.run.started))
    sums = ("tests", "failures", "errors", "skipped", "time")
    root = Element("testsuites", {"name": SUITE, **{name: suite.attrib[name] for name in sums}})
    root.append(suite)
    indent(root)
    document: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return document


def xml(text: str) -> str:
    """Write `text` without control characters, reordering marks and other characters that XML 1.0 forbids."""
    return NOT_XML.sub("", BIDI.sub("", CONTROL.sub("", text)))


def _kind(entry: Entry, bundle: Bundle) -> str | None:
    gated = entry.level in {Level.MUST, bundle.run.level}
    return GATED[entry.outcome] if gated and entry.outcome in GATED else KINDS.get(entry.outcome)


def _append_properties(element: Element, values: Mapping[str, str]) -> None:
    properties = SubElement(element, "properties")
    for name, value in values.items():
        SubElement(properties, "property", name=name, value=xml(clip(value)))


def _append(suite: Element, entry: Entry, kind: str | None, card: Card | None) -> None:
    section = f"{entry.document}.{entry.section}".replace("/", " ")
    element = SubElement(suite, "testcase", classname=xml(section), name=xml(f"{entry.id} {entry.statement}"))
    element.set("time", f"{entry.seconds:.3f}")
    if card:
        evidence = {"request": card.shown.evidence, "curl": card.shown.curl or ""} if card.shown else {}
        evidence |= {"script": f"{SCRIPTS}/{entry.id}.sh"} if card.scripts.of(entry) else {}
        _append_properties(element, {"card": card.id, "headline": card.headline, **evidence})
    if kind:
        result = SubElement(element, kind, message=xml(clip(f"{entry.outcome}: {answer(entry)}")))
        result.text = _explanation(entry, card) if kind != "skipped" else None
    elif entry.outcome in {Outcome.WARN, Outcome.OBSERVED}:
        SubElement(element, "system-out").text = xml(clip(f"{entry.outcome}: {answer(entry)}"))


def _append_run(suite: Element, bundle: Bundle) -> None:
    """Add a case for each reason that fails the run beside the requirements, or for a run that was not judged."""
    exit_status = bundle.run.exit
    if exit_status == FAILED:
        for reason in bundle.run.gate:
            _append_problem(suite, reason, "failure", f"gate failed: {reason}")
    elif exit_status and (exit_status != NOT_JUDGED or not whole_run_of(bundle).judged):
        _append_problem(suite, "the whole run", "error", bundle.headline)


def _append_problem(suite: Element, name: str, kind: str, message: str) -> None:
    case = SubElement(suite, "testcase", classname="run", name=xml(name), time="0")
    SubElement(case, kind, message=xml(clip(message)))


def _explanation(entry: Entry, card: Card | None) -> str:
    first = card.easiest_first(entry)[:1] if card else []
    notes = [
        f"the smallest of {judgement.smallest_of} generated inputs that failed"
        for judgement in first
        if judgement.smallest_of > 1
    ]
    curls = [judgement.curl for judgement in first if judgement.curl]
    return xml(clip("\n".join([entry.citation, entry.reason, *notes, ", ".join(entry.evidence[:12]), *curls])))


def render_badge(bundle: Bundle) -> str:
    """Write how many of the musts that were asked passed; only a whole run that passes is bright green."""
    exit_status = bundle.run.exit
    message, color = ENDINGS.get(exit_status) or _judged(bundle, exit_status)
    badge = {
        "schemaVersion": 1,
        "label": "pix conformance",
        "message": message,
        "color": color,
        "isError": exit_status == FAILED,
    }
    return json.dumps(badge) + "\n"


def _judged(bundle: Bundle, exit_status: int) -> tuple[str, str]:
    run = whole_run_of(bundle)
    musts = Counter(result.outcome for result in run.results if result.level is Level.MUST)
    if exit_status == FAILED and run.gate and not run.red:
        return "gate failed", RED
    if exit_status == NOT_JUDGED and not run.judged:
        return "nothing judged", NOTHING
    asked = musts.total() - musts[Outcome.NOT_APPLICABLE]
    more = [f"{musts[Outcome.WAIVED]} waived"] if musts[Outcome.WAIVED] else []
    more += [f"{bundle.apis[0]} only"] if len(bundle.apis) == 1 else []
    more += ["partial"] if bundle.partial else []
    more += [REFERENCE] if bundle.embedded else []
    remark = f" ({', '.join(more)})" if more else ""
    message = f"{musts[Outcome.PASS]} of {asked} must{remark}"
    passed = PARTIAL if bundle.partial or bundle.embedded else WAIVED if musts[Outcome.WAIVED] else GREEN
    return message, {PASSED: passed, FAILED: RED}.get(exit_status, UNKNOWN)


def annotations(bundle: Bundle) -> Iterator[str]:
    """Write a workflow command for each card, and for each reason why something could not be judged."""
    if bundle.embedded:
        yield f"::notice title={REFERENCE}::No target was given: this says nothing about a server."
    cards = cards_of(bundle)
    errors = [(card.entries, card.headline) for card in cards if card.outcome in FAILURES]
    warnings = [(card.entries, card.headline) for card in cards if card.outcome is Outcome.WARN]
    unsure = [(group, reason) for reason, group in by_reason(with_outcome(bundle, Outcome.INCONCLUSIVE))]
    for kind, causes in (("error", errors), ("warning", warnings + unsure)):
        head = causes if len(causes) <= MOST else causes[: MOST - 1]
        yield from (_line(kind, entries, words) for entries, words in head)
        if len(causes) > len(head):
            yield f"::{kind} title={len(causes) - len(head)} more::The report lists them all."


def _line(kind: str, entries: Sequence[Entry], words: str) -> str:
    first, more = entries[0], len(entries) - 1
    title = f"{first.id}{f' and {more} more' if more else ''} {first.outcome}: {first.statement}"
    return f"::{kind} title={_property(title)}::{_message(f'{words} ({first.citation})')}"


def _message(text: str) -> str:
    """Escape what ends a command, as GitHub reads it."""
    return one_line(text, 1_000).replace("%", "%25")


def _property(text: str) -> str:
    """Escape what ends a property as well."""
    return _message(text).replace(":", "%3A").replace(",", "%2C")
