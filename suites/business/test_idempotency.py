"""One idempotency key creates one charge."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from hypothesis import given

from fixtures import *
from fixtures.business import *
from pix_conformance.testing import *
from pix_conformance.testing.business import *

REPEATED_AFTER_S = 4
"""How old a creation is when a client may send it again, seconds."""
REF = fresh_ref()
BODY = a_charge(external_ref=REF, description="Two tickets", expires_in_seconds=7_200)
LONGEST = limit(Api.BUSINESS, "create_charge", "description", "maxLength")
CONFLICTS = [
    case("BUS-IDEM-04", {"description": "Two tickets "}, id="description-and-a-space", quick=True),
    case("BUS-IDEM-04", {"expires_in_seconds": 7_201}, id="expires_in_seconds", quick=True),
    case("BUS-IDEM-04", {"customer_email": "player@example.com"}, id="further-customer_email", quick=True),
    case("BUS-IDEM-04", {"description": LEFT_OUT}, id="without-description"),
    case("BUS-IDEM-04", {"description": REF, "external_ref": "Two tickets"}, id="swapped-values"),
    case("BUS-IDEM-04", {"external_ref": REF.upper()}, id="external_ref-in-capitals", quick=True),
]
"""What another body with the key has in the place of fields of BODY."""


@pytest.fixture(scope="session")
def repeated(business: Business) -> CreationSentTwice:
    """A creation that was sent twice, the same to the byte."""
    return create_twice(business, first=BODY, second=BODY)


@pytest.fixture
def remembered(repeated: CreationSentTwice, clock: Clock) -> CreationSentTwice:
    """Return that creation; NotApplicable once the service may have forgotten its key."""
    if not is_remembered(precondition(repeated.first), clock):
        raise NotApplicable("the service may have forgotten the key")
    return repeated


@pytest.fixture(scope="session")
def conflict(business: Business, repeated: CreationSentTwice) -> Exchange:
    """The response to a body with the key of that creation, and with other values."""
    other = {"description": "Three tickets", "customer_email": "another@example.com", "expires_in_seconds": 86_400}
    return business.create_charge(a_charge(amount_cents=1051, **other), key=repeated.key)


@quick
@requirement("BUS-IDEM-01", "BUS-IDEM-02")
def test_a_repeated_creation_returns_the_first_response(repeated: CreationSentTwice) -> None:
    """POST with the same key and body returns the status and fields of the first response; others may have changed."""
    require_decision(repeated.second)
    expect(repeated.second, same_response_as(repeated.first), of="BUS-IDEM-01")
    expect(repeated.second, status(repeated.first.status or 0), of="BUS-IDEM-02")


@requirement("BUS-IDEM-01", "BUS-IDEM-04")
@pytest.mark.fewer_examples
@given(pair=differing())
def test_any_creation_is_repeated_with_its_key_and_no_other_is(
    business: Business, pair: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    """POST with the key of a generated creation returns the fields of its response, and 409 for another body."""
    body, other = pair
    sent = create_twice(business, first=body, second=body)
    conflict = business.create_charge(other, key=sent.key)
    expect(require_decision(sent.second), same_response_as(sent.first), of="BUS-IDEM-01")
    decided = unless_body_is_invalid(business.create_charge, conflict)
    expect(decided, is_409_for_another_body(body, other), of="BUS-IDEM-04")


@quick
@requirement("BUS-IDEM-03")
def test_a_repeated_creation_creates_no_second_charge(business: Business, repeated: CreationSentTwice) -> None:
    """The list has one charge of the external_ref that was sent twice with one key."""
    require_decision(repeated.second)
    listing, queries = list_with_refs(business, back_to=repeated.first)
    expect(listing, holds_ref_once(repeated.body["external_ref"], queries))


@quick
@requirement("BUS-IDEM-03")
def test_a_repeated_creation_returns_the_id_of_the_first_charge(repeated: CreationSentTwice) -> None:
    """POST with the same key and body, if it succeeds, returns the id of the first charge."""
    expect(precondition(repeated.second, has("id")), field("id", repeated.first.at("id")))


@deferred(REPEATED_AFTER_S)
@pytest.mark.parametrize(
    "state",
    [
        case(("BUS-IDEM-01", "BUS-IDEM-03", "BUS-IDEM-09"), "pending", id="pending"),
        case(("BUS-IDEM-01", "BUS-IDEM-03", "BUS-IDEM-09"), "paid", id="paid"),
        case(("BUS-IDEM-01", "BUS-IDEM-03", "BUS-IDEM-09"), "canceled", id="canceled"),
    ],
)
def test_a_creation_repeated_later_returns_the_first_charge_and_leaves_its_state(
    business: Business, clock: Clock, charge_in: ChargeIn, state: str
) -> Iterator[None]:
    """POST repeated some seconds after its charge was created, paid or canceled returns that charge, unchanged."""
    first = charge_in(state).creation
    yield
    if not is_remembered(first, clock):
        first = create_charge_in(business, state).creation
    again = require_decision(business.create_charge(first.request.json_object, key=key_of(first.request)))
    expect(again, success(), of="BUS-IDEM-01")
    expect(again, field("id", id_of(first)), of="BUS-IDEM-03")
    now = precondition(business.get_charge(id_of(first)))
    expect(now, field("status", state), unchanged_since(first, "expires_at"), of="BUS-IDEM-03")
    fields = ("id", "amount_cents", "external_ref", "created_at", "expires_at")
    expect(again, unchanged_since(first, *fields), of="BUS-IDEM-01")
    expect(precondition(again, has("status", "string")), field("status", first.at("status")), of="BUS-IDEM-09")


@requirement("BUS-IDEM-01", "BUS-IDEM-03")
def test_a_creation_repeated_after_a_conflict_returns_the_first_charge(
    business: Business, remembered: CreationSentTwice, conflict: Exchange
) -> None:
    """After another body was refused for its key, POST of the first body, a third time, returns the first charge."""
    require_decision(conflict)
    again = require_decision(business.create_charge(remembered.body, key=remembered.key))
    expect(again, success(), same_response_as(remembered.first), of="BUS-IDEM-01")
    expect(again, field("id", id_of(remembered.first)), of="BUS-IDEM-03")


@requirement("BUS-IDEM-03")
def test_the_repetition_of_a_minimal_creation_returns_the_first_charge(business: Business) -> None:
    """POST of an amount alone, sent twice with one key, returns the id of the first charge."""
    body = {"amount_cents": fresh_amount(business)}
    sent = create_twice(business, first=body, second=body)
    expect(precondition(sent.second), field("id", id_of(sent.first)))


@pytest.mark.parametrize("change", CONFLICTS)
def test_another_body_with_a_used_key_is_refused(
    business: Business, remembered: CreationSentTwice, change: dict[str, Any]
) -> None:
    """POST of a body that differs in a field, in a character or in their places, with a used key, returns 409."""
    other = {name: value for name, value in {**remembered.body, **change}.items() if value is not LEFT_OUT}
    answer = business.create_charge(other, key=remembered.key)
    expect(unless_body_is_invalid(business.create_charge, answer), is_409_for_another_body(remembered.body, other))


@requirement("BUS-IDEM-04")
def test_a_body_with_another_last_character_and_a_used_key_is_refused(business: Business) -> None:
    """POST of a body that differs in the last character of the longest description, with a used key, returns 409."""
    body, start = a_charge(), ascii_text(LONGEST - 1)
    first, second = ({**body, "description": start + end} for end in "ab")
    sent = create_twice(business, first=first, second=second)
    expect(unless_body_is_invalid(business.create_charge, sent.second), is_409_for_another_body(first, second))


@requirement("BUS-IDEM-04")
def test_another_body_with_a_used_key_is_refused_a_second_time(
    business: Business, remembered: CreationSentTwice, conflict: Exchange
) -> None:
    """POST of another body with a used key returns 409 also when it was refused for that key before."""
    require_decision(conflict)
    other = conflict.request.json_object
    expect(business.create_charge(other, key=remembered.key), is_409_for_another_body(remembered.body, other))


@requirement("BUS-IDEM-04")
def test_another_body_with_the_key_of_a_paid_charge_is_refused(
    business: Business, clock: Clock, charge_in: ChargeIn
) -> None:
    """POST of another body with the key of a charge that was paid returns 409."""
    first = charge_in("paid").creation
    if not is_remembered(first, clock):
        first = create_charge_in(business, "paid").creation
    other = {**first.request.json_object, "amount_cents": 1051}
    answer = business.create_charge(other, key=key_of(first.request))
    expect(answer, is_409_for_another_body(first.request.json_object, other))


@requirement("BUS-IDEM-19", "BUS-IDEM-20")
def test_an_invalid_body_with_a_used_key_is_refused(
    business: Business, remembered: CreationSentTwice, observe: Observer
) -> None:
    """POST of an invalid body with a used key is refused with a 4xx, as another body or as invalid."""
    answer = business.create_charge({**remembered.body, "amount_cents": 0}, key=remembered.key)
    observe("BUS-IDEM-20", f"a used key with an invalid body: {describe_status(answer)}", answer.status, answer)
    expect(answer, client_error(), of="BUS-IDEM-19")


@quick
@requirement("BUS-IDEM-05")
def test_another_body_with_a_used_key_creates_no_charge(
    business: Business, repeated: CreationSentTwice, conflict: Exchange
) -> None:
    """The list has no charge of the external_ref that was sent with a used key."""
    require_decision(conflict)
    later, ref = create_pending_charge(business), str(conflict.request.json_object["external_ref"])
    listing, queries = list_with_refs(business, back_to=repeated.first, until=holds_charge(later))
    expect(listing, holds_no_ref([ref], back_to=repeated.first, queries=queries))


@requirement("BUS-IDEM-15")
def test_another_body_with_a_used_key_leaves_the_first_charge_unchanged(
    business: Business, repeated: CreationSentTwice, conflict: Exchange
) -> None:
    """GET of the first charge shows none of the values that were sent later with its key."""
    require_decision(conflict)
    other, now = conflict.request.json_object, precondition(business.get_charge(id_of(repeated.first)))
    names = ("amount_cents", "description", "external_ref", "customer_email")
    expect(now, field("status", repeated.first.at("status")), *(not_field(name, other[name]) for name in names))
    expect(now, unchanged_since(repeated.first, "expires_at"))


@requirement("BUS-IDEM-17", "BUS-IDEM-18")
@pytest.mark.concurrent
def test_of_simultaneous_different_bodies_with_one_key_one_is_accepted(business: Business) -> None:
    """Of six bodies sent simultaneously with one key, one creates a charge and the others are refused.

    The accepted one is sent once more: the history of the key has to explain it.
    """
    key, bodies_sent = fresh_key(), [a_charge(amount_cents=1050 + number) for number in range(6)]
    answers = send_concurrently(*[partial(business.create_charge, body, key=key, group=key) for body in bodies_sent])
    listing = business.list_charges()
    for body, answer in zip(bodies_sent, answers, strict=True):
        if answer.ok:
            business.create_charge(body, key=key)
    refs = [body["external_ref"] for body in bodies_sent]
    expect(listing, created_one_charge(refs, answers), of="BUS-IDEM-18")
    expect(listing, has_one_success_at_most(answers), of="BUS-IDEM-17")


@quick
@requirement("BUS-IDEM-06", "BUS-IDEM-16")
def test_without_a_key_each_creation_creates_a_charge(business: Business) -> None:
    """POST of a body twice without an idempotency key creates two charges, also if it was sent with a key before."""
    body = a_charge()
    with_key = precondition(business.create_charge(body, key=fresh_key()), has("id"))
    first, second = (business.create_charge(body) for _ in range(2))
    expect(first, success(), of="BUS-IDEM-06")
    precondition(first, has("id"))
    for charge, earlier in ((first, with_key), (second, first)):
        expect(charge, success(), has("id"), not_field("id", earlier.at("id")), of="BUS-IDEM-16")


@requirement("BUS-IDEM-07")
@pytest.mark.concurrent
@pytest.mark.parametrize(("count", "apart_ms"), [(6, 0), (3, 10)], ids=["at-once", "10-ms-apart"])
def test_simultaneous_creations_with_one_key_create_one_charge(business: Business, count: int, apart_ms: int) -> None:
    """Simultaneous requests with one key and one body create one charge, by their responses and by the list."""
    key, body = fresh_key(), a_charge()
    answers = repeat_concurrently(count, partial(business.create_charge, body, key=key, group=key), apart_ms=apart_ms)
    expect(business.list_charges(), created_one_charge([body["external_ref"]], answers))


@requirement("BUS-IDEM-10")
def test_the_answer_to_the_same_body_in_another_order_is_noted(business: Business, observe: Observer) -> None:
    """The same members in another order and with other white space may count as the same body or as another."""
    key, body = fresh_key(), a_charge(description="Two tickets")
    first = precondition(business.create_charge(body, key=key), has("id"))
    second = business.create_charge(..., content=in_other_words(body), key=key)
    same = "the same charge" if second.at("id") == first.at("id") else "not that charge"
    observe("BUS-IDEM-10", f"the same body written otherwise: {second.status}, {same}", second.status, first, second)


@requirement("BUS-IDEM-11")
def test_the_answer_to_the_key_of_a_refused_creation_is_noted(business: Business, observe: Observer) -> None:
    """A key that came with an invalid body may be used again for a valid one, or count as used."""
    key = fresh_key()
    refused = business.create_charge(a_charge(amount_cents=0), key=key)
    valid = business.create_charge(a_charge(), key=key)
    words = f"the key of a creation answered {refused.status}, with a valid one: {valid.status}"
    observe("BUS-IDEM-11", words, valid.status, refused, valid)


@requirement("BUS-IDEM-12")
def test_the_answers_to_unusual_keys_are_noted(business: Business, observe: Observer) -> None:
    """An empty key and one of 300 characters may be accepted or refused."""
    empty = create_with_empty_key(business, a_charge())
    long = business.create_charge(a_charge(), key=(fresh_key() * 9)[:300])
    words = f"an empty key: {empty.status}; a key of 300 characters: {long.status}"
    observe("BUS-IDEM-12", words, {"empty": empty.status, "300": long.status}, empty, long)


@requirement("BUS-IDEM-13")
@pytest.mark.parametrize("operation", CHANGES)
def test_the_answer_to_a_key_on_another_route_is_noted(business: Business, operation: str, observe: Observer) -> None:
    """A pay or cancel request sent twice with one key may be answered the second time as the first time."""
    charge = create_pending_charge(business)
    headers = {"idempotency-key": fresh_key()}
    first = precondition(getattr(business, operation)(id_of(charge), headers=headers))
    second = getattr(business, operation)(id_of(charge), headers=headers)
    words = f"{operation} with a key: {first.status}; again with it: {second.status}"
    observe("BUS-IDEM-13", words, {operation: [first.status, second.status]}, first, second)
