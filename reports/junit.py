"""`junit.xml`: one case per requirement, for CI systems that read JUnit."""

from collections import Counter
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from reports.bundle import Bundle, Entry
from reports.text import xml
from specs.printable import clip
from specs.vocabulary import Outcome

KINDS = {
    Outcome.FAIL: "failure",
    Outcome.ERROR: "error",
    Outcome.INCONCLUSIVE: "error",
    Outcome.NOT_APPLICABLE: "skipped",
    Outcome.OBSERVED: "skipped",
    Outcome.WAIVED: "skipped",
}
"""What JUnit calls an outcome; pass and warn are cases that passed."""


def render_junit(bundle: Bundle) -> bytes:
    """Write the XML document, one suite with all requirements."""
    kinds = Counter(KINDS.get(entry.outcome, "passed") for entry in bundle.entries)
    totals = {"failures": kinds["failure"], "errors": kinds["error"], "skipped": kinds["skipped"]}
    suite = Element("testsuite", name="pix-conformance", tests=str(len(bundle.entries)))
    suite.attrib |= {name: str(count) for name, count in totals.items()}
    suite.set("time", f"{bundle.run.number('seconds'):.3f}")
    suite.set("timestamp", xml(bundle.run.text("started")))
    for entry in bundle.entries:
        _append(suite, entry)
    root = Element("testsuites")
    root.append(suite)
    indent(root)
    document: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return document


def _append(suite: Element, entry: Entry) -> None:
    section = f"{entry.document}.{entry.section}".replace("/", " ")
    one = SubElement(suite, "testcase", classname=xml(section), name=xml(f"{entry.id} {entry.statement}"), time="0")
    kind = KINDS.get(entry.outcome)
    if kind:
        message = entry.reason or "; ".join(seen.words for seen in entry.observations)
        result = SubElement(one, kind, message=xml(clip(f"{entry.outcome}: {message}")))
        result.text = _told(entry) if kind != "skipped" else None
    elif entry.outcome is Outcome.WARN:
        SubElement(one, "system-out").text = xml(clip(f"warn: {entry.reason}"))


def _told(entry: Entry) -> str:
    first = entry.missed[:1]
    found = [f"the smallest of {one.smallest_of} generated inputs that failed" for one in first if one.smallest_of > 1]
    curls = [one.curl for one in first if one.curl]
    return xml(clip("\n".join([entry.place, entry.reason, *found, ", ".join(entry.evidence[:12]), *curls])))
