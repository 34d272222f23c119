"""`requirement("PAY-IDEM-02")` marks a test with what it decides, `quick` one that `--quick` runs, `case` a row."""

from collections.abc import Iterable
from itertools import chain

import pytest
from _pytest.mark.structures import ParameterSet

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.operations import Operation
from pix_conformance.model.questions import Question, requirements_for

quick = pytest.mark.quick
"""Marks a test that `--quick` runs: the main path or a first refusal of an operation, a repetition, an event."""


def requirement(*ids: str) -> pytest.MarkDecorator:
    """Mark a test, or a row of its parameters, with the requirements that it decides.

    Raises UsageError at collection for an id that does not exist or that is unobservable.
    """
    for name in ids:
        if name not in catalogue():
            raise ValueError(f"no requirement is called {name}")
        if catalogue()[name].unobservable:
            raise ValueError(f"{name} is unobservable: {catalogue()[name].unobservable}")
    return pytest.mark.requirement(*ids)


def case(
    ids: str | tuple[str, ...],
    *values: object,
    id: str,  # noqa: A002  # the word of pytest.param
    quick: bool = False,
    after: float | None = None,
) -> ParameterSet:
    """Return one row of parameters, marked with the requirement (or several) that this row decides.

    `quick` marks a row that `--quick` runs, `after` one that is deferred, in seconds.
    """
    named = (ids,) if isinstance(ids, str) else ids
    marks = [requirement(*named), *([pytest.mark.quick] if quick else [])]
    return pytest.param(*values, marks=marks if after is None else [*marks, pytest.mark.deferred(after)], id=id)


def asked(rows: Iterable[Operation], *questions: Question) -> list[ParameterSet]:
    """Return a row of parameters for each operation that is asked all the questions: its name.

    It is marked with the requirements that answer them.
    """
    answers = ((row, [requirements_for(row, question) for question in questions]) for row in rows)
    return [case(tuple(chain(*ids)), row.name, id=row.name) for row, ids in answers if all(ids)]
