"""Sandbox and production share an address and nothing else.

With the production key the suite reads, creates one charge of one cent, simulates its payment and cancels it; beside
it sends what must be refused, or repeats that creation with its key.
"""

from collections.abc import Callable, Iterator

import pytest

from fixtures.business import *
from fixtures.optional_fixtures import available
from pix_conformance.testing import *
from pix_conformance.testing.business import *

Both = SandboxAndProductionCharge


@requirement("BUS-ENV-01")
def test_a_production_key_reads_its_balance_at_the_same_address(business: Business, same_charge_in_both: Both) -> None:
    """GET of the balance succeeds with the sandbox key and, at the same base URL, with the production key."""
    precondition(business.get_finance(), is_a_balance())
    finance = same_charge_in_both.ledger_before
    if not finance.ok:
        precondition(same_charge_in_both.production)
    expect(finance, success(), is_a_balance())


@requirement("BUS-ENV-02")
def test_a_sandbox_charge_is_not_found_in_production(live_business: Business, same_charge_in_both: Both) -> None:
    """GET of a pending sandbox charge with the production key returns 404."""
    sandbox = precondition(same_charge_in_both.sandbox, has("id"))
    expect(live_business.get_charge(foreign_id(live_business, sandbox)), status(404))


@requirement("BUS-ENV-02", "BUS-ENV-08")
@pytest.mark.parametrize("state", ["paid", "canceled"])
def test_a_paid_or_canceled_sandbox_charge_is_not_found_in_production(
    live_business: Business, same_charge_in_both: Both, charge_in: ChargeIn, state: str
) -> None:
    """GET and cancel of a paid or canceled sandbox charge with the production key return 404."""
    precondition(same_charge_in_both.production)
    number = foreign_id(live_business, charge_in(state).query)
    query, refusal = live_business.get_charge(number), live_business.cancel_charge(number)
    expect(query, status(404), of="BUS-ENV-02")
    expect(refusal, status(404), of="BUS-ENV-08")


@requirement("BUS-ENV-08", "BUS-ENV-09")
def test_a_sandbox_charge_is_not_canceled_with_a_production_key(
    business: Business, live_business: Business, same_charge_in_both: Both, valid_requests: dict[str, Exchange]
) -> None:
    """Cancel of a pending sandbox charge with the production key returns 404, and the charge is still pending."""
    precondition(same_charge_in_both.production)
    charge = precondition(same_charge_in_both.sandbox, has("id"))
    refusal = live_business.cancel_charge(foreign_id(live_business, charge))
    query = precondition(business.get_charge(id_of(charge)), has("status", "string"))
    expect(refusal, status(404), of="BUS-ENV-08")
    precondition(valid_requests["cancel_charge"])
    expect(query, field("status", "pending"), of="BUS-ENV-09")


@requirement("BUS-ENV-14", "BUS-ENV-07")
def test_an_idempotency_key_of_the_sandbox_does_not_return_its_charge(
    same_charge_in_both: Both, observe: Observer
) -> None:
    """POST of a sandbox charge's key and body with the production key creates another charge or is refused."""
    sandbox, shared = same_charge_in_both.sandbox, same_charge_in_both.shared
    precondition(sandbox, has("id"))
    number = shared.at("id")
    same = "no charge" if number is None else "the sandbox charge" if number == sandbox.at("id") else "another charge"
    words = f"production answers a sandbox's key and body with {shared.status}: {same}"
    observe("BUS-ENV-07", words, {"status": shared.status, "what": same}, sandbox, shared)
    precondition(sandbox, has("qr_code"))
    expect(require_decision(shared), is_not_the_charge_of(sandbox), of="BUS-ENV-14")


@pytest.mark.parametrize("operation", asked(QUERIES, Question.OTHER_ENVIRONMENT))
def test_a_production_charge_is_not_found_in_the_sandbox(
    business: Business, same_charge_in_both: Both, operation: str
) -> None:
    """GET of the production charge with the sandbox key returned 404 while it was pending, and does once canceled."""
    number = foreign_id(business, same_charge_in_both.production)
    expect(same_charge_in_both.sandbox_queries[operation], status(404))
    expect(send_valid_request(business, operation, number), status(404))


