"""Sequences of requests about charges follow the table of states."""

import pytest

from fixtures import *
from fixtures.business import *
from pix_conformance.testing import *
from pix_conformance.testing.business import *


@pytest.mark.generated
@requirement(
    *("BUS-STATE-01", "BUS-STATE-03", "BUS-STATE-04", "BUS-STATE-08", "BUS-PAY-01", "BUS-PAY-26"),
    *(
        "BUS-CAN-01",
        "BUS-CAN-16",
        "BUS-CAN-04",
        "BUS-CAN-05",
        "BUS-EXP-03",
        "BUS-IDEM-03",
        "BUS-IDEM-04",
        "BUS-LIST-02",
    ),
)
def test_any_sequence_of_requests_follows_the_model(business: Business, run: Run) -> None:
    """Charges have the states of the document when they are created again in each state, and in random sequences.

    Where the target's clock can be advanced, the random ones are those in time.
    """
    model = ChargeModel(business, clock=run.clock)
    reach_statuses(model, CHARGE, lambda name: name.endswith((REPEAT, OTHER_BODY)))
    for wanted in ("paid", "expired"):
        model.list_by(wanted)
    if not run.clock.turnable:
        Walks(run, Api.BUSINESS, lambda: ChargeModel(business, clock=run.clock), count=1).make()


@pytest.mark.generated
@deferred(AT_THE_END)
@requirement("BUS-EXP-01", "BUS-STATE-05", "BUS-CAN-06")
def test_any_sequence_in_time_follows_the_model(business: Business, run: Run) -> None:
    """Charges also expire in random sequences of requests and minutes, where the target's clock can be advanced."""
    if not run.clock.turnable:
        raise NotApplicable("the clock of the target cannot be advanced from here")
    Walks(run, Api.BUSINESS, lambda: ChargeModel(business, expiring=True, clock=run.clock), count=1).make()
