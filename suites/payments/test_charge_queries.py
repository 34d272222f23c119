"""Asking for a charge (payments.md, lines 238-242)."""

from __future__ import annotations

from functools import cache

from fixtures.ids import nonexistent_id_like
from fixtures.payments.account import LAST, account
from fixtures.payments.bodies import a_charge
from fixtures.payments.charges import CREATED, id_of, plain_charge
from fixtures.payments.routes import plain_transfer
from pix_conformance.checks.matchers import client_error, field, has, status
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.deferred import deferred, prepare_early
from pix_conformance.harness.expect import Observer, expect, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.exchange import Exchange


@prepare_early("payments")
def a_charge_nobody_pays(payments: Payments) -> Exchange:
    """A charge that is left alone."""
    return precondition(payments.create_charge(a_charge()))


@requirement("PAY-CHG-70")
def test_a_charge_is_queried_by_its_id(payments: Payments) -> None:
    """The id is the data.id of the creation."""
    expect(payments.get_charge(id_of(plain_charge(payments))), *CREATED)


@requirement("PAY-CHG-71")
def test_the_query_answers_the_charge_that_was_asked_for(payments: Payments) -> None:
    """A newer charge is not shown in its place."""
    made = plain_charge(payments)
    precondition(payments.create_charge(a_charge(amountInCents=2000)))
    expect(
        precondition(payments.get_charge(id_of(made)), has("data.id", "string")), field("data.id", made.at("data.id"))
    )


@requirement("PAY-CHG-71")
def test_the_query_of_a_paid_charge_answers_the_charge_that_was_asked_for(payments: Payments) -> None:
    """Its payment has an id of its own, which is not that of the charge."""
    made = account(payments).charge
    paid = precondition(account(payments).paid, field("data.status", "paid"), has("data.id", "string"))
    expect(paid, field("data.id", precondition(made, has("data.id")).at("data.id")))


@requirement("PAY-CHG-77")
def test_the_query_of_a_pending_charge_shows_the_code_of_its_creation(payments: Payments) -> None:
    """The payer may have it already."""
    made = precondition(plain_charge(payments), has("data.pix.emv", "string"))
    query = precondition(
        payments.get_charge(id_of(made)), field("data.status", "pending"), has("data.pix.emv", "string")
    )
    expect(query, field("data.pix.emv", made.at("data.pix.emv")))


@requirement("PAY-CHG-72")
def test_the_query_of_a_pending_charge_repeats_its_creation(payments: Payments) -> None:
    """The code, the image and the fees stay."""
    made = precondition(
        plain_charge(payments), has("data.pix.emv"), has("data.pix.qrCode"), has("data.fees", "integer")
    )
    query = precondition(payments.get_charge(id_of(made)))
    expect(query, *(field(one, made.at(one)) for one in ("data.pix.emv", "data.pix.qrCode", "data.fees")))


@requirement("PAY-CHG-73")
def test_an_unknown_charge_is_not_found(payments: Payments) -> None:
    """The id has the form of a real one."""
    made = id_of(plain_charge(payments))
    precondition(payments.get_charge(made))
    expect(payments.get_charge(nonexistent_id_like(made)), status(404))


@cache
def unlike(payments: Payments) -> Exchange:
    """Ask for a charge by an id of another form, once in a run; Inconclusive where real ones are not found."""
    precondition(payments.get_charge(id_of(plain_charge(payments))))
    return payments.get_charge("no-charge-of-ours")


@requirement("PAY-CHG-74")
def test_an_id_of_another_form_is_not_found(payments: Payments) -> None:
    """No charge has such an id."""
    expect(unlike(payments), status(404))


@requirement("PAY-CHG-78")
def test_an_id_of_another_form_is_refused(payments: Payments) -> None:
    """With 404, or for its form."""
    expect(unlike(payments), client_error())


@requirement("PAY-CHG-75")
def test_a_transfer_is_no_charge(payments: Payments) -> None:
    """The query of charges does not find it."""
    precondition(payments.get_charge(id_of(plain_charge(payments))))
    expect(payments.get_charge(id_of(plain_transfer(payments))), status(404))


@deferred(LAST)
@requirement("PAY-CHG-70")
def test_an_old_charge_is_still_queried(payments: Payments) -> None:
    """Last of all; whatever became of it, it was created."""
    expect(payments.get_charge(id_of(a_charge_nobody_pays.value())), *CREATED)


@deferred(LAST)
@requirement("PAY-CHG-76")
def test_the_statuses_of_a_charge_are_noted(payments: Payments, observe: Observer) -> None:
    """Creation, payment, the query after each, and at the end what became of the charge that nobody paid."""
    made = precondition(payments.create_charge(a_charge()))
    seen = [made, payments.get_charge(id_of(made))]
    seen += [payments.pay_charge(id_of(made)), payments.get_charge(id_of(made))]
    old = payments.get_charge(id_of(a_charge_nobody_pays.value()))
    *paid, unpaid = [str(one.at("data.status") or one.status) for one in (*seen, old)]
    observe("PAY-CHG-76", f"seen: {', '.join(paid)}; a charge left alone is {unpaid} at the end", None, *seen, old)
