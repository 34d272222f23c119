"""Sequences of requests about charges follow the table of states."""

import pytest

from fixtures import *
from fixtures.business import *
from pix_conformance.testing import *
from pix_conformance.testing.business import *


@pytest.mark.generated
@requirement(
    *("BUS-STATE-01", "BUS-STATE-03", "BUS-STATE-04", "BUS-EXP-03", "BUS-IDEM-03", "BUS-IDEM-04", "BUS-LIST-02"),
    *("BUS-PAY-01", "BUS-PAY-26", "BUS-CAN-01", "BUS-CAN-16"),
)
def test_a_creation_sent_again_leaves_a_charge_in_each_status(business: Business, run: Run) -> None:
    """A creation sent again with its key, or another body with it, leaves a charge pending, paid or canceled.

    The lists of the paid and of the expired have no charge of another status.
    """
    model = ChargeModel(business, clock=run.clock)
    reach_statuses(model, CHARGE, lambda name: name.endswith((REPEAT, OTHER_BODY)))
    for wanted in ("paid", "expired"):
        model.list_by(wanted)


@pytest.mark.generated
@deferred(AT_THE_END)
@requirement("BUS-STATE-01")
def test_any_sequence_of_requests_follows_the_model(business: Business, run: Run) -> None:
    """Charges have the states of the document in random sequences of requests.

    They also expire in them, where the target's clock can be advanced.
    """
    is_expiring = run.clock.turnable
    ChargeModel(business, expiring=is_expiring, clock=run.clock).create(CHARGE)
    Walks(run, Api.BUSINESS, lambda: ChargeModel(business, expiring=is_expiring, clock=run.clock), count=1).make()
