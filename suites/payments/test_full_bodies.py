"""Charges and transfers with every optional field follow the rules of the plain ones (payments.md, lines 28-94)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fixtures.bodies import with_field, without_field
from fixtures.payments.account import Sent, account
from fixtures.payments.bodies import fresh_key
from fixtures.payments.charges import id_of
from fixtures.payments.full_bodies import full_body, full_charge, full_transfer, large_transfer, sent_in_full
from fixtures.payments.refusals import LACKS
from pix_conformance.checks.matchers import computed, field, has, status
from pix_conformance.checks.relations import second_transfer_problem
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.expect import expect, precondition
from pix_conformance.harness.polling import poll_status
from pix_conformance.harness.requirement import case, requirement
from pix_conformance.oracles import emv

CHARGES = [
    case("PAY-CHG-02", "amountInCents", LACKS, id="amountInCents-missing"),
    case("PAY-CHG-04", "amountInCents", 1050.5, id="amountInCents-decimal"),
    case("PAY-CHG-06", "amountInCents", 99, id="amountInCents-99"),
    case("PAY-CHG-08", "customer", LACKS, id="customer-missing"),
    case("PAY-CUS-07", "customer.document", LACKS, id="customer.document-missing"),
    case("PAY-CUS-09", "customer.document", "529.982.247-25", id="customer.document-punctuated"),
    case("PAY-CHG-13", "description", "x" * 141, id="description-141"),
    case("PAY-CHG-19", "postbackUrl", "no uri at all", id="postbackUrl-words"),
]
TRANSFERS = [
    case("PAY-TRF-02", "pixKey", LACKS, id="pixKey-missing"),
    case("PAY-TRF-04", "pixKey", "not a key", id="pixKey-words"),
    case("PAY-TRF-05", "amount", LACKS, id="amount-missing"),
    case("PAY-TRF-07", "amount", 1.5, id="amount-decimal"),
    case("PAY-TRF-09", "amount", 0, id="amount-zero"),
    case("PAY-TRF-13", "currency", "USD", id="currency-dollars"),
    case("PAY-TRF-20", "description", "x" * 141, id="description-141"),
    case("PAY-TRF-23", "postbackUrl", "no uri at all", id="postbackUrl-words"),
]


def _changed(body: dict[str, Any], path: str, bad: Any) -> dict[str, Any]:
    return without_field(body, path) if bad is LACKS else with_field(body, path, bad)


@pytest.mark.parametrize(("path", "bad"), CHARGES)
def test_a_full_charge_with_a_bad_field_is_refused(payments: Payments, path: str, bad: Any) -> None:
    """No other field makes up for it."""
    full_charge(payments)
    expect(payments.create_charge(_changed(full_body(payments), path, bad)), status(400))


@pytest.mark.parametrize(("path", "bad"), TRANSFERS)
def test_a_full_transfer_with_a_bad_field_is_refused(payments: Payments, path: str, bad: Any) -> None:
    """No other field makes up for it."""
    body = full_transfer(payments)
    expect(payments.create_transfer(_changed(body, path, bad), key=fresh_key()), status(400))


@requirement("PAY-CHG-40")
def test_a_full_charge_is_pending(payments: Payments) -> None:
    """Whatever is to be done with its money later."""
    expect(precondition(full_charge(payments), has("data.status", "string")), field("data.status", "pending"))


@requirement("PAY-CHG-70", "PAY-CHG-71", "PAY-CHG-72")
def test_a_full_charge_is_queried(payments: Payments) -> None:
    """It is found by its id, and answered with it; its code, image and fees stay."""
    made = full_charge(payments)
    answer = payments.get_charge(id_of(made))
    expect(answer, status(200), of="PAY-CHG-70")
    expect(answer, status(200), field("data.id", made.at("data.id")), of="PAY-CHG-71")
    precondition(made, has("data.pix.emv"), has("data.pix.qrCode"), has("data.fees", "integer"))
    kept = (field(one, made.at(one)) for one in ("data.pix.emv", "data.pix.qrCode", "data.fees"))
    expect(precondition(answer, field("data.status", "pending")), *kept, of="PAY-CHG-72")


@requirement("PAY-CHG-56")
def test_the_code_of_a_full_charge_has_its_amount(payments: Payments) -> None:
    """Splits and items change nothing of what is to be paid."""
    code = precondition(full_charge(payments), has("data.pix.emv")).at("data.pix.emv")
    expect(
        full_charge(payments), computed("amount_agrees", emv.amount_agrees(code, full_body(payments)["amountInCents"]))
    )


@requirement("PAY-PAYS-01", "PAY-PAYS-08", "PAY-PAYS-11", "PAY-PAYS-12")
def test_a_full_charge_is_paid_once(payments: Payments) -> None:
    """It is paid, is shown as paid, and is not paid again."""
    made = id_of(precondition(payments.create_charge(full_body(payments))))
    answer = payments.pay_charge(made)
    expect(answer, status(200), has("data", "object"), of="PAY-PAYS-01")
    query = poll_status(payments, lambda: payments.get_charge(made), "paid")
    expect(query, field("data.status", "paid"), of="PAY-PAYS-11")
    expect(payments.pay_charge(made), status(400), of="PAY-PAYS-12")
    expect(precondition(answer, has("data.id", "string")), field("data.id", made), of="PAY-PAYS-08")


@requirement("PAY-IDEM-01", "PAY-IDEM-02")
def test_a_full_transfer_is_sent_once(payments: Payments) -> None:
    """Its key stands for it, as with a plain one."""
    body, key = full_transfer(payments), fresh_key()
    made = precondition(payments.create_transfer(body, key=key))
    again = payments.create_transfer(body, key=key)
    expect(
        again,
        computed("the answer is the first transfer or 409", second_transfer_problem(made, again)),
        of="PAY-IDEM-01",
    )
    expect(payments.create_transfer({**body, "amount": body["amount"] + 1}, key=key), status(409), of="PAY-IDEM-02")


@requirement("PAY-TRF-50", "PAY-TRF-63", "PAY-CMP-01", "PAY-CMP-10", "PAY-CMP-11")
@pytest.mark.parametrize("send", [sent_in_full, large_transfer])
def test_an_unusual_transfer_is_completed_once(payments: Payments, send: Callable[[Payments], Sent]) -> None:
    """It is found, completed, shown as completed, and not completed again."""
    sent = send(payments)
    first = payments.get_transfer(sent.id)
    expect(first, status(200), of="PAY-TRF-50")
    answer = account(payments).complete(account(payments).wait_for_approval(sent))
    expect(answer, status(200), has("data", "object"), of="PAY-CMP-01")
    query = poll_status(payments, lambda: payments.get_transfer(sent.id), "completed")
    expect(query, field("data.status", "completed"), of="PAY-CMP-10")
    expect(payments.complete_transfer(sent.id), status(400), of="PAY-CMP-11")
    expect(precondition(first, has("data.id", "string")), field("data.id", sent.id), of="PAY-TRF-63")
