"""`requirement("PAY-IDEM-02")` marks a test with the requirements that it decides; `case` marks a row of parameters."""

from __future__ import annotations

import pytest
from _pytest.mark.structures import ParameterSet

from pix_conformance.model.catalogue import load


def requirement(*ids: str) -> pytest.MarkDecorator:
    """Mark a test, or a row of its parameters, with the requirements that it decides.

    Raises UsageError at collection for an id that does not exist or that is unobservable.
    """
    for one in ids:
        if one not in load():
            raise ValueError(f"no requirement is called {one}")
        if load()[one].unobservable:
            raise ValueError(f"{one} is unobservable: {load()[one].unobservable}")
    return pytest.mark.requirement(*ids)


def case(ids: str | tuple[str, ...], *values: object, id: str) -> ParameterSet:  # noqa: A002  # the word of pytest.param
    """Return one row of parameters, marked with the requirement (or several) that this row decides."""
    named = (ids,) if isinstance(ids, str) else ids
    return pytest.param(*values, marks=requirement(*named), id=id)
