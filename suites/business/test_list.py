"""The list of charges: which it contains, by status, and what it shows of them."""

from collections.abc import Callable, Iterator
from functools import cache, partial

import pytest

from fixtures import *
from fixtures.business import *
from pix_conformance.testing import *
from pix_conformance.testing.business import *

CREATE = {"pending": create_pending_charge, "paid": create_paid_charge, "canceled": create_canceled_charge}
ChargeOf = Callable[[str], Exchange]
"""Returns the response that shows a charge of the status, which is created once."""
LISTED_AFTER_S = EXPIRED_AFTER_S + 0.5
"""When a list may show a charge of the shortest life as expired: after the tests in which another request is first."""


@pytest.fixture(scope="session")
def charge_of(business: Business) -> ChargeOf:
    """Create a pending, a paid or a canceled charge with every field, when a test asks for it."""

    @cache
    def create(status: str) -> Exchange:
        return CREATE[status](business, **a_full_charge())

    return create


@pytest.fixture(scope="session")
def longest_list(business: Business) -> Callable[[], Exchange]:
    """List all charges once, when a test asks how many a list may have on an account with more."""
    return cache(business.list_charges)


@pytest.fixture(scope="session")
def list_of(business: Business, charge_of: ChargeOf) -> ChargeOf:
    """List the charges of a status, until the list shows the charge of that status and no other status."""

    @cache
    def read(status: str) -> Exchange:
        return list_charges_until_shown(business, charge_of(status), status, until=holds_only(status))

    return read


@quick
@requirement("BUS-LIST-01", "BUS-LIST-22", "BUS-LIST-15")
def test_a_new_charge_is_in_the_list(business: Business) -> None:
    """GET of the list contains a charge that was just created with an amount alone, also on other connections."""
    charge = create_minimal_charge(business)
    at_once = repeat_concurrently(3, partial(business.list_charges, group="new-charge"))
    listing = list_charges_until_shown(business, charge)
    expect(listing, success(), of="BUS-LIST-01")
    expect(listing, holds_charge(charge), of="BUS-LIST-22")
    for early in at_once:
        expect(precondition(early), holds_charge_if_not_full(charge, longest=listing), of="BUS-LIST-15")


@quick
@requirement("BUS-LIST-01")
@pytest.mark.parametrize("status", [None, "expired"], ids=["of-all", "that-may-be-empty"])
def test_the_list_succeeds(business: Business, status: str | None) -> None:
    """GET of the list succeeds without status, and with one that no charge may have, and returns a list."""
    expect(business.list_charges(status), success(), is_a_list())


@requirement("BUS-LIST-02")
def test_a_list_of_one_status_contains_no_other(charge_of: ChargeOf, list_of: ChargeOf) -> None:
    """The lists of the pending, the paid and the canceled charges contain no charge of another status."""
    for status in CREATE:
        charge_of(status)
    for status in CREATE:
        expect(list_of(status), holds_only(status))


@requirement("BUS-LIST-02")
def test_a_list_of_one_status_that_may_be_empty_succeeds(live_business: Business) -> None:
    """GET of the paid charges of production, where the run pays none, returns a 2xx."""
    expect(live_business.list_charges("paid"), success())


@pytest.mark.parametrize(
    "status",
    [
        case("BUS-LIST-03", "pending", id="pending", quick=True),
        case("BUS-LIST-04", "paid", id="paid"),
        case("BUS-LIST-06", "canceled", id="canceled"),
    ],
)
def test_a_charge_is_in_the_list_of_its_status(charge_of: ChargeOf, list_of: ChargeOf, status: str) -> None:
    """The list of the pending, the paid or the canceled charges contains a charge of that status, once."""
    charge, listing = charge_of(status), list_of(status)
    expect(listing, success(), holds_charge(charge))
    expect(listing, holds_charge_once(charge))


@requirement("BUS-LIST-07")
def test_the_list_without_status_contains_every_status(business: Business, charge_of: ChargeOf) -> None:
    """GET of the list without status contains a pending, a paid and a canceled charge once, each with its status."""
    charges = [charge_of(status) for status in CREATE]
    listing = list_charges_until_shown(business, charges[-1], until=shows_statuses_of(charges))
    if listing.ok and not all(reaches_back_to(listing, charge) for charge in charges):  # newer ones fill it
        charges = [create(business, **a_full_charge()) for create in CREATE.values()]
        listing = list_charges_until_shown(business, charges[-1], until=shows_statuses_of(charges))
    for charge in charges:
        expect(listing, holds_charge_once(charge))
        expect(listing, holds_charge(charge))
        expect(listing, shows_as(charge, "status"))


