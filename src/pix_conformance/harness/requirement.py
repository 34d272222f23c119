"""`requirement("PAY-IDEM-02")`: which requirements a test decides; `case`: the same for one row of its parameters."""

from __future__ import annotations

import pytest
from _pytest.mark.structures import ParameterSet

from pix_conformance.model.catalogue import load


def requirement(*ids: str) -> pytest.MarkDecorator:
    """Mark a test, or a parameter of one, with the requirements that it decides.

    An id that no document states fails at once, at collection. Of an unobservable one there can be no test.
    """
    for one in ids:
        if one not in load():
            raise ValueError(f"no requirement is called {one}")
        if load()[one].unobservable:
            raise ValueError(f"{one} is unobservable: {load()[one].unobservable}")
    return pytest.mark.requirement(*ids)


def case(ids: str | tuple[str, ...], *values: object, id: str) -> ParameterSet:  # noqa: A002  # the word of pytest.param
    """Return one row of parameters, with the requirement (or several) that a test of it decides."""
    named = (ids,) if isinstance(ids, str) else ids
    return pytest.param(*values, marks=requirement(*named), id=id)
