"""The list of charges (business.md, lines 107-110 and 192)."""

from contextlib import suppress
from functools import cache

import pytest

from fixtures.business.charges import (
    MORE_THAN_A_LEDGER,
    a_canceled,
    a_minimal,
    a_paid,
    a_pending,
    documented,
    fill_list,
    id_of,
    many_charges,
    rows,
    shown_as,
)
from fixtures.business.expiry import EXPIRED_AFTER_S
from fixtures.business.lists import (
    disorder,
    lacking,
    listing_with,
    missing_from,
    more_than_once,
    not_the_newest,
    of_several_ages,
    reaches,
    row_apart,
    row_of,
    row_otherwise,
    strays,
)
from pix_conformance.checks.matchers import computed, success
from pix_conformance.checks.outcomes import Inconclusive
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.clock import Clock
from pix_conformance.harness.deferred import deferred, prepare
from pix_conformance.harness.expect import expect, not_applicable, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.exchange import Exchange

STATES = {"pending": a_pending, "paid": a_paid, "canceled": a_canceled}
NEWEST = 200
SHOWN = documented("get_charge")


@prepare("business")
def expiring(business: Business) -> Exchange:
    """Make a charge that lives as short as can be, after one that shows how far back a list reaches."""
    a_pending(business)
    return a_pending(business, expires_in_seconds=60)


@prepare("other_business")
def expiring_elsewhere(other_business: Business) -> Exchange:
    """Make such a charge on the account that has few of them."""
    return a_pending(other_business, expires_in_seconds=60)


@prepare("business")
def finished(business: Business) -> dict[str, Exchange]:
    """Pay a charge and cancel one, neither of which would have lived long."""
    return {status: STATES[status](business, expires_in_seconds=60) for status in ("paid", "canceled")}


@prepare("business")
def older(business: Business) -> list[Exchange]:
    """Make charges that others are newer than: of several amounts and lives."""
    lives = [{"amount_cents": 1_990, "expires_in_seconds": 86_400}, {"amount_cents": 700, "expires_in_seconds": 600}]
    return [a_pending(business, **life) for life in (*lives, {})]


@requirement("BUS-LIST-01")
def test_a_new_charge_is_in_the_list(business: Business) -> None:
    """Found by its id, in whatever envelope, though it was made of an amount alone."""
    charge = a_minimal(business)
    listing = listing_with(business, charge)
    expect(listing, success())
    expect(listing, computed("the list holds the new charge", missing_from(listing, charge)))


@cache
def ended(business: Business, status: str) -> Exchange:
    """Return a charge in its final state, the same for all filters: few charges of the run share that state."""
    return STATES[status](business)


def charge_in(business: Business, status: str) -> Exchange:
    """Return a charge of a status; a new one if pending, of which the run makes more than a list holds."""
    return a_pending(business) if status == "pending" else ended(business, status)


def filtered(business: Business, status: str, charge: Exchange) -> Exchange:
    """Return the list of a status, once it shows the charge and no longer one that has left the status."""
    return listing_with(business, charge, status, enough=lambda one: strays(one, status) is None)


@requirement("BUS-LIST-02")
def test_a_filtered_list_holds_no_charge_of_another_status(business: Business) -> None:
    """While the account has new charges of every other status."""
    charges = {status: charge_in(business, status) for status in STATES}
    for status, charge in charges.items():
        listing = filtered(business, status, charge)
        expect(listing, computed(f"all are {status}", strays(listing, status)))


@pytest.mark.parametrize(
    "status",
    [
        pytest.param("pending", marks=requirement("BUS-LIST-03")),
        pytest.param("paid", marks=requirement("BUS-LIST-04")),
        pytest.param("canceled", marks=requirement("BUS-LIST-06")),
    ],
)
def test_a_filtered_list_holds_a_charge_of_its_status(business: Business, status: str) -> None:
    """Found by its id."""
    charge = charge_in(business, status)
    listing = listing_with(business, charge, status)
    expect(listing, success(), computed(f"the list holds it as {status}", missing_from(listing, charge)))
    expect(listing, computed("it holds it once", more_than_once(listing, charge)))


@requirement("BUS-LIST-02")
def test_a_filtered_list_of_nothing_is_a_list(live_business: Business) -> None:
    """Of production, where the run pays nothing: a list that may be empty is answered as any other."""
    expect(live_business.list_charges("paid"), success())


@cache
def expired(business: Business) -> tuple[Exchange, Exchange]:
    """Query a charge that has expired, and list all such, once in a run."""
    charge = shown_as(business, expiring.after_age(62), "expired")
    return charge, listing_with(business, charge, "expired")


