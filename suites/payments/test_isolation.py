"""What another account sees of ours: nothing, on every route that takes an id and in every list (line 311)."""

from __future__ import annotations

import json

import pytest

from fixtures.ids import nonexistent_id_like
from fixtures.payments.account import account
from fixtures.payments.bodies import a_charge, fresh_key
from fixtures.payments.charges import foreign_id, foreign_transfer, id_of, looks_sequential, plain_charge
from fixtures.payments.full_bodies import full_body
from fixtures.payments.wallet import charged_to, shared_wallet
from fixtures.payments.webhooks import foreign_in, in_list, kept, listed, registered, registering
from pix_conformance.checks.matchers import computed, field, has, not_field, status
from pix_conformance.checks.relations import shows_foreign_transfer
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.expect import expect, not_applicable, precondition
from pix_conformance.harness.requirement import requirement


@requirement("PAY-ISO-01")
def test_the_charge_of_another_account_is_not_found(payments: Payments, other_payments: Payments) -> None:
    """Its own account finds it."""
    made = plain_charge(payments)
    precondition(payments.get_charge(id_of(made)))
    expect(other_payments.get_charge(foreign_id(other_payments, made)), status(404))


@requirement("PAY-ISO-01")
def test_the_paid_charge_of_another_account_is_not_found(payments: Payments, other_payments: Payments) -> None:
    """Being paid makes it nobody else's."""
    paid = precondition(account(payments).paid)
    expect(other_payments.get_charge(foreign_id(other_payments, paid)), status(404))


@requirement("PAY-ISO-01", "PAY-ISO-02")
def test_a_full_charge_of_another_account_is_neither_found_nor_paid(
    payments: Payments, other_payments: Payments
) -> None:
    """It is refused, and the charge stays pending, with every field too."""
    precondition(account(payments).payment)
    body = {name: value for name, value in full_body(payments).items() if name != "splits"}
    made = precondition(payments.create_charge(body))
    theirs = foreign_id(other_payments, made)
    expect(other_payments.get_charge(theirs), status(404), of="PAY-ISO-01")
    expect(other_payments.pay_charge(theirs), status(404), of="PAY-ISO-02")
    query = precondition(payments.get_charge(id_of(made)), has("data.status", "string"))
    expect(query, field("data.status", "pending"), of="PAY-ISO-02")


@requirement("PAY-ISO-02")
def test_the_paid_charge_of_another_account_is_not_found_by_its_payment(
    payments: Payments, other_payments: Payments
) -> None:
    """That it is paid already would tell that it exists."""
    paid = precondition(account(payments).paid)
    expect(other_payments.pay_charge(foreign_id(other_payments, paid)), status(404))


@requirement("PAY-ISO-01")
def test_no_account_sees_the_charge_of_another(payments: Payments, other_payments: Payments) -> None:
    """Asked the other way round: neither of the two is above the other."""
    theirs = precondition(other_payments.create_charge(a_charge()))
    precondition(other_payments.get_charge(id_of(theirs)))
    precondition(payments.get_charge(id_of(plain_charge(payments))))
    expect(payments.get_charge(foreign_id(payments, theirs)), status(404))


@requirement("PAY-ISO-03")
def test_the_transfer_of_another_account_is_not_found(payments: Payments, other_payments: Payments) -> None:
    """Its own account finds it."""
    _ = account(payments).queried
    theirs = foreign_transfer(other_payments, payments, account(payments).plain_transfer.id)
    expect(other_payments.get_transfer(theirs), status(404))


@requirement("PAY-ISO-03")
def test_the_completed_transfer_of_another_account_is_not_found(payments: Payments, other_payments: Payments) -> None:
    """Being completed makes it nobody else's."""
    precondition(account(payments).completed)
    theirs = foreign_transfer(other_payments, payments, account(payments).transfer.id)
    expect(other_payments.get_transfer(theirs), status(404))


@requirement("PAY-ISO-03")
def test_the_key_of_another_account_shows_no_transfer_of_it(payments: Payments, other_payments: Payments) -> None:
    """Whether keys are shared or not, the answer holds nothing of the other account."""
    sent = account(payments).sent()
    earlier = other_payments.create_transfer(sent.body, key=fresh_key()) if looks_sequential(sent.id) else None
    answer = other_payments.create_transfer(sent.body, key=sent.key)
    expect(
        answer,
        computed(
            "the answer shows no transfer of the other account", shows_foreign_transfer(sent.created, answer, earlier)
        ),
    )


