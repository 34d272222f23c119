"""Every request carries an API key as a Bearer token."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import pytest

from fixtures.business import *
from pix_conformance.testing import *
from pix_conformance.testing.business import *

NO_TOKEN = Authorization("Bearer", "Bearer without a key", "Bearer")
NEVER_ISSUED = Authorization(
    f"Bearer ak_test_{0:034d}", "Bearer, a key never issued", "Bearer ak_test_$(printf %034d 0)"
)
NOT_A_KEY = Authorization("Bearer not-a-key", "Bearer, a word that is no key", "Bearer not-a-key")
WITHOUT_VALID_KEY = {"no-key": NO_AUTHORIZATION, "unknown-key": NEVER_ISSUED}
WithoutValidKey = Callable[[str, str], Exchange]
"""Returns the response to an operation with what is in the place of a valid key: no-key, unknown-key, revoked-key."""


@pytest.fixture(scope="session")
def charge_id(plain_charge: Exchange) -> str:
    """The id of a pending charge, to which refused queries are sent."""
    return id_of(plain_charge)


@pytest.fixture(scope="session")
def wrong_keys(target: Target) -> dict[str, Authorization]:
    """No key, an unknown one, and a revoked one if there is one."""
    if target.revoked_key is None:
        return WITHOUT_VALID_KEY
    key, formula = target.revoked_key.reveal(), "Bearer $PIX_REVOKED_API_KEY"
    revoked = Authorization(f"Bearer {key}", "Bearer, a revoked key", formula)
    return WITHOUT_VALID_KEY | {"revoked-key": revoked}


@dataclass(frozen=True)
class RefusedCreations:
    """A charge, creations without a valid key that were sent after it, and a list that was read after them."""

    earlier: Exchange
    answers: dict[str, Exchange]
    listing: Exchange
    queries: list[Exchange]
    """Queries of the charges of the list, where it does not show external_ref."""


@pytest.fixture(scope="session")
def refused_creations(business: Business, wrong_keys: dict[str, Authorization]) -> RefusedCreations:
    """Create a charge, send creations with each wrong key, and list the charges."""
    earlier = create_pending_charge(business)
    answers = {
        kind: send_valid_request(business, "create_charge", "", authorization=authorization)
        for kind, authorization in wrong_keys.items()
    }
    return RefusedCreations(earlier, answers, *list_with_refs(business, back_to=earlier))


@pytest.fixture(scope="session")
def charges_not_to_change(business: Business) -> dict[str, Exchange]:
    """By operation, the creation of a pending charge that only refused requests of that operation name."""
    return {operation: create_pending_charge(business) for operation in CHANGES}


@pytest.fixture(scope="session")
def without_valid_key(
    business: Business,
    wrong_keys: dict[str, Authorization],
    charge_id: str,
    charges_not_to_change: dict[str, Exchange],
    refused_creations: RefusedCreations,
) -> WithoutValidKey:
    """Send an operation with one of the wrong keys, once in a run."""

    @cache
    def send(operation: str, kind: str) -> Exchange:
        if operation == "create_charge":
            return refused_creations.answers[kind]
        charge = charges_not_to_change.get(operation)
        number = id_of(charge) if charge else charge_id
        return send_valid_request(business, operation, number, authorization=wrong_keys[kind])

    return send


@pytest.fixture
def new_client(business: Business) -> Iterator[Business]:
    """A client of the same API key that has no cookie and no connection yet."""
    sender = business.sender.with_new_connections()
    client = Business(sender, business.role, business.credential, business.channel)
    yield client
    client.sender.close()


@pytest.mark.parametrize(
    "operation",
    [
        case(requirements_for(row, Question.NO_CREDENTIAL), row.name, id=row.name, quick=row.id_parameter is None)
        for row in operations.of(Api.BUSINESS)
    ],
)
def test_a_request_without_a_key_is_refused(
    without_valid_key: WithoutValidKey, valid_requests: dict[str, Exchange], operation: str
) -> None:
    """A request without Authorization header is refused with 401 on every route."""
    answer = without_valid_key(operation, "no-key")
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


@pytest.mark.parametrize(
    ("operation", "kind"),
    [
        *(case("BUS-AUTH-07", operation, "unknown-key", id=f"{operation}-unknown") for operation in OPERATIONS),
        *(
            case("BUS-AUTH-08", operation, "revoked-key", id=f"{operation}-revoked")
            for operation in ("create_charge", "list_charges", *CHANGES)
        ),
    ],
)
def test_a_key_that_is_not_valid_is_refused(
    wrong_keys: dict[str, Authorization],
    without_valid_key: WithoutValidKey,
    valid_requests: dict[str, Exchange],
    operation: str,
    kind: str,
) -> None:
    """A request with an unknown key is refused with 401 on every route, and one with a revoked key where it matters."""
    if kind not in wrong_keys:
        raise NotApplicable("PIX_REVOKED_API_KEY is not set")
    precondition(valid_requests[operation])
    expect(without_valid_key(operation, kind), status(401))


@requirement("BUS-AUTH-07")
@pytest.mark.parametrize("change", ["shorter", "longer", "other-end", "no-prefix", "other-case"])
def test_a_key_that_is_nearly_the_right_one_is_refused(
    business: Business, target: Target, charge_id: str, valid_requests: dict[str, Exchange], change: str
) -> None:
    """GET of a charge is refused with 401 for the right key with one character less, more or changed."""
    precondition(valid_requests["get_charge"])
    key = business.key.reveal()
    prefix, rest = key[:8], key[8:]
    end, case = "1" if key.endswith("0") else "0", rest != rest.swapcase()
    swapped = '$(printf %s "${PIX_API_KEY:8}" | tr a-zA-Z A-Za-z)' if case else "${PIX_API_KEY:8}x"
    nearly, formula = {
        "shorter": (key[:-1], "${PIX_API_KEY%?}"),
        "longer": (f"{key}0", "${PIX_API_KEY}0"),
        "other-end": (key[:-1] + end, "${PIX_API_KEY%?}" + end),
        "no-prefix": (rest, "${PIX_API_KEY:8}"),
        "other-case": (prefix + (rest.swapcase() if case else f"{rest}x"), "${PIX_API_KEY:0:8}" + swapped),
    }[change]
    if nearly in {credential.secret.reveal() for credential in target.roles(business.api).values()}:
        raise NotApplicable("the key of another role is this one")
    authorization = Authorization(f"Bearer {nearly}", f"Bearer, the key made {change}", f"Bearer {formula}")
    expect(business.get_charge(charge_id, authorization=authorization), status(401))


@requirement("BUS-AUTH-07")
def test_a_sandbox_key_with_the_prefix_of_production_is_refused(
    business: Business, live_business: Business, charge_id: str, valid_requests: dict[str, Exchange]
) -> None:
    """GET of a charge is refused with 401 for the sandbox key written with ak_live_, unless that is a real key."""
    precondition(valid_requests["get_charge"])
    nearly = f"ak_live_{business.key.reveal()[8:]}"
    if nearly == live_business.key.reveal():
        raise NotApplicable("the keys of the two environments differ in their prefix alone")
    words = "Bearer, the key with the prefix of production"
    authorization = Authorization(f"Bearer {nearly}", words, "Bearer ak_live_${PIX_API_KEY:8}")
    expect(business.get_charge(charge_id, authorization=authorization), status(401))


@requirement("BUS-AUTH-09")
def test_creations_refused_for_their_key_create_no_charge(refused_creations: RefusedCreations) -> None:
    """After each POST that was refused for its key, the list has no charge of the external_refs that were sent."""
    refused = [require_refusal(answer) for answer in refused_creations.answers.values()]
    refs = [str(exchange.request.json_object["external_ref"]) for exchange in refused]
    earlier, queries = refused_creations.earlier, refused_creations.queries
    expect(precondition(refused_creations.listing), holds_no_ref(refs, back_to=earlier, queries=queries))


@pytest.fixture
def accepted_with_a_key(operation: str, valid_requests: dict[str, Exchange]) -> Exchange:
    """Return the response to the operation with a valid key; Inconclusive where that is refused too."""
    return precondition(valid_requests[operation])


@pytest.mark.usefixtures("accepted_with_a_key")
@pytest.mark.parametrize(
    "operation", asked(operations.of(Api.BUSINESS, Effect.CHANGES), Question.REFUSED_WITHOUT_EFFECT)
)
def test_requests_refused_for_their_key_leave_a_charge_pending(
    business: Business,
    wrong_keys: dict[str, Authorization],
    charges_not_to_change: dict[str, Exchange],
    without_valid_key: WithoutValidKey,
    operation: str,
) -> None:
    """A charge is pending after its cancels, or payments, without a key and with a wrong one were refused."""
    for kind in wrong_keys:
        require_refusal(without_valid_key(operation, kind))
    query = business.get_charge(id_of(charges_not_to_change[operation]))
    expect(precondition(query, has("status", "string")), field("status", "pending"))


@requirement("BUS-AUTH-12")
def test_the_key_alone_is_enough(new_client: Business) -> None:
    """A client that never connected before, and sends only the key, creates and reads a charge."""
    charge = new_client.create_charge(a_charge(), key=fresh_key())
    if charge.status != 401:  # the status that says that the key is not enough
        precondition(charge, has("id"))
    expect(charge, success())
    expect(new_client.get_charge(id_of(charge)), success(), field("id", charge.at("id")))


@pytest.mark.parametrize(
    "scheme",
    [
        case("BUS-AUTH-14", "Basic", id="Basic"),
        case("BUS-AUTH-17", "xBearer", id="text-before-the-scheme"),
    ],
)
def test_another_scheme_than_bearer_is_refused(
    business: Business, charge_id: str, valid_requests: dict[str, Exchange], scheme: str
) -> None:
    """GET of a charge with the right key under the scheme Basic or xBearer is refused with 401."""
    precondition(valid_requests["get_charge"])
    formula = f"{scheme} $PIX_API_KEY"
    authorization = Authorization(f"{scheme} {business.key.reveal()}", f"{scheme} with the key", formula)
    expect(business.get_charge(charge_id, authorization=authorization), status(401))


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