@requirement("BUS-LIST-02", "BUS-LIST-05")
@deferred(EXPIRED_AFTER_S)
def test_a_list_of_the_expired_holds_them_and_no_others(business: Business) -> None:
    """A list of the expired holds a charge whose expiry a query detected, if the list of all reaches back to it."""
    charge, listing = expired(business)
    lost = missing_from(listing, charge)
    if lost and not reaches(business.list_charges(), charge):
        raise not_applicable("the list of all no longer reaches back to the charge that expired")
    expect(listing, success(), computed("the list holds it", lost), of="BUS-LIST-05")
    expect(listing, computed("all are expired", strays(listing, "expired")), of="BUS-LIST-02")


@requirement("BUS-LIST-05")
@deferred(EXPIRED_AFTER_S)
def test_a_list_of_the_expired_holds_them_on_an_account_with_few_charges(other_business: Business) -> None:
    """A list of the expired holds a charge whose expiry a query detected, where no newer ones crowd it out."""
    charge = shown_as(other_business, expiring_elsewhere.after_age(EXPIRED_AFTER_S), "expired")
    listing = listing_with(other_business, charge, "expired")
    expect(listing, success(), computed("the list holds it", missing_from(listing, charge)))


@requirement("BUS-LIST-08")
@deferred(EXPIRED_AFTER_S)
def test_a_list_of_the_expired_begins_with_the_newest(business: Business) -> None:
    """Where they are not all of one age."""
    listing = precondition(expired(business)[1])
    try:
        problem = disorder(business, listing)
    except Inconclusive as why:
        raise not_applicable(str(why)) from None
    expect(listing, computed("the newest comes first", problem))


@requirement("BUS-LIST-02", "BUS-LIST-15")
@deferred(EXPIRED_AFTER_S)
@pytest.mark.parametrize("status", ["paid", "canceled", "expired"])
def test_a_filtered_list_reaches_back_to_an_old_charge(business: Business, status: str) -> None:
    """A list of one status that has room holds an old charge, past newer ones of other statuses, and no others."""
    ended_early = finished.after_age(EXPIRED_AFTER_S)
    charge = ended_early.get(status) or shown_as(business, expiring.after_age(EXPIRED_AFTER_S), status)
    fill_list(business)
    listing = business.list_charges(status)
    expect(listing, computed("the list holds it", lacking(listing, business.list_charges(), charge)), of="BUS-LIST-15")
    expect(listing, computed(f"all are {status}", strays(listing, status)), of="BUS-LIST-02")


@requirement("BUS-LIST-02")
@deferred(EXPIRED_AFTER_S)
def test_a_list_of_the_pending_holds_no_expired(business: Business, other_business: Business) -> None:
    """On the account that has few charges, so that none is crowded out."""
    fill_list(business)
    shown_as(other_business, expiring_elsewhere.after_age(EXPIRED_AFTER_S), "expired")
    pending = a_pending(other_business)
    listing = listing_with(other_business, pending, "pending", enough=lambda one: strays(one, "pending") is None)
    expect(listing, computed("all are pending", strays(listing, "pending")))


@requirement("BUS-LIST-07")
@deferred(EXPIRED_AFTER_S)
def test_a_list_without_filter_shows_the_expired_as_such(business: Business, other_business: Business) -> None:
    """On the account that has few charges, so that none is crowded out."""
    charge = shown_as(other_business, expiring_elsewhere.after_age(EXPIRED_AFTER_S), "expired")
    fill_list(business)
    listing = listing_with(other_business, charge, enough=lambda one: row_otherwise(one, charge, "status") is None)
    expect(listing, computed("the list holds it", lacking(listing, business.list_charges(), charge)))
    expect(listing, computed("with its status", row_otherwise(listing, charge, "status")))


@requirement("BUS-LIST-07")
@deferred(EXPIRED_AFTER_S)
def test_a_list_without_filter_holds_the_expired_too(business: Business) -> None:
    """Where the run made so few charges since that the list still reaches back to it."""
    charge = shown_as(business, expiring.after_age(62), "expired")
    whole = business.list_charges()
    if not reaches(whole, charge):
        raise not_applicable("the list of 200 no longer reaches back to the charge that expired")
    expect(whole, computed("the list of all holds it", missing_from(whole, charge)))


