"""Every request carries an API key as a Bearer token (business.md, lines 134-141)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fixtures.business.bodies import a_charge, fresh_key, fresh_ref
from fixtures.business.charges import create_pending_charge, id_of
from fixtures.business.lists import list_with_refs
from fixtures.business.routes import OPERATIONS, send_valid_request
from pix_conformance.checks.business.list_contents import holds_no_ref
from pix_conformance.checks.events import require_refusal
from pix_conformance.checks.matchers import field, has, status, success
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.clients.client import NO_AUTHORIZATION, Authorization
from pix_conformance.harness.expect import Observer, expect, not_applicable, precondition
from pix_conformance.harness.requirement import case, quick, requirement
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.target import Target

NO_TOKEN = Authorization("Bearer", "Bearer without a key")
NEVER_ISSUED = Authorization("Bearer ak_test_0000000000000000000000000000000000", "Bearer, a key never issued")
NOT_A_KEY = Authorization("Bearer not-a-key", "Bearer, a word that is no key")
WITHOUT_VALID_KEY = [
    pytest.param(NO_AUTHORIZATION, id="no-key"),
    pytest.param(NEVER_ISSUED, id="unknown-key"),
]


@pytest.fixture(scope="session")
def charge_id(business: Business) -> str:
    """The id of a pending charge, to which the refused requests are sent."""
    return id_of(create_pending_charge(business))


@pytest.fixture
def new_client(business: Business) -> Iterator[Business]:
    """A client of the same API key that has no cookie and no connection yet."""
    line = business.line
    client = Business(type(line)(line.run, line.pacer), business.role, business.key)
    yield client
    client.line.close()


@quick
@pytest.mark.parametrize(
    "operation",
    [
        case("BUS-AUTH-01", "create_charge", id="create_charge"),
        case("BUS-AUTH-02", "get_charge", id="get_charge"),
        case("BUS-AUTH-03", "list_charges", id="list_charges"),
        case("BUS-AUTH-04", "cancel_charge", id="cancel_charge"),
        case("BUS-AUTH-05", "pay_charge", id="pay_charge"),
        case("BUS-AUTH-06", "get_finance", id="get_finance"),
    ],
)
def test_a_request_without_a_key_is_refused(
    business: Business, charge_id: str, valid_requests: dict[str, Exchange], operation: str
) -> None:
    """A request without Authorization header is refused with 401 on every route."""
    answer = send_valid_request(business, operation, charge_id, authorization=NO_AUTHORIZATION)
    if not answer.ok:
        precondition(valid_requests[operation])
    expect(answer, status(401))


@pytest.mark.parametrize(
    "authorization",
    [case("BUS-AUTH-06", NO_TOKEN, id="no-key"), case("BUS-AUTH-07", NOT_A_KEY, id="a-word-that-is-no-key")],
)
def test_a_bearer_header_without_a_key_is_refused(
    business: Business, valid_requests: dict[str, Exchange], authorization: Authorization
) -> None:
    """GET of the balance is refused with 401 if Bearer stands alone or before a word that is no key."""
    precondition(valid_requests["get_finance"])
    expect(business.get_finance(authorization=authorization), status(401))


@requirement("BUS-AUTH-07")
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_key_that_was_never_issued_is_refused(
    business: Business, charge_id: str, valid_requests: dict[str, Exchange], operation: str
) -> None:
    """An unknown key of the right form is refused with 401 on every route."""
    precondition(valid_requests[operation])
    expect(send_valid_request(business, operation, charge_id, authorization=NEVER_ISSUED), status(401))


@requirement("BUS-AUTH-07")
@pytest.mark.parametrize("change", ["shorter", "longer", "other-end", "no-prefix", "other-case"])
def test_a_key_that_is_nearly_the_right_one_is_refused(
    business: Business, target: Target, charge_id: str, valid_requests: dict[str, Exchange], change: str
) -> None:
    """GET of a charge is refused with 401 for the right key with one character less, more or changed."""
    precondition(valid_requests["get_charge"])
    key = business.key.reveal()
    prefix, rest = key[:8], key[8:]
    nearly = {
        "shorter": key[:-1],
        "longer": f"{key}0",
        "other-end": key[:-1] + ("1" if key.endswith("0") else "0"),
        "no-prefix": rest,
        "other-case": prefix + (rest.swapcase() if rest != rest.swapcase() else f"{rest}x"),
    }[change]
    if nearly in {one.reveal() for one in target.business.values()}:
        raise not_applicable("the key of another role is this one")
    authorization = Authorization(f"Bearer {nearly}", f"Bearer, the key made {change}")
    expect(business.get_charge(charge_id, authorization=authorization), status(401))


@requirement("BUS-AUTH-07")
def test_a_sandbox_key_with_the_prefix_of_production_is_refused(
    business: Business, live_business: Business, charge_id: str, valid_requests: dict[str, Exchange]
) -> None:
    """GET of a charge is refused with 401 for the sandbox key written with ak_live_, unless that is a real key."""
    precondition(valid_requests["get_charge"])
    nearly = f"ak_live_{business.key.reveal()[8:]}"
    if nearly == live_business.key.reveal():
        raise not_applicable("the keys of the two environments differ in their prefix alone")
    authorization = Authorization(f"Bearer {nearly}", "Bearer, the key with the prefix of production")
    expect(business.get_charge(charge_id, authorization=authorization), status(401))


@requirement("BUS-AUTH-08")
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_revoked_key_is_refused(
    business: Business, target: Target, charge_id: str, valid_requests: dict[str, Exchange], operation: str
) -> None:
    """A key that was revoked before the run is refused with 401 on every route."""
    if target.revoked_key is None:
        raise not_applicable("PIX_REVOKED_API_KEY is not set")
    precondition(valid_requests[operation])
    revoked = Authorization(f"Bearer {target.revoked_key.reveal()}", "Bearer, a revoked key")
    expect(send_valid_request(business, operation, charge_id, authorization=revoked), status(401))


@requirement("BUS-AUTH-09")
@pytest.mark.parametrize("authorization", WITHOUT_VALID_KEY)
def test_a_creation_refused_for_its_key_creates_no_charge(business: Business, authorization: Authorization) -> None:
    """After a POST that is refused for its key, the list has no charge of the external_ref that was sent."""
    earlier, ref = create_pending_charge(business), fresh_ref()
    body = a_charge(external_ref=ref)
    require_refusal(business.create_charge(body, key=fresh_key(), authorization=authorization))
    listing, queries = list_with_refs(business, back_to=earlier)
    expect(listing, holds_no_ref([ref], back_to=earlier, queries=queries))


@requirement("BUS-AUTH-10")
def test_a_cancel_refused_for_its_key_leaves_the_charge_pending(business: Business) -> None:
    """A charge is still pending after a cancel request without a key was refused."""
    charge = id_of(create_pending_charge(business))
    require_refusal(business.cancel_charge(charge, authorization=NO_AUTHORIZATION))
    expect(precondition(business.get_charge(charge), has("status", "string")), field("status", "pending"))


@requirement("BUS-AUTH-11")
def test_a_payment_refused_for_its_key_leaves_the_charge_pending(business: Business) -> None:
    """A charge is still pending after a pay request without a key was refused."""
    charge = id_of(create_pending_charge(business))
    require_refusal(business.pay_charge(charge, authorization=NO_AUTHORIZATION))
    expect(precondition(business.get_charge(charge), has("status", "string")), field("status", "pending"))


@requirement("BUS-AUTH-12")
def test_the_key_alone_is_enough(business: Business, new_client: Business) -> None:
    """A client that sends only the key creates and reads charges, also one that never connected before."""
    charge = business.create_charge(a_charge(), key=fresh_key())
    if charge.status != 401:  # the status that says that the key is not enough
        precondition(charge, has("id"))
    expect(charge, success())
    expect(business.get_charge(id_of(charge)), success(), field("id", charge.at("id")))
    expect(new_client.get_charge(id_of(charge)), success(), field("id", charge.at("id")))
    expect(new_client.create_charge(a_charge(), key=fresh_key()), success(), has("id"))


@requirement("BUS-AUTH-14")
@pytest.mark.parametrize("scheme", ["Token", "Basic"])
def test_another_scheme_than_bearer_is_refused(business: Business, plain_charge: Exchange, scheme: str) -> None:
    """GET of a charge with the right key under the scheme Token or Basic is refused with 401."""
    precondition(business.get_charge(id_of(plain_charge)))
    authorization = Authorization(f"{scheme} {business.key.reveal()}", f"{scheme} with the key")
    expect(business.get_charge(id_of(plain_charge), authorization=authorization), status(401))


@requirement("BUS-AUTH-15")
def test_the_answer_to_the_scheme_in_lower_case_is_noted(business: Business, observe: Observer) -> None:
    """A right key may be accepted or refused under the scheme `bearer` in lower case."""
    authorization = Authorization(f"bearer {business.key.reveal()}", "bearer, in lower case, with the key")
    answer = business.list_charges(authorization=authorization)
    observe("BUS-AUTH-15", f"bearer in lower case: {answer.status}", answer.status, answer)


@requirement("BUS-AUTH-16")
def test_the_answers_to_a_missing_key_and_a_second_mistake_are_noted(business: Business, observe: Observer) -> None:
    """A request without a key may be refused with 401 also where its body is invalid or its charge does not exist."""
    invalid = business.create_charge({"amount_cents": 0}, authorization=NO_AUTHORIZATION)
    unknown = business.get_charge("nothing", authorization=NO_AUTHORIZATION)
    words = f"without a key: {invalid.status} for an invalid body, {unknown.status} for an unknown charge"
    observe("BUS-AUTH-16", words, [invalid.status, unknown.status], invalid, unknown)
