"""Sandbox and production pairs (payments.md, lines 21-23, 310): reads, and one production charge, never paid."""

from __future__ import annotations

from fixtures.payments.account import account
from fixtures.payments.bodies import a_charge
from fixtures.payments.charges import CREATED, foreign_id, foreign_transfer, id_of, plain_charge
from fixtures.payments.descriptions import note_answers
from fixtures.payments.routes import a_new_charge, waiting_transfer
from fixtures.payments.wallet import charged_to, shared_wallet
from fixtures.payments.webhooks import in_list, kept, listed, registered
from pix_conformance.checks.matchers import computed, has, not_field, status
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.expect import Observer, expect, not_applicable, precondition
from pix_conformance.harness.requirement import requirement


@requirement("PAY-ENV-01")
def test_a_production_pair_authenticates(live_payments: Payments) -> None:
    """Through the same route as a sandbox pair."""
    expect(live_payments.authenticate(), status(200), has("token"))


@requirement("PAY-ENV-02")
def test_a_charge_is_created_in_production(live_payments: Payments) -> None:
    """Through the same route, of the minimum; it is left unpaid."""
    expect(account(live_payments).minimum_charge, *CREATED)


@requirement("PAY-ENV-03")
def test_a_sandbox_charge_is_not_found_in_production(payments: Payments, live_payments: Payments) -> None:
    """Its own token finds it."""
    made = plain_charge(payments)
    precondition(payments.get_charge(id_of(made)))
    expect(live_payments.get_charge(foreign_id(live_payments, made)), status(404))


@requirement("PAY-ENV-04")
def test_a_production_charge_is_not_found_in_the_sandbox(payments: Payments, live_payments: Payments) -> None:
    """Its own token finds it."""
    made = precondition(account(live_payments).minimum_charge)
    precondition(live_payments.get_charge(id_of(made)))
    expect(payments.get_charge(foreign_id(payments, made)), status(404))


@requirement("PAY-ENV-14")
def test_a_sandbox_charge_is_not_paid_from_production(payments: Payments, live_payments: Payments) -> None:
    """Refused as not found or as no sandbox, and still pending afterwards."""
    precondition(account(payments).payment)
    made = precondition(payments.create_charge(a_charge()))
    expect(live_payments.pay_charge(foreign_id(live_payments, made)), status(403, 404))
    expect(
        precondition(payments.get_charge(id_of(made)), has("data.status", "string")), not_field("data.status", "paid")
    )


@requirement("PAY-ENV-15")
def test_a_production_charge_is_not_paid_from_the_sandbox(payments: Payments, live_payments: Payments) -> None:
    """Refused as not found or as no sandbox charge."""
    precondition(account(payments).payment)
    made = precondition(account(live_payments).minimum_charge)
    expect(payments.pay_charge(foreign_id(payments, made)), status(403, 404))


@requirement("PAY-ENV-05")
def test_a_sandbox_transfer_is_not_found_in_production(payments: Payments, live_payments: Payments) -> None:
    """Its own token finds it."""
    _ = account(payments).queried
    theirs = foreign_transfer(live_payments, payments, account(payments).plain_transfer.id)
    expect(live_payments.get_transfer(theirs), status(404))


@requirement("PAY-ENV-13")
def test_a_sandbox_transfer_is_not_completed_from_production(payments: Payments, live_payments: Payments) -> None:
    """Refused as not found or as no sandbox, and not completed afterwards; production has none of that id."""
    precondition(account(payments).completion)
    made = waiting_transfer(payments)
    precondition(payments.get_transfer(made), has("data.status", "string"), not_field("data.status", "completed"))
    if live_payments.get_transfer(made).ok:
        raise not_applicable("production shows a transfer of that id")
    expect(live_payments.complete_transfer(made), status(403, 404))
    expect(
        precondition(payments.get_transfer(made), has("data.status", "string")), not_field("data.status", "completed")
    )


@requirement("PAY-ENV-08")
def test_a_sandbox_payment_does_not_move_the_balance_of_production(payments: Payments, live_payments: Payments) -> None:
    """One wallet for both would show the same amount before and after it was moved."""
    seen, words = shared_wallet(payments, live_payments, 1_291)
    expect(seen, computed("the balance of production is another", words))


@requirement("PAY-ENV-08")
def test_a_sandbox_transfer_does_not_move_the_balance_of_production(
    payments: Payments, live_payments: Payments
) -> None:
    """It is paid with simulated money."""
    seen, words = charged_to(live_payments, payments)
    expect(seen, computed("the balance of production stays", words))


@requirement("PAY-ENV-06")
def test_a_payment_across_environments_is_noted(payments: Payments, live_payments: Payments, observe: Observer) -> None:
    """403 as no sandbox charge, or 404 as separate data."""
    answers = {
        "production charge, sandbox token": payments.pay_charge(
            foreign_id(payments, precondition(account(live_payments).minimum_charge))
        ),
        "sandbox charge, production token": live_payments.pay_charge(a_new_charge(payments)),
    }
    note_answers(observe, "PAY-ENV-06", answers)


@requirement("PAY-ENV-12")
def test_a_webhook_of_the_sandbox_is_not_removed_from_production(payments: Payments, live_payments: Payments) -> None:
    """Where production lists neither it nor one of its id; whatever the removal is answered."""
    with registered(payments) as made:
        in_list(payments, id_of(made))
        theirs = listed(live_payments)
        if not theirs.complete or theirs.holds(made) or id_of(made) in theirs.rows:
            raise not_applicable("production may have a webhook of that url or id")
        live_payments.delete_webhook(id_of(made))
        seen, problem = kept(payments, made)
    expect(seen, computed("the webhook is still in its list", problem))


@requirement("PAY-ENV-07")
def test_whether_webhooks_are_separate_is_noted(payments: Payments, live_payments: Payments, observe: Observer) -> None:
    """A webhook of the sandbox is looked for in the list of production."""
    with registered(payments) as made:
        listing = listed(live_payments)
    found = listing.holds(made)
    pages = "" if listing.complete else " (as far as its pages are to be had)"
    words = f"a sandbox webhook is {'' if found else 'not '}in the list of production{pages}"
    observe("PAY-ENV-07", words, found, listing.first)