@requirement("PAY-ISO-04")
def test_the_transfer_of_another_account_is_not_completed(payments: Payments, other_payments: Payments) -> None:
    """It could be completed by its own; it is refused, and keeps its status."""
    precondition(account(payments).completion)
    sent = account(payments).approved()
    expect(other_payments.complete_transfer(foreign_transfer(other_payments, payments, sent.id)), status(404))
    expect(
        precondition(payments.get_transfer(sent.id), has("data.status", "string")),
        not_field("data.status", "completed"),
    )


@requirement("PAY-ISO-04")
def test_the_completed_transfer_of_another_account_is_not_found_by_its_completion(
    payments: Payments, other_payments: Payments
) -> None:
    """That it is completed already would tell that it exists."""
    precondition(account(payments).completed)
    theirs = foreign_transfer(other_payments, payments, account(payments).transfer.id)
    expect(other_payments.complete_transfer(theirs), status(404))


@requirement("PAY-ISO-09")
def test_a_payment_does_not_move_the_balance_of_another_account(payments: Payments, other_payments: Payments) -> None:
    """One wallet for both would show the same amount before and after it was moved."""
    seen, words = shared_wallet(payments, other_payments, 1_297)
    expect(seen, computed("the balance of the other account is another", words))


@requirement("PAY-ISO-09")
def test_a_transfer_does_not_move_the_balance_of_another_account(payments: Payments, other_payments: Payments) -> None:
    """Each account pays for its own."""
    seen, words = charged_to(other_payments, payments)
    expect(seen, computed("the balance of the other account stays", words))


def expect_unlisted(owner: Payments, stranger: Payments) -> None:
    """Hold the list of one account to be free of a webhook that the other has in its own."""
    with registered(owner) as made:
        in_list(owner, id_of(made))
        listing = listed(stranger)
    words = "a webhook of another account is in the list" if foreign_in(listing, made) else None
    expect(listing.first, computed("no webhook of another account is in the list", words))


@requirement("PAY-ISO-05")
def test_no_account_lists_the_webhook_of_another(payments: Payments, other_payments: Payments) -> None:
    """Asked the other way round: neither of the two is above the other."""
    expect_unlisted(other_payments, payments)


@requirement("PAY-ISO-05")
def test_the_webhook_of_another_account_is_not_listed(payments: Payments, other_payments: Payments) -> None:
    """It is in the list of its own; ids may be counted for each account, so it is known by its url."""
    expect_unlisted(payments, other_payments)


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param("PAY-ISO-06", marks=requirement("PAY-ISO-06"), id="effect"),
        pytest.param("PAY-ISO-07", marks=requirement("PAY-ISO-07"), id="answer"),
    ],
)
def test_the_webhook_of_another_account_is_not_removed(payments: Payments, other_payments: Payments, rule: str) -> None:
    """It is answered as one that does not exist, and the webhook is still there."""
    with registered(payments) as made:
        if id_of(made) in listed(other_payments).rows:
            raise not_applicable("the other account has a webhook of that id")
        in_list(payments, id_of(made))
        unknown = other_payments.delete_webhook(nonexistent_id_like(id_of(made)))
        answer = other_payments.delete_webhook(id_of(made))
        seen, problem = kept(payments, made)
    if rule == "PAY-ISO-07":
        expect(answer, status(unknown.status or 404))
    else:
        expect(seen, computed("the webhook is still in the list of its account", problem))


@requirement("PAY-ISO-10")
def test_a_webhook_stays_where_another_account_has_its_url(payments: Payments, other_payments: Payments) -> None:
    """It registers the url and removes it again, where a service lets two accounts name one address."""
    with registered(payments) as made:
        theirs = registering(other_payments, json.loads(made.request.body))
        if not theirs.ok:
            raise not_applicable(f"the url of another account is refused ({theirs.evidence})")
        seen, problem = kept(payments, made)
    expect(seen, computed("the webhook is still in the list of its account", problem))
