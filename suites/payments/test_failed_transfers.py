"""How transfers end that fail: no route makes one fail, so it is only noted."""

import pytest

from fixtures import *
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *


@pytest.fixture(scope="session")
def failed_transfer(transfer_beyond_balance: TransferBeyondBalance) -> TransferBeyondBalance:
    """Return the transfer above the balance; NotApplicable unless it was accepted, and failed."""
    transfer = transfer_beyond_balance
    if not transfer.created.ok or transfer.query.at("data.status") not in FAILED:
        raise NotApplicable("no transfer of this run failed")
    return transfer


@deferred(AT_THE_END)
@requirement("PAY-TRF-89")
def test_the_status_and_events_of_a_failed_transfer_are_noted(
    request: pytest.FixtureRequest, failed_transfer: TransferBeyondBalance, run: Run, observe: Observer
) -> None:
    """The status of a transfer above the balance that failed, and the events about it, are noted."""
    channel = run.webhook_channel[Api.PAYMENTS]
    if available(request, "payments_receiver"):
        channel.wait_quiet_period()
    came = [event for event in events_of_run(channel) if at(event.json, "transfer.id") == failed_transfer.id]
    names = sorted({str(event_of(delivery, Api.PAYMENTS)) for delivery in came})
    status = failed_transfer.query.at("data.status")
    words = f"the transfer is {status}; events: {', '.join(names) or 'none was seen'}"
    observe("PAY-TRF-89", words, {"status": status, "events": names}, failed_transfer.query, *came[:2])


@deferred(AT_THE_END)
@requirement("PAY-TRF-90")
def test_the_balance_after_a_failed_transfer_is_noted(
    failed_transfer: TransferBeyondBalance, payments: Payments, observe: Observer
) -> None:
    """The free balance after a transfer of ten units more than it has failed is noted."""
    free = free_balance(payments)
    words = f"after a transfer of {failed_transfer.cents} cents failed, {free} cents are free"
    observe("PAY-TRF-90", words, free, failed_transfer.created, failed_transfer.query)
