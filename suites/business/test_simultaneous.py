"""Requests of every operation at the same time, by two accounts: each has its own answer, effect and posting."""

from functools import partial

import pytest

from fixtures.business import *
from fixtures.simultaneous import answers_to
from pix_conformance.testing import *
from pix_conformance.testing.business import *

pytestmark = pytest.mark.concurrent


@requirement("BUS-CHG-64", "BUS-CHG-56", "BUS-CHG-58")
def test_simultaneous_queries_of_several_charges_have_their_own_answers(
    simultaneous_business_requests: SimultaneousRequests,
) -> None:
    """Each response to simultaneous queries shows the charge that its path names, as it was created."""
    accounts = simultaneous_business_requests.accounts
    created = {(it.client, id_of(charge)): charge for it in accounts for charge in it.charges}
    queries = [it for it in simultaneous_business_requests.sent if it.row.name == "get_charge" and it.answer.ok]
    answers = [(it.answer, created[it.client, it.number]) for it in queries if (it.client, it.number) in created]
    expect_every(((answer, field("id", charge.at("id"))) for answer, charge in answers), of="BUS-CHG-64")
    for rule, name in (("BUS-CHG-56", "amount_cents"), ("BUS-CHG-58", "external_ref")):
        sent_values = ((answer, field(name, charge.request.json_object[name])) for answer, charge in answers)
        expect_every(((it, matcher) for it, matcher in sent_values if it.at(name) is not MISSING), of=rule)


@requirement("BUS-CHG-64")
def test_simultaneous_queries_find_what_a_change_has_shown(
    simultaneous_business_requests: SimultaneousRequests,
) -> None:
    """Simultaneous queries by two accounts return a 2xx for what each of them has paid or canceled before."""
    requests = simultaneous_business_requests
    changed = {(it.client, it.number) for it in requests.changes if it.row.name in CHANGES and it.answer.ok}
    reads = [it for it in requests.reads if it.row.name == "get_charge"]
    queries = [it.answer for it in reads if (it.client, it.number) in changed]
    expect_every((answer, success()) for answer in queries if is_decided(answer))


@requirement("BUS-IDEM-16")
def test_equal_creations_without_a_key_at_once_create_two_charges(business: Business) -> None:
    """Of two POST of one body without an idempotency key at the same time, each creates a charge of its own."""
    body = a_charge()
    answers = repeat_concurrently(2, partial(business.create_charge, body, group="equal-charges"))
    first, second = (precondition(answer, has("id")) for answer in answers)
    expect(second, not_field("id", first.at("id")))


@requirement("BUS-LIST-02")
def test_simultaneous_lists_of_two_statuses_have_their_own_charges(
    business: Business, simultaneous_business_requests: SimultaneousRequests
) -> None:
    """The lists of the paid and of the canceled charges, sent at the same time, have no charges of another status."""
    own, changes = simultaneous_business_requests.own, simultaneous_business_requests.changes
    if not own.alone(changes, "pay_charge") or not own.alone(changes, "cancel_charge"):
        raise Inconclusive("not tested: no simultaneous payment, or no cancel, was accepted")
    statuses = ("paid", "canceled")
    listings = send_concurrently(*[partial(business.list_charges, it, group="lists") for it in statuses])
    for listing, wanted in zip(listings, statuses, strict=True):
        expect(precondition(listing), holds_only(wanted))


@pytest.mark.parametrize(
    ("operation", "wanted"),
    [
        case("BUS-STATE-19", "pay_charge", "paid", id="pay"),
        case("BUS-STATE-19", "cancel_charge", "canceled", id="cancel"),
    ],
)
def test_simultaneous_queries_show_what_a_change_has_done(
    simultaneous_business_requests: SimultaneousRequests, operation: str, wanted: str
) -> None:
    """Simultaneous queries of charges show the status that the response to each payment or cancel has shown."""
    requests, own = simultaneous_business_requests, simultaneous_business_requests.own
    changed = own.alone(requests.changes, operation)
    reads = [sent for sent in requests.reads if sent.client is own.client and sent.number in changed]
    queries = [sent.answer for sent in reads if sent.answer.ok and changed[sent.number].at("status") == wanted]
    expect_every((query, field("status", wanted)) for query in queries)


