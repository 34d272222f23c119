"""POST /v1/business/pix-charges/{id}/cancel."""

from collections.abc import Iterator
from functools import partial

import pytest

from fixtures import *
from fixtures.business import *
from pix_conformance.testing import *
from pix_conformance.testing.business import *


@pytest.fixture(scope="session")
def canceled(charge_in: ChargeIn) -> Exchange:
    """The query of a charge that was canceled: the control of every refused cancel."""
    return charge_in("canceled").query


@quick
@requirement("BUS-CAN-01", "BUS-CAN-16")
def test_a_pending_charge_is_canceled(business: Business) -> None:
    """A cancel without a body, or with an empty one where none is refused, makes a pending charge canceled."""
    charge = create_minimal_charge(business, fresh_amount(business))
    expect(send_without_body(business.cancel_charge, charge), success(), of="BUS-CAN-01")
    query = poll_until_not_pending(business, charge)
    expect(query, success(), field("status", "canceled"), of="BUS-CAN-16")


@requirement("BUS-CAN-04")
def test_a_paid_charge_is_not_canceled(business: Business, canceled: Exchange) -> None:
    """A cancel of a paid charge returns 409; a pending charge is canceled."""
    precondition(canceled)
    expect(business.cancel_charge(id_of(create_paid_charge(business))), status(409))


@quick
@requirement("BUS-CAN-05")
def test_a_canceled_charge_is_not_canceled_again(business: Business, canceled: Exchange) -> None:
    """A cancel of a charge that a query shows as canceled returns 409."""
    expect(business.cancel_charge(id_of(canceled)), status(409))


@requirement("BUS-CAN-06")
@deferred(EXPIRED_AFTER_S)
def test_a_charge_that_a_query_shows_as_expired_is_not_canceled(
    cancel_of_expired: ChangeOfExpired, canceled: Exchange
) -> Iterator[None]:
    """A cancel of a charge that a query shows as expired returns 409; a pending charge is canceled."""
    precondition(canceled)
    yield
    expect(cancel_of_expired.answer, status(409))


@requirement("BUS-CAN-06")
@deferred(EXPIRED_AFTER_S)
def test_a_charge_whose_late_payment_was_refused_is_not_canceled(business: Business) -> Iterator[None]:
    """A cancel returns 409 if a refused payment detected the expiry and no query did."""
    charge = id_of(create_expiring_charge(business))
    yield
    if require_decision(business.pay_charge(charge)).ok:
        raise NotApplicable("a payment past expires_at was not refused")
    expect(business.cancel_charge(charge), status(409))


@requirement("BUS-CAN-07")
@deferred(FIRST_AFTER_EXPIRY_S, timely=True)
def test_a_cancel_before_the_expiry_is_detected_is_noted(
    seldom_listed: Business, run: Run, observe: Observer
) -> Iterator[None]:
    """The response to a cancel past expires_at, before any query, list or payment, and the later status are noted."""
    creation = create_expiring_charge(seldom_listed)
    allow_lists = keep_unlisted(seldom_listed, creation)
    charge = id_of(creation)
    yield
    if why := could_have_detected(run, creation):
        raise Inconclusive(f"not seen: {why}")
    answer = seldom_listed.cancel_charge(charge)
    allow_lists()
    after = seldom_listed.get_charge(charge)
    words = f"canceling a charge past its expires_at: {describe_status(answer)}; then it is {after.at('status')}"
    observe("BUS-CAN-07", words, {"status": answer.status, "then": str(after.at("status"))}, answer, after)


@requirement("BUS-CAN-09")
def test_a_body_sent_with_a_cancel_is_noted(business: Business, observe: Observer) -> None:
    """The response to a cancel with a JSON object as its body, for which the document has no place, is noted."""
    answer = business.cancel_charge(id_of(create_pending_charge(business)), json={"reason": "none"})
    observe("BUS-CAN-09", f"a cancel with a body: {answer.status}", answer.status, answer)


@requirement("BUS-CAN-17")
@pytest.mark.concurrent
def test_of_simultaneous_cancels_one_succeeds(business: Business) -> None:
    """Of four simultaneous cancels of one charge one succeeds: the others find a canceled charge."""
    charge = id_of(create_pending_charge(business))
    answers = repeat_concurrently(4, partial(business.cancel_charge, charge, group=charge))
    succeeded = [answer for answer in answers if answer.ok]
    if not succeeded:
        raise Inconclusive("not tested: none of the simultaneous cancels succeeded")
    expect(succeeded[-1], has_one_success_at_most(answers))