@requirement("BUS-LIST-11", "BUS-LIST-17")
@pytest.mark.parametrize(
    ("status", "lists_status"),
    [
        case("BUS-LIST-03", "pending", "BUS-LIST-03", id="pending"),
        case(("BUS-LIST-04", "BUS-LIST-21"), "paid", "BUS-LIST-04", id="paid"),
        case("BUS-LIST-06", "canceled", "BUS-LIST-06", id="canceled"),
    ],
)
def test_a_charge_in_the_list_looks_like_its_query(
    business: Business, charge_of: ChargeOf, list_of: ChargeOf, status: str, lists_status: str
) -> None:
    """A charge in the list of its status has the fields, JSON types and values that GET of the charge returns."""
    charge, listing = charge_of(status), list_of(status)
    query = precondition(business.get_charge(id_of(charge))) if status == "pending" else charge
    expect(listing, success(), holds_charge(charge), of=lists_status)
    expect(listing, shows_as(query, "amount_cents"), of="BUS-LIST-17")
    if status == "paid":
        expect(listing, shows_as(query, "e2e_id"), of="BUS-LIST-21")
    expect(listing, has_fields_of(query), shows_as(query, *documented_fields("get_charge")), of="BUS-LIST-11")


@pytest.mark.parametrize(
    "name",
    [
        case("BUS-LIST-17", "amount_cents", id="amount_cents"),
        case("BUS-LIST-18", "description", id="description"),
        case("BUS-LIST-19", "external_ref", id="external_ref"),
        case("BUS-LIST-20", "customer_email", id="customer_email"),
    ],
)
def test_the_list_shows_what_was_sent(charge_of: ChargeOf, list_of: ChargeOf, name: str) -> None:
    """A field of a charge in the list, where the list shows it, has the value that was sent with the creation."""
    expect(list_of("pending"), shows_sent_value(charge_of("pending"), name))


@requirement("BUS-LIST-12")
def test_the_envelope_of_the_list_is_noted(business: Business, observe: Observer) -> None:
    """GET of the list returns an array or an object that contains it."""
    answer = precondition(business.list_charges())
    kind = f"an object with {', '.join(sorted(answer.json))}" if isinstance(answer.json, dict) else "an array"
    observe("BUS-LIST-12", f"the list is {kind}", kind, answer)


@requirement("BUS-LIST-23")
@deferred(0)
def test_further_pages_of_the_list_are_noted(business: Business, many_charges: ManyCharges, observe: Observer) -> None:
    """What GET of the list with page=2 returns, on an account with more charges than a list shows, is noted."""
    many_charges.fill_list()
    first, second = business.list_charges(), business.call("GET", f"{CHARGES}?page=2")
    what = describe_page(rows_of(first), rows_of(second))
    observe("BUS-LIST-23", f"the list with page=2: {second.status}, {what}", what, first, second)


@requirement("BUS-LIST-13", "BUS-LIST-16")
@pytest.mark.parametrize("value", ["refunded", "PENDING", ""], ids=["unknown", "capitals", "empty"])
def test_an_unknown_status_is_no_server_error(
    business: Business, plain_charge: Exchange, value: str, observe: Observer
) -> None:
    """GET of the list with an undocumented status may be refused or answered, but not with a 5xx."""
    precondition(plain_charge)
    answer = business.list_charges(value)
    expect(answer, is_no_server_error(), of="BUS-LIST-16")
    words = f"status={value}: {describe_status(answer)}"
    observe("BUS-LIST-13", words, {"status": answer.status, "bytes": len(answer.body)}, answer)


@requirement("BUS-LIST-02", "BUS-LIST-05")
@deferred(EXPIRED_AFTER_S)
def test_the_list_of_the_expired_contains_an_expired_charge_and_no_others(
    business: Business, short_lived: ShortLivedCharge
) -> Iterator[None]:
    """The list of the expired charges contains one whose expiry a query detected, and no charge of another status."""
    create_pending_charge(business)
    yield
    query = short_lived.expired
    listing = list_charges_until_shown(business, query, "expired")
    if not shows(listing, query) and not reaches_back_to(business.list_charges(), query):
        raise NotApplicable("the list of all no longer reaches back to the charge that expired")
    expect(listing, success(), holds_charge(query), of="BUS-LIST-05")
    expect(listing, holds_only("expired"), of="BUS-LIST-02")


