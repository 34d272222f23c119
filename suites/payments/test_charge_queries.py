"""GET /api/v1/pix/in/qrcode/{transactionId} returns a charge."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from fixtures import *
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *


@quick
@requirement("PAY-CHG-70")
def test_a_charge_is_found_by_its_id(answer_to_query_of_pending_charge: Exchange) -> None:
    """GET of a charge by the data.id of its creation returns 200 and an object as data."""
    expect(answer_to_query_of_pending_charge, status(200), has("data", "object"))


@pytest.fixture(scope="session")
def queries_of_a_new_charge(payments: Payments, pending_charge: Exchange) -> list[Exchange]:
    """Queries of a charge on several connections as soon as it was created, after another one."""
    del pending_charge
    charge = precondition(payments.create_charge(a_charge(amountInCents=2000)))
    return repeat_concurrently(3, partial(payments.get_charge, id_of(charge), group="new-charge"))


@requirement("PAY-CHG-70")
@pytest.mark.concurrent
def test_a_new_charge_is_found_on_every_connection(queries_of_a_new_charge: list[Exchange]) -> None:
    """GET of a charge returns 200 on several connections as soon as POST has returned its id."""
    for query in queries_of_a_new_charge:
        expect(query, status(200))


@requirement("PAY-CHG-71")
@pytest.mark.usefixtures("queries_of_a_new_charge")
def test_the_query_of_a_charge_returns_its_id_and_not_that_of_a_newer_charge(
    payments: Payments, pending_charge: Exchange
) -> None:
    """GET of a charge returns the id in the path, although a newer charge exists."""
    query = precondition(payments.get_charge(id_of(pending_charge)), has("data.id", "string"))
    expect(query, field("data.id", pending_charge.at("data.id")))


@requirement("PAY-CHG-71")
def test_the_query_of_a_paid_charge_returns_the_id_of_the_charge(
    paid_charge: PaidCharge, query_of_paid_charge: Exchange
) -> None:
    """GET of a paid charge returns the id of the charge, not the id of its payment."""
    created = precondition(paid_charge.created, has("data.id"))
    query = precondition(query_of_paid_charge, field("data.status", "paid"), has("data.id", "string"))
    expect(query, field("data.id", created.at("data.id")))


@requirement("PAY-CHG-77")
def test_the_query_of_a_pending_charge_returns_the_code_of_its_creation(
    pending_charge: Exchange, query_of_pending_charge: Exchange
) -> None:
    """GET of a pending charge returns the data.pix.emv of its creation, which the payer may already have."""
    created = precondition(pending_charge, has("data.pix.emv", "string"))
    query = precondition(query_of_pending_charge, field("data.status", "pending"), has("data.pix.emv", "string"))
    expect(query, field("data.pix.emv", created.at("data.pix.emv")))


@requirement("PAY-CHG-72")
def test_the_query_of_a_pending_charge_returns_code_image_and_fees_of_its_creation(
    pending_charge: Exchange, query_of_pending_charge: Exchange
) -> None:
    """GET of a pending charge returns the emv, qrCode and fees of its creation."""
    created = precondition(pending_charge, has("data.pix.emv"), has("data.pix.qrCode"), has("data.fees", "integer"))
    expect(
        query_of_pending_charge,
        field("data.pix.emv", created.at("data.pix.emv")),
        field("data.pix.qrCode", created.at("data.pix.qrCode")),
        field("data.fees", created.at("data.fees")),
    )


@requirement("PAY-CHG-70", "PAY-CHG-71", "PAY-CHG-72")
def test_a_charge_with_every_optional_field_is_found_as_it_was_created(
    payments: Payments, full_charge: Exchange
) -> None:
    """GET of a pending charge with items and splits returns 200 and the id, emv, qrCode and fees of its creation."""
    query = payments.get_charge(id_of(full_charge))
    expect(query, status(200), of="PAY-CHG-70")
    expect(query, status(200), field("data.id", full_charge.at("data.id")), of="PAY-CHG-71")
    precondition(full_charge, has("data.pix.emv"), has("data.pix.qrCode"), has("data.fees", "integer"))
    expect(
        precondition(query, field("data.status", "pending")),
        field("data.pix.emv", full_charge.at("data.pix.emv")),
        field("data.pix.qrCode", full_charge.at("data.pix.qrCode")),
        field("data.fees", full_charge.at("data.fees")),
        of="PAY-CHG-72",
    )


@pytest.mark.parametrize(
    "unknown",
    [
        case("PAY-CHG-73", nonexistent_id_like, id="the-form-of-real-ids", quick=True),
        case("PAY-CHG-74", lambda _: "no-charge_of_ours", id="plain-characters"),
    ],
)
def test_an_id_that_no_charge_has_is_not_found(
    payments: Payments, query_of_pending_charge: Exchange, pending_charge: Exchange, unknown: Callable[[str], str]
) -> None:
    """GET with an unknown id, in the form of real ids or of letters, hyphens and underscores, returns 404."""
    precondition(query_of_pending_charge)
    expect(payments.get_charge(unknown(id_of(pending_charge))), status(404))


@requirement("PAY-CHG-75")
def test_the_id_of_a_transfer_is_not_found_as_a_charge(
    payments: Payments, query_of_pending_charge: Exchange, plain_transfer: Transfer
) -> None:
    """GET of a charge with the id of a transfer returns 404."""
    precondition(query_of_pending_charge)
    skip_if_counted(plain_transfer.id)
    expect(payments.get_charge(plain_transfer.id), status(404))


@requirement("PAY-CHG-75")
def test_a_transfer_is_not_paid_as_a_charge(
    payments: Payments, paid_charge: PaidCharge, plain_transfer: Transfer
) -> None:
    """The payment of the id of a transfer returns 404."""
    precondition(paid_charge.payment)
    skip_if_counted(plain_transfer.id)
    expect(payments.pay_charge(plain_transfer.id), status(404))


@deferred(AT_THE_END)
@requirement("PAY-CHG-76", "PAY-CHG-84")
def test_the_statuses_of_a_charge_are_noted(
    query_of_pending_charge: Exchange,
    paid_charge: PaidCharge,
    query_of_paid_charge: Exchange,
    charge_left_alone: ChargeLeftAlone,
    observe: Observer,
) -> Iterator[None]:
    """The statuses of charges before and after a payment, and of an unpaid one at the end of the run, are noted."""
    yield
    unpaid, at_the_end = charge_left_alone.created, charge_left_alone.at_the_end()
    answers = (paid_charge.created, query_of_pending_charge, paid_charge.payment, query_of_paid_charge, at_the_end)
    *paid, alone = [str(answer.at("data.status") or answer.status) for answer in answers]
    observe("PAY-CHG-76", f"seen: {', '.join(paid)}; a charge left alone is {alone} at the end", None, *answers)
    age = round(at_the_end.ended - unpaid.started)
    observe("PAY-CHG-84", f"an unpaid charge is {alone} at the end of the run", {"seconds": age}, unpaid, at_the_end)
