"""The list of charges: newest first, and no more than a list may have."""

from collections.abc import Iterator
from contextlib import suppress

from fixtures.business import *
from pix_conformance.testing import *
from pix_conformance.testing.business import *


@requirement("BUS-LIST-08")
@deferred(4)
def test_the_newest_charge_comes_first(business: Business, clock: Clock) -> Iterator[None]:
    """Every list stands newest first by created_at, also after an older charge was paid last."""
    first = create_pending_charge(business, amount_cents=1_990, expires_in_seconds=LONGEST_LIFETIME_S)
    yield
    newer = create_pending_charge(business)
    for charge in (newer, first):
        precondition(business.pay_charge(id_of(charge)))
    listing = list_of_several_ages(business, clock)
    expect(listing, newest_first(query_dates(business, listing)))
    with suppress(Inconclusive):  # all charges of the list may be of one age
        listing = business.list_charges("paid")
        expect(listing, newest_first(query_dates(business, listing)))


@requirement("BUS-LIST-08")
@deferred(EXPIRED_AFTER_S)
def test_the_list_of_the_expired_begins_with_the_newest(business: Business) -> None:
    """The list of the expired charges stands newest first, where they are not all of one age."""
    listing = precondition(business.list_charges("expired"))
    try:
        expect(listing, newest_first(query_dates(business, listing)))
    except Inconclusive as why:
        raise NotApplicable(str(why)) from None


@requirement("BUS-LIST-09", "BUS-LIST-10", "BUS-LIST-15")
@deferred(0)
def test_a_full_list_has_the_newest_charges_and_no_more_than_it_may(
    business: Business, many_charges: ManyCharges, clock: Clock
) -> None:
    """On an account with more charges the list is full, and omits only older ones, as that of the pending does."""
    charges = list(many_charges.created())
    with suppress(NotApplicable):  # --no-waiting: charges of one age have no order
        clock.wait_until_aged(clock.now(), 2 * ONE_AGE.total_seconds() + 0.1)
    newest = create_pending_charge(business)
    everything = list_charges_until_shown(business, newest)
    pending = list_charges_until_shown(business, newest, "pending")
    for listing, created in ((everything, [*charges, newest]), (pending, untouched_charges(business, clock))):
        expect(listing, holds_at_most(MOST_LISTED), of="BUS-LIST-09")
        expect(listing, holds_the_newest_of(created), of="BUS-LIST-10")
        expect(listing, holds_at_least(min(MOST_LISTED, len(created))), of="BUS-LIST-15")