@requirement("BUS-LIST-05")
@deferred(EXPIRED_AFTER_S)
def test_the_list_of_the_expired_contains_one_on_an_account_with_few_charges(
    other_business: Business, short_lived_of_another: ShortLivedCharge
) -> Iterator[None]:
    """The list of the expired charges contains one whose expiry a query detected, where few newer ones exist."""
    yield
    query = short_lived_of_another.expired
    listing = list_charges_until_shown(other_business, query, "expired")
    expect(listing, success(), holds_charge(query))


@requirement("BUS-LIST-02")
@deferred(EXPIRED_AFTER_S)
def test_the_list_of_the_pending_contains_no_expired_charge(
    other_business: Business, short_lived_of_another: ShortLivedCharge, many_charges: ManyCharges
) -> Iterator[None]:
    """The list of the pending charges of an account with few charges has none that a query showed as expired."""
    yield
    many_charges.fill_list()
    precondition(short_lived_of_another.expired)
    pending = create_pending_charge(other_business)
    listing = list_charges_until_shown(other_business, pending, "pending", until=holds_only("pending"))
    expect(listing, holds_only("pending"))


@requirement("BUS-LIST-07")
@deferred(EXPIRED_AFTER_S)
def test_the_list_without_status_shows_an_expired_charge_as_expired(
    longest_list: Callable[[], Exchange],
    other_business: Business,
    short_lived_of_another: ShortLivedCharge,
    many_charges: ManyCharges,
) -> Iterator[None]:
    """GET of the list without status, on an account with few charges, contains an expired one with its status."""
    yield
    query = short_lived_of_another.expired
    many_charges.fill_list()
    listing = list_charges_until_shown(other_business, query, until=shows_as(query, "status"))
    expect(listing, holds_charge_if_not_full(query, longest=longest_list()))
    expect(listing, shows_as(query, "status"))


@requirement("BUS-LIST-07")
@deferred(EXPIRED_AFTER_S)
def test_the_list_without_status_contains_an_expired_charge(
    business: Business, short_lived: ShortLivedCharge
) -> Iterator[None]:
    """GET of the list without status contains an expired charge, where the list still reaches back to its creation."""
    yield
    query = short_lived.expired
    listing = business.list_charges()
    if not reaches_back_to(listing, query):
        raise NotApplicable("the list no longer reaches back to the charge that expired")
    expect(listing, holds_charge(query))


@requirement("BUS-LIST-02", "BUS-LIST-15")
@deferred(EXPIRED_AFTER_S)
@pytest.mark.parametrize("status", ["paid", "expired"])
def test_a_list_of_one_status_reaches_back_past_newer_charges(
    business: Business,
    longest_list: Callable[[], Exchange],
    short_lived: ShortLivedCharge,
    many_charges: ManyCharges,
    status: str,
) -> Iterator[None]:
    """A list of one status that has room contains a charge older than a list of other statuses, and no others."""
    charge = short_lived.creation
    if status == "paid":
        charge = create_paid_charge(business, expires_in_seconds=SHORTEST_LIFETIME_S)
    yield
    query = short_lived.expired if status == "expired" else charge
    many_charges.fill_list(charge)
    listing = business.list_charges(status)
    expect(listing, holds_charge_if_not_full(query, longest=longest_list()), of="BUS-LIST-15")
    expect(listing, holds_only(status), of="BUS-LIST-02")


@requirement("BUS-LIST-14")
@deferred(LISTED_AFTER_S)
def test_the_status_in_the_list_after_an_undetected_expiry_is_noted(
    request: pytest.FixtureRequest, observe: Observer
) -> Iterator[None]:
    """The list of an account with few charges may show one past its expires_at, not queried, as pending or expired."""
    account = "other_business" if available(request, "other_business") else "business"
    client: Business = request.getfixturevalue(account)
    charge = create_pending_charge(client, expires_in_seconds=SHORTEST_LIFETIME_S)
    yield
    status, listings = status_in_lists(client, charge)
    observe("BUS-LIST-14", f"listed after expires_at, not queried: {status} ({account})", status, *listings)