@pytest.mark.parametrize("operation", asked(operations.of(Api.BUSINESS, Effect.CHANGES), Question.OTHER_ENVIRONMENT))
def test_a_production_charge_is_neither_canceled_nor_paid_with_a_sandbox_key(
    business: Business, same_charge_in_both: Both, operation: str
) -> None:
    """Cancel of the pending production charge with the sandbox key returns 404, and pay 403 or 404."""
    foreign_id(business, same_charge_in_both.production)
    codes = refusals_of(operations.by_name(Api.BUSINESS)[operation], Question.OTHER_ENVIRONMENT)
    expect(same_charge_in_both.sandbox_change(operation), status(*codes))


@pytest.mark.parametrize("operation", asked(operations.of(Api.BUSINESS), Question.OTHER_ENVIRONMENT_WITHOUT_EFFECT))
def test_a_sandbox_key_leaves_a_production_charge_pending(
    business: Business, same_charge_in_both: Both, operation: str
) -> None:
    """After its cancel and its payment with the sandbox key, the pending production charge is not changed by either."""
    precondition(same_charge_in_both.after_payment, field("status", "pending"))
    foreign_id(business, same_charge_in_both.production)
    require_decision(same_charge_in_both.sandbox_change(operation))
    query = precondition(same_charge_in_both.after_sandbox_changes, has("status", "string"))
    expect(query, not_field("status", operations.by_name(Api.BUSINESS)[operation].status))


@requirement(
    *("BUS-CHG-56", "BUS-CHG-57", "BUS-CHG-58", "BUS-CHG-59"), *("BUS-STATE-01", "BUS-CHG-34", "BUS-QR-03", "BUS-QR-04")
)
def test_a_production_charge_is_what_was_sent(same_charge_in_both: Both) -> None:
    """POST with the production key returns a pending charge with the values sent, the default life and a right CRC."""
    charge = same_charge_in_both.production
    sent = charge.request.json_object
    expect_as_sent(charge, sent)
    expect(charge, field("status", "pending"), of="BUS-STATE-01")
    expect(charge, expires_after(DEFAULT_LIFETIME_S, charge), of="BUS-CHG-34")
    expect(charge, qr_code_keeps("ends_in_crc"), of="BUS-QR-03")
    expect(charge, qr_code_keeps("crc"), of="BUS-QR-04")


@pytest.fixture(scope="session")
def query_after_cancel(live_business: Business, same_charge_in_both: Both) -> Exchange:
    """The query of the production charge after its cancel, once it is not pending."""
    return poll_until_not_pending(live_business, same_charge_in_both.production)


@requirement("BUS-CAN-01", "BUS-CAN-16")
def test_a_production_charge_is_canceled(same_charge_in_both: Both, query_after_cancel: Exchange) -> None:
    """Cancel of a production charge that was still pending succeeds, and the charge is canceled."""
    precondition(same_charge_in_both.after_sandbox_changes, field("status", "pending"))
    expect(same_charge_in_both.cancel, success(), of="BUS-CAN-01")
    expect(query_after_cancel, field("status", "canceled"), of="BUS-CAN-16")


@pytest.mark.parametrize(
    "name",
    [
        case("BUS-CHG-04", "amount 0", id="amount-0"),
        case("BUS-CHG-16", "description too long", id="description-too-long"),
    ],
)
def test_an_invalid_production_charge_is_refused(same_charge_in_both: Both, name: str) -> None:
    """POST with the production key of amount 0, or of a description one character too long, is refused with 422."""
    precondition(same_charge_in_both.production)
    if name not in same_charge_in_both.invalid:
        raise Inconclusive("not tested: an earlier invalid creation was accepted in production")
    expect(same_charge_in_both.invalid[name], status(422))


@requirement("BUS-IDEM-03", "BUS-IDEM-04")
def test_an_idempotency_key_creates_one_production_charge(same_charge_in_both: Both) -> None:
    """POST repeated with its key in production returns the first charge, and another body is refused with 409."""
    number = id_of(same_charge_in_both.production)
    if same_charge_in_both.repeated is None:
        raise Inconclusive("not tested: an invalid creation was accepted in production")
    expect(precondition(same_charge_in_both.repeated, has("id")), field("id", number), of="BUS-IDEM-03")
    if same_charge_in_both.conflict is None:
        raise Inconclusive("not tested: the creation that was sent again did not return the first charge")
    expect(same_charge_in_both.conflict, status(409), of="BUS-IDEM-04")