@requirement("BUS-CHG-63")
def test_charges_that_are_created_at_once_have_ids_of_their_own(
    simultaneous_business_requests: SimultaneousRequests,
) -> None:
    """Charges that an account creates at the same time as others and as other requests have different ids."""
    *others, last = simultaneous_business_requests.own.charges
    expect(last, has_its_own("id", others))


@pytest.mark.parametrize(
    "name",
    [
        case("BUS-CHG-56", "amount_cents", id="amount_cents"),
        case("BUS-CHG-57", "description", id="description"),
        case("BUS-CHG-58", "external_ref", id="external_ref"),
    ],
)
def test_charges_that_are_created_at_once_have_their_own_values(
    simultaneous_business_requests: SimultaneousRequests, name: str
) -> None:
    """The response to each of simultaneous creations, and the query after them, show what was sent for that charge."""
    for account in simultaneous_business_requests.accounts:
        for charge in account.charges:
            for answer in (charge, precondition(account.queries[id_of(charge)])):
                expect(answer, field(name, charge.request.json_object[name]))


@requirement("BUS-ISO-01")
def test_what_another_account_creates_at_once_is_not_found(
    simultaneous_business_requests: SimultaneousRequests,
) -> None:
    """GET of the charge that the other account created at the same time as this one returns 404."""
    pairs = simultaneous_business_requests.each_with_other()
    expect_every((query, status(404)) for account, _ in pairs for query in account.foreign.values())


@requirement("BUS-ENV-02")
def test_a_charge_that_is_queried_at_once_in_production_is_not_found_there(
    simultaneous_business_requests: SimultaneousRequests, live_business: Business
) -> None:
    """GET of a sandbox charge with a production key, while its account cancels and queries it, returns 404."""
    changes = simultaneous_business_requests.changes
    (sent,) = (it for it in changes if it.client is live_business and it.row.name == "get_charge")
    own = next(charge for charge in simultaneous_business_requests.own.charges if id_of(charge) == sent.number)
    foreign_id(live_business, own)
    expect(sent.answer, status(404))


@pytest.mark.parametrize(
    ("operation", "wanted"),
    [
        case("BUS-PAY-26", "pay_charge", "paid", id="pay"),
        case("BUS-CAN-16", "cancel_charge", "canceled", id="cancel"),
    ],
)
def test_simultaneous_changes_of_several_charges_all_have_their_effect(
    simultaneous_business_requests: SimultaneousRequests, operation: str, wanted: str
) -> None:
    """Each of several charges that were paid or canceled at once is shown as paid or as canceled."""
    requests = simultaneous_business_requests
    changed = [(it, number) for it in requests.accounts for number in it.alone(requests.changes, operation)]
    expect_every((precondition(account.queries[number]), field("status", wanted)) for account, number in changed)


@requirement("BUS-EXP-03")
def test_a_charge_that_is_created_while_others_are_changed_is_pending(
    simultaneous_business_requests: SimultaneousRequests,
) -> None:
    """A charge that is created at the time at which others are paid and canceled is pending."""
    for account in simultaneous_business_requests.accounts:
        unchanged = [it for it in account.charges if not any(id_of(it) in account.ids[name] for name in CHANGES)]
        for charge in unchanged:
            expect(precondition(account.queries[id_of(charge)], has("status")), field("status", "pending"))


@requirement("BUS-STATE-07")
def test_a_charge_that_is_paid_and_canceled_among_others_ends_in_one_status(
    business: Business, simultaneous_business_requests: SimultaneousRequests
) -> None:
    """A charge that is paid and canceled while others are ends as paid or as canceled, and stays so."""
    requests = simultaneous_business_requests
    number = id_of(requests.raced)
    payment, cancel = (
        next(sent.answer for sent in requests.changes if (sent.row.name, sent.number) == (name, number))
        for name in ("pay_charge", "cancel_charge")
    )
    earlier, later = precondition(requests.own.queries[number]), precondition(business.get_charge(number))
    expect(later, ends_in_one_status(payment, cancel, earlier=earlier))


