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
    """Charges have the states of the document, in each state and in random sequences of requests."""
    model = ChargeModel(business, clock=run.clock)
    reach_statuses(model, CHARGE)
    model.bring_to(model.create(CHARGE), "paid")
    model.list_by("paid")
    model.finish()
    Walks(run, Api.BUSINESS, lambda: ChargeModel(business, clock=run.clock), count=1).make()


@pytest.mark.generated
@requirement("BUS-EVT-01", "BUS-EVT-02", "BUS-EVT-03", "BUS-EVT-28")
def test_charges_send_their_events_in_each_status(
    business: Business, optional_webhook_endpoint: WebhookEndpoint, run: Run
) -> None:
    """Charges send the events of what happened to them and no others, in each status that requests lead to.

    Those of random sequences are judged with all events of the run.
    """
    optional_webhook_endpoint.require_events()
    events = EventsOfWalks(optional_webhook_endpoint, is_fast=is_fast(run, Api.BUSINESS))
    model = ChargeModel(business, events=events, clock=run.clock)
    charge = model.create(CHARGE)
    model.send_again(charge)
    model.send_other_body(charge)
    model.bring_to(charge, "paid")
    model.bring_to(model.create(CHARGE), "canceled")
    model.finish()
    events.judge()


@pytest.mark.generated
@requirement(*rules_about(Api.BUSINESS, CHARGE, Question.ANOTHER_ACCOUNT))
def test_another_account_finds_no_charge_in_any_status(other_business: Business, business: Business, run: Run) -> None:
    """A second account finds no charge of the first and changes none, in each status that requests lead to."""
    reach_statuses(
        ChargeModel(business, other_business, clock=run.clock), CHARGE, lambda name: name.endswith(ANOTHER_ACCOUNT)
    )


@pytest.mark.generated
@deferred(AT_THE_END)
@requirement("BUS-EXP-01", "BUS-STATE-05", "BUS-CAN-06")
def test_any_sequence_in_time_follows_the_model(business: Business, run: Run) -> None:
    """Charges also expire in random sequences of requests and minutes, where the target's clock can be advanced."""
    if not run.clock.turnable:
        raise NotApplicable("the clock of the target cannot be advanced from here")
    model = ChargeModel(business, expiring=True, clock=run.clock)
    charge = model.create(CHARGE)
    model.bring_to(charge, "expired")
    keep_status(model, charge)
    Walks(run, Api.BUSINESS, lambda: ChargeModel(business, expiring=True, clock=run.clock), count=1).make()