@requirement("BUS-PAY-09", "BUS-CAN-05")
def test_a_canceled_production_charge_is_neither_paid_nor_canceled(
    live_business: Business, query_after_cancel: Exchange
) -> None:
    """Pay of a canceled production charge returns 403, as the route is for the sandbox; a second cancel returns 409."""
    number = id_of(precondition(query_after_cancel, field("status", "canceled")))
    expect(live_business.pay_charge(number), status(403), of="BUS-PAY-09")
    expect(live_business.cancel_charge(number), status(409), of="BUS-CAN-05")


@pytest.fixture(scope="session")
def production_list(live_business: Business, same_charge_in_both: Both) -> Exchange:
    """The list of all charges of production, once it shows the production charge."""
    return list_charges_until_shown(live_business, same_charge_in_both.production)


@requirement("BUS-LIST-02")
def test_the_list_of_the_paid_in_production_lacks_a_charge_that_was_not_paid(
    live_business: Business, same_charge_in_both: Both, production_list: Exchange
) -> None:
    """The list of the paid charges of production does not contain its charge, which the list of all contains."""
    precondition(same_charge_in_both.after_payment, field("status", "pending"))
    charge = same_charge_in_both.production
    if not shows(production_list, charge):
        raise NotApplicable("the production list does not show the charge")
    expect(precondition(live_business.list_charges("paid")), lacks_charge(charge))


@requirement("BUS-ENV-15")
def test_the_production_list_contains_no_sandbox_charge(
    business: Business,
    live_business: Business,
    same_charge_in_both: Both,
    production_list: Exchange,
    charge_in: ChargeIn,
) -> None:
    """The production lists of all and of the canceled contain the production charge, and no sandbox charge."""
    own, sandbox, canceled = same_charge_in_both.production, same_charge_in_both.sandbox, charge_in("canceled").query
    for foreign in (sandbox, canceled):
        foreign_id(live_business, foreign)
    if not shows(production_list, own):  # sandbox charges may fill it: then it holds the newest of them
        newest = create_pending_charge(business)
        foreign_id(live_business, newest)
        expect(precondition(live_business.list_charges()), lacks_charge(newest))
    expect(production_list, holds_own_charge_only(own, foreign=sandbox))
    listing = list_charges_until_shown(live_business, own, "canceled")
    expect(listing, holds_own_charge_only(own, foreign=canceled))


@requirement("BUS-ENV-04")
def test_the_sandbox_list_contains_no_canceled_production_charge(
    business: Business, same_charge_in_both: Both, charge_in: ChargeIn
) -> None:
    """The sandbox lists of all and of the canceled contain a sandbox charge each, and not that of production."""
    production = same_charge_in_both.production
    foreign_id(business, production)
    for wanted, own in ((None, create_pending_charge(business)), ("canceled", charge_in("canceled").query)):
        listing = list_charges_until_shown(business, own, wanted)
        expect(listing, holds_own_charge_only(own, foreign=production))


@requirement("BUS-ENV-04")
def test_the_sandbox_list_contains_no_pending_production_charge(business: Business, same_charge_in_both: Both) -> None:
    """The sandbox list of the pending charges contained the sandbox charge, and not that of production."""
    production, sandbox = same_charge_in_both.production, same_charge_in_both.sandbox
    foreign_id(business, production)
    listing = precondition(same_charge_in_both.sandbox_list)
    if not shows(listing, sandbox):
        raise NotApplicable("the list does not show a new charge at once")
    expect(listing, holds_own_charge_only(sandbox, foreign=production))


@requirement("BUS-LIST-07")
@deferred(EXPIRED_AFTER_S)
def test_many_sandbox_charges_displace_no_production_charge_from_its_list(
    business: Business, live_business: Business, same_charge_in_both: Both, many_charges: ManyCharges
) -> Iterator[None]:
    """The production list contains its charge also when the sandbox has more newer charges than a list shows."""
    charge = same_charge_in_both.production
    yield
    many_charges.fill_list(charge)
    longest = business.list_charges()
    listing = list_charges_until_shown(live_business, charge)
    expect(listing, holds_charge_if_not_full(charge, longest=longest))


