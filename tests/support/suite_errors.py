"""A pytest plugin: tests that have an error of their own, as a fault of the suite would be.

FAULTS names the tests by a part of their node id. Their call raises KeyError at the place of this file.
"""

from __future__ import annotations

import os

import pytest

FAULTS = "SUITE_FAULTS"


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> None:
    """Raise in the tests that the variable names."""
    if any(part in pyfuncitem.nodeid for part in os.environ[FAULTS].split(",")):
        raise KeyError("a fault of the suite")
