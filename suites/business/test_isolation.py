"""An account does not see, change or list the charges of another account."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import pytest

from fixtures.business import *
from fixtures.optional_fixtures import Possible, available, values
from pix_conformance.testing import *
from pix_conformance.testing.business import *

NOT_FOUND_RULES = {
    row.name: requirements_for(row, Question.ANOTHER_ACCOUNT) for row in operations.of(Api.BUSINESS) if row.id_parameter
}
"""By operation on a charge, what states that it returns 404 to another account."""
ANOTHERS = rules_about(Api.BUSINESS, "charge", Question.ANOTHER_ACCOUNT)
CREATE = {"pending": create_pending_charge, "canceled": create_canceled_charge}


@dataclass(frozen=True)
class AskedByAnother:
    """A pending charge, and what another account was answered that named it."""

    charge: Exchange
    before: list[Exchange]
    """The ledgers of the account and of the other one before these requests."""
    answers: Mapping[str, Exchange]
    """By operation."""
    queries: Mapping[str, Exchange]
    """By operation that changes a charge, the own query after it."""


@pytest.fixture(scope="session")
def asked_by_another(
    business: Business, other_business: Business, possible_endpoint: Possible[WebhookEndpoint]
) -> AskedByAnother:
    """Create a charge, and send each operation on a charge with its id by another account."""
    charge = create_pending_charge(business, amount_cents=fresh_amount(business))
    for endpoint in values(possible_endpoint):
        expect_created_event(endpoint, charge)
    number = foreign_id(other_business, charge)
    before = [account.get_finance() for account in (business, other_business)]
    answers, queries = dict[str, Exchange](), dict[str, Exchange]()
    for operation in NOT_FOUND_RULES:
        answers[operation] = getattr(other_business, operation)(number)
        if operation in CHANGES:
            queries[operation] = business.get_charge(id_of(charge))
    return AskedByAnother(charge, before, answers, queries)


@requirement(*ANOTHERS)
def test_a_pending_charge_of_another_account_is_not_found(asked_by_another: AskedByAnother) -> None:
    """GET, cancel and pay of a pending charge of another account return 404."""
    for operation, (rule,) in NOT_FOUND_RULES.items():
        expect(asked_by_another.answers[operation], status(404), of=rule)


@pytest.mark.parametrize(
    "state",
    [
        case((*ANOTHERS, "BUS-STATE-03"), "paid", id="paid"),
        case((*ANOTHERS, "BUS-STATE-04"), "canceled", id="canceled"),
    ],
)
def test_a_paid_or_canceled_charge_of_another_account_is_not_found(
    business: Business, other_business: Business, charge_in: ChargeIn, state: str
) -> None:
    """GET, cancel and pay of a paid or canceled charge of another account return 404, and leave it so."""
    charge = charge_in(state).query
    number = foreign_id(other_business, charge)
    answers = {operation: getattr(other_business, operation)(number) for operation in NOT_FOUND_RULES}
    query = precondition(business.get_charge(id_of(charge)), has("status", "string"))
    for operation, (rule,) in NOT_FOUND_RULES.items():
        expect(answers[operation], status(404), of=rule)
    expect(query, field("status", state), of="BUS-STATE-03" if state == "paid" else "BUS-STATE-04")


@requirement(*ANOTHERS)
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


@requirement("BUS-EXP-03")
@pytest.mark.parametrize("operation", asked(operations.of(Api.BUSINESS), Question.ANOTHER_ACCOUNT_WITHOUT_EFFECT))
def test_another_account_leaves_a_charge_pending(asked_by_another: AskedByAnother, operation: str) -> None:
    """A pending charge is still pending after another account sent cancel, or pay, for it."""
    require_decision(asked_by_another.answers[operation])
    queries = list(asked_by_another.queries)
    for earlier in queries[: queries.index(operation)]:
        precondition(asked_by_another.queries[earlier], field("status", "pending"))
    query = precondition(asked_by_another.queries[operation], has("status", "string"))
    expect(query, field("status", "pending"))


@deferred()
@requirement("BUS-EVT-19")
def test_a_cancel_by_another_account_sends_no_event(
    business_events: BusinessEvents, asked_by_another: AskedByAnother
) -> Iterator[None]:
    """A cancel with the API key of another account, which is refused with 404, sends no canceled event."""
    refusal = require_refusal(asked_by_another.answers["cancel_charge"], 404)
    yield
    charge = ReportedCharge(asked_by_another.charge)
    expect(refusal, sends_no_event(CANCELED, to=business_events.endpoint, about=charge))


@requirement("BUS-ISO-06")
@pytest.mark.parametrize("state", CREATE)
def test_the_list_contains_no_charge_of_another_account(
    other_business: Business, charge_in: ChargeIn, state: str
) -> None:
    """The lists of all, the pending and the canceled contain a new charge of the account, and none of the other."""
    theirs, own = charge_in(state).query, CREATE[state](other_business)
    foreign_id(other_business, theirs)
    for wanted in (None, state) if state == "pending" else (state,):
        listing = list_charges_until_shown(other_business, own, wanted)
        expect(listing, holds_own_charge_only(own, foreign=theirs))


@requirement("BUS-ISO-06")
def test_the_list_of_the_paid_contains_no_charge_of_another_account(
    other_business: Business, charge_in: ChargeIn, payment_of_another_account: PaymentInLedger
) -> None:
    """The list of the paid charges contains that of the account, and not that of the other account."""
    theirs, own = charge_in("paid").query, payment_of_another_account.charge
    foreign_id(other_business, theirs)
    listing = list_charges_until_shown(other_business, own, "paid")
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


@pytest.fixture(scope="session")
def payment_beside_another_account(
    request: pytest.FixtureRequest, business: Business, other_business: Business
) -> PaymentBesideAnother:
    """A payment, and the ledger of another account before it and after it; after what that account has asked for."""
    available(request, "asked_by_another")
    return pay_beside(business, other_business)


@requirement("BUS-ISO-11")
def test_a_payment_refused_to_another_account_captures_nothing(
    asked_by_another: AskedByAnother,
    payment_beside_another_account: PaymentBesideAnother,
    ledger_with_unpaid_charge: Shown,
) -> None:
    """After pay of a charge of another account was refused, neither ledger has a posting of its amount."""
    require_refusal(asked_by_another.answers["pay_charge"])
    cents, later = int(asked_by_another.charge.at("amount_cents")), payment_beside_another_account
    for finance, before in zip((later.own.after, later.after), asked_by_another.before, strict=True):
        unposted = captures_nothing(cents, precondition(before), later.own.shown, ledger_with_unpaid_charge)
        expect(finance, unposted)


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
    other_business: Business, charge_in: ChargeIn, observe: Observer
) -> None:
    """POST with the key and body of another account creates a charge of its own or is refused."""
    first = charge_in("pending").creation
    second = other_business.create_charge(first.request.json_object, key=key_of(first.request))
    words = f"another account's creation with the same key and body: {second.status}"
    observe("BUS-ISO-09", words, second.status, first, second)
    expect(require_decision(second), shows_no_charge_of_another_account(first), of="BUS-ISO-08")


@requirement("BUS-ISO-12")
@deferred(0)
def test_a_full_ledger_leaves_the_postings_of_another_account(
    posted_payment: PaymentInLedger, overfull_ledger: OverfullLedger, other_business: Business
) -> None:
    """The ledger of another account shows its payment after more payments of the first account than fit a ledger."""
    precondition(posted_payment.after)
    if not postings(overfull_ledger.other.value.after):
        raise NotApplicable("the ledger of the other account did not show its payment before")
    expect(precondition(other_business.get_finance()), shows_any_posting())
