"""Accounts do not see or change each other's charges, transfers and webhooks."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fixtures import *
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *


@quick
@pytest.mark.parametrize("operation", asked(QUERIES, Question.ANOTHER_ACCOUNT))
def test_an_object_is_not_found_by_another_account(other_payments: Payments, routes: Routes, operation: str) -> None:
    """GET of a charge or transfer returns 404 to another account, and 200 to its own."""
    precondition(routes.called(operation))
    expect(routes.foreign(other_payments, operations.by_name(Api.PAYMENTS)[operation]), status(404))


@requirement("PAY-ISO-01")
@pytest.mark.usefixtures("query_of_pending_charge")
def test_a_charge_of_the_second_account_is_not_found_by_the_first(payments: Payments, other_payments: Payments) -> None:
    """GET of a charge of the second account returns 404 to the first account, and 200 to its own."""
    theirs = precondition(other_payments.create_charge(a_charge()))
    precondition(other_payments.get_charge(id_of(theirs)))
    expect(payments.get_charge(foreign_id(payments, theirs)), status(404))


@pytest.mark.parametrize(
    ("operation", "name"),
    [
        case("PAY-ISO-01", "get_charge", "query_of_paid_charge", id="paid-charge"),
        case("PAY-ISO-01", "get_charge", "full_charge", id="charge-with-every-field"),
        case("PAY-ISO-02", "pay_charge", "query_of_paid_charge", id="second-payment"),
        case("PAY-ISO-03", "get_transfer", "completed_transfer", id="completed-transfer"),
        case("PAY-ISO-04", "complete_transfer", "completed_transfer", id="second-completion"),
    ],
)
def test_what_was_paid_or_completed_is_not_found_by_another_account(
    request: pytest.FixtureRequest, payments: Payments, other_payments: Payments, operation: str, name: str
) -> None:
    """GET of a paid charge, a full one or a completed transfer, a second payment and a second completion return 404."""
    theirs: Exchange | CompletedTransfer = request.getfixturevalue(name)
    if isinstance(theirs, CompletedTransfer):
        number = foreign_transfer(other_payments, payments, theirs.id)
    else:
        number = foreign_id(other_payments, precondition(theirs))
    expect(getattr(other_payments, operation)(number), status(404))


@pytest.fixture
def foreign_object(
    request: pytest.FixtureRequest, payments: Payments, other_payments: Payments, approvals: Approvals
) -> Callable[[str], str]:
    """Return the id of a new object of a kind: a charge with every field but splits, or a transfer after approval."""

    def create(kind: str) -> str:
        if kind == "transfer":
            return foreign_transfer(other_payments, payments, approvals.approved_transfer().id)
        full_body: dict[str, Any] = request.getfixturevalue("full_charge_body")
        body = {name: value for name, value in full_body.items() if name != "splits"}
        return foreign_id(other_payments, precondition(payments.create_charge(body)))

    return create


@pytest.mark.parametrize(
    "operation",
    asked(
        operations.of(Api.PAYMENTS, Effect.CHANGES), Question.ANOTHER_ACCOUNT, Question.ANOTHER_ACCOUNT_WITHOUT_EFFECT
    ),
)
def test_an_object_is_not_changed_by_another_account(
    other_payments: Payments, routes: Routes, foreign_object: Callable[[str], str], operation: str
) -> None:
    """Payment of a charge and completion of a transfer return 404 to another account, and change nothing."""
    row = operations.by_name(Api.PAYMENTS)[operation]
    precondition(routes.called(operation))
    number = foreign_object(str(row.kind))
    answer = getattr(other_payments, operation)(number)
    query = precondition(routes.query(row, number), has("data.status", "string"))
    (effect,) = requirements_for(row, Question.ANOTHER_ACCOUNT_WITHOUT_EFFECT)
    expect(query, not_field("data.status", row.status), of=effect)
    (rule,) = requirements_for(row, Question.ANOTHER_ACCOUNT)
    expect(answer, status(404), of=rule)


@requirement("PAY-ISO-11")
def test_an_idempotency_key_of_another_account_shows_no_transfer_of_it(sent_by_two_accounts: SentByTwoAccounts) -> None:
    """The request of one account, sent again by another with the same idempotency key, shows no transfer of the first.

    Where ids look sequential, a transfer of the second account shows how far its own ids have come.
    """
    both = sent_by_two_accounts
    expect(both.answer, shows_no_transfer_of_another_account(both.sent.created, both.earlier))


BalancesOfOthers = dict[str, Exchange]
"""By the name of a client, its balance, where it is there."""


@pytest.fixture(scope="session")
def payment_beside_others(
    request: pytest.FixtureRequest, pay_between_balances: PayBetweenBalances
) -> tuple[BalancesOfOthers, PaymentBetweenBalances, BalancesOfOthers]:
    """Pay a charge; return the balances of another account and of production before, the payment, and those after."""
    others = {name: other for name in ("other_payments", "live_payments") for other in available(request, name)}
    before = {name: other.get_balance() for name, other in others.items()}
    paid = pay_between_balances(1_291)
    return before, paid, {name: other.get_balance() for name, other in others.items()}


@pytest.mark.parametrize(
    "account",
    [case("PAY-ISO-09", "other_payments", id="another-account"), case("PAY-ENV-08", "live_payments", id="production")],
)
def test_a_payment_does_not_move_the_balance_of_another_account_or_of_production(
    run: Run, payment_beside_others: tuple[BalancesOfOthers, PaymentBetweenBalances, BalancesOfOthers], account: str
) -> None:
    """A sandbox payment moves the free balance of its account, and not that of another account or of production."""
    run.clients.named(account)
    before, paid, after = payment_beside_others
    precondition(before[account], has("data.pix.balance", "string"))
    expect(
        precondition(after[account]),
        is_separate_from_wallet(before[account], paid.before, paid.after, paid.created),
    )


@requirement("PAY-ISO-09")
@pytest.mark.concurrent
def test_simultaneous_payments_of_two_accounts_are_credited_to_each(
    payments: Payments, other_payments: Payments, pay_between_balances: PayBetweenBalances
) -> None:
    """Two accounts pay a charge at the same time: the free balance of neither rises by what the other one paid."""
    is_gross = require_exact_credit(pay_between_balances(1_237), 1_237) == 1_237
    accounts, amounts = (payments, other_payments), (1_259, 1_823)
    charges = [
        precondition(account.create_charge(a_charge(amountInCents=cents)))
        for account, cents in zip(accounts, amounts, strict=True)
    ]
    before = [precondition(account.get_balance()) for account in accounts]
    pays = [
        lambda account=account, charge=charge: account.pay_charge(id_of(charge), group="pay-of-two")
        for account, charge in zip(accounts, charges, strict=True)
    ]
    for payment in run_concurrently(*pays):
        precondition(payment)
    pairs = zip(charges, amounts, strict=True)
    credits_ = [cents if is_gross else net_of(charge, cents) for charge, cents in pairs]
    for place, account in enumerate(accounts):
        after = precondition(account.get_balance())
        expect(after, is_credited_its_own(before[place], credits_[place], credits_[1 - place]))


@pytest.fixture(scope="session")
def transfers_beside_others(
    request: pytest.FixtureRequest, payments: Payments, optional_transfer: TransferBody
) -> TransfersBesideOthers:
    """Send a transfer between balances of another account and of production, and a second if one seems moved by it."""
    return send_beside(
        {name: other for name in ("other_payments", "live_payments") for other in available(request, name)},
        payments,
        optional_transfer,
    )


@pytest.mark.parametrize(
    "account",
    [case("PAY-ISO-09", "other_payments", id="another-account"), case("PAY-ENV-08", "live_payments", id="production")],
)
def test_a_transfer_does_not_move_the_balance_of_another_account_or_of_production(
    run: Run, transfers_beside_others: TransfersBesideOthers, account: str
) -> None:
    """A transfer moves no free balance of another account or of production; a second is sent if the first seems to."""
    run.clients.named(account)
    transfers, balances_of = transfers_beside_others
    balances = [precondition(it, has("data.pix.balance", "string")) for it in balances_of[account]]
    expect(balances[-1], is_not_charged_for(balances[:-1], transfers))


@requirement("PAY-ISO-05", "PAY-ISO-06", "PAY-ISO-07")
def test_a_webhook_is_neither_listed_to_another_account_nor_removed_by_it(
    payments: Payments, other_payments: Payments, webhook_body: WebhookBody
) -> None:
    """A webhook is not in the list of another account, and stays in its own after a DELETE by that account.

    The DELETE is answered as one of an unknown id.
    """
    webhook = precondition(payments.create_webhook(webhook_body()))
    find_in_list(payments, webhook)
    theirs = list_all_pages(other_payments)
    if id_of(webhook) in theirs.rows:
        expect(theirs.first, does_not_list_webhook(webhook, theirs.pages), of="PAY-ISO-05")
        raise NotApplicable("the other account has a webhook of that id")
    unknown = other_payments.delete_webhook(nonexistent_id_like(id_of(webhook)))
    answer = other_payments.delete_webhook(id_of(webhook))
    listing = list_webhooks_until_shown(payments, webhook)
    require_own_removal(payments, webhook, listing)
    expect(listing.first, lists_webhook(webhook, listing.pages), of="PAY-ISO-06")
    expect(answer, status(unknown.status or 404), of="PAY-ISO-07")
    if not theirs.shows_url_of(webhook) and not theirs.complete:
        raise NotApplicable(f"not all pages of the list could be read ({theirs.first.evidence})")
    expect(theirs.first, does_not_list_webhook(webhook, theirs.pages), of="PAY-ISO-05")


@requirement("PAY-ISO-10")
def test_a_webhook_stays_when_another_account_removes_one_of_the_same_url(
    payments: Payments, other_payments: Payments, webhook_body: WebhookBody
) -> None:
    """A webhook stays in the list of its account when another account registers the same url and removes it."""
    with registered_webhook(payments, webhook_body()) as webhook:
        theirs = register_and_remove(other_payments, webhook.request.json_object)
        if not theirs.ok:
            raise NotApplicable(f"the url of another account is refused ({theirs.evidence})")
        listing = list_webhooks_until_shown(payments, webhook)
    expect(listing.first, lists_webhook(webhook, listing.pages))


@pytest.mark.whole_run
@pytest.mark.usefixtures("other_payments")
@deferred(AT_THE_END)
@requirement("PAY-ISO-08")
def test_no_webhook_receives_an_event_of_another_account(payments_events: PaymentsEvents) -> Iterator[None]:
    """No webhook received an event of a charge or transfer that another account created."""
    yield
    webhook, webhook_of_other = payments_events.webhook.value, payments_events.webhook_of_other_account.value
    histories = histories_of(payments_events)
    expect_every(histories.owners(webhook.deliveries(), Role.MERCHANT))
    expect_every(histories.owners(webhook_of_other.deliveries(), Role.OTHER_MERCHANT))


@pytest.mark.usefixtures("other_payments")
@deferred(0)
@requirement("PAY-ISO-08")
def test_a_webhook_receives_no_event_of_another_account(
    payments_events: PaymentsEvents, late_events: LateEvents
) -> None:
    """A webhook receives events of charges of its own account, and none of those of another one."""
    webhook_of_other = payments_events.webhook_of_other_account.value
    theirs = payments_events.creation_by_other_account.value
    theirs.event_at(webhook_of_other)
    for ours in event_sources(payments_events, late_events):
        expect(ours.created, sends_no_event(to=webhook_of_other, about=ours))
    expect(theirs.exchange, sends_no_event(to=payments_events.webhook.value, about=theirs.about))
