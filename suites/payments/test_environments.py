"""Sandbox and production: reads, and one production charge that is never paid."""

from collections.abc import Callable, Iterator
from functools import cache

import pytest

from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

CHANGES_OF_CHARGES = [row for row in operations.of(Api.PAYMENTS, Effect.CHANGES) if row.kind == "charge"]


@requirement("PAY-ENV-01")
def test_production_credentials_get_a_token(payments: Payments, live_payments: Payments) -> None:
    """POST /api/auth with production credentials returns a token and the status that the sandbox's return."""
    sandbox = precondition(payments.authenticate())
    expect(live_payments.authenticate(), status(sandbox.status or 0), has("token"))


@requirement("PAY-ENV-02")
def test_a_charge_is_created_in_production(production_charge: Exchange) -> None:
    """POST of a charge of the minimum with production credentials is accepted as in the sandbox."""
    expect(production_charge, status(200), has("data", "object"))


@pytest.mark.parametrize("operation", asked(QUERIES, Question.OTHER_ENVIRONMENT))
def test_a_sandbox_object_is_not_found_in_production(live_payments: Payments, routes: Routes, operation: str) -> None:
    """GET of a charge or transfer of the sandbox returns 404 to production credentials, and 200 to its own."""
    precondition(routes.called(operation))
    expect(routes.foreign(live_payments, operations.by_name(Api.PAYMENTS)[operation]), status(404))


@requirement("PAY-ENV-04")
@pytest.mark.usefixtures("query_of_production_charge")
def test_a_production_charge_is_not_found_in_the_sandbox(payments: Payments, production_charge: Exchange) -> None:
    """GET of a production charge returns 404 to sandbox credentials, and 200 to those of production."""
    expect(payments.get_charge(foreign_id(payments, production_charge)), status(404))


ChangeInProduction = Callable[[str], tuple[Exchange, Exchange]]
"""Sends an operation about a new sandbox charge with production credentials; returns the answer, and a query."""


@pytest.fixture(scope="session")
def change_in_production(payments: Payments, live_payments: Payments) -> ChangeInProduction:
    """Return a function that sends an operation about a sandbox charge in production, once for each."""

    @cache
    def change(operation: str) -> tuple[Exchange, Exchange]:
        created = precondition(payments.create_charge(a_charge()))
        answer = getattr(live_payments, operation)(foreign_id(live_payments, created))
        return answer, payments.get_charge(id_of(created))

    return change


@pytest.mark.parametrize(
    "operation", asked(CHANGES_OF_CHARGES, Question.OTHER_ENVIRONMENT, Question.OTHER_ENVIRONMENT_WITHOUT_EFFECT)
)
def test_a_sandbox_charge_is_not_changed_with_production_credentials(
    routes: Routes, change_in_production: ChangeInProduction, operation: str
) -> None:
    """Pay of a sandbox charge returns 403 or 404 to production credentials, and the charge is not paid."""
    row = operations.by_name(Api.PAYMENTS)[operation]
    precondition(routes.called(operation))
    answer, looked_at = change_in_production(operation)
    query = precondition(looked_at, has("data.status", "string"))
    (effect,) = requirements_for(row, Question.OTHER_ENVIRONMENT_WITHOUT_EFFECT)
    expect(query, not_field("data.status", row.status), of=effect)
    (rule,) = requirements_for(row, Question.OTHER_ENVIRONMENT)
    expect(answer, status(*refusals_of(row, Question.OTHER_ENVIRONMENT)), of=rule)


@requirement("PAY-ENV-15", "PAY-ENV-21")
def test_a_production_charge_is_not_paid_with_sandbox_credentials(
    paid_charge: PaidCharge, payment_of_production_charge: Exchange, query_of_production_charge: Exchange
) -> None:
    """Pay of a production charge returns 403 or 404 to sandbox credentials, and the charge is not paid."""
    precondition(paid_charge.payment)
    expect(query_of_production_charge, not_field("data.status", "paid"), of="PAY-ENV-21")
    expect(payment_of_production_charge, status(403, 404), of="PAY-ENV-15")


@requirement("PAY-ENV-13", "PAY-ENV-19", "PAY-ENV-22")
def test_a_sandbox_transfer_is_not_completed_with_production_credentials(
    payments: Payments,
    live_payments: Payments,
    transfer_completion: Completion,
    approvals: Approvals,
    observe: Observer,
) -> None:
    """Completion of a sandbox transfer returns 403 or 404 to production credentials, and it is not completed."""
    precondition(transfer_completion.answer)
    transfer = approvals.approved_transfer().id
    if live_payments.get_transfer(transfer).ok:
        raise NotApplicable("production shows a transfer of that id")
    answer = live_payments.complete_transfer(transfer)
    note_answers(observe, "PAY-ENV-22", {"sandbox transfer, production token": answer})
    after = precondition(payments.get_transfer(transfer), has("data.status", "string"))
    expect(after, not_field("data.status", "completed"), of="PAY-ENV-19")
    expect(answer, status(403, 404), of="PAY-ENV-13")


@requirement("PAY-ENV-06")
def test_the_answers_to_payments_of_charges_of_the_other_environment_are_noted(
    change_in_production: ChangeInProduction, payment_of_production_charge: Exchange, observe: Observer
) -> None:
    """Pay of a charge of the other environment may be answered 403 (no sandbox charge) or 404 (separate data)."""
    paid, _ = change_in_production("pay_charge")
    answers = {
        "production charge, sandbox token": payment_of_production_charge,
        "sandbox charge, production token": paid,
    }
    note_answers(observe, "PAY-ENV-06", answers)


@requirement("PAY-ENV-12", "PAY-ENV-07")
def test_a_sandbox_webhook_is_not_removed_with_production_credentials(
    payments: Payments, live_payments: Payments, webhook_body: WebhookBody, observe: Observer
) -> None:
    """A sandbox webhook stays in its list after a DELETE with production credentials, which do not list its id.

    The documents leave open whether sandbox and production have separate lists of webhooks: that is noted.
    """
    webhook = precondition(payments.create_webhook(webhook_body()))
    production = list_all_pages(live_payments)
    is_listed = production.shows_url_of(webhook)
    pages = "" if production.complete else " (as far as its pages can be read)"
    words = f"a sandbox webhook is {'' if is_listed else 'not '}in the list of production{pages}"
    observe("PAY-ENV-07", words, is_listed, production.first)
    find_in_list(payments, webhook)
    if not production.complete or is_listed or id_of(webhook) in production.rows:
        raise NotApplicable("production may have a webhook of that url or id")
    live_payments.delete_webhook(id_of(webhook))
    listing = list_webhooks_until_shown(payments, webhook)
    require_own_removal(payments, webhook, listing)
    expect(listing.first, lists_webhook(webhook, listing.pages))


@pytest.mark.usefixtures("live_payments")
@deferred(0)
@requirement("PAY-ENV-18")
def test_whether_a_production_charge_sends_an_event_to_a_sandbox_webhook_is_noted(
    payments_events: PaymentsEvents, production_charge: Exchange, observe: Observer
) -> Iterator[None]:
    """The documents leave open whether a webhook of the sandbox receives transaction_created of a production charge."""
    created = precondition(production_charge)
    yield
    channel = payments_events.webhooks.channel
    channel.expect_none_after(created)
    wait_quiet_period(channel)
    events = [event for event in events_of_run(channel) if at(event.json, "transaction.id") == created.at("data.id")]
    came = "came" if events else "did not come"
    words = f"an event of a production charge {came} to a webhook of the sandbox"
    observe("PAY-ENV-18", words, bool(events), created, *events[:1])
