"""GET of a charge by real and unknown ids, and what it shows of the charge."""

from functools import partial

import pytest

from fixtures import *
from fixtures.business import *
from pix_conformance.testing import *
from pix_conformance.testing.business import *


@pytest.fixture(scope="session")
def responses_of_three_charges(business: Business, charge_in: ChargeIn) -> list[tuple[Exchange, Exchange]]:
    """Creation and later query of a charge that stays pending (twice), of one that is paid and of one canceled."""
    pending, *others = (charge_in(status) for status in ("pending", "paid", "canceled"))
    again = precondition(business.get_charge(id_of(pending.creation)))
    return [(pending.creation, again), *((charge.creation, charge.query) for charge in (pending, *others))]


@quick
@requirement("BUS-CHG-64")
def test_a_charge_is_found_by_its_id(business: Business) -> None:
    """GET finds the older of two charges, which has only an amount, and the newer one at once on every connection."""
    older, newer = create_minimal_charge(business), create_pending_charge(business)
    for query in repeat_concurrently(3, partial(business.get_charge, id_of(newer), group="new-charge")):
        expect(query, success(), field("id", newer.at("id")))
    expect(business.get_charge(id_of(older)), success(), field("id", older.at("id")))


@requirement("BUS-CHG-64")
@deferred(AT_THE_END)
def test_a_charge_is_found_after_more_newer_ones_than_a_list_has(business: Business, many_charges: ManyCharges) -> None:
    """GET finds the first charge of the run when more charges are newer than a list shows."""
    charge = first_charge_of_run(business)
    many_charges.fill_list(charge)
    expect(business.get_charge(id_of(charge)), success(), field("id", charge.at("id")))


@quick
@pytest.mark.parametrize("operation", asked(operations.of(Api.BUSINESS), Question.UNKNOWN_ID))
def test_an_unknown_id_is_not_found(
    business: Business, valid_requests: dict[str, Exchange], plain_charge: Exchange, operation: str
) -> None:
    """GET, cancel and pay of a charge by an id that has the form of real ones and was never issued return 404."""
    precondition(valid_requests[operation])
    expect(getattr(business, operation)(nonexistent_id_like(id_of(plain_charge))), status(404))


@requirement("BUS-CHG-66")
@pytest.mark.parametrize("name", ["qr_code", "provider", "expires_at"])
def test_queries_show_the_field_as_the_creation_did(
    responses_of_three_charges: list[tuple[Exchange, Exchange]], name: str
) -> None:
    """qr_code, provider and expires_at of a pending, a paid and a canceled charge are those of its creation."""
    for creation, query in responses_of_three_charges:
        expect(query, unchanged_since(creation, name))


@requirement("BUS-CHG-67")
def test_the_description_is_not_in_the_qr_code(business: Business) -> None:
    """A description does not appear in qr_code, neither in upper nor in lower case."""
    body = a_full_charge(description="Quagga7391")
    charge = precondition(business.create_charge(body, key=fresh_key()), has("qr_code"))
    expect(charge, qr_code_lacks("quagga"))


@requirement("BUS-CHG-69")
def test_a_pending_charge_keeps_its_qr_code(responses_of_three_charges: list[tuple[Exchange, Exchange]]) -> None:
    """Two queries of a pending charge show the qr_code of its creation."""
    for creation, query in responses_of_three_charges[:2]:
        precondition(query, field("status", "pending"), has("qr_code", "string"))
        expect(query, unchanged_since(creation, "qr_code"))


@requirement("BUS-CHG-65")
def test_an_id_without_its_last_character_is_not_found(business: Business, plain_charge: Exchange) -> None:
    """GET by all but the last character of an id returns 404, if that is a plain id and not that of another charge."""
    known = id_of(plain_charge)
    if not is_plain(known[:-1]):
        raise NotApplicable("it is not a plain id, which a service may refuse as malformed")
    answer = business.get_charge(known[:-1])
    if answer.ok and answer.at("id") != plain_charge.at("id"):
        raise NotApplicable("it is the id of another charge")
    expect(answer, status(404))
