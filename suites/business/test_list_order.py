"""The list of charges: newest first, and no more than a list may have."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import pytest

from fixtures.business import *
from pix_conformance.testing import *
from pix_conformance.testing.business import *

AT_THE_VERY_END = EXPIRED_AFTER_S + 1
"""An age at which all that is done to charges has been done."""


@dataclass(frozen=True)
class FullLists:
    """202 charges, those of them that are pending, the list of all, and the list of the pending."""

    charges: list[Exchange]
    pending_charges: list[Exchange]
    everything: Exchange
    pending: Exchange


@pytest.fixture(scope="session")
def full_lists(business: Business, many_charges: ManyCharges, clock: Clock) -> FullLists:
    """Lists of an account with more charges than they may have, once they show the newest, which is 2 s newer."""
    charges = list(many_charges.created())
    with suppress(NotApplicable):  # --no-waiting: charges of one age have no order
        clock.wait_until_aged(clock.now(), 2 * ONE_AGE.total_seconds() + 0.1)
    newest = create_pending_charge(business)
    listings = (
        list_charges_until_shown(business, newest),
        list_charges_until_shown(business, newest, "pending"),
    )
    return FullLists([*charges, newest], [*many_charges.pending, newest], *listings)


@requirement("BUS-LIST-08")
@deferred(4)
def test_the_newest_charge_comes_first(business: Business, clock: Clock) -> Iterator[None]:
    """Every list stands newest first by created_at, also after older charges were paid or canceled last."""
    first = create_pending_charge(business, amount_cents=1_990, expires_in_seconds=LONGEST_LIFETIME_S)
    create_pending_charge(business, amount_cents=700, expires_in_seconds=600)
    last = create_pending_charge(business, expires_in_seconds=86_400)
    yield
    _, paid, canceled = (create_pending_charge(business) for _ in range(3))
    for charge in (paid, first):
        precondition(business.pay_charge(id_of(charge)))
    for charge in (canceled, last):
        precondition(business.cancel_charge(id_of(charge)))
    for listing in (list_of_several_ages(business, clock), business.list_charges("pending")):
        expect(listing, newest_first(query_dates(business, listing)))
    for status in ("paid", "canceled"):
        with suppress(Inconclusive):  # all charges of the list may be of one age
            listing = business.list_charges(status)
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


@requirement("BUS-LIST-09")
@deferred(0)
def test_a_list_has_no_more_charges_than_it_may(full_lists: FullLists) -> None:
    """On an account with more charges neither the list of all nor that of the pending has more than it may have."""
    for listing in (full_lists.everything, full_lists.pending):
        expect(listing, holds_at_most(MOST_LISTED))


@requirement("BUS-LIST-10")
@deferred(0)
def test_a_full_list_has_the_newest_charges(full_lists: FullLists) -> None:
    """No charge that a full list omits is newer than the last one of the list."""
    expect(full_lists.everything, holds_the_newest_of(full_lists.charges))
    expect(full_lists.pending, holds_the_newest_of(full_lists.pending_charges))


@requirement("BUS-LIST-15")
@deferred(0)
def test_a_full_list_has_all_the_charges_that_it_may(full_lists: FullLists) -> None:
    """The list of all is full where so many charges exist; that of the pending has as many as are pending."""
    expect(full_lists.everything, holds_at_least(MOST_LISTED))
    expect(full_lists.pending, holds_at_least(min(MOST_LISTED, len(full_lists.pending_charges))))


@pytest.mark.whole_run
@deferred(AT_THE_VERY_END)
@requirement("BUS-LIST-10")
def test_every_list_of_the_run_omits_only_older_charges(business: Business) -> None:
    """No list of the run omits a charge that is newer than one in it, with or without status."""
    expect_every(judged_by_omissions(business.run.recorder.exchanges))


@pytest.mark.whole_run
@deferred(AT_THE_VERY_END)
@requirement("BUS-LIST-08")
def test_every_list_of_the_run_has_the_newer_before_the_older(business: Business) -> None:
    """In no list of the run a charge stands after one that was created before it, by our clock and by created_at."""
    expect_every(judged_by_order(business.run.recorder.exchanges))
