"""How what two targets did differs, as far as both were asked the same."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pix_conformance.checks.comparable_text import stable
from pix_conformance.model.vocabulary import Observation
from pix_conformance.recording.bundle.values import Entry

MEASURED = re.compile(r"\d+(?:[.,]\d+)+|\d{4,}|\d+(?= m?s\b)|(?<=exchange )\d+|(?<=delivery )\d+")
"""Amounts, balances, seconds and numbers of exchanges: they are other ones in each run."""
DURATIONS = re.compile(r"(?:…|\?)(?:, (?:…|\?))*")
ALIKE_S, ALIKE_SHARE = 0.5, 0.25
"""Two durations are alike if they differ by no more than these seconds and this share of the shorter one together."""
BY_CHANCE = frozenset({"PAY-CMP-15", "PAY-EVT-23", "PAY-EVT-25", "PAY-TRF-91", "BUS-EVT-30", "BUS-EVT-31"})
"""Open points at which one server may do another thing in each run: when events arrive, in which order, and what a
transfer shows in the moment before it leaves `pending`."""
ABOUT_WORDS = frozenset({"PAY-ERR-13"})
"""Open points that ask for the words of the target themselves."""


class AnswerDifference(StrEnum):
    """How the answers of two targets at one open point differ."""

    NONE = "no"
    WORDING = "wording"
    """The same statuses, codes and values, in other words of the server."""
    BEHAVIOR = "behavior"


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of one requirement: the response to each input that has a name, and what is said in sentences."""

    requirement: str
    responses: Mapping[str, tuple[Any, Any]]
    """Status and error code by input."""
    words: Mapping[str, str]
    """The message by input."""
    sentences: Mapping[str, Sequence[float | None]]
    """Each sentence without what changes in each run, with the durations that it names, in seconds."""


def seen(entry: Entry) -> Seen:
    """Return what a run saw of a requirement: its observations, or the reason of its outcome."""
    return seen_in(entry.id, entry.observations, entry.reason)


def seen_in(requirement: str, observations: Sequence[Observation], reason: str = "") -> Seen:
    """Return what observations say; `reason` is the only sentence where there are none."""
    responses: dict[str, tuple[Any, Any]] = {}
    words: dict[str, str] = {}
    sentences: dict[str, Sequence[float | None]] = {}
    for observation in observations:
        if is_of_responses(observation.data):
            responses |= {label: (given["status"], given["error"]) for label, given in observation.data.items()}
            words |= _by_label(observation.words, list(observation.data))
        elif (seconds := durations(observation.data)) is not None:
            sentences[DURATIONS.sub("…", masked(observation.words))] = seconds
        else:
            sentences[masked(observation.words)] = ()
    return Seen(requirement, responses, words, sentences if observations else {masked(reason): ()})


def difference(first: Seen, other: Seen) -> AnswerDifference | None:
    """Tell a difference of behavior from one of wording; None if the two were not asked the same, or chance decides.

    An input that only one of them was asked is left out, and so is a sentence that one has beside all of the other's.
    """
    common = first.responses.keys() & other.responses.keys()
    if first.requirement in BY_CHANCE or (not common and not (first.sentences and other.sentences)):
        return None
    if other.sentences.keys() - first.sentences.keys() and first.sentences.keys() - other.sentences.keys():
        return AnswerDifference.WORDING if first.requirement in ABOUT_WORDS else AnswerDifference.BEHAVIOR
    pairs = [(first.sentences[name], other.sentences[name]) for name in first.sentences.keys() & other.sentences.keys()]
    if any(first.responses[name] != other.responses[name] for name in common) or not all(_alike(*two) for two in pairs):
        return AnswerDifference.BEHAVIOR
    return AnswerDifference.WORDING if _worded_otherwise(first, other) else AnswerDifference.NONE


def wording(first: Seen, others: Sequence[Seen]) -> str:
    """Return what a target says where others that do the same use other words."""
    labels = {label for other in others for label in _worded_otherwise(first, other)}
    said = [f"{label}: {first.words[label]}" for label in labels]
    beside = [name for name in first.sentences if any(name not in other.sentences for other in others)]
    return "; ".join([*sorted(said), *beside])


def masked(text: str) -> str:
    """Mask in a text what changes in each run: ids, moments, amounts and seconds."""
    return MEASURED.sub("…", stable(text))


def is_of_responses(data: Any) -> bool:
    """Whether the data of an observation are responses by input, each with its status and error code."""
    rows = list(data.values()) if isinstance(data, dict) else []
    return bool(rows) and all(isinstance(row, dict) and row.keys() == {"status", "error"} for row in rows)


def durations(data: Any) -> list[float | None] | None:
    """Return the durations that an observation is about, None among them where one is not known; None for other data.

    >>> durations([0.0, 0.25, None])
    [0.0, 0.25, None]
    >>> durations([401, 401])
    """
    rows = data if isinstance(data, list) else []
    known = all(row is None or isinstance(row, float) for row in rows)
    return rows if known and any(isinstance(row, float) for row in rows) else None


def _alike(seconds: Sequence[float | None], other: Sequence[float | None]) -> bool:
    """Whether durations are alike, as far as both are known."""
    pairs = [(a, b) for a, b in zip(seconds, other, strict=False) if a is not None and b is not None]
    return all(abs(a - b) <= ALIKE_S + ALIKE_SHARE * min(a, b) for a, b in pairs)


def _worded_otherwise(first: Seen, other: Seen) -> list[str]:
    """Return the inputs that both answered alike, in other words."""
    common = first.words.keys() & other.words.keys()
    return [label for label in common if first.words[label] != other.words[label]]


def _by_label(words: str, labels: Sequence[str]) -> dict[str, str]:
    """Divide words such as `a float: 400 no; a text: 200` by their labels; where there are none, all words are one."""
    by_label, at = {}, 0
    ends = [*(f"; {label}: " for label in labels[1:]), ""]
    for label, end in zip(labels, ends, strict=True):
        head = f"{label}: "
        begin = words.find(head, at)
        if begin < 0:
            return {labels[0]: masked(words)}
        stop = words.find(end, begin) if end else len(words)
        at = stop if stop >= 0 else len(words)
        by_label[label] = masked(words[begin + len(head) : at])
    return by_label
