"""What a transition is: one row of the table of states of a document."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Transition:
    """One way from a status to another.

    `source` is None for a creation, `trigger` is the operation that causes it, `condition` is in words,
    `target` is None where the document leaves the status open, `event` is None where it names none,
    and `requirement` is the id under which the catalogue states the transition.
    """

    source: str | None
    trigger: str
    condition: str
    target: str | None
    event: str | None
    requirement: str