@pytest.fixture(scope="session")
def payment_beside_production(
    request: pytest.FixtureRequest, business: Business, live_business: Business
) -> PaymentBesideAnother:
    """A payment in the sandbox, after the payment of the production charge, and the ledgers of production around it."""
    available(request, "same_charge_in_both")
    return pay_beside(business, live_business)


@pytest.mark.parametrize(
    "relation",
    [
        case("BUS-ENV-05", shows_no_payment_of_another, id="posting"),
        case("BUS-ENV-16", is_not_credited_with, id="credit"),
    ],
)
def test_a_simulated_payment_stays_in_the_sandbox(
    payment_beside_production: PaymentBesideAnother, relation: Callable[..., Relation]
) -> None:
    """After a sandbox payment the ledger of production has no posting of it, and available_cents did not rise."""
    payment = payment_beside_production
    expect(payment.after, relation(payment.own.cents, payment.before, payment.own.balances))


@requirement("BUS-PAY-09")
def test_a_payment_is_not_simulated_in_production(same_charge_in_both: Both, charge_in: ChargeIn) -> None:
    """Pay of a pending production charge returns 403; a sandbox charge is paid."""
    precondition(same_charge_in_both.production)
    charge_in("paid")
    expect(same_charge_in_both.payment, status(403))


@requirement("BUS-PAY-27")
def test_a_payment_refused_in_production_captures_nothing(
    same_charge_in_both: Both, payment_beside_production: PaymentBesideAnother, ledger_with_unpaid_charge: Shown
) -> None:
    """After pay was refused with 403 in production, its ledger has no posting of the amount."""
    cents, later = int(same_charge_in_both.production.at("amount_cents")), payment_beside_production
    require_refusal(same_charge_in_both.payment, 403)
    unposted = captures_nothing(cents, same_charge_in_both.ledger_before, later.own.shown, ledger_with_unpaid_charge)
    expect(later.after, unposted)


@requirement("BUS-EVT-19")
@deferred(0)
def test_a_payment_refused_in_production_sends_no_event(
    business_events: BusinessEvents, same_charge_in_both: Both
) -> None:
    """After pay was refused with 403 in production, no business.pix.paid comes that names its external_ref."""
    payment = require_refusal(same_charge_in_both.payment, 403)
    charge = ReportedCharge(same_charge_in_both.created, has_own_amount=False)
    expect(payment, sends_no_event(PAID, to=business_events.endpoint, about=charge))


@requirement("BUS-ENV-17")
@deferred(0)
def test_events_of_production_are_noted(
    business_events: BusinessEvents, same_charge_in_both: Both, observe: Observer
) -> None:
    """Whether the cancel of the production charge sent an event to the endpoint of the sandbox is noted."""
    wait_quiet_period(business_events.endpoint.channel)
    ref = same_charge_in_both.production.request.json_object["external_ref"]
    cancel = precondition(same_charge_in_both.cancel)
    named = [delivery for delivery in business_events.endpoint.deliveries() if mentions(delivery, ref)]
    came = [delivery for delivery in named if event_of(delivery, Api.BUSINESS) == CANCELED]
    words = f"the cancel of a production charge sent {'an' if came else 'no'} event to the endpoint"
    observe("BUS-ENV-17", words, bool(came), cancel, *came)


@requirement("BUS-PAY-29")
def test_the_answer_to_a_payment_of_an_unknown_charge_in_production_is_noted(
    live_business: Business, same_charge_in_both: Both, observe: Observer
) -> None:
    """A payment with the production key by an id that no charge has may be refused with 403 or with 404."""
    precondition(same_charge_in_both.production)
    answer = live_business.pay_charge("pix-conformance")
    observe("BUS-PAY-29", f"paying an unknown charge in production: {describe_status(answer)}", answer.status, answer)


@requirement("BUS-PAY-10")
def test_a_payment_refused_in_production_leaves_the_charge_pending(same_charge_in_both: Both) -> None:
    """The production charge was still pending in the query after its payment was refused."""
    precondition(same_charge_in_both.production)
    require_decision(same_charge_in_both.payment)
    expect(precondition(same_charge_in_both.after_payment), field("status", "pending"))
