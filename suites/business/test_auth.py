"""Every request carries a bearer key (business.md, lines 134-141)."""

from collections.abc import Iterator
from functools import cache

import pytest

from fixtures.business.bodies import a_charge, fresh_ref
from fixtures.business.charges import (
    ROUTES,
    a_pending,
    creating,
    id_of,
    new_connection,
    plain_charge,
    refused,
)
from fixtures.business.lists import left_by, listing_with
from pix_conformance.checks.matchers import computed, field, has, status, success
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.clients.client import NO_AUTHORIZATION, Authorization
from pix_conformance.harness.expect import expect, not_applicable, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.target import Target

NO_TOKEN = Authorization("Bearer", "Bearer without a key")
NEVER_ISSUED = Authorization("Bearer ak_test_0000000000000000000000000000000000", "Bearer, a key never issued")
NO_KEY_AT_ALL = Authorization("Bearer not-a-key", "Bearer, a word that is no key")
UNAUTHORIZED = 401
CHANGING = ("cancel_charge", "pay_charge")
STRANGERS = [
    pytest.param(NO_AUTHORIZATION, id="no-key"),
    pytest.param(NEVER_ISSUED, id="unknown-key"),
]


@pytest.fixture(scope="module")
def pending(business: Business) -> Exchange:
    """Return a charge that no refused request may change."""
    return a_pending(business)


@cache
def works(business: Business, operation: str) -> None:
    """Ask with the key, once a run; Inconclusive if that fails, as then it is not the key that is refused."""
    charge = (a_pending if operation in CHANGING else plain_charge)(business)
    precondition(ROUTES[operation](business, id_of(charge)))


@pytest.fixture
def stranger(business: Business) -> Iterator[Business]:
    """Give a client without cookies or connections."""
    client = new_connection(business)
    yield client
    client.line.close()


@pytest.mark.parametrize("nothing", [NO_AUTHORIZATION, NO_TOKEN], ids=["no-header", "no-token"])
@pytest.mark.parametrize(
    "operation",
    [
        pytest.param("create_charge", marks=requirement("BUS-AUTH-01")),
        pytest.param("get_charge", marks=requirement("BUS-AUTH-02")),
        pytest.param("list_charges", marks=requirement("BUS-AUTH-03")),
        pytest.param("cancel_charge", marks=requirement("BUS-AUTH-04")),
        pytest.param("pay_charge", marks=requirement("BUS-AUTH-05")),
        pytest.param("get_finance", marks=requirement("BUS-AUTH-06")),
    ],
)
def test_a_request_without_a_key_is_refused(
    business: Business, pending: Exchange, operation: str, nothing: Authorization
) -> None:
    """With the key such a request works, so it is the key that was missing."""
    answer = ROUTES[operation](business, id_of(pending), authorization=nothing)
    if not answer.ok:
        works(business, operation)
    expect(answer, status(401))


@requirement("BUS-AUTH-07")
@pytest.mark.parametrize("key", [NEVER_ISSUED, NO_KEY_AT_ALL], ids=["unknown", "no-key-at-all"])
@pytest.mark.parametrize("operation", ROUTES)
def test_a_key_that_was_never_issued_is_refused(
    business: Business, pending: Exchange, operation: str, key: Authorization
) -> None:
    """A key of the right form is unknown, a word is no key."""
    works(business, operation)
    expect(ROUTES[operation](business, id_of(pending), authorization=key), status(401))


@requirement("BUS-AUTH-07")
@pytest.mark.parametrize("change", ["shorter", "longer", "other-end", "no-prefix", "other-case"])
def test_a_key_that_is_nearly_the_right_one_is_refused(
    business: Business, target: Target, pending: Exchange, change: str
) -> None:
    """No part of a key stands for the whole; a key of another role may differ as little, and is not sent."""
    works(business, "get_charge")
    key = business.key.reveal()
    other = "0" if key[-1] != "0" else "1"
    start, rest = key[:8], key[8:]
    swapped = rest.swapcase() if rest != rest.swapcase() else f"{rest}x"
    ends = {
        "shorter": rest[:-1],
        "longer": f"{rest}0",
        "other-end": rest[:-1] + other,
        "other-case": swapped,
    }
    nearly = rest if change == "no-prefix" else start + ends[change]
    if nearly in {one.reveal() for one in target.business.values()}:
        raise not_applicable("the key of another role is this one")
    authorization = Authorization(f"Bearer {nearly}", f"Bearer, the key made {change}")
    expect(business.get_charge(id_of(pending), authorization=authorization), status(401))


