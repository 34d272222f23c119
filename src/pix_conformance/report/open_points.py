"""Where the documents are silent: what a target does, by topic, one line each, beside what the reference does."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any

from pix_conformance.checks.comparable_text import stable
from pix_conformance.model.paths import DATA
from pix_conformance.model.topics import OTHER, TOPICS, topic
from pix_conformance.results.bundle.values import Bundle, Entry

REFERENCE = DATA / "reference_answers.json"
"""What the reference does at each open point; written by `python -m pix_conformance.proof open-points`."""
MEASURED = re.compile(r"\d+\.\d+|\d{4,}|\d+(?= m?s\b)|(?<=exchange )\d+|(?<=delivery )\d+")
"""Amounts, balances, seconds and numbers of exchanges: they are other ones in each run."""
ACCEPTED = range(200, 300)
ABOUT_WORDS = frozenset({"PAY-ERR-13"})
"""Open points that ask for the words of the target themselves."""
COLUMNS = ("topic", "requirement", "api", "question", "answer", "reference", "differs")


class Difference(StrEnum):
    """How the answers of two targets at one open point differ."""

    NONE = "no"
    WORDING = "wording"
    """The same statuses, codes and values, in other words of the server."""
    BEHAVIOR = "behavior"


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """One open point of a run: the question, what the target does, and what the reference does."""

    entry: Entry
    topic: str
    answer: str
    reference: str
    differs: Difference | None
    """None where nothing is known of the reference."""


def open_points(bundle: Bundle) -> list[tuple[str, list[OpenPoint]]]:
    """List what was observed in a run by topic, in the order of the topics."""
    found: dict[str, list[OpenPoint]] = {name: [] for name in (*TOPICS, OTHER)}
    for entry in bundle.entries:
        if entry.observations:
            one = _open_point(entry)
            found[one.topic].append(one)
    return [(name, points) for name, points in found.items() if points]


def count(found: list[tuple[str, list[OpenPoint]]], kind: Difference) -> int:
    """Count the points that differ from the reference in that way."""
    return sum(one.differs is kind for _, points in found for one in points)


def answer(entry: Entry) -> str:
    """Write what was seen of a requirement on one line: what was accepted, what was refused and how; or the reason."""
    seen = dict.fromkeys(_in_words(one.words, one.data) for one in entry.observations)
    return "; ".join(seen) or entry.reason


def behavior(entry: Entry) -> str:
    """Write what the target did without its own words, and without what changes in each run."""
    if entry.id in ABOUT_WORDS:
        return ""
    return masked(sorted({_in_words(one.words, one.data) for one in entry.observations}) or [entry.reason])


def wording(entry: Entry) -> str:
    """Write what was seen with the words of the target, without what changes in each run."""
    return masked(sorted({one.words for one in entry.observations}) or [entry.reason])


def masked(texts: Iterable[str]) -> str:
    """Join texts and mask in them what changes in each run: ids, moments, amounts and seconds."""
    return MEASURED.sub("…", stable("; ".join(texts)))


def described(entry: Entry) -> dict[str, str]:
    """Describe what was seen at an open point: for readers, and to be held against what another run saw."""
    return {"answer": answer(entry), "behavior": behavior(entry), "wording": wording(entry)}


def difference(one: Mapping[str, str], other: Mapping[str, str]) -> Difference:
    """Tell a difference of behavior from one of wording."""
    if one["behavior"] != other["behavior"]:
        return Difference.BEHAVIOR
    return Difference.NONE if one["wording"] == other["wording"] else Difference.WORDING


def as_csv(bundle: Bundle) -> str:
    """Write the table of open points as CSV; a cell that a spreadsheet would compute is quoted."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for name, points in open_points(bundle):
        for one in points:
            differs = one.differs or "unknown"
            row = (name, one.entry.id, one.entry.document, one.entry.statement, one.answer, one.reference, differs)
            writer.writerow([_cell(text) for text in row])
    return text.getvalue()


def store(bundle: Bundle) -> int:
    """Write what the reference does from a whole run against it; returns at how many points it was seen."""
    rows = {one.id: described(one) for one in bundle.entries if one.observations}
    body = ",\n".join(f"{json.dumps(name)}: {json.dumps(row, ensure_ascii=False)}" for name, row in rows.items())
    REFERENCE.write_text(f"{{\n{body}\n}}\n", encoding="utf-8")
    return len(rows)


@cache
def _reference() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads(REFERENCE.read_text("utf-8"))
    return found


def _open_point(entry: Entry) -> OpenPoint:
    known = _reference().get(entry.id)
    differs = difference(described(entry), known) if known else None
    return OpenPoint(entry, topic(entry.id), answer(entry), known["answer"] if known else "", differs)


def _in_words(words: str, data: Any) -> str:
    """Group labelled responses by status and code; anything else keeps the words of the observation."""
    if not isinstance(data, dict) or not data or not all(map(_is_response, data.values())):
        return words
    groups: dict[str, list[str]] = {}
    for label, response in data.items():
        groups.setdefault(_response(response), []).append(label)
    return "; ".join(f"{said}: {' · '.join(labels)}" for said, labels in groups.items())


def _is_response(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() == {"status", "error"}


def _response(value: dict[str, Any]) -> str:
    status = value["status"]
    code = f" {value['error']}" if isinstance(value["error"], str) else ""
    if not isinstance(status, int):
        return "no response"
    return f"{'accepted' if status in ACCEPTED else 'refused'} ({status}{code})"


def _cell(text: str) -> str:
    """Write a cell so that no spreadsheet takes it for a formula."""
    return f"'{text}" if text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text
