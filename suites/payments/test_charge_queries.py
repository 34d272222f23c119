"""Asking for a charge (payments.md, lines 238-242)."""

from __future__ import annotations

from fixtures.builders.payments import a_charge, a_transfer, fresh_key
from fixtures.clients.payments import Payments
from fixtures.expect import expect, given, observe
from fixtures.requirement import requirement
from fixtures.stories.payments_charges import CREATED, plain_charge, unknown_like
from specs.judge.matchers import field, has, status


@requirement("PAY-CHG-70")
def test_a_charge_is_queried_by_its_id(payments: Payments) -> None:
    """The id is the data.id of the creation."""
    expect(payments.get_charge(plain_charge(payments).at("data.id")), *CREATED)


@requirement("PAY-CHG-71")
def test_the_query_answers_the_charge_that_was_asked_for(payments: Payments) -> None:
    """A newer charge is not shown in its place."""
    made = plain_charge(payments).at("data.id")
    given(payments.create_charge(a_charge(amountInCents=2000)))
    expect(given(payments.get_charge(made)), field("data.id", made))


@requirement("PAY-CHG-72")
def test_the_query_of_a_pending_charge_repeats_its_creation(payments: Payments) -> None:
    """The code, the image and the fees stay."""
    made = given(plain_charge(payments), has("data.pix.emv"), has("data.pix.qrCode"), has("data.fees", "integer"))
    query = given(payments.get_charge(made.at("data.id")))
    expect(query, *(field(one, made.at(one)) for one in ("data.pix.emv", "data.pix.qrCode", "data.fees")))


@requirement("PAY-CHG-73")
def test_an_unknown_charge_is_not_found(payments: Payments) -> None:
    """The id has the form of a real one."""
    made = plain_charge(payments).at("data.id")
    given(payments.get_charge(made))
    expect(payments.get_charge(unknown_like(made)), status(404))


@requirement("PAY-CHG-74")
def test_an_id_of_another_form_is_not_found(payments: Payments) -> None:
    """No charge has such an id."""
    given(payments.get_charge(plain_charge(payments).at("data.id")))
    expect(payments.get_charge("no-charge-of-ours"), status(404))


@requirement("PAY-CHG-75")
def test_a_transfer_is_no_charge(payments: Payments) -> None:
    """The query of charges does not find it."""
    given(payments.get_charge(plain_charge(payments).at("data.id")))
    transfer = given(payments.create_transfer(a_transfer(), key=fresh_key()), has("data.id"))
    expect(payments.get_charge(transfer.at("data.id")), status(404))


@requirement("PAY-CHG-76")
def test_the_statuses_of_a_charge_are_noted(payments: Payments) -> None:
    """Creation, payment, and the query after each."""
    made = given(payments.create_charge(a_charge()), has("data.id"))
    seen = [made, payments.get_charge(made.at("data.id"))]
    seen += [given(payments.pay_charge(made.at("data.id"))), payments.get_charge(made.at("data.id"))]
    statuses = [one.at("data.status") or one.status for one in seen]
    observe("PAY-CHG-76", f"seen: {', '.join(map(str, statuses))}; no other transition was met", statuses, *seen)
