"""What a check concludes of a message, as a value: the message is right, it is wrong, or the check cannot decide."""

from __future__ import annotations

from dataclasses import dataclass

from pix_conformance.model.why import Why


@dataclass(frozen=True)
class Holds:
    """The message is right."""


@dataclass(frozen=True)
class Broken:
    """The message is wrong, and in what."""

    sentence: str


@dataclass(frozen=True)
class Unknown:
    """The check cannot decide whether the message is right; why it cannot, and the sentence that says so."""

    why: Why
    sentence: str


Conclusion = Holds | Broken | Unknown
Problem = str | Unknown | None
"""What the function of a check returns: a sentence that says what is wrong, Unknown, or None if nothing is."""


class Undecided(Exception):  # noqa: N818  # a state of the target, not an error of ours
    """What a check needs cannot be read, or a response decides nothing."""

    def __init__(self, why: Why, sentence: str) -> None:
        super().__init__(sentence)
        self.unknown = Unknown(why, sentence)
