"""Querying transfers."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from fixtures import *
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *


@pytest.fixture(scope="session")
def queries_of_new_transfer(payments: Payments, a_transfer: TransferBody) -> list[Exchange]:
    """Queries of a transfer of 234 cents on several connections, directly after its creation."""
    transfer = create_accepted_transfer(payments, a_transfer(amount=234))
    return repeat_concurrently(3, partial(payments.get_transfer, transfer.id, group="new-transfer"))


@pytest.fixture(scope="session")
def query_of_new_transfer(queries_of_new_transfer: list[Exchange]) -> Exchange:
    """One of these queries."""
    return queries_of_new_transfer[0]


@requirement("PAY-TRF-50")
@pytest.mark.concurrent
def test_a_new_transfer_is_found_on_every_connection(queries_of_new_transfer: list[Exchange]) -> None:
    """GET of a transfer returns 200 on several connections as soon as POST has returned its id."""
    for query in queries_of_new_transfer:
        expect(query, status(200))


@quick
@requirement("PAY-TRF-50")
def test_a_transfer_is_queried_by_its_id(query_of_plain_transfer: Exchange) -> None:
    """GET /api/v1/pix/out/pixkey/{transferId} with the data.id of the creation returns 200."""
    expect(query_of_plain_transfer, status(200), has("data", "object"))


@requirement("PAY-TRF-50")
@pytest.mark.parametrize("key_type", ["cpf", "cnpj", "email", "phone"])
def test_a_transfer_to_a_key_of_each_type_is_queried(
    queries_of_each_key_type: dict[str, Exchange], key_type: str
) -> None:
    """GET of a transfer to a pixKey of each type returns 200, where a key of that type was accepted."""
    if key_type not in queries_of_each_key_type:
        raise NotApplicable(f"no transfer to a key of the type {key_type} was accepted")
    expect(queries_of_each_key_type[key_type], status(200), has("data", "object"))


@requirement("PAY-TRF-63")
def test_the_query_shows_the_transfer_that_was_asked_for(
    payments: Payments, plain_transfer: Transfer, query_of_new_transfer: Exchange
) -> None:
    """GET of a transfer returns its own id, though another transfer is newer."""
    precondition(query_of_new_transfer)
    query = precondition(payments.get_transfer(plain_transfer.id), has("data.id", "string"))
    expect(query, field("data.id", plain_transfer.id))


@requirement("PAY-TRF-64")
def test_the_query_shows_the_amount_of_the_creation(query_of_new_transfer: Exchange) -> None:
    """GET of a transfer that was created with 234 cents returns the data.amount 234."""
    query = precondition(query_of_new_transfer, has("data.amount", "integer"))
    expect(query, field("data.amount", 234))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        case("PAY-TRF-63", "id", lambda transfer: transfer.id, id="id"),
        case("PAY-TRF-64", "amount", lambda _: 456, id="amount"),
    ],
)
def test_the_query_of_a_completed_transfer_shows_its_id_and_amount(
    completed_transfer: CompletedTransfer, name: str, shown: Callable[[CompletedTransfer], str | int]
) -> None:
    """GET of a completed transfer of 456 cents returns the id that was asked for, and 456: fees are not taken off."""
    value = shown(completed_transfer)
    query = precondition(completed_transfer.query, has(f"data.{name}", "string" if name == "id" else "integer"))
    expect(query, field(f"data.{name}", value))


@requirement("PAY-TRF-65")
@pytest.mark.parametrize("name", ["netAmount", "fees", "pixKey"])
def test_the_query_shows_what_the_creation_showed(completed_transfer: CompletedTransfer, name: str) -> None:
    """GET of a transfer returns netAmount, fees and pixKey as POST did, before its completion and after it."""
    created = completed_transfer.transfer.created
    expect(completed_transfer.before, unchanged_since(created, name))
    expect(completed_transfer.query, unchanged_since(created, name))


@requirement("PAY-TRF-66")
def test_created_at_is_the_time_of_the_creation(
    plain_transfer: Transfer, query_of_plain_transfer: Exchange, clock: Clock
) -> None:
    """GET of a transfer returns as createdAt the time of its POST; the clocks may differ by five minutes."""
    query = precondition(query_of_plain_transfer, has("data.createdAt"))
    expect(query, is_dated("createdAt", clock.at(plain_transfer.created.started)))


@requirement("PAY-TRF-87")
def test_created_at_stays_when_the_transfer_is_completed(completed_transfer: CompletedTransfer) -> None:
    """GET of a completed transfer returns the createdAt that it returned before the completion."""
    expect(precondition(completed_transfer.query), has_created_at_of(completed_transfer.before))


@requirement("PAY-TRF-67")
def test_updated_at_is_not_before_created_at(queried_transfer: Exchange, completed_transfer: CompletedTransfer) -> None:
    """GET returns an updatedAt not before createdAt, of a new transfer and of a completed one; 2 s are rounding."""
    expect(queried_transfer, is_dated_after("updatedAt", "createdAt", 0))
    expect(completed_transfer.query, is_dated_after("updatedAt", "createdAt", 0))


@pytest.mark.parametrize(
    "name", [case("PAY-TRF-68", "processedAt", id="processedAt"), case("PAY-TRF-86", "endToEndId", id="endToEndId")]
)
def test_a_completed_transfer_has_a_processed_at_and_an_end_to_end_id(
    completed_transfer: CompletedTransfer, name: str
) -> None:
    """GET of a completed transfer returns a processedAt and an endToEndId that are not null."""
    query = precondition(completed_transfer.query, field("data.status", "completed"))
    expect(query, has(f"data.{name}"))


@requirement("PAY-TRF-75")
def test_a_transfer_in_its_approval_has_no_processed_at(query_of_new_transfer: Exchange) -> None:
    """GET of a transfer that is pending or in manual_analysis returns a processedAt of null."""
    query = precondition(query_of_new_transfer, has("data.status", "string"))
    if query.at("data.status") not in APPROVAL:
        raise NotApplicable(f"the transfer had left its approval at once ({query.evidence})")
    expect(query, has_no_timestamp("processedAt"))


@deferred(62)
@pytest.mark.parametrize(
    "name", [case("PAY-TRF-81", "updatedAt", id="updatedAt"), case("PAY-TRF-79", "processedAt", id="processedAt")]
)
def test_a_completion_is_dated_when_it_happens(late_completion: LateCompletion, name: str) -> Iterator[None]:
    """The updatedAt and processedAt of a transfer that is completed at an age of 62 s are 61 s after its createdAt."""
    yield
    _, query = late_completion()
    precondition(query, field("data.status", "completed"), has("data.createdAt"))
    expect(query, is_dated_after(name, "createdAt", 61))


@requirement("PAY-TRF-79")
def test_processed_at_is_the_time_of_the_completion(completed_transfer: CompletedTransfer, clock: Clock) -> None:
    """GET of a completed transfer returns as processedAt the time of its completion; clocks may differ by minutes."""
    query = precondition(completed_transfer.query, field("data.status", "completed"))
    expect(query, is_dated("processedAt", clock.at(completed_transfer.answer.started)))


@deferred(3)
@requirement("PAY-TRF-80")
def test_a_completed_transfer_keeps_its_processed_at(
    payments: Payments, completed_transfer: CompletedTransfer
) -> Iterator[None]:
    """GET of a completed transfer still returns its processedAt when the run is 3 s old; 1 s is rounding."""
    before = precondition(completed_transfer.query, field("data.status", "completed"), has("data.processedAt"))
    yield
    query = precondition(payments.get_transfer(completed_transfer.id), field("data.status", "completed"))
    expect(query, is_still_the_time("data.processedAt", before.at("data.processedAt")))


@requirement("PAY-TRF-69")
def test_a_completed_transfer_has_no_other_end_to_end_id(completed_transfer: CompletedTransfer) -> None:
    """GET of a completed transfer returns the endToEndId of its completion, or null."""
    answered = precondition(completed_transfer.answer, has("data.endToEndId")).at("data.endToEndId")
    expect(precondition(completed_transfer.query), field_in("data.endToEndId", answered, None))


@pytest.mark.parametrize(
    "unknown",
    [
        case("PAY-TRF-70", lambda transfer, _: nonexistent_id_like(transfer), id="the-form-of-real-ids"),
        case("PAY-TRF-71", lambda *_: "no-transfer-of-ours", id="plain-characters"),
        case("PAY-TRF-72", lambda _, charge: skip_if_counted(charge), id="id-of-a-charge"),
    ],
)
def test_an_unknown_transfer_is_not_found(
    payments: Payments,
    queried_transfer: Exchange,
    plain_transfer: Transfer,
    pending_charge: Exchange,
    unknown: Callable[[str, str], str],
) -> None:
    """GET of a transfer returns 404 to an id in the form of real ids, to one unlike them, and to that of a charge."""
    precondition(queried_transfer)
    expect(payments.get_transfer(unknown(plain_transfer.id, id_of(pending_charge))), status(404))


@requirement("PAY-TRF-73")
@pytest.mark.usefixtures("second_completion")
def test_a_second_completion_leaves_the_transfer_completed(
    payments: Payments, completed_transfer: CompletedTransfer
) -> None:
    """GET of a transfer still returns the status completed after a second completion, accepted or refused."""
    precondition(completed_transfer.query, field("data.status", "completed"))
    query = precondition(payments.get_transfer(completed_transfer.id), has("data.status", "string"))
    expect(query, field("data.status", "completed"))


@deferred(AT_THE_END)
@requirement("PAY-TRF-73")
def test_a_completed_transfer_is_still_completed_at_the_end(
    payments: Payments, completed_transfer: CompletedTransfer
) -> None:
    """GET of a transfer that was completed early in the run returns the status completed at its end."""
    precondition(completed_transfer.query, field("data.status", "completed"))
    query = precondition(payments.get_transfer(completed_transfer.id), has("data.status", "string"))
    expect(query, field("data.status", "completed"))
