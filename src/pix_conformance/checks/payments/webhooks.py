"""Relations over one webhook record, in the answer to its creation or in a list."""

from __future__ import annotations

from pix_conformance.checks.matchers import value
from pix_conformance.checks.relation import relation
from pix_conformance.checks.relations import timestamp_changed
from pix_conformance.model.subject import Subject


@relation("{path} has the events {events}, in any order")
def has_events(answer: Subject, path: str, events: tuple[str, ...]) -> str | None:
    """Expect an array with exactly these event names."""
    found = value(answer, path)
    same = isinstance(found, list) and sorted(map(str, found)) == sorted(events)
    return None if same else f"{path} is {found}"


@relation("{path} is still {moment}")
def is_still_the_time(answer: Subject, path: str, moment: str) -> str | None:
    """Expect a timestamp to be the same as before, as far as timestamps may be rounded."""
    problem = timestamp_changed(moment, value(answer, path))
    return f"{path}: {problem}" if problem else None