@requirement("BUS-PAY-15")
def test_each_of_simultaneous_payments_has_its_posting(
    simultaneous_business_requests: SimultaneousRequests,
) -> None:
    """The ledger shows a posting of each of several payments of different amounts that were made at once."""
    for account in simultaneous_business_requests.accounts:
        finance, before = account.ledgers["after"], account.ledgers["before"]
        is_posted = account.is_posted(simultaneous_business_requests.changes, finance)
        later = None if is_posted else pay_later(account.business)
        for charge in account.charges:
            cents = int(charge.at("amount_cents"))
            if id_of(charge) not in account.alone(simultaneous_business_requests.changes, "pay_charge"):
                continue
            if later is None:
                expect(finance, shows_new_posting(cents, before))
            else:
                last = ledger_after(later, account.business, cents, before)
                expect(last, posted_no_later_than(later.cents, later.before, cents, before))


@requirement("BUS-STATE-11")
def test_each_of_simultaneous_payments_is_posted_once(simultaneous_business_requests: SimultaneousRequests) -> None:
    """Each of several charges that were paid at once leaves no two postings that say the same."""
    for account in simultaneous_business_requests.accounts:
        for number in account.alone(simultaneous_business_requests.changes, "pay_charge"):
            cents = int(account.queries[number].at("amount_cents"))
            expect(account.ledgers["after"], shows_no_posting_twice(cents))


@requirement("BUS-FIN-28")
def test_simultaneous_payments_of_several_charges_are_all_credited(
    business: Business, first_payment: PaymentInLedger, simultaneous_business_requests: SimultaneousRequests
) -> None:
    """If a payment raises available_cents by its amount at once, several of other amounts raise it by all of these.

    By what was read directly before and after them, and by a payment alone of before and one of after them.
    """
    requests, own = simultaneous_business_requests, simultaneous_business_requests.own
    amounts = own.paid_amounts
    if len(amounts) < len(own.alone(requests.changes, "pay_charge")) or len(amounts) < 2:
        raise Inconclusive("not tested: fewer than two of several simultaneous payments are shown")
    before, after = own.ledgers["before"], own.ledgers["after"]
    expected = credited_for_each(amounts, before, first_payment.cents, first_payment.balances)
    if not is_met(expected, after):
        last = pay_between_balances(business, fresh_amount(business), business.pay_charge, POSTED_S[0])
        expected = credited_for_each(amounts, before, last.cents, last.balances)
    expect(after, expected)


@requirement("BUS-FIN-28")
def test_simultaneous_payments_of_one_amount_are_all_credited(paid_at_once: PaidAtOnce) -> None:
    """If a payment alone raises available_cents at once, three of its amount raise it by three times as much."""
    share, alone = paid_at_once.share, paid_at_once.alone
    expect(paid_at_once.equal, credited_for_each([share] * EQUAL, paid_at_once.before, share, alone.balances))


@requirement("BUS-STATE-16")
def test_a_charge_that_is_canceled_while_others_are_paid_is_not_captured(
    simultaneous_business_requests: SimultaneousRequests, ledger_with_unpaid_charge: Shown
) -> None:
    """The ledger has no posting of a charge that was canceled at the time at which others were paid."""
    own, changes = simultaneous_business_requests.own, simultaneous_business_requests.changes
    paid, canceled = own.alone(changes, "pay_charge"), own.alone(changes, "cancel_charge")
    if not paid or not canceled:
        raise Inconclusive("not tested: no simultaneous payment, or no cancel, was accepted")
    finance, before = own.ledgers["after"], own.ledgers["before"]
    control = finance, int(own.queries[next(iter(paid))].at("amount_cents"))
    for number in canceled:
        cents = int(own.queries[number].at("amount_cents"))
        expect(finance, captures_nothing(cents, before, control, ledger_with_unpaid_charge))


