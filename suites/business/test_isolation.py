"""An account does not see, change or list the charges of another account."""

from collections.abc import Callable, Iterator

import pytest

from fixtures.business import *
from pix_conformance.testing import *
from pix_conformance.testing.business import *

NOT_FOUND_RULES = {
    row.name: requirements_of(row, Question.ANOTHER_ACCOUNT) for row in operations.of(Api.BUSINESS) if row.id_parameter
}
"""By operation on a charge, what states that it returns 404 to another account."""
CREATE = {"pending": create_pending_charge, "paid": create_paid_charge, "canceled": create_canceled_charge}


@requirement(*rules_about(Api.BUSINESS, "charge", Question.ANOTHER_ACCOUNT))
@deferred(EXPIRED_AFTER_S)
def test_an_expired_charge_of_another_account_is_not_found(
    other_business: Business, short_lived: ShortLivedCharge
) -> Iterator[None]:
    """GET, cancel and pay of a charge of another account that a query of its own showed as expired return 404."""
    yield
    number = foreign_id(other_business, short_lived.expired)
    for operation, (rule,) in NOT_FOUND_RULES.items():
        expect(getattr(other_business, operation)(number), status(404), of=rule)


@requirement("BUS-ISO-01")
def test_another_account_finds_no_charge_by_its_external_ref(other_business: Business, plain_charge: Exchange) -> None:
    """GET of the external_ref of a charge of another account, in place of an id, returns a 4xx."""
    foreign_id(other_business, plain_charge)
    label = precondition(plain_charge, has("external_ref", "string")).at("external_ref")
    expect(require_decision(other_business.get_charge(label)), client_error())


@pytest.mark.parametrize("operation", asked(operations.of(Api.BUSINESS), Question.ANOTHER_ACCOUNT_WITHOUT_EFFECT))
def test_another_account_leaves_a_charge_pending(business: Business, other_business: Business, operation: str) -> None:
    """A pending charge is still pending after another account sent cancel, or pay, for it."""
    charge = create_pending_charge(business)
    require_decision(getattr(other_business, operation)(foreign_id(other_business, charge)))
    expect(precondition(business.get_charge(id_of(charge)), has("status", "string")), field("status", "pending"))


@requirement("BUS-ISO-06")
@pytest.mark.parametrize("state", CREATE)
def test_the_list_contains_no_charge_of_another_account(
    other_business: Business, charge_in: ChargeIn, state: str
) -> None:
    """The lists of all and of each status contain a new charge of the account, and none of the other account."""
    theirs, own = charge_in(state).query, CREATE[state](other_business)
    foreign_id(other_business, theirs)
    for wanted in (None, state) if state == "pending" else (state,):
        listing = list_charges_until_shown(other_business, own, wanted)
        expect(listing, holds_own_charge_only(own, foreign=theirs))


@requirement("BUS-ISO-06")
@deferred(EXPIRED_AFTER_S)
def test_the_list_of_the_expired_contains_no_charge_of_another_account(
    other_business: Business, short_lived: ShortLivedCharge, short_lived_of_another: ShortLivedCharge
) -> Iterator[None]:
    """The list of the expired charges contains that of the account, and not that of the other account."""
    yield
    theirs, own = short_lived.expired, short_lived_of_another.expired
    foreign_id(other_business, theirs)
    listing = list_charges_until_shown(other_business, own, "expired")
    expect(listing, holds_own_charge_only(own, foreign=theirs))


@requirement("BUS-ISO-11")
def test_a_payment_refused_to_another_account_captures_nothing(
    business: Business, other_business: Business, ledger_with_unpaid_charge: Shown
) -> None:
    """After pay of a charge of another account was refused, neither ledger has a posting of its amount."""
    charge = create_pending_charge(business, amount_cents=fresh_amount(business))
    number, cents = foreign_id(other_business, charge), int(charge.at("amount_cents"))
    accounts = (business, other_business)
    before = [precondition(account.get_finance()) for account in accounts]
    require_refusal(other_business.pay_charge(number))
    paid = pay_control(business)
    for account, then in zip(accounts, before, strict=True):
        finance = precondition(account.get_finance())
        expect(finance, captures_nothing(cents, then, paid, ledger_with_unpaid_charge))


@pytest.fixture(scope="session")
def payment_beside_another_account(business: Business, other_business: Business) -> PaymentBesideAnother:
    """A payment, and the ledger of another account before it and after it."""
    return pay_beside(business, other_business)


@pytest.mark.parametrize(
    "relation",
    [
        case("BUS-ISO-07", shows_no_payment_of_another, id="posting"),
        case("BUS-ISO-10", is_not_credited_with, id="credit"),
    ],
)
def test_a_payment_is_no_payment_to_another_account(
    payment_beside_another_account: PaymentBesideAnother, relation: Callable[..., Relation]
) -> None:
    """After a payment of an account, that of another has no posting of it, and its available_cents did not rise."""
    payment = payment_beside_another_account
    expect(payment.after, relation(payment.own.cents, payment.before, payment.own.balances))


@requirement("BUS-ISO-13")
def test_another_account_has_another_merchant_id(
    first_payment: PaymentInLedger, payment_of_another_account: PaymentInLedger
) -> None:
    """GET /v1/business/finance of two accounts, each after a payment, returns two merchant_ids."""
    own = precondition(first_payment.after, has("merchant_id"))
    theirs = precondition(payment_of_another_account.after, has("merchant_id"))
    expect(theirs, not_field("merchant_id", own.at("merchant_id")))


@requirement("BUS-ISO-08", "BUS-ISO-09")
def test_the_key_of_another_account_does_not_return_its_charge(
    business: Business, other_business: Business, observe: Observer
) -> None:
    """POST with the key and body of another account creates a charge of its own or is refused."""
    key, body = fresh_key(), a_charge()
    first = precondition(business.create_charge(body, key=key), has("id"))
    second = other_business.create_charge(body, key=key)
    words = f"another account's creation with the same key and body: {second.status}"
    observe("BUS-ISO-09", words, second.status, first, second)
    expect(require_decision(second), shows_no_charge_of_another_account(first), of="BUS-ISO-08")


@requirement("BUS-ISO-12")
@deferred(0)
def test_a_full_ledger_leaves_the_postings_of_another_account(
    overfull_ledger: OverfullLedger, other_business: Business
) -> None:
    """The ledger of another account shows its payment after more payments of the first account than fit a ledger."""
    if not postings(overfull_ledger.other.value.after):
        raise NotApplicable("the ledger of the other account did not show its payment before")
    expect(precondition(other_business.get_finance()), shows_any_posting())
