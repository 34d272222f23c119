"""Simultaneous users of the payments API. `pix-load` sends the requests.

The tests of the suites that judge a whole run (`whole_run`) judge what the users were answered too.
"""

from collections.abc import Iterator

import pytest

from fixtures.load import Group, UnderLoad, expect_of_each, groups, is_of_another_amount
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

pytestmark = pytest.mark.whole_run
PAID = "transaction_paid"


def simultaneous(under_load: UnderLoad, operation: str) -> Iterator[Group]:
    """Yield the requests of an operation about one charge or transfer, where there are several."""
    sent = groups(under_load.of(Api.PAYMENTS, operation), lambda exchange: exchange.request.url)
    return (group for group in sent if len(group) > 1)


@requirement("PAY-IDEM-10")
def test_requests_with_one_key_create_one_transfer(under_load: UnderLoad) -> None:
    """All equal requests of the users with one idempotency key return one id, as far as they are accepted."""
    sent = under_load.of(Api.PAYMENTS, "create_transfer")
    equal = groups(sent, lambda exchange: f"{key_of(exchange.request)} {exchange.request.text}")
    expect_of_each((group[0], is_the_one_transfer_of(group)) for group in equal)


@requirement("PAY-IDEM-02")
def test_a_used_key_with_another_amount_conflicts(under_load: UnderLoad) -> None:
    """A transfer of another amount under the key of a transfer that a user has sent returns 409."""
    sent = groups(
        filter(is_decided, under_load.of(Api.PAYMENTS, "create_transfer")), lambda exchange: key_of(exchange.request)
    )
    others = (exchange for first, *more in sent for exchange in more if is_of_another_amount(exchange, first, "amount"))
    expect_of_each((other, status(409)) for other in others)


@requirement("PAY-TRF-50")
def test_every_transfer_is_found(under_load: UnderLoad) -> None:
    """Each query of a transfer that a user has created returns 200."""
    created = {
        str(creation.at("data.id")) for creation in under_load.of(Api.PAYMENTS, "create_transfer") if creation.ok
    }
    queries = filter(is_decided, under_load.of(Api.PAYMENTS, "get_transfer"))
    expect_of_each((query, status(200)) for query in queries if named(query) & created)


@pytest.mark.parametrize(
    "operation",
    [case("PAY-PAYS-18", "pay_charge", id="payment"), case("PAY-CMP-18", "complete_transfer", id="completion")],
)
def test_of_simultaneous_requests_one_is_accepted(under_load: UnderLoad, operation: str) -> None:
    """Of several payments of one charge, or completions of one transfer, at the same time no second one is accepted.

    That all are refused decides nothing: the charge or transfer may have ended by itself.
    """
    sent = (group for group in simultaneous(under_load, operation) if group[0].ok)
    expect_of_each((group[0], shows_one_was_accepted(group)) for group in sent)


@pytest.mark.parametrize(
    "operation",
    [case("PAY-PAYS-21", "pay_charge", id="payment"), case("PAY-CMP-22", "complete_transfer", id="completion")],
)
def test_simultaneous_requests_have_one_end_to_end_id(under_load: UnderLoad, operation: str) -> None:
    """All payments of one charge, or completions of one transfer, that are accepted return one endToEndId."""
    expect_of_each((group[0], shows_one_end_to_end_id(group)) for group in simultaneous(under_load, operation))


@requirement("PAY-EVT-18")
def test_a_refused_payment_sends_no_second_event(under_load: UnderLoad, webhook_all_events: Webhook) -> None:
    """A charge of which one payment was accepted and the others were refused sends one transaction_paid."""
    wait_quiet_period(webhook_all_events.channel)
    came = [delivery for delivery in webhook_all_events.deliveries() if event_of(delivery, Api.PAYMENTS) == PAID]
    sent = groups(filter(is_decided, under_load.of(Api.PAYMENTS, "pay_charge")), lambda exchange: exchange.request.url)
    alone: list[tuple[Exchange, Matcher]] = []
    repeated: list[tuple[Exchange, Matcher]] = []
    for first, *refused in (group for group in sent if sum(exchange.ok for exchange in group) == 1):
        about = [delivery for delivery in came if at(delivery.json, "transaction.id") in named(first)]
        (repeated if refused else alone).append(([first, *refused][-1], no_second_event_received(PAID, about)))
    if not all(is_met(one_event, payment) for payment, one_event in alone):
        raise NotApplicable("an event comes again with another id though nothing was repeated")
    if not repeated:
        raise NotApplicable("no payment of a paid charge was refused")
    expect_of_each(repeated)