@requirement("BUS-ISO-07")
def test_what_another_account_is_paid_at_once_is_not_in_the_ledger(
    simultaneous_business_requests: SimultaneousRequests,
) -> None:
    """The ledger of each of two accounts has no posting of what the other one was paid at the same time."""
    for account, other in simultaneous_business_requests.each_with_other():
        theirs = (other.ledgers["before"], other.ledgers["after"])
        for number in other.alone(simultaneous_business_requests.changes, "pay_charge"):
            cents = int(other.queries[number].at("amount_cents"))
            expect(account.ledgers["after"], shows_no_payment_of_another(cents, account.ledgers["before"], theirs))


@requirement("BUS-ISO-13")
def test_simultaneous_queries_show_each_account_its_own_merchant_id(
    simultaneous_business_requests: SimultaneousRequests,
) -> None:
    """GET /v1/business/finance, sent by two accounts at the same time, returns two merchant_ids."""
    for account, other in simultaneous_business_requests.each_with_other():
        theirs = precondition(other.ledgers["before"], has("merchant_id"))
        for answer in answers_to(simultaneous_business_requests.sent, "get_finance", account.business):
            expect(precondition(answer, has("merchant_id")), not_field("merchant_id", theirs.at("merchant_id")))


@requirement("BUS-LIST-22", "BUS-LIST-15")
def test_the_list_has_what_is_created_at_once(simultaneous_business_requests: SimultaneousRequests) -> None:
    """The list has all charges that were created at once, and lists during changes have those of before."""
    for account in simultaneous_business_requests.accounts:
        for charge in account.charges:
            expect(account.listings["after"], holds_charge(charge), of="BUS-LIST-22")
        before = account.listings["before"]
        listed = [charge for charge in account.charges if shows(before, charge)]
        for answer in answers_to(simultaneous_business_requests.changes, "list_charges", account.business):
            for charge in listed:
                expect(precondition(answer), holds_charge_if_not_full(charge, longest=before), of="BUS-LIST-15")


@requirement("BUS-ISO-06")
def test_no_list_has_what_another_account_creates_at_once(
    simultaneous_business_requests: SimultaneousRequests,
) -> None:
    """No list, of those during the requests and after them, has a charge that the other account created."""
    for account, other in simultaneous_business_requests.each_with_other():
        lists = answers_to(simultaneous_business_requests.sent, "list_charges", account.business)
        for charge in other.charges:
            foreign_id(account.business, charge)
            for answer in (*filter(is_decided, lists), account.listings["after"]):
                expect(precondition(answer), lacks_charge(charge))


@requirement("BUS-ISO-08")
def test_a_key_that_two_accounts_use_at_once_shows_neither_the_charge_of_the_other(
    business: Business, other_business: Business
) -> None:
    """Two accounts send the same charge with one key at the same time: they are not both answered with one id."""
    body, key = a_charge(amount_cents=fresh_amount(business)), fresh_key()
    own, theirs = run_concurrently(
        *[lambda it=it: it.create_charge(body, key=key, group="key-of-two") for it in (business, other_business)]
    )
    if not (own.ok and theirs.ok):
        raise NotApplicable(f"one of the two is refused ({own.evidence}, {theirs.evidence})")
    expect(theirs, shows_no_charge_of_another_account(own))


@deferred(AT_THE_END)
@pytest.mark.parametrize(
    ("operation", "wanted"),
    [
        case("BUS-STATE-03", "pay_charge", "paid", id="pay"),
        case("BUS-STATE-04", "cancel_charge", "canceled", id="cancel"),
    ],
)
def test_what_was_changed_at_once_is_still_so_at_the_end(
    business: Business, simultaneous_business_requests: SimultaneousRequests, operation: str, wanted: str
) -> None:
    """Charges that were paid or canceled at once with others are so at the end of the run."""
    own = simultaneous_business_requests.own
    changed = own.alone(simultaneous_business_requests.changes, operation)
    if not changed:
        raise Inconclusive("not tested: no such request was accepted")
    for number in changed:
        precondition(own.queries[number], field("status", wanted))
        expect(precondition(business.get_charge(number), has("status")), field("status", wanted))