@requirement("BUS-LIST-07")
def test_a_list_without_filter_holds_every_status(business: Business) -> None:
    """Pending, paid and canceled charges side by side, each once and as a query shows it."""
    charges = [make(business) for make in STATES.values()]

    def shows_states(listing: Exchange) -> bool:
        known = {id_of(one): one.at("status") for one in charges}
        return all(row.get("status") == known.get(str(row.get("id")), row.get("status")) for row in rows(listing))

    listing = listing_with(business, charges[-1], enough=shows_states)
    for charge in charges:
        expect(listing, computed("the list holds a charge once", more_than_once(listing, charge)))
        held = missing_from(listing, charge)
        expect(listing, computed(f"the list holds what is {charge.at('status')}", held))
        expect(listing, computed("with its status", row_otherwise(listing, charge, "status")))


@requirement("BUS-LIST-08")
@deferred(4)
def test_the_newest_comes_first(business: Business, clock: Clock) -> None:
    """Also when an older charge was changed last, whatever is listed; charges of one age may stand in any order."""
    first, *_, last = older.after_age(4)
    _, paid, canceled = (a_pending(business) for _ in range(3))
    for ask, ones in ((business.pay_charge, (paid, first)), (business.cancel_charge, (canceled, last))):
        for one in ones:
            precondition(ask(id_of(one)))
    for listing in (of_several_ages(business, clock), business.list_charges("pending")):
        expect(listing, computed("the newest comes first", disorder(business, listing)))
    for status in ("paid", "canceled"):
        with suppress(Inconclusive):  # all in it may be of one age
            listing = business.list_charges(status)
            expect(listing, computed("the newest comes first", disorder(business, listing)))


@cache
def crowded(business: Business) -> tuple[list[Exchange], Exchange, Exchange]:
    """Return more charges than a list holds, the list of all and that of the pending, once they show the newest."""
    charges = [*many_charges(business).created(), a_pending(business)]
    return charges, listing_with(business, charges[-1]), listing_with(business, charges[-1], "pending")


@requirement("BUS-LIST-09")
def test_a_list_holds_200_charges_at_most(business: Business) -> None:
    """The account has 201 and more."""
    for listing in crowded(business)[1:]:
        long = len(rows(listing)) > NEWEST
        expect(listing, computed("no more than 200", f"it holds {len(rows(listing))}" if long else None))


@requirement("BUS-LIST-10")
def test_a_full_list_holds_the_newest(business: Business) -> None:
    """None that is missing is newer than one that is there."""
    charges, listing, pending = crowded(business)
    expect(listing, computed("they are the newest", not_the_newest(listing, charges)))
    expect(pending, computed("they are the newest", not_the_newest(pending, charges[MORE_THAN_A_LEDGER:])))


@requirement("BUS-LIST-15")
def test_a_full_list_holds_200(business: Business) -> None:
    """As many as it may, filtered or not."""
    charges, *listings = crowded(business)
    for listing, there in zip(listings, (charges, charges[MORE_THAN_A_LEDGER:]), strict=True):
        count, most = len(rows(listing)), min(NEWEST, len(there))
        expect(
            listing,
            computed(f"it holds {most}", f"of {len(there)} and more it holds {count}" if count < most else None),
        )


@requirement("BUS-LIST-11", "BUS-CHG-56")
@pytest.mark.parametrize(
    ("status", "one"),
    [
        pytest.param("pending", "BUS-LIST-03", marks=requirement("BUS-LIST-03")),
        pytest.param("paid", "BUS-LIST-04", marks=requirement("BUS-LIST-04", "BUS-PAY-11")),
        pytest.param("canceled", "BUS-LIST-06", marks=requirement("BUS-LIST-06")),
    ],
)
def test_a_listed_charge_looks_like_a_queried_one(business: Business, status: str, one: str) -> None:
    """It is there, with the same members, of the same JSON types and values."""
    charge = STATES[status](business, description="Two tickets", customer_email="player@example.com")
    query = precondition(business.get_charge(id_of(charge))) if status == "pending" else charge
    listing = listing_with(business, charge, status)
    expect(listing, success(), computed(f"the list holds it as {status}", missing_from(listing, charge)), of=one)
    values = {name: row_otherwise(listing, query, name) for name in row_of(listing, query)}
    expect(listing, computed("its amount is the one queried", values.get("amount_cents")), of="BUS-CHG-56")
    if status == "paid":
        expect(listing, computed("its e2e_id is the one queried", values.get("e2e_id")), of="BUS-PAY-11")
    other = next((values.get(name) for name in SHOWN if values.get(name)), None)
    expect(listing, computed("the charge in it looks as queried", row_apart(listing, query) or other), of="BUS-LIST-11")
