"""How what two targets did differs, as far as both were asked the same."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pix_conformance.checks.comparable_text import stable
from pix_conformance.model.vocabulary import Observation
from pix_conformance.recording.bundle.values import Entry

MEASURED = re.compile(r"\d+\.\d+|\d{4,}|\d+(?= m?s\b)|(?<=exchange )\d+|(?<=delivery )\d+")
"""Amounts, balances, seconds and numbers of exchanges: they are other ones in each run."""
DURATIONS = re.compile(r"(?:…|\?)(?:, (?:…|\?))*")
ALIKE_S, ALIKE_SHARE = 0.5, 0.25
"""Two durations are alike if they differ by no more than these seconds and this share of the shorter one together."""
BY_CHANCE = frozenset({"PAY-EVT-23", "PAY-EVT-25", "BUS-EVT-30", "BUS-EVT-31"})
"""Open points at which one server may do another thing in each run: when events arrive, and in which order."""
ABOUT_WORDS = frozenset({"PAY-ERR-13"})
"""Open points that ask for the words of the target themselves."""


class Difference(StrEnum):
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
    for one in observations:
        if is_of_responses(one.data):
            responses |= {label: (given["status"], given["error"]) for label, given in one.data.items()}
            words |= _by_label(one.words, list(one.data))
        elif (seconds := durations(one.data)) is not None:
            sentences[DURATIONS.sub("…", masked(one.words))] = seconds
        else:
            sentences[masked(one.words)] = ()
    return Seen(requirement, responses, words, sentences if observations else {masked(reason): ()})


def difference(one: Seen, other: Seen) -> Difference | None:
    """Tell a difference of behavior from one of wording; None if the two were not asked the same, or chance decides.

    An input that only one of them was asked is left out, and so is a sentence that one has beside all of the other's.
    """
    common = one.responses.keys() & other.responses.keys()
    if one.requirement in BY_CHANCE or (not common and not (one.sentences and other.sentences)):
        return None
    if other.sentences.keys() - one.sentences.keys() and one.sentences.keys() - other.sentences.keys():
        return Difference.WORDING if one.requirement in ABOUT_WORDS else Difference.BEHAVIOR
    lasting = [(one.sentences[name], other.sentences[name]) for name in one.sentences.keys() & other.sentences.keys()]
    if any(one.responses[name] != other.responses[name] for name in common) or not all(_alike(*two) for two in lasting):
        return Difference.BEHAVIOR
    return Difference.WORDING if _worded_otherwise(one, other) else Difference.NONE


def wording(one: Seen, others: Sequence[Seen]) -> str:
    """Return what a target says where others that do the same use other words."""
    labels = {label for other in others for label in _worded_otherwise(one, other)}
    said = [f"{label}: {one.words[label]}" for label in labels]
    beside = [name for name in one.sentences if any(name not in other.sentences for other in others)]
    return "; ".join([*sorted(said), *beside])


def masked(text: str) -> str:
    """Mask in a text what changes in each run: ids, moments, amounts and seconds."""
    return MEASURED.sub("…", stable(text))


def is_of_responses(data: Any) -> bool:
    """Whether the data of an observation are responses by input, each with its status and error code."""
    rows = list(data.values()) if isinstance(data, dict) else []
    return bool(rows) and all(isinstance(one, dict) and one.keys() == {"status", "error"} for one in rows)


def durations(data: Any) -> list[float | None] | None:
    """Return the durations that an observation is about, None among them where one is not known; None for other data.

    >>> durations([0.0, 0.25, None])
    [0.0, 0.25, None]
    >>> durations([401, 401])
    """
    rows = data if isinstance(data, list) else []
    known = all(one is None or isinstance(one, float) for one in rows)
    return rows if known and any(isinstance(one, float) for one in rows) else None


def _alike(one: Sequence[float | None], other: Sequence[float | None]) -> bool:
    """Whether durations are alike, as far as both are known."""
    pairs = [(a, b) for a, b in zip(one, other, strict=False) if a is not None and b is not None]
    return all(abs(a - b) <= ALIKE_S + ALIKE_SHARE * min(a, b) for a, b in pairs)


def _worded_otherwise(one: Seen, other: Seen) -> list[str]:
    """Return the inputs that both answered alike, in other words."""
    common = one.words.keys() & other.words.keys()
    return [label for label in common if one.words[label] != other.words[label]]


def _by_label(words: str, labels: Sequence[str]) -> dict[str, str]:
    """Divide words such as `a float: 400 no; a text: 200` by their labels; where there are none, all words are one."""
    found, at = {}, 0
    ends = [*(f"; {label}: " for label in labels[1:]), ""]
    for label, end in zip(labels, ends, strict=True):
        head = f"{label}: "
        begin = words.find(head, at)
        if begin < 0:
            return {labels[0]: masked(words)}
        stop = words.find(end, begin) if end else len(words)
        at = stop if stop >= 0 else len(words)
        found[label] = masked(words[begin + len(head) : at])
    return found
