"""Where the documents are silent: what a target does, by topic, one line each, beside what the reference does."""

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from pix_conformance.model.areas import OTHER, TOPICS, topic
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.paths import DATA
from pix_conformance.model.vocabulary import SUCCESS, Level, Observation, Party
from pix_conformance.recording.bundle.values import Bundle, Entry
from pix_conformance.report.differences import AnswerDifference, difference, durations, is_of_responses, seen, seen_in

REFERENCE = DATA / "reference_answers.json"
"""What the reference does at each open point; written by `python -m pix_conformance.proof open-points`."""
COLUMNS = ("topic", "requirement", "api", "question", "answer", "reference", "differs")


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """One open point of a run: the question, what the target does, and what the reference does."""

    entry: Entry
    topic: str
    answer: str
    reference: str
    differs: AnswerDifference | None
    """None where the reference was not asked the same."""


def open_points(bundle: Bundle) -> list[tuple[str, list[OpenPoint]]]:
    """List what was observed in a run by topic, in the order of the topics."""
    by_topic: dict[str, list[OpenPoint]] = {name: [] for name in (*TOPICS, OTHER)}
    for entry in bundle.entries:
        if entry.observations:
            known = reference_answers().get(entry.id)
            differs = difference(seen(entry), seen_in(entry.id, known)) if known else None
            name, reference = topic(entry.id), _answer(known) if known else ""
            by_topic[name].append(OpenPoint(entry, name, answer(entry), reference, differs))
    return [(name, points) for name, points in by_topic.items() if points]


def count(topics: list[tuple[str, list[OpenPoint]]], kind: AnswerDifference) -> int:
    """Count the points that differ from the reference in that way."""
    return sum(point.differs is kind for _, points in topics for point in points)


def answer(entry: Entry) -> str:
    """Write what was seen of a requirement on one line: what was accepted, what was refused and how; or the reason."""
    return _answer(entry.observations) or entry.reason


def _answer(observations: Iterable[Observation]) -> str:
    return "; ".join(dict.fromkeys(_in_words(observation.words, observation.data) for observation in observations))


def as_csv(bundle: Bundle) -> str:
    """Write the table of open points as CSV; a cell that a spreadsheet would compute is quoted."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for name, points in open_points(bundle):
        for point in points:
            entry, differs = point.entry, point.differs or "unknown"
            row = (name, entry.id, entry.document, entry.statement, point.answer, point.reference, differs)
            writer.writerow([_cell(text) for text in row])
    return text.getvalue()


def store(bundle: Bundle) -> str:
    """Write what the reference does from a whole run against it; returns in words what was seen, and what was not.

    What was not seen keeps what an earlier run saw.
    """
    rows = {
        entry.id: [_row(observation) for observation in entry.observations]
        for entry in bundle.entries
        if entry.observations
    }
    asked = [
        requirement.id
        for requirement in catalogue().values()
        if requirement.level is Level.OPEN and not requirement.unobservable and requirement.party is Party.SERVICE
    ]
    unseen = sorted(set(asked) - rows.keys())
    known = json.loads(REFERENCE.read_text("utf-8")) | rows
    answers = {name: known[name] for name in asked if name in known}
    body = ",\n".join(f"{json.dumps(name)}: {json.dumps(row, ensure_ascii=False)}" for name, row in answers.items())
    REFERENCE.write_text(f"{{\n{body}\n}}\n", encoding="utf-8")
    return f"{len(rows)} of {len(asked)} open points seen of the reference; not seen: {', '.join(unseen) or 'none'}"


def _row(observation: Observation) -> dict[str, Any]:
    """Keep the words of an observation, and its data as far as answers are compared by it."""
    seconds = durations(observation.data)
    return {"words": observation.words, "data": observation.data if is_of_responses(observation.data) else seconds}


@cache
def reference_answers() -> dict[str, list[Observation]]:
    """Return what the reference was seen to do, by requirement."""
    stored = json.loads(REFERENCE.read_text("utf-8"))
    return {name: [Observation(name, row["words"], row["data"]) for row in rows] for name, rows in stored.items()}


def _in_words(words: str, data: Any) -> str:
    """Group labelled responses by status and code; anything else keeps the words of the observation."""
    if not is_of_responses(data):
        return words
    groups: dict[str, list[str]] = {}
    for label, response in data.items():
        groups.setdefault(_response(response), []).append(label)
    return "; ".join(f"{said}: {' · '.join(labels)}" for said, labels in groups.items())


def _response(value: dict[str, Any]) -> str:
    status = value["status"]
    code = f" {value['error']}" if isinstance(value["error"], str) else ""
    if not isinstance(status, int):
        return "no response"
    return f"{'accepted' if status in SUCCESS else 'refused'} ({status}{code})"


def _cell(text: str) -> str:
    """Write a cell so that no spreadsheet takes it for a formula."""
    return f"'{text}" if text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text
