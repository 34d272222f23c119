"""Which tests may begin shortly before one that has to run in time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from pix_conformance.session.costs import is_short


@dataclass(eq=False)
class FakeTest:
    """A test that no marker defers."""

    nodeid: str

    def get_closest_marker(self, _: str) -> None:
        """Return no marker."""

    def iter_markers(self, _: str) -> Sequence[Any]:
        """Return no markers."""
        return ()


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("suites/payments/test_charge_fields.py::test_a_charge_with_one_bad_field_is_refused", True),
        ("suites/payments/test_pay.py::test_a_charge_that_is_a_minute_old_is_paid", False),
        ("suites/business/test_finance.py::test_the_finance_route_succeeds", False),
    ],
)
def test_a_test_that_may_wait_for_another_worker_is_not_short(function: str, *, expected: bool) -> None:
    test: Any = FakeTest(function)
    assert is_short(test) is expected
