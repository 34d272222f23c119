"""Which array of a response is the list of charges."""

from typing import Any

import pytest

from pix_conformance.checks.business.charge_list import listed
from tests.support.exchanges import exchange

CHARGE = {"id": "7", "status": "paid", "amount_cents": 1_050}
ACCOUNT, COUNT = {"id": "acc_1", "status": "active"}, {"status": "paid", "count": 0}


@pytest.mark.parametrize(
    ("body", "charges"),
    [
        ([CHARGE], [CHARGE]),
        ({"accounts": [ACCOUNT], "counts": [COUNT], "items": [CHARGE]}, [CHARGE]),
        ({"accounts": [ACCOUNT], "counts": [COUNT], "items": []}, []),
        ({"items": [{"id": "7"}], "counts": [COUNT]}, [{"id": "7"}]),
        ({"items": None}, []),
        ({"detail": "no list"}, None),
    ],
)
def test_the_list_is_the_array_of_charges_or_the_empty_one(body: Any, charges: list[Any] | None) -> None:
    assert listed(exchange(body)) == charges
