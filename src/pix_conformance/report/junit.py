"""`junit.xml`: one case per requirement, for CI systems that read JUnit."""

from collections import Counter
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from pix_conformance.model.printable import clip
from pix_conformance.model.vocabulary import Level, Outcome
from pix_conformance.recording.bundle.values import Bundle, Entry
from pix_conformance.report.open_points import answer
from pix_conformance.report.reproduction import in_order
from pix_conformance.report.text import xml
from pix_conformance.verdicts.exit_status import FAILED, NOT_JUDGED, whole_run_of

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


def render_junit(bundle: Bundle) -> bytes:
    """Write the XML document: a case for each requirement, and for what fails the run beside them."""
    suite = Element("testsuite", name="pix-conformance")
    properties = SubElement(suite, "properties")
    for name, value in _properties(bundle).items():
        SubElement(properties, "property", name=name, value=xml(value))
    for entry in bundle.entries:
        _append(suite, entry, _kind(entry, bundle))
    _append_run(suite, bundle)
    elements = suite.findall("testcase")
    cases = Counter(result.tag for case in elements for result in case)
    totals = {"failures": cases["failure"], "errors": cases["error"], "skipped": cases["skipped"]}
    suite.attrib |= {name: str(count) for name, count in {"tests": len(elements), **totals}.items()}
    suite.set("time", f"{bundle.run.seconds:.3f}")
    suite.set("timestamp", xml(bundle.run.started))
    root = Element("testsuites")
    root.append(suite)
    indent(root)
    document: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return document


def _properties(bundle: Bundle) -> dict[str, str]:
    """Say what was tested, by which version of the suite and with which seed."""
    run = {name: str(getattr(bundle.run, name)) for name in ("id", "seed", "level", "exit")}
    return {"target": bundle.target, "base_url": bundle.base_url, "suite": bundle.suite, **run}


def _kind(entry: Entry, bundle: Bundle) -> str | None:
    gated = entry.level in {Level.MUST, bundle.run.level}
    return GATED[entry.outcome] if gated and entry.outcome in GATED else KINDS.get(entry.outcome)


def _append(suite: Element, entry: Entry, kind: str | None) -> None:
    section = f"{entry.document}.{entry.section}".replace("/", " ")
    element = SubElement(suite, "testcase", classname=xml(section), name=xml(f"{entry.id} {entry.statement}"))
    element.set("time", f"{entry.seconds:.3f}")
    if kind:
        result = SubElement(element, kind, message=xml(clip(f"{entry.outcome}: {answer(entry)}")))
        result.text = _explanation(entry) if kind != "skipped" else None
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


def _explanation(entry: Entry) -> str:
    first = in_order(entry.missed)[:1]
    notes = [
        f"the smallest of {judgement.smallest_of} generated inputs that failed"
        for judgement in first
        if judgement.smallest_of > 1
    ]
    curls = [judgement.curl for judgement in first if judgement.curl]
    return xml(clip("\n".join([entry.place, entry.reason, *notes, ", ".join(entry.evidence[:12]), *curls])))