@requirement("BUS-AUTH-07")
def test_a_sandbox_key_is_unknown_under_the_prefix_of_production(
    business: Business, live_business: Business, pending: Exchange
) -> None:
    """Keys of both environments may differ in their prefix alone: then it is no unknown key, and is not sent."""
    works(business, "get_charge")
    nearly = f"ak_live_{business.key.reveal()[8:]}"
    if nearly == live_business.key.reveal():
        raise not_applicable("the keys of the two environments differ in their prefix alone")
    authorization = Authorization(f"Bearer {nearly}", "Bearer, the key with the prefix of production")
    expect(business.get_charge(id_of(pending), authorization=authorization), status(401))


@requirement("BUS-AUTH-08")
@pytest.mark.parametrize("operation", ROUTES)
def test_a_revoked_key_is_refused(business: Business, target: Target, pending: Exchange, operation: str) -> None:
    """A key that was revoked before the run is refused with 401 on each route, where the key of the account works."""
    if target.revoked_key is None:
        raise not_applicable("PIX_REVOKED_API_KEY is not set")
    works(business, operation)
    revoked = Authorization(f"Bearer {target.revoked_key.reveal()}", "Bearer, a revoked key")
    expect(ROUTES[operation](business, id_of(pending), authorization=revoked), status(401))


@requirement("BUS-AUTH-09")
@pytest.mark.parametrize("authorization", STRANGERS)
def test_a_creation_refused_for_its_key_leaves_nothing(business: Business, authorization: Authorization) -> None:
    """The list, which reaches back to an earlier charge, does not hold it."""
    before, ref = a_pending(business), fresh_ref()
    refused(creating(business, a_charge(external_ref=ref), authorization=authorization))
    listing = listing_with(business, before)
    expect(listing, computed("the list is free of it", left_by(business, listing, {ref}, before)))


@requirement("BUS-AUTH-10")
@pytest.mark.parametrize("authorization", STRANGERS)
def test_a_cancel_refused_for_its_key_leaves_the_charge_pending(
    business: Business, authorization: Authorization
) -> None:
    """The charge is still to be paid."""
    charge_id = id_of(a_pending(business))
    refused(business.cancel_charge(charge_id, authorization=authorization))
    expect(precondition(business.get_charge(charge_id), has("status", "string")), field("status", "pending"))


@requirement("BUS-AUTH-11")
@pytest.mark.parametrize("authorization", STRANGERS)
def test_a_payment_refused_for_its_key_leaves_the_charge_pending(
    business: Business, authorization: Authorization
) -> None:
    """The charge is not paid."""
    charge_id = id_of(a_pending(business))
    refused(business.pay_charge(charge_id, authorization=authorization))
    expect(precondition(business.get_charge(charge_id), has("status", "string")), field("status", "pending"))


@requirement("BUS-AUTH-12")
def test_the_key_alone_is_enough(business: Business, stranger: Business) -> None:
    """A client creates and reads with nothing but the key, whether or not it spoke to the service before."""
    charge = creating(business, a_charge())
    if charge.status != UNAUTHORIZED:
        precondition(charge, has("id"))
    expect(charge, success())
    for client in (business, stranger):
        expect(client.get_charge(id_of(charge)), success(), field("id", charge.at("id")))
    expect(creating(stranger, a_charge()), success(), has("id"))


@requirement("BUS-AUTH-14")
@pytest.mark.parametrize("scheme", ["Token", "Basic"])
def test_another_scheme_than_bearer_is_refused(business: Business, scheme: str) -> None:
    """The key is right, the scheme is not."""
    charge_id = id_of(plain_charge(business))
    precondition(business.get_charge(charge_id))
    authorization = Authorization(f"{scheme} {business.key.reveal()}", f"{scheme} with the key")
    expect(business.get_charge(charge_id, authorization=authorization), status(401))
