"""What the responses of the whole run say of charges, by the requests of all tests."""

from collections.abc import Callable, Iterable, Sequence

import pytest

from fixtures.business import *
from pix_conformance.testing import *
from pix_conformance.testing.business import *

pytestmark = pytest.mark.whole_run
AT_THE_VERY_END = EXPIRED_AFTER_S + 1
"""An age at which all that is done to charges has been done."""
Judged = Iterable[tuple[Exchange, Matcher]]
"""Responses of the run, each with what it has to be."""


@pytest.fixture(scope="session")
def records(business: Business) -> Records:
    """All creations, queries and lists of the run."""
    return Records(business.sender.whole_run.exchanges)


@deferred(AT_THE_VERY_END)
@pytest.mark.parametrize(
    "judge",
    [
        case("BUS-CHG-56", lambda records: records.sent_values("amount_cents"), id="amount_cents"),
        case("BUS-CHG-57", lambda records: records.sent_values("description"), id="description"),
        case("BUS-CHG-58", lambda records: records.sent_values("external_ref"), id="external_ref"),
        case("BUS-CHG-59", lambda records: records.sent_values("customer_email"), id="customer_email"),
        case("BUS-LIST-19", lambda records: records.listed_external_refs(), id="listed-external_ref"),
        case("BUS-CHG-34", lambda records: records.lifetimes(given=False), id="default-lifetime"),
        case("BUS-CHG-35", lambda records: records.lifetimes(given=True), id="expires_in_seconds"),
        case("BUS-CHG-86", lambda records: records.creation_times(), id="created_at"),
        case("BUS-PAY-13", lambda records: records.e2e_ids(), id="e2e_id"),
    ],
)
def test_every_response_shows_what_was_sent_and_created(records: Records, judge: Callable[[Records], Judged]) -> None:
    """Each response of the run shows its charge as sent, with one created_at, a due expires_at and its own e2e_id."""
    expect_every(judge(records))


@deferred(AT_THE_VERY_END)
@pytest.mark.parametrize(
    "judge",
    [
        case("BUS-LIST-10", judged_by_omissions, id="omits-only-older"),
        case("BUS-LIST-08", judged_by_order, id="newer-before-older"),
        case("BUS-PAY-01", lambda exchanges: judged_by_state(exchanges, "pay_charge"), id="first-payment"),
        case("BUS-CAN-01", lambda exchanges: judged_by_state(exchanges, "cancel_charge"), id="first-cancel"),
    ],
)
def test_every_list_has_the_newest_and_every_pending_charge_may_change(
    business: Business, judge: Callable[[Sequence[Exchange]], Judged]
) -> None:
    """No list omits a charge newer than one in it or has one after an older; no first pay or cancel gets 403 or 409."""
    expect_every(judge(business.sender.whole_run.exchanges))


@deferred(AT_THE_VERY_END)
@pytest.mark.parametrize(
    "sent",
    [
        case("BUS-STATE-11", PaymentsOfCharge.ONCE, id="once"),
        case("BUS-STATE-06", PaymentsOfCharge.AT_ONCE, id="at-once"),
        case("BUS-STATE-08", PaymentsOfCharge.LATER, id="later"),
    ],
)
def test_no_ledgers_have_more_captures_than_charges(business: Business, sent: PaymentsOfCharge) -> None:
    """The ledgers of the run show no more postings that say the same than charges of their amount were created."""
    expect_every(judged_by_captures(business.sender.whole_run.as_received, sent, LOWEST))
